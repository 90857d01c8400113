//! Runs *one* command under exact limits on CPU time, wall time, memory and more, kills its whole
//! process tree, and reports what it used.
//!
//! ```no_run
//! use confine::{Command, Control, End, Limit, Limits};
//! use std::time::Duration;
//!
//! confine::supervise_if_asked(); // first thing in `main`
//! let limits = Limits { cpu: Some(Duration::from_millis(2500)), ..Limits::default() };
//! let finished = confine::run(&Command::new("minisat").arg("hard.cnf"), &limits, &Control::new())?;
//! match finished.end() {
//!     End::Stopped(Limit::Cpu) => println!("took at least {:?}", limits.cpu),
//!     end => println!("{end:?} after {:?}", finished.wall),
//! }
//! # Ok::<(), confine::LaunchError>(())
//! ```
//!
//! The crate knows nothing about optimisation. The crate is not a sandbox: targets run with all of the user's
//! permissions.

#[cfg(not(target_os = "linux"))]
compile_error!("confine needs Linux: it depends on process descriptors, timers and /proc");

mod command;
mod control;
pub mod environment;
mod error;
mod finished;
mod folder;
mod guardian;
mod launch;
mod limits;
mod path_bytes;
pub mod quantity;
mod sequence;
mod supervise;
mod sys;
mod tier;
mod wire;

pub use command::{Command, Folder, Stdin};
pub use control::Control;
pub use error::{LaunchError, Step};
pub use finished::{Captured, CpuTime, End, Exit, Finished, Stop, Unread};
pub use folder::Private as PrivateFolder;
pub use guardian::dismiss_guardians;
pub use launch::find_program;
pub use limits::{Cores, Limit, LimitError, Limits};
pub use sequence::{Sequence, run};
pub use tier::Tier;
#[cfg(fuzzing)]
pub use wire::fuzzing;

/// Runs as a guardian and never returns if this process was started as one. Otherwise, does nothing.
///
/// Call this first in `main`: the first run starts the same executable again, as the guardian.
pub fn supervise_if_asked() {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == supervise::SUPERVISE) {
        supervise::guard();
    }
}
