//! Requests from an adapter and the answers to them. Each is one line of words separated by tabs.
//!
//! | request | answer |
//! |---|---|
//! | `run` INSTANCE SEED CAP `name=value`... | `finished` COST with an optional `output=value`, `stopped` CAP, `timeout` CUTOFF, `crashed` COST, or `over` if the budget is spent |
//! | `incumbent` `name=value`... | none |
//! | anything else | `error` TEXT |
//!
//! CAP is `-` for the cutoff. Only active parameters are given.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail, ensure};
use engine::{Configuration, InstanceId, Pair, Rng, Seed, Status};
use space::Literal;

use super::OUTPUT;
use crate::contest::arena::Arena;
use crate::contest::trajectory::Trajectory;

/// The benchmark's side of the channel in one cell.
pub(super) struct Channel<'a> {
    arena: &'a Arena,
    /// Budget in trials.
    trials: u64,
    /// Cost of all trials so far.
    spent: f64,
    tried: BTreeSet<u128>,
    trajectory: Trajectory,
    /// The first invalid request.
    invalid: Option<String>,
}

impl<'a> Channel<'a> {
    pub(super) fn new(arena: &'a Arena, trials: u64) -> Self {
        let trajectory = Trajectory::new(arena.benchmark.space.default_configuration());
        Self { arena, trials, spent: 0.0, tried: BTreeSet::new(), trajectory, invalid: None }
    }

    /// Returns the answer to a line, if it needs one.
    pub(super) fn answer(&mut self, line: &str) -> Option<String> {
        let mut words = line.split('\t');
        let answered = match words.next() {
            Some("run") => self.run(&words.collect::<Vec<_>>()).map(Some),
            Some("incumbent") => self.incumbent(&words.collect::<Vec<_>>()).map(|()| None),
            _ => Err(anyhow::anyhow!("expected `run` or `incumbent`")),
        };
        answered.unwrap_or_else(|error| {
            let text = format!("{error:#} in `{}`", line.replace('\t', " "));
            self.invalid.get_or_insert_with(|| text.clone());
            Some(format!("error\t{text}"))
        })
    }

    /// Returns the trajectory of the peer, or an error if the adapter sent an invalid request.
    pub(super) fn finish(mut self) -> Result<Trajectory> {
        if let Some(request) = self.invalid {
            bail!("the adapter sent an invalid request: {request}");
        }
        self.trajectory.configurations = self.tried.len() as u64;
        Ok(self.trajectory)
    }

    fn run(&mut self, words: &[&str]) -> Result<String> {
        let [instance, seed, cap, settings @ ..] = words else {
            bail!("expected an instance, a random seed, a cap and settings");
        };
        let number = instance.parse::<u32>().ok().filter(|&number| number < self.arena.benchmark.training);
        let instance = number
            .with_context(|| format!("expected an instance below {}", self.arena.benchmark.training))?;
        let seed = seed.parse::<u64>().with_context(|| format!("expected a random seed, got `{seed}`"))?;
        // Peers number their seeds from 0 or 1, and so does the test. The seeds are changed here, because
        // peers must not train on the seeds of the test.
        let seed = Seed((Rng::new(seed, "seed of a peer", 0).bits() >> 33) as u32);
        let cutoff = self.arena.cutoff();
        let cap = match *cap {
            "-" => cutoff,
            cap => cap.parse::<f64>().with_context(|| format!("expected a cap or `-`, got `{cap}`"))?,
        };
        ensure!(cap > 0.0, "expected a positive cap, got {cap}");
        let cap = cap.min(cutoff);
        let configuration = self.configuration(settings)?;
        if self.trajectory.trials == self.trials {
            return Ok("over".to_owned());
        }
        let answer = self.arena.answer(&configuration, Pair { instance: InstanceId(instance), seed }, cap);
        self.trajectory.trials += 1;
        self.spent += answer.cost.min(cap);
        self.tried.insert(configuration.fingerprint());
        Ok(if answer.cost > cap && cap >= cutoff {
            format!("timeout\t{cutoff}")
        } else if answer.cost > cap {
            self.trajectory.capped += 1;
            format!("stopped\t{cap}")
        } else if answer.status == Status::Finished {
            let output = answer.constraints.first();
            let output = output.map(|value| format!("\t{OUTPUT}={value}")).unwrap_or_default();
            format!("finished\t{}{output}", answer.cost)
        } else {
            format!("crashed\t{}", answer.cost)
        })
    }

