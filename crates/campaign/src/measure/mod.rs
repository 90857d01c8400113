//! Checks how reliable the measurements of a target are, before a campaign spends its budget on them.
//!
//! captune runs a few instances several times with the baseline: first one trial at a time, then with every
//! slot busy. [`choose`] selects the instances, [`run`] runs them, [`Findings`] summarises the results, and
//! [`Advice`] recommends changes to the scenario.

mod advice;
mod findings;
mod machine;
mod seeds;
mod spread;
#[cfg(test)]
mod tests;
mod trials;

pub use advice::Advice;
pub use findings::{Findings, InstanceTimes, Memory, OutputValues, Pass, SlowDown, Times};
pub use machine::available_memory;
pub use seeds::{Repeated, Seeds};
pub use spread::{Spread, spread};
pub use trials::{MeasureError, Sample, Terms, choose, run};
