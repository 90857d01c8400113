//! What comparisons of configurators share: subjects that answer trials, the arena in which configurators meet them,
//! and the configurators that are part of captune.
//!
//! | file | subject |
//! |---|---|
//! | `subject` | how each target answers a trial |
//! | `arena` | a subject with its objective and its test |
//! | `configurator` | what every configurator does |
//! | `course` | what a configurator did |
//! | `captune`, `plain` | campaigns of captune; random search without races |
//! | `digest` | checksums |

pub(crate) mod arena;
pub(crate) mod captune;
pub(crate) mod configurator;
pub(crate) mod course;
pub(crate) mod digest;
pub(crate) mod plain;
pub(crate) mod subject;
