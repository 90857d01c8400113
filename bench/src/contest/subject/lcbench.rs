//! Training of neural networks, answered by the surrogate of LCBench; the cost is simulated seconds.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use engine::{Configuration, Pair};
use execution::executor::Answer;
use targets::lcbench::{self, DATA_SETS, DataSet, Network};

use super::{Benchmark, Subject, beyond};

impl Subject for DataSet {
    fn answer(&self, configuration: &Configuration, _pair: Pair, cap: f64) -> Answer {
        self.time_to_accuracy(configuration).map_or_else(|| beyond(cap), Answer::finished)
    }
}

/// Returns the benchmark whose cost is the time to a given accuracy on a data set.
pub(crate) fn time_to_accuracy(network: &Arc<Network>, name: &str, cutoff: f64) -> Result<Benchmark> {
    let data_set = data_set(network, name)?;
    let expected = data_set.recipe().cutoff;
    ensure!(expected == cutoff, "the recipe of {name} has the cutoff {expected}, not {cutoff}");
    Ok(benchmark(network, Box::new(data_set)))
}

fn data_set(network: &Arc<Network>, name: &str) -> Result<DataSet> {
    let recipe = DATA_SETS.into_iter().find(|recipe| recipe.name == name);
    let recipe = recipe.with_context(|| format!("unknown data set `{name}`"))?;
    DataSet::new(network.clone(), recipe).with_context(|| format!("{name} is missing from the network"))
}

/// Returns a benchmark on one data set, which is deterministic; training and test are the same.
fn benchmark(network: &Network, subject: Box<dyn Subject>) -> Benchmark {
    Benchmark {
        checksum: network.checksum(),
        subject,
        space: lcbench::space(),
        training: 1,
        test: 0,
        deterministic: true,
    }
}

/// Training up to the last epoch. The cost is the training time, and the validation error is an output.
struct Constrained(DataSet);

impl Subject for Constrained {
    fn answer(&self, configuration: &Configuration, _pair: Pair, _cap: f64) -> Answer {
        let (time, accuracy) = self.0.time_and_accuracy(configuration);
        Answer { constraints: vec![100.0 - accuracy], ..Answer::finished(time) }
    }
}

/// Returns the benchmark whose cost is the time of a whole training run on a data set, with the validation
/// error in per cent as an output.
pub(crate) fn time_and_error(network: &Arc<Network>, name: &str) -> Result<Benchmark> {
    Ok(benchmark(network, Box::new(Constrained(data_set(network, name)?))))
}
