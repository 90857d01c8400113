//! Compares campaigns side by side.

mod shared;

pub use shared::{Ground, Obstacle};

use campaign::Settings;
use campaign::budget::{Budget, Spent};
use engine::stats;
use serde::Serialize;
use space::Values;

use crate::costs::Costs;
use crate::error::ViewError;
use crate::figures::Figures;
use crate::kept::Kept;
use crate::records::Records;
use crate::standing::Standing;
use crate::values::Valued;
use crate::verdict::Verdict;
use shared::{Common, Contestant};

/// A comparison of several campaigns.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Compared {
    /// The campaigns, in the order in which they were given.
    pub campaigns: Vec<Side>,
    /// Whether the campaigns are ranked.
    pub ranked: bool,
    /// The pairs on which the campaigns are compared.
    #[serde(rename = "common")]
    pub on: Option<On>,
    /// Index of the campaign whose best configuration should be used; `None` if the campaigns cannot be
    /// compared or none has found anything better than the configuration it started from. Only the training
    /// results decide, because a configuration chosen by its validation would have no unbiased validation
    /// left.
    pub chosen: Option<usize>,
}

/// The pairs that all campaigns have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct On {
    /// Number of pairs.
    pub pairs: usize,
    /// The source of the pairs.
    pub ground: Ground,
}

/// One of the compared campaigns.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Side {
    /// The path of its folder.
    pub folder: String,
    /// Its name.
    pub name: String,
    /// The budget of its last session.
    pub budget: Budget,
    /// The time and trials that it has spent.
    pub spent: Spent,
    /// Its best configuration.
    pub best: Valued,
    /// The results of its best configuration; `None` until that configuration has been measured.
    #[serde(rename = "best_standing")]
    pub standing: Option<Standing>,
    /// Factor by which the best configuration is better than the default in training, even if there are few
    /// common pairs.
    pub training: Option<f64>,
    /// The verdict on its best configuration.
    pub verdict: Option<Verdict>,
    /// Reasons why the campaign cannot be ranked against the first one; empty if it can be.
    pub obstacles: Vec<Obstacle>,
    /// Mean compared cost of its best configuration on the common pairs.
    pub common_cost: Option<f64>,
    /// Comparison with the best configuration of the first campaign; `None` for the first campaign itself.
    pub against_first: Option<AgainstFirst>,
    /// The meaning of its costs.
    #[serde(skip)]
    pub costs: Costs,
}

/// The comparison with the first campaign.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct AgainstFirst {
    /// Factor by which this campaign's best configuration is better than that of the first campaign. A value
    /// above 1 means that it is better.
    pub ratio: f64,
    /// 95 % confidence interval for the ratio.
    pub interval: Option<[f64; 2]>,
    /// Probability of a ratio at least this far from 1 if there were no difference.
    pub p: f64,
}

/// Compares each campaign with the first one.
pub fn compare(all: &[Kept]) -> Result<Compared, ViewError> {
    let read = |kept| Ok((Records::of(kept)?, Kept::settings(kept)?));
    let read: Vec<(Records<'_>, Settings)> = all.iter().map(read).collect::<Result<_, ViewError>>()?;
    let contestants: Vec<Contestant<'_>> = read.iter().map(contestant).collect::<Result<_, ViewError>>()?;
    let obstacles: Vec<Vec<Obstacle>> =
        contestants.iter().map(|other| shared::obstacles(&contestants[0], other)).collect();
    let comparable = obstacles.iter().all(Vec::is_empty);
    let common = comparable.then(|| shared::common(&contestants)).flatten();
    let sides = read.iter().zip(obstacles).enumerate();
    let sides = sides.map(|(place, ((records, _), obstacles))| {
        Side::of(records, obstacles, common.as_ref().map(|common| (common, place)))
    });
    let campaigns: Vec<Side> = sides.collect::<Result<_, ViewError>>()?;
    Ok(Compared {
        chosen: comparable.then(|| chosen(&campaigns)).flatten(),
        campaigns,
        ranked: common.is_some(),
        on: common.map(|common| On { pairs: common.pairs, ground: common.ground }),
    })
}

/// Returns the index of the campaign with the largest gain in training, the first among equals. Feasible
/// configurations come first.
fn chosen(campaigns: &[Side]) -> Option<usize> {
    let found = campaigns.iter().enumerate().filter(|(_, side)| side.best.configuration != 0);
    let rank = |(_, side): &(usize, &Side)| {
        let is_feasible = side.standing.as_ref().is_some_and(|standing| standing.feasible);
        (is_feasible, side.training.unwrap_or(0.0))
    };
    let best = found.rev().max_by(|one, other| {
        let ((feasible, gain), (other_feasible, other_gain)) = (rank(one), rank(other));
        feasible.cmp(&other_feasible).then_with(|| gain.total_cmp(&other_gain))
    });
    best.map(|(place, _)| place)
}

fn contestant<'a>((records, settings): &'a (Records<'_>, Settings)) -> Result<Contestant<'a>, ViewError> {
    Ok(Contestant {
        scenario: records.kept.scenario()?,
        settings,
        instances: &records.kept.charter.instances,
        history: records.history(),
        validations: records.validations(),
        best: records.best(),
    })
}

impl Side {
    /// Creates one campaign's part of the comparison. `common` contains the results on the common pairs and
    /// the campaign's index in these results.
    fn of(
        records: &Records<'_>,
        obstacles: Vec<Obstacle>,
        common: Option<(&Common, usize)>,
    ) -> Result<Self, ViewError> {
        let Figures { costs, budget, best, verdict, training, .. } = Figures::of(records)?;
        let against = common.and_then(|(common, place)| common.against_first[place].as_ref());
        let values = Values::from(records.best_configuration());
        Ok(Self {
            folder: records.kept.folder.to_string_lossy().into_owned(),
            name: records.kept.charter.name.clone(),
            budget,
            spent: records.spent(),
            best: Valued { configuration: records.best().0, values },
            standing: best,
            training: training.and_then(|training| training.any_ratio),
            verdict,
            obstacles,
            common_cost: common.map(|(common, place)| costs.number(common.means[place])),
            against_first: against.map(AgainstFirst::of),
            costs,
        })
    }
}

impl AgainstFirst {
    fn of(found: &stats::Comparison) -> Self {
        let interval = found.interval.map(|interval| [interval.low, interval.high]);
        Self { ratio: found.ratio, interval, p: found.p }
    }
}
