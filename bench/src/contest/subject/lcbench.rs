//! Training of networks, answered by the surrogate of LCBench; the cost is simulated seconds.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use engine::{Configuration, Pair};
use execution::executor::Answer;
use targets::lcbench::{self, DATA_SETS, DataSet, Network};

use super::{Known, Subject, beyond};

impl Subject for DataSet {
    fn answer(&self, configuration: &Configuration, _pair: Pair, cap: f64) -> Answer {
        self.time_to_accuracy(configuration).map_or_else(|| beyond(cap), Answer::finished)
    }
}

/// Time to accuracy on a data set.
pub(crate) fn time_to_accuracy(network: &Arc<Network>, name: &str, cutoff: f64) -> Result<Known> {
    let data_set = data_set(network, name)?;
    let expected = data_set.recipe().cutoff;
    ensure!(expected == cutoff, "the recipe of {name} has the cutoff {expected}, not {cutoff}");
    Ok(known(network, Box::new(data_set)))
}

fn data_set(network: &Arc<Network>, name: &str) -> Result<DataSet> {
    let recipe = DATA_SETS.into_iter().find(|recipe| recipe.name == name);
    let recipe = recipe.with_context(|| format!("there is no data set `{name}`"))?;
    DataSet::new(network.clone(), recipe).with_context(|| format!("the network does not know {name}"))
}

/// One data set, without randomness: training and test are the same.
fn known(network: &Network, subject: Box<dyn Subject>) -> Known {
    Known {
        checksum: network.checksum(),
        subject,
        space: lcbench::space(),
        training: 1,
        test: 0,
        deterministic: true,
    }
}

/// Training to the last epoch: the cost is its time, and the error on the validation set is an output.
struct Constrained(DataSet);

impl Subject for Constrained {
    fn answer(&self, configuration: &Configuration, _pair: Pair, _cap: f64) -> Answer {
        let (time, accuracy) = self.0.time_and_accuracy(configuration);
        Answer { constraints: vec![100.0 - accuracy], ..Answer::finished(time) }
    }
}

/// Time of a whole training on a data set, with the validation error in per cent as an output.
pub(crate) fn time_and_error(network: &Arc<Network>, name: &str) -> Result<Known> {
    Ok(known(network, Box::new(Constrained(data_set(network, name)?))))
}
