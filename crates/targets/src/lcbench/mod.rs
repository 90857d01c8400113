//! LCBench: training of neural networks on tabular data, answered by a surrogate instead of a computer.
//!
//! A configuration has a [`Curve`]: seconds and validation accuracy after each of 52 epochs. From it come
//! two targets for each of seven data sets:
//!
//! | target | cost | besides |
//! |---|---|---|
//! | time to accuracy | seconds after the first epoch that reaches the threshold; unknown if none does | |
//! | time under a constraint | seconds of all epochs | the accuracy after the last one, to be no less than the threshold |
//!
//! The threshold of a data set is one that a quarter of all configurations reach: the 0.75 quantile of the
//! best accuracy of 300 random ones. The cutoff is the median time of 52 epochs of the same 300, so that a
//! trial that will never reach the threshold is ended where half of them would have ended by themselves.
//! Both are recorded in [`DATA_SETS`], two digits after the point and to whole seconds; a test finds them
//! again.
//!
//! The network comes from a file of the user's (`bench/scripts/export-lcbench.py`): nothing of it is here.
//!
//! | file | subject |
//! |---|---|
//! | `network` | evaluates it |
//! | `file` | reads it |
//! | `data_set` | what is tuned: thresholds, cutoffs, both targets |

mod data_set;
mod file;
mod network;
#[cfg(test)]
mod tests;

pub use data_set::{Curve, DATA_SETS, DataSet, Recipe, space};
pub use file::NetworkError;
pub use network::Network;

/// Epochs of a training.
pub const EPOCHS: usize = 52;
/// Inputs of the network: the epoch and seven parameters.
pub const INPUTS: usize = 8;
/// Outputs of the network.
pub const OUTPUTS: usize = 6;
