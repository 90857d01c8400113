//! The searches: captune with each learner, uniform sampling, and other optimizers.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use campaign::Search;
use engine::propose::Learner;

use super::uniform::Uniform;
use crate::contest::captune::{Captune, learning};
use crate::contest::configurator::Configurator;
use crate::public::peer::{BOTORCH, Environment, PEERS, Peer};
use crate::version;

/// A search with its version.
pub(super) struct Named {
    pub(super) configurator: Box<dyn Configurator + Send>,
    pub(super) version: String,
    /// Whether each configuration is evaluated only once.
    pub(super) once: bool,
}

/// The searches that need no environment, in the order of tables.
pub(super) const BUILT_IN: [&str; 8] =
    ["once", "default", "auto", "gaussian", "forest", "neural", "random", "uniform"];
/// Other optimizers.
pub(super) const OTHERS: [&str; 2] = ["botorch", "optuna-gp"];

/// Finds a search by its name. Other optimizers need a folder of environments and one of adapters.
pub(super) fn find(name: &str, peers: Option<&Path>, adapters: &Path) -> Result<Named> {
    let own = |captune: Captune| Named {
        configurator: Box::new(captune),
        version: version::CAPTUNE.to_owned(),
        once: false,
    };
    Ok(match name {
        "once" => Named { once: true, ..own(Captune::with_defaults("once")) },
        "default" => own(Captune::with_defaults("default")),
        "auto" => own(Captune::new("auto", || learning(Learner::Auto))),
        "gaussian" => own(Captune::new("gaussian", || learning(Learner::Gaussian))),
        "forest" => own(Captune::new("forest", || learning(Learner::Forest))),
        "neural" => own(Captune::new("neural", || learning(Learner::Neural))),
        "random" => own(Captune::new("random", || Search::Random)),
        "uniform" => Named { configurator: Box::new(Uniform), version: "1".to_owned(), once: false },
        "botorch" => peer(&BOTORCH, peers, adapters)?,
        "optuna-gp" => {
            let found =
                PEERS.iter().find(|peer| peer.name == name).context("optuna-gp is not in the list")?;
            peer(found, peers, adapters)?
        }
        other => {
            bail!("unknown search `{other}`: expected one of {}, {}", BUILT_IN.join(", "), OTHERS.join(", "))
        }
    })
}

fn peer(environment: &Environment, peers: Option<&Path>, adapters: &Path) -> Result<Named> {
    let folder = peers.with_context(|| format!("{} needs its environment (--peers)", environment.name))?;
    let adapter: PathBuf = adapters.join("adapter.py");
    let installed = environment.find(folder)?;
    let peer = Peer { name: environment.name, python: installed.python, adapter };
    Ok(Named { configurator: Box::new(peer), version: installed.version, once: false })
}
