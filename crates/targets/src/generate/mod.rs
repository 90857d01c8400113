//! Generated inputs for installed programs: the same arguments and seed give the same text everywhere.
//!
//! | module | input of |
//! |---|---|
//! | [`factoring`], [`parity`] | SAT solvers |
//! | [`knapsack`] | solvers of mixed-integer programs |
//! | [`equations`] | SMT solvers |
//! | [`c_source`] | C compilers |

pub mod c_source;
pub mod equations;
pub mod factoring;
pub mod knapsack;
pub mod parity;
