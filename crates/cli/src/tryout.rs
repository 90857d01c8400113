//! One trial outside a campaign, for `check` and `rerun`.

use std::sync::Arc;

use confine::Finished;
use engine::TrialRequest;
use execution::{Account, Leash, ProcessTarget};

use crate::signals;

/// Runs a trial and returns its result and the record of its run. Returns `None` if a signal stopped it.
pub(crate) fn run(
    target: &ProcessTarget,
    request: &TrialRequest,
) -> anyhow::Result<Option<(Account, Option<Finished>)>> {
    let leash = Arc::new(Leash::new());
    let held = Arc::clone(&leash);
    signals::listen()?.each(move |_| held.cancel());
    let result = target.run_with_record(request, &leash, &target.lone_slot()?)?;
    Ok((!leash.is_cancelled()).then_some(result))
}
