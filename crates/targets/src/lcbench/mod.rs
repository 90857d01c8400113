//! LCBench: training of neural networks on tabular data, simulated by a surrogate.
//!
//! A configuration has a [`Curve`]: seconds and validation accuracy after each of 52 epochs. It defines two
//! targets for each of seven data sets:
//!
//! | target | cost | constraint |
//! |---|---|---|
//! | time to accuracy | seconds until the first epoch that reaches the threshold ends; unknown if none does | |
//! | time under a constraint | seconds of all epochs | final accuracy at least the threshold |
//!
//! A quarter of all configurations reach the threshold of a data set: it is the 0.75 quantile of the best
//! accuracy of 300 random configurations. The cutoff is the median time of 52 epochs of the same 300, so that
//! a trial that never reaches the threshold is stopped when half of them would have ended by themselves. Both
//! are recorded in [`DATA_SETS`], to two decimals and to whole seconds; a test recomputes them.
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
