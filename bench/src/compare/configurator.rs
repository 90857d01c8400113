//! The configurators in each study.

use campaign::{ByModel, Search};
use engine::propose::Learner;
use surrogate::forest::Treatment;

use crate::contest::captune::{Captune, learning};
use crate::contest::configurator::Configurator;
use crate::contest::plain::Plain;

const FOREST: Captune = Captune::new("captune-forest", || Search::Model(Box::default()));
const NEURAL: Captune = Captune::new("captune-neural", || learning(Learner::Neural));
const AUTO: Captune = Captune::new("captune-auto", || learning(Learner::Auto));
const RANDOM: Captune = Captune::new("captune-random", || Search::Random);

/// Configurators in the study of learners.
pub(super) const LEARNERS: &[&dyn Configurator] = &[&NEURAL, &AUTO, &FOREST, &RANDOM];

/// Configurators in the study of searches.
pub(super) const SEARCHES: &[&dyn Configurator] = &[
    &FOREST,
    &NEURAL,
    &AUTO,
    &RANDOM,
    &Captune::new("captune-local", || Search::Local),
    &Captune::new("captune-forest-mean", || treating(Treatment::Mean)),
    &Captune::new("captune-forest-drop", || treating(Treatment::Drop)),
    &Captune::new("captune-forest-ignore", || treating(Treatment::Ignore)),
    // Each configuration runs on ten training pairs.
    &Plain { name: "plain-random", min_pairs: 1, max_pairs: 10 },
];

/// The same search with different slacks.
pub(super) const SLACKS: &[&dyn Configurator] = &[
    &Captune::with_slack("no-capping", f64::INFINITY),
    &Captune::with_slack("slack-1", 1.0),
    &Captune::with_slack("slack-1.1", 1.1),
    &Captune::with_slack("slack-1.3", 1.3),
    &Captune::with_slack("slack-1.5", 1.5),
    &Captune::with_slack("slack-2", 2.0),
];

/// Returns the default search with another treatment of stopped trials.
fn treating(treatment: Treatment) -> Search {
    let mut search = ByModel::default();
    search.model.forest.treatment = treatment;
    Search::Model(Box::new(search))
}
