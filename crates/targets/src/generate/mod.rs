//! Generated inputs for installed programs. The same arguments and seed give the same text on every machine.
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
