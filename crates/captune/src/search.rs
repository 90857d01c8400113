//! The methods that propose configurations.

use engine::problem::Problem;
use engine::propose::{LocalSearch, ModelSearch, ModelSettings, Proposer, RandomSearch};
use engine::{SettingError, Space};
use surrogate::{InstanceTable, OutOfRange};

/// Number of points in the initial design of a search without a model.
const DESIGN: usize = 10;

/// The method that proposes configurations.
#[derive(Clone, PartialEq, Debug)]
pub enum Search {
    /// Random search.
    Random,
    /// Small changes to the incumbent, alternating with random search.
    Local,
    /// Configurations that a model of all trials considers worth a race, alternating with random search.
    Model(Box<ByModel>),
}

/// Settings for a model-based search.
#[derive(Clone, PartialEq, Debug)]
pub struct ByModel {
    /// The settings of the model.
    pub model: ModelSettings,
    /// Features of the instances; `None` if the model knows only which instance each trial ran on.
    pub features: Option<InstanceTable>,
    /// Largest share of the wall time that the optimizer may use. A [`Tuner`](crate::Tuner) reads no clock
    /// and ignores it. This limit does not apply to campaigns that are repeatable or run in simulated time
    /// either.
    pub overhead: f64,
}

impl Default for ByModel {
    fn default() -> Self {
        Self { model: ModelSettings::default(), features: None, overhead: 0.1 }
    }
}

impl Search {
    /// Returns a model-based search with these settings.
    pub fn by(model: ModelSettings) -> Self {
        Self::Model(Box::new(ByModel { model, ..ByModel::default() }))
    }

    /// Returns the default search for a target: see [`ModelSettings::suited`].
    pub fn suited(space: &Space, deterministic: bool) -> Self {
        Self::by(ModelSettings::suited(space, deterministic))
    }

    /// Checks the settings of the model against the problem.
    pub fn check(&self, problem: &Problem) -> Result<(), SettingError> {
        let Self::Model(by) = self else { return Ok(()) };
        let allowed = "above 0 and at most 1";
        OutOfRange::unless(|x| x > 0.0 && x <= 1.0, "overhead", by.overhead, allowed)?;
        ModelSearch::check(problem, &by.model, by.features.as_ref().unwrap_or(InstanceTable::unknown()))
    }

    /// Returns this search for a target.
    pub(crate) fn for_target(&self, space: &Space, deterministic: bool) -> Self {
        let mut search = self.clone();
        if let Self::Model(by) = &mut search {
            by.model = by.model.clone().for_target(space, deterministic);
        }
        search
    }

    /// Returns the number of points in the initial design.
    pub(crate) fn design(&self) -> usize {
        match self {
            Self::Model(by) => by.model.design,
            Self::Random | Self::Local => DESIGN,
        }
    }

    /// Creates the proposer. The settings must have been checked.
    pub(crate) fn proposer(&self, problem: &Problem) -> Box<dyn Proposer> {
        match self {
            Self::Random => Box::new(RandomSearch::new(problem.space.clone(), problem.seed)),
            Self::Local => Box::new(LocalSearch::new(problem.space.clone(), problem.seed)),
            Self::Model(by) => {
                let (problem, model) = (problem.clone(), by.model.clone());
                Box::new(match &by.features {
                    Some(features) => ModelSearch::with_instances(problem, model, features.clone()),
                    None => ModelSearch::new(problem, model),
                })
            }
        }
    }
}
