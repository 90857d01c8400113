//! Targets to tune that need no installation, and generated inputs for installed programs.
//!
//! | module | contents |
//! |---|---|
//! | [`saps`] | a SAT solver by local search, also available as the program `captune-saps` |
//! | [`quasigroup`], [`latin`] | satisfiable formulas of any hardness for this solver |
//! | [`formula`], [`dimacs`] | formulas, and their usual file format |
//! | [`neighbours`] | nearest neighbours by locality-sensitive hashing, also available as the program `captune-lsh` |
//! | [`machines`] | support vector machines, and their compression to a few vectors |
//! | [`points`] | the labelled points that these classifiers learn from |
//! | [`lcbench`] | training of neural networks, simulated by a surrogate network that the user provides |
//! | [`functions`] | Branin, camelback and Hartmann as costs |
//! | [`smooth`] | a smooth function of five parameters |
//! | [`generate`] | inputs for installed programs: formulas, mixed-integer programs, equations, C sources |
//! | [`synthetic`] | 76 parameters with conditions, interactions and crashes |
//! | [`worlds`] | simulated targets with known properties, for simulated campaigns |
//!
//! All results depend only on the arguments and a seed. The library reads no clock, prints nothing, and reads
//! no file except the network of `lcbench`. Only the programs `captune-saps` and `captune-lsh` read other files
//! and print.

pub mod dimacs;
pub mod formula;
pub mod functions;
pub mod generate;
mod generate_option;
pub mod latin;
pub mod lcbench;
pub mod machines;
pub mod neighbours;
pub mod points;
pub mod quasigroup;
pub mod saps;
pub mod smooth;
pub mod synthetic;
pub mod worlds;

pub use formula::Formula;
pub use functions::Function;
pub use quasigroup::Quasigroup;
pub use worlds::World;
