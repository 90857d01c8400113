//! What came of a validation at a later time.

use campaign::conduct::LaterVerdict;
use campaign::validation::GaveUp;
use serde::{Serialize, Serializer};

use crate::costs::Costs;
use crate::event::serialize_gave_up;
use crate::verdict::Verdict;

/// What came of a validation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Later {
    /// How many pairs were to be measured.
    pub planned: usize,
    /// What may be said; `None` if no pair was measured with both.
    pub verdict: Option<Verdict>,
    /// Why some pairs are missing, if it gave up on them.
    #[serde(serialize_with = "why")]
    pub gave_up: Option<GaveUp>,
}

impl Later {
    /// A validation of a campaign whose trials were run on these machines.
    pub fn of(told: &LaterVerdict, costs: &Costs) -> Self {
        let LaterVerdict { concluded, planned } = told;
        let verdict = concluded.verdict.as_ref().map(|judged| Verdict::of(judged, costs));
        Self { planned: *planned, verdict, gave_up: concluded.gave_up.clone() }
    }

    /// Pairs that were measured with both.
    pub fn pairs(&self) -> usize {
        self.verdict.as_ref().map_or(0, |verdict| verdict.pairs)
    }
}

fn why<S: Serializer>(why: &Option<GaveUp>, serializer: S) -> Result<S::Ok, S::Error> {
    match why {
        Some(why) => serialize_gave_up(why, serializer),
        None => serializer.serialize_none(),
    }
}
