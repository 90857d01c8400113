//! Who is compared, with which budgets.

use std::path::Path;

use campaign::Search;
use engine::propose::Learner;

use super::peer::{Environment, PEERS, Peer};
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

fn captune(captune: Captune) -> Contender {
    Contender {
        configurator: Box::new(captune),
        version: version::CAPTUNE.to_owned(),
        is_captune: true,
        budgets: BUDGETS,
    }
}

/// The names of all configurators, in the order of tables.
pub(super) fn names() -> Vec<&'static str> {
    let own = own();
    own.iter().map(Contender::name).chain(PEERS.iter().map(|peer| peer.name)).collect()
}

/// A peer that is installed, or why it is not.
fn peer(
    environment: &Environment,
    environments: Option<&Path>,
    adapters: &Path,
) -> Result<Contender, String> {
    let folder = environments.ok_or("its environment is not given (--peers)")?;
    let adapter = adapters.join("adapter.py");
    if !adapter.is_file() {
        return Err(format!("there is no adapter {} (--adapters)", adapter.display()));
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

/// Those with these names, or why they cannot be had.
pub(super) fn find(
    wanted: &[&str],
    environments: Option<&Path>,
    adapters: &Path,
) -> Vec<Result<Contender, (&'static str, String)>> {
    let own = own().into_iter().filter(|it| wanted.contains(&it.name())).map(Ok);
    let peers = PEERS.iter().filter(|it| wanted.contains(&it.name));
    own.chain(peers.map(|it| peer(it, environments, adapters).map_err(|why| (it.name, why)))).collect()
}

/// Those that need no installation.
fn own() -> Vec<Contender> {
    vec![
        captune(Captune::usual("captune")),
        captune(Captune::new("captune-forest", || learning(Learner::Forest))),
        captune(Captune::new("captune-auto", || learning(Learner::Auto))),
        captune(Captune::new("captune-gaussian", || learning(Learner::Gaussian))),
        captune(Captune::new("captune-random", || Search::Random)),
        Contender {
            configurator: Box::new(Plain { name: "random", least: 10, most: usize::MAX }),
            version: "1".to_owned(),
            is_captune: false,
            budgets: BUDGETS,
        },
    ]
}