    fn incumbent(&mut self, settings: &[&str]) -> Result<()> {
        let configuration = self.configuration(settings)?;
        self.trajectory.push(configuration, self.trajectory.trials, self.spent);
        Ok(())
    }

    fn configuration(&self, settings: &[&str]) -> Result<Configuration> {
        let mut values = Vec::new();
        for setting in settings {
            let (name, value) =
                setting.split_once('=').with_context(|| format!("expected name=value, got `{setting}`"))?;
            values.push((name, Literal::Text(value.to_owned())));
        }
        Ok(self.arena.benchmark.space.configuration(values)?)
    }
}

#[cfg(test)]
mod tests {
    use engine::Objective;
    use engine::problem::{Constraint, Over};

    use super::*;
    use crate::contest::subject::{Benchmark, Subject};
    use execution::executor::Answer;

    /// A target whose cost and constrained output are both x plus the number of the instance. A trial with x
    /// = 9 crashes.
    struct Plain;

    impl Subject for Plain {
        fn answer(&self, configuration: &Configuration, pair: Pair, _cap: f64) -> Answer {
            let cost = configuration.codes()[0] + f64::from(pair.instance.0);
            let status = if configuration.codes()[0] == 9.0 { Status::Crashed } else { Status::Finished };
            Answer { status, constraints: vec![cost], ..Answer::finished(cost) }
        }
    }

    fn arena() -> Arena {
        let text = "x = { integer = [1, 100], default = 50 }\ny = { boolean = false, when = \"x > 60\" }\n";
        let space = space::format::read(text, "x", space::format::Format::Toml).unwrap();
        let benchmark = Benchmark {
            subject: Box::new(Plain),
            space,
            training: 3,
            test: 1,
            deterministic: true,
            checksum: 7,
        };
        let mut objective = Objective::capped(60.0);
        objective.constraints.push(Constraint::new(40.0, Over::Mean));
        Arena::new("plain", benchmark, objective, 1, 7).unwrap()
    }

    #[test]
    fn each_outcome_has_its_answer() {
        let arena = arena();
        let mut channel = Channel::new(&arena, 6);
        let mut answer = |line: &str| channel.answer(&line.replace(' ', "\t"));
        assert_eq!(answer("incumbent x=50"), None);
        assert_eq!(answer("run 0 1 - x=20").unwrap(), "finished\t20\tconstrained=20");
        assert_eq!(answer("run 2 1 21.5 x=20").unwrap(), "stopped\t21.5");
        assert_eq!(answer("run 2 1 22 x=20").unwrap(), "finished\t22\tconstrained=22");
        assert_eq!(answer("incumbent x=20"), None);
        assert_eq!(answer("run 1 1 1e9 x=60").unwrap(), "timeout\t60");
        assert_eq!(answer("run 0 1 - x=9").unwrap(), "crashed\t9");
        assert_eq!(answer("run 0 1 30 x=61 y=true").unwrap(), "stopped\t30");
        assert_eq!(answer("run 0 1 - x=20").unwrap(), "over");
        let trajectory = channel.finish().unwrap();
        assert_eq!((trajectory.trials, trajectory.capped, trajectory.configurations), (6, 2, 4));
        assert_eq!([0, 2, 3].map(|trials| trajectory.after(trials).to_string()), ["x=50", "x=50", "x=20"]);
        assert_eq!(trajectory.at_cost(63.5).to_string(), "x=20", "20 + 21.5 + 22");
        assert_eq!(trajectory.at_cost(63.4).to_string(), "x=50");
    }

    #[test]
    fn invalid_requests_get_an_error_and_fail_the_cell() {
        for (line, why) in [
            ("go", "expected `run` or `incumbent` in `go`"),
            ("run 3 1 - x=20", "expected an instance below 3"),
            ("run 0 one - x=20", "expected a random seed, got `one`"),
            ("run 0 1 none x=20", "expected a cap or `-`, got `none`"),
            ("run 0 1 0 x=20", "expected a positive cap, got 0"),
            ("run 0 1 - x20", "expected name=value, got `x20`"),
            ("run 0 1 - x=20 y=true", "`y` has a value but is not active"),
            ("run 0 1 - x=200", "200"),
            ("incumbent z=1", "unknown parameter `z`"),
        ] {
            let arena = arena();
            let mut channel = Channel::new(&arena, 6);
            let answer = channel.answer(&line.replace(' ', "\t")).unwrap();
            assert!(answer.starts_with("error\t") && answer.contains(why), "{answer}");
            let error = channel.finish().unwrap_err().to_string();
            assert!(error.contains("the adapter sent an invalid request") && error.contains(why), "{error}");
        }
    }
}
