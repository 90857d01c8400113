//! LCBench: training of neural networks on tabular data, simulated by a surrogate.
//!
//! The surrogate predicts a [`Curve`] for each configuration: seconds and validation accuracy after each of
//! 52 epochs. The curves define two targets for each of seven data sets:
//!
//! | target | cost | constraint |
//! |---|---|---|
//! | time to accuracy | seconds until the first epoch that reaches the threshold ends; unknown if none does | |
//! | time under a constraint | seconds of all epochs | final accuracy at least the threshold |
//!
//! The threshold of a data set is the 0.75 quantile of the best accuracy of 300 random configurations, so a
//! quarter of all configurations reach it. The cutoff is the median time that the same 300 configurations
//! take for 52 epochs. So a trial that never reaches the threshold is stopped at the time when half of the
//! training runs would have ended by themselves. [`DATA_SETS`] records thresholds to two decimals and cutoffs
//! to whole seconds; a test recomputes them.
//!
//! The network is not part of captune: the user provides its file (`bench/scripts/export-lcbench.py`).
//!
//! | file | subject |
//! |---|---|
//! | `network` | evaluating the network |
//! | `file` | reading the network |
//! | `data_set` | the targets, with thresholds and cutoffs |

mod data_set;
mod file;
mod network;
#[cfg(test)]
mod tests;

pub use data_set::{Curve, DATA_SETS, DataSet, Recipe, space};
pub use file::NetworkError;
pub use network::Network;

/// Number of epochs of a training run.
pub const EPOCHS: usize = 52;
/// Number of inputs of the network: the epoch and seven parameters.
pub const INPUTS: usize = 8;
/// Number of outputs of the network.
pub const OUTPUTS: usize = 6;
