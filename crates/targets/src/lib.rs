//! Programs worth tuning that need no installation.
//!
//! | module | contents |
//! |---|---|
//! | [`saps`] | a local search SAT solver, also as the program `captune-saps` |
//! | [`quasigroup`], [`latin`] | formulas for the solver, of any hardness and always satisfiable |
//! | [`formula`], [`dimacs`] | formulas, and their usual file format |
//! | [`lcbench`] | training of neural networks, simulated by a surrogate that the user provides |
//! | [`functions`] | Branin, camelback and Hartmann as costs |
//! | [`smooth`] | a smooth function of five parameters |
//! | [`generate`] | inputs for installed programs: formulas, mixed-integer programs, equations, C sources |
//! | [`synthetic`] | 76 parameters with conditions, interactions and crashes |
//! | [`worlds`] | simulated targets with known properties, for simulated campaigns |
//!
//! Everything is a function of its arguments and of a seed. There is no clock, no printing, and no file
//! access except for the network of `lcbench`; only the program `captune-saps` reads files and prints.

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
