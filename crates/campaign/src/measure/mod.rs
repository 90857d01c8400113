//! What a target's measurements are worth, found out before a campaign spends its budget on them.
//!
//! A few instances are run several times with the baseline: first one trial at a time, then with every
//! slot busy. [`choose`] says on which instances, [`run`] runs them, [`Findings`] says what came of it
//! and [`Advice`] what to change in the scenario.

mod advice;
mod findings;
mod machine;
mod seeds;
mod spread;
#[cfg(test)]
mod tests;
mod trials;

pub use advice::Advice;
pub use findings::{Findings, Memory, OfInstance, OfOutput, Pass, SlowDown, Times};
pub use machine::available_memory;
pub use seeds::{Repeated, Seeds};
pub use spread::{Spread, spread};
pub use trials::{MeasureError, Sample, Terms, choose, run};
