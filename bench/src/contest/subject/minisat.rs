//! minisat on the formulas in a folder; the cost is CPU seconds.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use confine::{Command, Control, End, Limit, Limits};
use engine::{Configuration, Pair, Status};
use execution::executor::Answer;
use space::format::{Format, read};

use super::command::words;
use super::{Benchmark, Subject, beyond};
use crate::contest::digest::Digest;

struct Minisat {
    files: Vec<PathBuf>,
}

impl Minisat {
    fn run(&self, configuration: &Configuration, pair: Pair, cap: f64) -> Result<Answer> {
        let command = Command::new("minisat")
            .arg("-verb=0")
            .args(words(configuration))
            // minisat does not accept 0 as a seed.
            .arg(format!("-rnd-seed={}", u64::from(pair.seed.0) + 1))
            .arg(&self.files[pair.instance.index()]);
        let limits = Limits { cpu: Some(Duration::from_secs_f64(cap)), ..Limits::default() };
        let finished = confine::run(&command, &limits, &Control::new())?;
        let cost = finished.cpu.context("the CPU time of minisat is unknown")?.total().as_secs_f64();
        Ok(match finished.end() {
            End::Exited(10 | 20) => Answer::finished(cost),
            End::Stopped(Limit::Cpu | Limit::Wall) => beyond(cap),
            _ => Answer { status: Status::Crashed, ..Answer::finished(cost) },
        })
    }
}

impl Subject for Minisat {
    fn answer(&self, configuration: &Configuration, pair: Pair, cap: f64) -> Answer {
        // If minisat cannot be started, no trial can be measured.
        self.run(configuration, pair, cap).unwrap_or_else(|error| panic!("could not run minisat: {error:#}"))
    }
}

/// Returns minisat on the formulas in a folder, except those in `without`.
pub(crate) fn on(folder: &Path, without: &[&str]) -> Result<Benchmark> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cnf"));
    files.retain(|path| !without.iter().any(|name| path.ends_with(name)));
    files.sort();
    let mut digest = Digest::default();
    for path in &files {
        digest.add(&std::fs::read(path)?);
    }
    let every_second = |first: usize| files.iter().skip(first).step_by(2).cloned().collect::<Vec<_>>();
    let (training, test) = (every_second(0), every_second(1));
    let (training_count, test_count) = (training.len() as u32, test.len() as u32);
    ensure!(test_count > 0, "{} has fewer than two formulas (*.cnf)", folder.display());
    let space = read(include_str!("../../../../spaces/minisat.toml"), "minisat.toml", Format::Toml)?;
    Ok(Benchmark {
        subject: Box::new(Minisat { files: [training, test].concat() }),
        space,
        training: training_count,
        test: test_count,
        deterministic: false,
        checksum: digest.value(),
    })
}
