//! SAPS on generated formulas; the cost is the number of steps.

use anyhow::Result;
use engine::{Configuration, Pair};
use execution::executor::Answer;
use targets::saps::{self, Saps, solve};
use targets::{Formula, Quasigroup, dimacs};

use super::{Benchmark, Subject, beyond};
use crate::contest::digest::Digest;
use crate::seeds::range;

struct Formulas(Vec<Formula>);

impl Subject for Formulas {
    fn answer(&self, configuration: &Configuration, pair: Pair, cap: f64) -> Answer {
        let settings = Saps::from_configuration(configuration);
        let formula = &self.0[pair.instance.index()];
        let outcome = solve(formula, &settings, u64::from(pair.seed.0), cap.ceil() as u64);
        if outcome.solved.is_some() { Answer::finished(outcome.steps as f64) } else { beyond(cap) }
    }
}

/// Returns SAPS on formulas of a class, generated from these seeds.
pub(crate) fn on(class: &str, training: &str, test: &str) -> Result<Benchmark> {
    let mut digest = Digest::default();
    let mut formulas = |seeds: &str| -> Result<Vec<Formula>> {
        let formula = |seed| Ok(format!("qwh:{class},{seed}").parse::<Quasigroup>()?.formula());
        let all = range(seeds)?.map(formula).collect::<Result<Vec<Formula>>>()?;
        all.iter().for_each(|formula| digest.add(dimacs::write(formula, "").as_bytes()));
        Ok(all)
    };
    let (training, test) = (formulas(training)?, formulas(test)?);
    let (training_count, test_count) = (training.len() as u32, test.len() as u32);
    Ok(Benchmark {
        subject: Box::new(Formulas([training, test].concat())),
        space: saps::space(),
        training: training_count,
        test: test_count,
        deterministic: false,
        checksum: digest.value(),
    })
}
