//! The decision-making part of captune: which configuration to try next, on which pair, and with which cap.
//!
//! Everything here is a pure function of its arguments: no files, no clock, no environment, no
//! printing. The same settings, seed and history give the same decisions on every platform. To
//! ensure this, logarithms and exponentials come from `libm` rather than from the operating system.

pub mod ablation;
pub mod acquisition;
pub mod history;
pub mod learning;
mod observation;
pub mod optimizer;
pub mod problem;
pub mod propose;
pub mod racing;
mod setting;
pub mod stats;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;
mod trial;

pub use history::History;
pub use math::Rng;
pub use observation::{Observation, Status};
pub use optimizer::Optimizer;
pub use problem::{Objective, Problem};
pub use racing::{Ask, Racing};
pub use setting::SettingError;
pub use space::{Configuration, Space};
pub use surrogate::{Interrupt, Reading};
pub use trial::{Cap, ConfigId, InstanceId, Pair, Seed, TrialId, TrialKey, TrialRequest, Why};
