//! What a scenario runs: one answer for a configuration and a pair, whatever the target.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use campaign::executor::Answer;
use confine::{Command, Control, End, Limit, Limits};
use engine::space::format::{Format, read};
use engine::{Configuration, Pair, Space, Status};
use targets::lcbench::{DATA_SETS, DataSet, Network};
use targets::saps::{Saps, solve};
use targets::synthetic::Synthetic;
use targets::{Formula, Quasigroup, dimacs, lcbench, saps};

use super::digest::Digest;
use crate::seeds::range;

/// Answers trials; instances are those of the training, then those of the test.
pub(super) trait Subject: Send + Sync {
    /// What a trial is; its cost only has to be right up to the cap, and beyond it if it is there.
    fn answer(&self, configuration: &Configuration, pair: Pair, cap: f64) -> Answer;
}

/// A subject with what is to be known of it.
pub(super) struct Known {
    pub(super) subject: Box<dyn Subject>,
    pub(super) space: Space,
    pub(super) training: u32,
    pub(super) test: u32,
    /// Whether one seed tells all.
    pub(super) deterministic: bool,
    pub(super) checksum: u64,
}

/// A cost beyond a cap.
fn beyond(cap: f64) -> Answer {
    Answer::finished(2.0 * cap)
}

struct Formulas(Vec<Formula>);

impl Subject for Formulas {
    fn answer(&self, configuration: &Configuration, pair: Pair, cap: f64) -> Answer {
        let settings = Saps::from_configuration(configuration);
        let formula = &self.0[pair.instance.index()];
        let outcome = solve(formula, &settings, u64::from(pair.seed.0), cap.ceil() as u64);
        if outcome.solved.is_some() { Answer::finished(outcome.steps as f64) } else { beyond(cap) }
    }
}

/// SAPS on generated formulas.
pub(super) fn saps_on(class: &str, training: &str, test: &str) -> Result<Known> {
    let mut digest = Digest::default();
    let mut formulas = |seeds: &str| -> Result<Vec<Formula>> {
        let formula = |seed| Ok(format!("qwh:{class},{seed}").parse::<Quasigroup>()?.formula());
        let all = range(seeds)?.map(formula).collect::<Result<Vec<Formula>>>()?;
        all.iter().for_each(|formula| digest.take(dimacs::write(formula, "").as_bytes()));
        Ok(all)
    };
    let (training, test) = (formulas(training)?, formulas(test)?);
    let (training_count, test_count) = (training.len() as u32, test.len() as u32);
    Ok(Known {
        subject: Box::new(Formulas([training, test].concat())),
        space: saps::space(),
        training: training_count,
        test: test_count,
        deterministic: false,
        checksum: digest.value(),
    })
}

impl Subject for DataSet {
    fn answer(&self, configuration: &Configuration, _pair: Pair, cap: f64) -> Answer {
        self.time_to_accuracy(configuration).map_or_else(|| beyond(cap), Answer::finished)
    }
}

/// Time to accuracy on a data set.
pub(super) fn time_to_accuracy(network: &Arc<Network>, name: &str, cutoff: f64) -> Result<Known> {
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

struct Numbered {
    target: Synthetic,
    training: u32,
}

impl Numbered {
    /// Even instances serve training, odd ones tests.
    fn number(&self, instance: u32) -> u32 {
        if instance < self.training { 2 * instance } else { 2 * (instance - self.training) + 1 }
    }
}

impl Subject for Numbered {
    fn answer(&self, configuration: &Configuration, pair: Pair, _cap: f64) -> Answer {
        let instance = self.number(pair.instance.0);
        let answer = self.target.answer(configuration, instance, u64::from(pair.seed.0));
        let status = if answer.crashed { Status::Crashed } else { Status::Finished };
        Answer { status, ..Answer::finished(answer.cost) }
    }
}

/// The formula of 76 parameters.
pub(super) fn synthetic(training: u32, test: u32) -> Known {
    let target = Synthetic::default();
    let space = target.space().clone();
    let mut digest = Digest::default();
    let default = space.default_configuration();
    for instance in 0..2 * (training + test) {
        digest.take(&target.answer(&default, instance, 1).cost.to_le_bytes());
    }
    Known {
        subject: Box::new(Numbered { target, training }),
        space,
        training,
        test,
        deterministic: false,
        checksum: digest.value(),
    }
}

struct Minisat {
    files: Vec<PathBuf>,
}

impl Minisat {
    fn run(&self, configuration: &Configuration, pair: Pair, cap: f64) -> Result<Answer> {
        let space = configuration.space();
        let words = space.ids().filter_map(|id| {
            let value = configuration.value(id)?;
            Some(format!("{}{value}", space.parameter(id).switch().unwrap_or_default()))
        });
        let command = Command::new("minisat")
            .arg("-verb=0")
            .args(words)
            // Zero is no seed for it.
            .arg(format!("-rnd-seed={}", u64::from(pair.seed.0) + 1))
            .arg(&self.files[pair.instance.index()]);
        let limits = Limits { cpu: Some(Duration::from_secs_f64(cap)), ..Limits::default() };
        let finished = confine::run(&command, &limits, &Control::new())?;
        let cost = finished.cpu.context("the CPU time of minisat is not known")?.total().as_secs_f64();
        Ok(match finished.end() {
            End::Exited(10 | 20) => Answer::finished(cost),
            End::Stopped(Limit::Cpu | Limit::Wall) => beyond(cap),
            _ => Answer { status: Status::Crashed, ..Answer::finished(cost) },
        })
    }
}

impl Subject for Minisat {
    fn answer(&self, configuration: &Configuration, pair: Pair, cap: f64) -> Answer {
        // A machine that cannot start a program can measure nothing.
        self.run(configuration, pair, cap).unwrap_or_else(|error| panic!("minisat cannot be run: {error:#}"))
    }
}

/// minisat on the formulas of a folder, but for those named.
pub(super) fn minisat_on(folder: &Path, without: &[&str]) -> Result<Known> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cnf"));
    files.retain(|path| !without.iter().any(|name| path.ends_with(name)));
    files.sort();
    let mut digest = Digest::default();
    for path in &files {
        digest.take(&std::fs::read(path)?);
    }
    let every_second = |first: usize| files.iter().skip(first).step_by(2).cloned().collect::<Vec<_>>();
    let (training, test) = (every_second(0), every_second(1));
    let (training_count, test_count) = (training.len() as u32, test.len() as u32);
    ensure!(test_count > 0, "{} has too few formulas", folder.display());
    let space = read(include_str!("../../../spaces/minisat.toml"), "minisat.toml", Format::Toml)?;
    Ok(Known {
        subject: Box::new(Minisat { files: [training, test].concat() }),
        space,
        training: training_count,
        test: test_count,
        deterministic: false,
        checksum: digest.value(),
    })
}
