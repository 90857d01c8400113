//! Version of captune.

/// The last commit that changed the behaviour of campaigns, with `-dirty` if the sources have changed since
/// then.
pub(crate) const CAPTUNE: &str = env!("CAPTUNE_COMMIT");
