//! The learners, one file each.
//!
//! | learner | how it proposes | file |
//! |---|---|---|
//! | forest | largest utility of an acquisition function | `forest` |
//! | neural | lowest cost predicted by a network that is trained for this proposal (Thompson sampling) | `neural` |
//! | gaussian | as a forest; after it has converged, two of three proposals come from a restart | `gaussian` |
//! | own | as a forest, with a surrogate that the user supplies | `own` |
//! | auto | as the learner that predicts trials best | `auto` |
//!
//! A new learner is one file with a type that implements [`Kind`], and one line in the list below. Scenarios, the
//! library and the Python package then accept its word. If a surrogate needs no settings of its own,
//! [`Kind::trainer`] can wrap it in an [`OwnTrainer`](own::OwnTrainer), and the rest of [`Kind`] has defaults.

mod auto;
mod forest;
mod gaussian;
mod neural;
pub(super) mod own;
#[cfg(test)]
mod own_tests;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use space::Configuration;

use super::improvement::Improvement;
use super::learned::Trainer;
use super::{ModelSettings, Task};
use crate::history::History;
use crate::propose::Forecast;

/// What sets a learner apart.
trait Kind: Sync {
    /// Returns the settings that suit the learner, given the default settings.
    fn suited(&self, default: ModelSettings) -> ModelSettings {
        default
    }

    /// Returns a trainer for the cost, or for a constrained output, after this many trials.
    fn trainer(&self, task: &Task, seed: u64, trials: usize) -> Box<dyn Trainer>;

    /// Returns the method by which the learner proposes.
    fn method(&self, learner: Learner) -> Box<dyn Method> {
        Box::new(Improvement::new(learner))
    }

    /// Returns the name reported as the origin of proposals, if it differs from the learner's word.
    fn origin(&self, _settings: &ModelSettings) -> Option<&'static str> {
        None
    }

    /// Returns whether [expected costs](Method::expected) are known without a computation of their own. If
    /// not, a forest answers instead.
    fn expects_costs(&self) -> bool {
        true
    }

    /// Returns whether a forest takes turns with the learner and then replaces it, after
    /// [`ModelSettings::forest_from`] trials.
    fn gives_way(&self) -> bool {
        false
    }

    /// Returns whether its predictions of constrained outputs may be arbitrarily certain.
    fn may_be_certain(&self) -> bool {
        false
    }

    /// Returns the estimated seconds of the first fit after this many trials, given those of a forest.
    fn first_seconds(&self, _settings: &ModelSettings, _trials: usize, forest: f64) -> f64 {
        forest
    }

    /// Returns what a scenario can say about the learner.
    fn keys(&self) -> Keys {
        Keys::default()
    }
}

/// A method that finds configurations worth a race, with the models that it keeps between proposals.
pub(super) trait Method: Send {
    /// Returns a configuration that is not in the history; `None` before the first fit.
    fn propose(&mut self, task: &Task, history: &History, number: usize) -> Option<Configuration>;

    /// Predicts the cost of a configuration; `None` before the first fit, or if the model is not kept.
    fn forecast(&self, task: &Task, configuration: &Configuration) -> Option<Forecast>;

    /// Returns the expected costs of the configurations that were tried, by number; empty before the first
    /// fit.
    fn expected(&mut self, task: &Task, history: &History) -> &[f64];
}

/// What a scenario can say about a learner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keys {
    /// Words for the treatment of stopped trials; empty if it cannot be chosen.
    pub treatments: &'static [&'static str],
    /// Whether the acquisition function can be chosen.
    pub acquisition: bool,
    /// Whether the number of trees can be chosen.
    pub trees: bool,
    /// Whether constraints can be combined by the residuals of their models.
    pub residuals: bool,
    /// Whether it can learn a constrained output.
    pub outputs: bool,
}

impl Default for Keys {
    fn default() -> Self {
        Self { treatments: &[], acquisition: true, trees: false, residuals: false, outputs: true }
    }
}

/// Defines [`Learner`] from a list of learners: variant, word, and the type that implements [`Kind`].
macro_rules! learners {
    ($($(#[$doc:meta])* $variant:ident = $word:literal, $kind:expr;)*) => {
        /// The kind of model that learns from the trials of a campaign.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Learner {
            $($(#[$doc])* $variant,)*
        }

        impl Learner {
            /// All learners.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the word for the learner.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            fn kind(self) -> &'static dyn Kind {
                match self {
                    $(Self::$variant => &$kind,)*
                }
            }
        }
    };
}

learners! {
    /// A forest.
    Forest = "forest", forest::ForestLearner;
    /// Networks.
    Neural = "neural", neural::NeuralLearner;
    /// A Gaussian process.
    Gaussian = "gaussian", gaussian::GaussianLearner;
    /// A [custom surrogate](ModelSettings::own), supplied by the user of this crate.
    Own = "own", own::OwnLearner;
    /// The best of the first three, chosen again whenever the number of trials has doubled.
    Auto = "auto", auto::AutoLearner;
}

impl Learner {
    /// Returns the learner with this word. A custom surrogate has no word that users know.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|learner| learner.word() == word && *learner != Self::Own)
    }

    /// Returns the estimated seconds of the first fit after this many trials, given those of a forest.
    pub fn first_seconds(self, settings: &ModelSettings, trials: usize, forest: f64) -> f64 {
        self.kind().first_seconds(settings, trials, forest)
    }

    /// Returns what a scenario can say about the learner.
    pub fn keys(self) -> Keys {
        self.kind().keys()
    }

    pub(super) fn suited(self, default: ModelSettings) -> ModelSettings {
        self.kind().suited(ModelSettings { learner: self, ..default })
    }

    pub(super) fn trainer(self, task: &Task, seed: u64, trials: usize) -> Box<dyn Trainer> {
        self.kind().trainer(task, seed, trials)
    }

    pub(super) fn method(self) -> Box<dyn Method> {
        self.kind().method(self)
    }

    pub(super) fn origin(self, settings: &ModelSettings) -> &'static str {
        self.kind().origin(settings).unwrap_or(self.word())
    }

    pub(super) fn expects_costs(self) -> bool {
        self.kind().expects_costs()
    }

    pub(super) fn gives_way(self) -> bool {
        self.kind().gives_way()
    }

    pub(super) fn may_be_certain(self) -> bool {
        self.kind().may_be_certain()
    }
}
