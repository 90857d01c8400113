//! Programs worth tuning that need no installation.
//!
//! | module | what can be tuned on it |
//! |---|---|
//! | [`saps`] | a local search solver, also as the program `captune-saps` |
//! | [`quasigroup`], [`latin`] | formulas for it, of any hardness and always satisfiable |
//! | [`formula`], [`dimacs`] | formulas as such, and their usual file format |
//! | [`functions`] | Branin, camelback and Hartmann as costs |
//! | [`worlds`] | simulated targets of known properties, for simulated campaigns |
//!
//! Everything is a function of its arguments and of a seed: no files, no clock, no printing, except
//! in the program.

pub mod dimacs;
pub mod formula;
pub mod functions;
pub mod latin;
pub mod quasigroup;
pub mod saps;
pub mod worlds;

pub use formula::Formula;
pub use functions::Function;
pub use quasigroup::Quasigroup;
pub use worlds::World;
