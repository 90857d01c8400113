//! Shared parts of the comparisons of configurators: benchmarks that answer trials, the arena in which
//! configurators run, and the built-in configurators.
//!
//! | file | subject |
//! |---|---|
//! | `subject` | how each target answers a trial |
//! | `arena` | a benchmark with its objective and its test |
//! | `configurator` | the interface of configurators |
//! | `trajectory` | the incumbents of a configurator |
//! | `captune`, `plain` | campaigns of captune; random search without races |
//! | `digest` | checksums |

pub(crate) mod arena;
pub(crate) mod captune;
pub(crate) mod configurator;
pub(crate) mod digest;
pub(crate) mod plain;
pub(crate) mod subject;
pub(crate) mod trajectory;
