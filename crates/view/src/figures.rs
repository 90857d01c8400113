//! Results of a campaign that require its scenario.

use campaign::budget::Budget;
use engine::ConfigId;
use serde::Serialize;

use crate::costs::Costs;
use crate::error::ViewError;
use crate::records::Records;
use crate::standing::{Standing, Training};
use crate::verdict::Verdict;

/// The results of a campaign.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Figures {
    /// The meaning of the costs.
    pub costs: Costs,
    /// The budget of the last session.
    pub budget: Budget,
    /// Results of the best configuration; `None` until it has been measured.
    #[serde(rename = "best_standing")]
    pub best: Option<Standing>,
    /// Results of the default; `None` until it has been measured.
    #[serde(rename = "default_standing")]
    pub default: Option<Standing>,
    /// Comparison of the default and the best configuration on the pairs that both have been tried on; `None`
    /// if the best configuration is the default.
    pub training: Option<Training>,
    /// The verdict on the best configuration; `None` before it has been validated.
    pub verdict: Option<Verdict>,
}

impl Figures {
    /// Computes the results of a campaign. Returns an error if its scenario can no longer be read.
    pub fn of(records: &Records<'_>) -> Result<Self, ViewError> {
        let settings = records.kept.settings()?;
        let costs = Costs::of(records.kept.scenario()?);
        let standing = |config| records.standing(&settings, config).map(|one| Standing::of(&one, &costs));
        let verdict = records.judged()?.map(|judged| Verdict::of(&judged, &costs));
        Ok(Self {
            budget: records.kept.budget()?,
            best: standing(records.best()),
            default: standing(ConfigId(0)),
            training: records.training(&settings).map(|both| Training::of(&both, &costs)),
            verdict,
            costs,
        })
    }
}
