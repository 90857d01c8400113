//! Training of networks, answered by the surrogate of LCBench; the cost is simulated seconds.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use campaign::executor::Answer;
use engine::{Configuration, Pair};
use targets::lcbench::{self, DATA_SETS, DataSet, Network};

use super::{Known, Subject, beyond};

impl Subject for DataSet {
    fn answer(&self, configuration: &Configuration, _pair: Pair, cap: f64) -> Answer {
        self.time_to_accuracy(configuration).map_or_else(|| beyond(cap), Answer::finished)
    }
}

/// Time to accuracy on a data set.
pub(crate) fn time_to_accuracy(network: &Arc<Network>, name: &str, cutoff: f64) -> Result<Known> {
    let recipe = DATA_SETS.into_iter().find(|recipe| recipe.name == name);
    let recipe = recipe.with_context(|| format!("there is no data set `{name}`"))?;
    ensure!(recipe.cutoff == cutoff, "the recipe of {name} has the cutoff {}, not {cutoff}", recipe.cutoff);
    let data_set = DataSet::new(network.clone(), recipe);
    let data_set = data_set.with_context(|| format!("the network does not know {name}"))?;
    Ok(Known {
        checksum: network.checksum(),
        subject: Box::new(data_set),
        space: lcbench::space(),
        training: 1,
        test: 0,
        deterministic: true,
    })
}
