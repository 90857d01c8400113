//! Programs worth tuning that need no installation.
//!
//! | module | what can be tuned on it |
//! |---|---|
//! | [`saps`] | a local search solver, also as the program `captune-saps` |
//! | [`quasigroup`], [`latin`] | formulas for it, of any hardness and always satisfiable |
//! | [`formula`], [`dimacs`] | formulas as such, and their usual file format |
//! | [`lcbench`] | training of neural networks, answered by a surrogate that the user provides |
//! | [`functions`] | Branin, camelback and Hartmann as costs |
//! | [`smooth`] | a smooth function of five parameters |
//! | [`generate`] | inputs for installed programs: formulas, programs, sources |
//! | [`synthetic`] | 76 parameters with conditions, interactions and crashes |
//! | [`worlds`] | simulated targets of known properties, for simulated campaigns |
//!
//! Everything is a function of its arguments and of a seed: no clock, no printing, and no files but
//! the network of `lcbench`; the program reads and prints for itself.

pub mod dimacs;
pub mod formula;
pub mod functions;
pub mod generate;
pub mod latin;
pub mod lcbench;
pub mod quasigroup;
pub mod saps;
pub mod smooth;
pub mod synthetic;
pub mod worlds;

pub use formula::Formula;
pub use functions::Function;
pub use quasigroup::Quasigroup;
pub use worlds::World;
