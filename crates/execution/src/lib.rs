//! Runs trials.
//!
//! A [`Target`] runs one trial and returns its result as an [`Account`]. [`ProcessTarget`] runs the program
//! of a scenario; [`FunctionTarget`] calls a function in this program. An [`executor`] runs many trials, on
//! this machine's cores or in simulated time. This crate does not know why a trial was requested.

pub mod executor;
mod function;
mod leash;
pub mod panics;
pub mod process;
mod record;
mod target;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;

pub use function::{FunctionTarget, Outcome};
pub use leash::Leash;
pub use process::{CommandLine, NO_ANSWER, Place, ProcessTarget, environment};
pub use record::Record;
pub use target::{Account, Detail, GPUS, Slot, Target, TargetError, with_causes};
