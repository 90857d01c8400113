//! Laws for every learner in the list. The tests of the search, such as the ones of resumed campaigns, also
//! run over [`Learner::ALL`].

use math::Rng;
use space::format::{Format, read};
use surrogate::testkit::conforms;
use surrogate::{FitError, InstanceTable, Interrupt, Predictor, Surrogate, TrainingSet};

use super::super::tests::small;
use super::*;
use crate::problem::{Objective, Problem};

/// A learner's trainer as a surrogate, so that the suite for surrogates can test it.
struct Trained(Learner);

impl Surrogate for Trained {
    fn fit(&self, data: &TrainingSet<'_>, rng: &mut Rng) -> Result<Box<dyn Predictor>, FitError> {
        let space = read("x = { float = [0, 1] }\n", "line", Format::Toml).unwrap();
        let default = space.default_configuration();
        let problem = Problem { default, space, objective: Objective::uncapped(), instances: 1, seed: 1 };
        let (instances, interrupt) = (InstanceTable::alike(), Interrupt::default());
        let task = Task { problem, settings: small(self.0), instances, interrupt };
        let learned = self.0.trainer(&task, rng.bits(), data.len()).fit(data);
        let predictor: Box<dyn Predictor> = learned.ok_or(FitError::Empty)?;
        Ok(predictor)
    }
}

#[test]
fn every_learner_passes_the_suite_for_surrogates() {
    for &learner in Learner::ALL {
        // Forests draw bootstrap samples by position, so the order of the readings matters.
        conforms(&Trained(learner), true);
    }
}

#[test]
fn words_name_learners_in_scenarios_and_in_the_store() {
    for &learner in Learner::ALL {
        let known = (learner != Learner::Own).then_some(learner);
        assert_eq!(Learner::named(learner.word()), known);
        assert_eq!(serde_json::to_string(&learner).unwrap(), format!("\"{}\"", learner.word()));
    }
    assert_eq!(Learner::named("fores"), None);
}

#[test]
fn the_settings_of_a_learner_suit_it() {
    for &learner in Learner::ALL {
        assert_eq!(ModelSettings::of(learner).learner, learner);
    }
    let gaussian = ModelSettings::of(Learner::Gaussian);
    assert_eq!((gaussian.known, gaussian.first_fit, gaussian.random_every), (200, 5, 20));
    let certain = Learner::ALL.iter().filter(|learner| learner.may_be_certain());
    assert_eq!(certain.collect::<Vec<_>>(), [&Learner::Gaussian]);
    assert_eq!(
        Learner::ALL.iter().map(|&one| ModelSettings::of(one).design).collect::<Vec<_>>(),
        [10, 10, 4, 10, 10]
    );
}
