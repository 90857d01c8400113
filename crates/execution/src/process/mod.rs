//! Runs the program of a scenario under resource limits.
//!
//! [`ProcessTarget`] runs the program; [`command`] builds its command line; [`environment`] guesses which
//! variables a failed program may have needed.

pub mod command;
mod constrained;
pub mod environment;
#[cfg(fuzzing)]
pub mod fuzzing;
mod outcome;
mod output;
mod outputs;
pub mod place;
mod protocol;
mod stages;
mod target;
mod verify;

pub use command::CommandLine;
pub use constrained::{reading, solved};
pub use outcome::NO_ANSWER;
pub use place::Place;
pub use target::ProcessTarget;

use crate::{Account, Detail, Leash, Slot, Target, TargetError};
