//! Measures the LCBench surrogate: how hard each data set is, and how long an answer takes.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;
use targets::lcbench::{Curve, DATA_SETS, DataSet, Network, space};

use crate::clock::cpu;
use crate::quantiles::Quantiles;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Exported network of LCBench
    network: PathBuf,
}

/// Prints the recipe of each data set, and the results of random configurations and the default on it.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    let network = Arc::new(Network::of_file(&arguments.network)?);
    println!("Checksum of the network: {:#018x}\n", network.checksum());
    println!(
        "| data set (task) | threshold | cutoff | default | best of 300 | q10 | median | reach the threshold | \
         within the cutoff | time of 52 epochs | recorded |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let default = space().default_configuration();
    let (mut spent, mut curves) = (0.0, 0);
    for recorded in DATA_SETS {
        let data_set =
            DataSet::new(network.clone(), recorded).context("a data set is missing from the network")?;
        let start = cpu();
        let drawn = data_set.drawn();
        spent += cpu() - start;
        curves += drawn.len();
        let recipe = data_set.recomputed_recipe(&drawn);
        let reaching: Vec<f64> = drawn.iter().filter_map(|curve| curve.time_to(recipe.threshold)).collect();
        let within = reaching.iter().filter(|&&time| time <= recipe.cutoff).count();
        let times = Quantiles::of(reaching.clone());
        let ends = Quantiles::of(drawn.iter().map(|curve: &Curve| curve.end().0).collect());
        let default = data_set.curve(&default).time_to(recipe.threshold);
        println!(
            "| {} ({}) | {:.2} | {:.0} | {} | {:.1} | {:.1} | {:.1} | {:.0} % | {:.0} % | {:.0} .. {:.0} | {} |",
            recipe.name,
            recipe.task,
            recipe.threshold,
            recipe.cutoff,
            default.map_or("never".to_owned(), |time| format!("{time:.1}")),
            times.at(0.0),
            times.at(0.1),
            times.median(),
            100.0 * reaching.len() as f64 / drawn.len() as f64,
            100.0 * within as f64 / drawn.len() as f64,
            ends.at(0.0),
            ends.max(),
            if recipe == recorded { "same" } else { "different" },
        );
    }
    println!("\n{:.2} ms of CPU time for the 52 epochs of a configuration.", 1e3 * spent / curves as f64);
    Ok(())
}
