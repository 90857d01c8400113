//! Who is compared, with which budgets.

use campaign::Search;
use engine::propose::Learner;

use super::version;
use crate::contest::captune::{Captune, learning};
use crate::contest::configurator::Configurator;
use crate::contest::plain::Plain;

/// Trials of a cell.
const BUDGETS: &[u64] = &[100, 400, 1500];

/// A configurator in the study.
pub(super) struct Contender {
    pub(super) configurator: Box<dyn Configurator + Send>,
    pub(super) version: String,
    /// Whether it is captune: then rows depend on the commit.
    pub(super) is_captune: bool,
    pub(super) budgets: &'static [u64],
}

impl Contender {
    pub(super) fn name(&self) -> &'static str {
        self.configurator.name()
    }
}

fn captune(name: &'static str, search: fn() -> Search) -> Contender {
    Contender {
        configurator: Box::new(Captune::new(name, search)),
        version: version::CAPTUNE.to_owned(),
        is_captune: true,
        budgets: BUDGETS,
    }
}

/// All of them, in the order of tables.
pub(super) fn all() -> Vec<Contender> {
    vec![
        captune("captune", || Search::Model(Box::default())),
        captune("captune-auto", || learning(Learner::Auto)),
        captune("captune-gaussian", || learning(Learner::Gaussian)),
        captune("captune-random", || Search::Random),
        Contender {
            configurator: Box::new(Plain { name: "random", least: 10, most: usize::MAX }),
            version: "1".to_owned(),
            is_captune: false,
            budgets: BUDGETS,
        },
    ]
}
