//! The configurators, with their budgets.

use std::path::Path;

use campaign::Search;
use engine::propose::Learner;

use super::peer::{Environment, PEERS, Peer};
use crate::contest::captune::{Captune, learning};
use crate::contest::configurator::Configurator;
use crate::contest::plain::Plain;
use crate::version;

/// Budgets of a cell, in trials.
const BUDGETS: &[u64] = &[100, 400, 1500];

/// A configurator in the study.
pub(super) struct Contender {
    pub(super) configurator: Box<dyn Configurator + Send>,
    pub(super) version: String,
    /// Whether the configurator is captune, whose rows depend on the commit.
    pub(super) is_captune: bool,
    pub(super) budgets: &'static [u64],
}

impl Contender {
    pub(super) fn name(&self) -> &'static str {
        self.configurator.name()
    }
}

fn captune(captune: Captune) -> Contender {
    Contender {
        configurator: Box::new(captune),
        version: version::CAPTUNE.to_owned(),
        is_captune: true,
        budgets: BUDGETS,
    }
}

/// Returns the names of all configurators, in the order used in tables.
pub(super) fn names() -> Vec<&'static str> {
    let built_in = built_in();
    built_in.iter().map(Contender::name).chain(PEERS.iter().map(|peer| peer.name)).collect()
}

/// Returns a peer if it is installed, otherwise the reason why it is not available.
fn peer(
    environment: &Environment,
    environments: Option<&Path>,
    adapters: &Path,
) -> Result<Contender, String> {
    let folder =
        environments.ok_or("its environment is missing; give the folder of environments with --peers")?;
    let adapter = adapters.join("adapter.py");
    if !adapter.is_file() {
        return Err(format!("the adapter {} does not exist; check --adapters", adapter.display()));
    }
    let installed = environment.find(folder).map_err(|error| format!("{error:#}"))?;
    let peer = Peer { name: environment.name, python: installed.python, adapter };
    Ok(Contender {
        configurator: Box::new(peer),
        version: installed.version,
        is_captune: false,
        budgets: environment.budgets,
    })
}

/// Returns the configurators with these names, or the reasons why they are not available.
pub(super) fn find(
    wanted: &[&str],
    environments: Option<&Path>,
    adapters: &Path,
) -> Vec<Result<Contender, (&'static str, String)>> {
    let built_in = built_in().into_iter().filter(|it| wanted.contains(&it.name())).map(Ok);
    let peers = PEERS.iter().filter(|it| wanted.contains(&it.name));
    built_in.chain(peers.map(|it| peer(it, environments, adapters).map_err(|why| (it.name, why)))).collect()
}

/// Returns the built-in configurators.
fn built_in() -> Vec<Contender> {
    vec![
        captune(Captune::with_defaults("captune")),
        captune(Captune::new("captune-forest", || learning(Learner::Forest))),
        captune(Captune::new("captune-auto", || learning(Learner::Auto))),
        captune(Captune::new("captune-gaussian", || learning(Learner::Gaussian))),
        captune(Captune::new("captune-random", || Search::Random)),
        Contender {
            configurator: Box::new(Plain { name: "random", min_pairs: 10, max_pairs: usize::MAX }),
            version: "1".to_owned(),
            is_captune: false,
            budgets: BUDGETS,
        },
    ]
}
