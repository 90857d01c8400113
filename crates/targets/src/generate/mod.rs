//! Generated inputs for programs that are installed: the same text for the same arguments and seed, everywhere.
//!
//! | module | input of |
//! |---|---|
//! | [`factoring`], [`parity`] | SAT solvers |
//! | [`c_source`] | C compilers |

pub mod c_source;
pub mod factoring;
pub mod parity;
