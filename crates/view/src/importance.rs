//! Which parameters matter, from the trials of a campaign.

use campaign::settings::Settings;
use engine::{ConfigId, Configuration, History};
use importance::{Bins, fanova, local, ped_anova, relative_costs};
use serde::Serialize;
use space::{Kind, Literal, Parameter, Space};
use surrogate::{Scale, configuration_columns};

use crate::error::ViewError;
use crate::model::Model;
use crate::records::Records;
use crate::values::literal;

/// Largest number of trials that the forest learns from; more are thinned.
const TRIALS: usize = 10_000;
/// Share of the configurations that PED-ANOVA compares with all.
const BEST: f64 = 0.1;
/// Largest number of pairs that are listed.
const PAIRS: usize = 10;

/// What mattered in a campaign, according to its trials so far.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Importance {
    /// Number of the best configuration so far, around which the local importance is computed.
    pub best: u32,
    /// Number of trials that the model learned from.
    pub trials: usize,
    /// Number of configurations with at least one of these trials.
    pub configurations: usize,
    /// Quantile of the predicted cost at which costs are capped: the shares explain the differences among
    /// configurations below it.
    pub quantile: f64,
    /// Predicted cost at that quantile; `None` if the predicted cost is the same everywhere.
    pub cap: Option<f64>,
    /// Share of the configurations that counts as the best ones in `sampling`.
    pub best_share: f64,
    /// All parameters with more than one value, the most important first.
    pub parameters: Vec<ParameterImportance>,
    /// The pairs of parameters with the largest shares, the largest first.
    pub pairs: Vec<PairImportance>,
    /// Share of the pairs that are not listed, and of interactions among three or more parameters.
    pub rest: f64,
}

/// The importance of one parameter.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ParameterImportance {
    /// Its name.
    pub name: String,
    /// Its value in the baseline; `None` if it is inactive there.
    #[serde(serialize_with = "literal")]
    pub default: Option<Literal>,
    /// Its value in the best configuration; `None` if it is inactive there.
    #[serde(serialize_with = "literal")]
    pub value: Option<Literal>,
    /// Its share of the variance of the predicted cost over the space, by functional ANOVA.
    pub share: f64,
    /// Standard deviation of the share over the trees of the forest.
    pub spread: f64,
    /// Its share of the variance around the best configuration; `None` if it is inactive there.
    pub local: Option<f64>,
    /// Predicted effect of setting it back to its value in the baseline; `None` if the value is the same.
    pub back: Option<Effect>,
    /// Its share by PED-ANOVA: how far its values in the best configurations differ from its values in all.
    pub sampling: f64,
}

/// A predicted change of the cost.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Factor on the cost.
    Factor(f64),
    /// Difference of the cost, with the user's sign; for costs that need not be positive.
    Difference(f64),
}

/// The importance of two parameters together, beyond their separate shares.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PairImportance {
    /// Their names, in the order of the space.
    pub names: [String; 2],
    /// The share of the variance.
    pub share: f64,
    /// Its standard deviation over trees.
    pub spread: f64,
}

impl Importance {
    /// Fits a forest to the trials of a campaign and analyses it. Costs above this quantile of all predicted
    /// costs count as that quantile; 1 means that no cost is capped. Returns `None` if there is no cost to
    /// learn from, or no parameter to vary.
    pub fn of(records: &Records<'_>, quantile: f64) -> Result<Option<Self>, ViewError> {
        let model = Model::fit(records, TRIALS)?;
        model.map(|model| Self::by(&model, records, quantile)).transpose()
    }

    /// Analyses a fitted model.
    pub(crate) fn by(model: &Model, records: &Records<'_>, quantile: f64) -> Result<Self, ViewError> {
        let Model { settings, costs, forest, threads, .. } = model;
        let space = &settings.problem.space;
        let found = fanova(forest, &configuration_columns(space), quantile, *threads);
        let (default, best) = (records.default(), records.best_configuration());
        let around = local::local(space, forest, best, default);
        let sampling = sampling_shares(records)?;
        let effect = |change: f64| match forest.scale() {
            Scale::Log10 { .. } => Effect::Factor(forest.scale().cost(change)),
            Scale::Linear => Effect::Difference(costs.number(change)),
        };
        let name = |column: usize| space.parameters()[column].name().to_owned();
        let mut parameters: Vec<ParameterImportance> = space
            .ids()
            .filter(|&id| space.parameter(id).is_variable())
            .map(|id| {
                let share = found.as_ref().map(|found| found.columns[id.index()]).unwrap_or_default();
                let local = around.iter().find(|one| one.id == id);
                ParameterImportance {
                    name: name(id.index()),
                    default: default.value(id),
                    value: best.value(id),
                    share: share.mean,
                    spread: share.spread,
                    local: local.map(|one| one.share),
                    back: local.and_then(|one| one.back).map(effect),
                    sampling: sampling[id.index()],
                }
            })
            .collect();
        parameters.sort_by(|a, b| b.share.total_cmp(&a.share));
        let pair = |pair: &importance::PairShare| PairImportance {
            names: pair.columns.map(name),
            share: pair.share.mean,
            spread: pair.share.spread,
        };
        let pairs: Vec<PairImportance> =
            found.iter().flat_map(|found| found.pairs.iter().take(PAIRS)).map(pair).collect();
        let listed: f64 =
            parameters.iter().map(|one| one.share).chain(pairs.iter().map(|one| one.share)).sum();
        Ok(Self {
            best: records.best().0,
            trials: model.trials,
            configurations: model.configurations,
            quantile,
            cap: found.as_ref().map(|found| model.cost(found.cap)),
            best_share: BEST,
            rest: if found.is_some() { (1.0 - listed).max(0.0) } else { 0.0 },
            parameters,
            pairs,
        })
    }
}

/// Returns the share of each parameter by PED-ANOVA, in the order of the space. This needs no model, so it is
/// cheap enough for a page that follows a running campaign.
pub fn sampling_shares(records: &Records<'_>) -> Result<Vec<f64>, ViewError> {
    let settings = records.kept.settings()?;
    Ok(sampling(&settings, records.history(), records.best()))
}

fn sampling(settings: &Settings, history: &History, best: ConfigId) -> Vec<f64> {
    let space = &settings.problem.space;
    let relative = relative_costs(history, &settings.problem.objective, best);
    let known: Vec<(&Configuration, f64)> =
        history.configurations().iter().zip(relative).filter_map(|(one, cost)| Some((one, cost?))).collect();
    let rows: Vec<f64> = known.iter().flat_map(|(configuration, _)| space.encode(configuration)).collect();
    let costs: Vec<f64> = known.iter().map(|(_, cost)| *cost).collect();
    ped_anova(&bins(space), &rows, &costs, BEST)
}

fn bins(space: &Space) -> Vec<Bins> {
    let bins = |parameter: &Parameter| match (parameter.kind(), parameter.choices(), parameter.value_count())
    {
        (Kind::Categorical, Some(choices), _) => Bins::Categories(choices.count()),
        (_, _, Some(count)) if count < 1e6 => Bins::Ordered(count as usize),
        _ => Bins::Continuous,
    };
    space.parameters().iter().map(bins).collect()
}
