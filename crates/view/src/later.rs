//! The result of a separate validation.

use campaign::conduct::LaterVerdict;
use campaign::validation::GaveUp;
use serde::{Serialize, Serializer};

use crate::costs::Costs;
use crate::event::serialize_gave_up;
use crate::verdict::Verdict;

/// The result of a separate validation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Later {
    /// Number of pairs planned.
    pub planned: usize,
    /// The verdict; `None` if no pair was measured with both configurations.
    pub verdict: Option<Verdict>,
    /// The reason why some pairs are missing, if the validation gave up on them.
    #[serde(serialize_with = "why")]
    pub gave_up: Option<GaveUp>,
}

impl Later {
    /// Converts the result of a validation to the user's sign.
    pub fn of(told: &LaterVerdict, costs: &Costs) -> Self {
        let LaterVerdict { concluded, planned } = told;
        let verdict = concluded.verdict.as_ref().map(|judged| Verdict::of(judged, costs));
        Self { planned: *planned, verdict, gave_up: concluded.gave_up.clone() }
    }

    /// Returns the number of pairs measured with both configurations.
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
