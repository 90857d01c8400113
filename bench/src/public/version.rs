//! Which captune this is.

/// The last commit that changed what a campaign does, with `-dirty` if the sources were changed since.
pub(super) const CAPTUNE: &str = env!("CAPTUNE_COMMIT");
