//! Running trials.
//!
//! A [`Target`] runs one trial and gives an [`Account`] of it: [`ProcessTarget`] is the program of a scenario,
//! [`FunctionTarget`] a function of this program. An [`executor`] runs many: on this machine's cores, or in
//! simulated time. Nothing here knows why a trial is wanted.

pub mod executor;
mod function;
mod leash;
pub mod panics;
pub mod process;
mod record;
mod target;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;

pub use function::{FunctionTarget, Said};
pub use leash::Leash;
pub use process::{CommandLine, NO_ANSWER, Place, ProcessTarget, environment};
pub use record::Record;
pub use target::{Account, Detail, GPUS, Slot, Target, TargetError};
