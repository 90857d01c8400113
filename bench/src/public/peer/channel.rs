//! Requests and answers, one line each, words separated by tabs.
//!
//! | request | answer |
//! |---|---|
//! | `run` INSTANCE SEED CAP `name=value`... | `finished` COST and perhaps `output=value`, `stopped` CAP, `timeout` CUTOFF, `crashed` COST, or `over` when the budget is spent |
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
use crate::contest::course::Course;

/// One cell from the side that runs the trials.
pub(super) struct Channel<'a> {
    arena: &'a Arena,
    /// The budget.
    trials: u64,
    /// The cost of all trials.
    spent: f64,
    tried: BTreeSet<u128>,
    course: Course,
    /// The first request that was not understood.
    mistake: Option<String>,
}

impl<'a> Channel<'a> {
    pub(super) fn new(arena: &'a Arena, trials: u64) -> Self {
        let course = Course::new(arena.known.space.default_configuration());
        Self { arena, trials, spent: 0.0, tried: BTreeSet::new(), course, mistake: None }
    }

    /// The answer to a line, if it is to have one.
    pub(super) fn answer(&mut self, line: &str) -> Option<String> {
        let mut words = line.split('\t');
        let answered = match words.next() {
            Some("run") => self.run(&words.collect::<Vec<_>>()).map(Some),
            Some("incumbent") => self.incumbent(&words.collect::<Vec<_>>()).map(|()| None),
            _ => Err(anyhow::anyhow!("expected `run` or `incumbent`")),
        };
        answered.unwrap_or_else(|error| {
            let text = format!("{error:#} in `{}`", line.replace('\t', " "));
            self.mistake.get_or_insert_with(|| text.clone());
            Some(format!("error\t{text}"))
        })
    }

    /// What the peer did; an adapter that was not understood has done nothing that counts.
    pub(super) fn finish(mut self) -> Result<Course> {
        if let Some(mistake) = self.mistake {
            bail!("the adapter made a mistake: {mistake}");
        }
        self.course.configurations = self.tried.len() as u64;
        Ok(self.course)
    }

    fn run(&mut self, words: &[&str]) -> Result<String> {
        let [instance, seed, cap, settings @ ..] = words else {
            bail!("expected an instance, a random seed, a cap and settings");
        };
        let number = instance.parse::<u32>().ok().filter(|&number| number < self.arena.known.training);
        let instance =
            number.with_context(|| format!("expected an instance below {}", self.arena.known.training))?;
        let seed = seed.parse::<u64>().with_context(|| format!("expected a random seed, got `{seed}`"))?;
        // Peers count seeds from 0 or 1, as the test does: what they train on must not be what they are tested on.
        let seed = Seed((Rng::new(seed, "seed of a peer", 0).bits() >> 33) as u32);
        let cutoff = self.arena.cutoff();
        let cap = match *cap {
            "-" => cutoff,
            cap => cap.parse::<f64>().with_context(|| format!("expected a cap or `-`, got `{cap}`"))?,
        };
        ensure!(cap > 0.0, "a cap is positive, not {cap}");
        let cap = cap.min(cutoff);
        let configuration = self.configuration(settings)?;
        if self.course.trials == self.trials {
            return Ok("over".to_owned());
        }
        let answer = self.arena.answer(&configuration, Pair { instance: InstanceId(instance), seed }, cap);
        self.course.trials += 1;
        self.spent += answer.cost.min(cap);
        self.tried.insert(configuration.fingerprint());
        Ok(if answer.cost > cap && cap >= cutoff {
            format!("timeout\t{cutoff}")
        } else if answer.cost > cap {
            self.course.capped += 1;
            format!("stopped\t{cap}")
        } else if answer.status == Status::Finished {
            let told = answer.constraints.first();
            let output = told.map(|value| format!("\t{OUTPUT}={value}")).unwrap_or_default();
            format!("finished\t{}{output}", answer.cost)
        } else {
            format!("crashed\t{}", answer.cost)
        })
    }

    fn incumbent(&mut self, settings: &[&str]) -> Result<()> {
        let configuration = self.configuration(settings)?;
        self.course.crown(configuration, self.course.trials, self.spent);
        Ok(())
    }

    fn configuration(&self, settings: &[&str]) -> Result<Configuration> {
        let mut values = Vec::new();
        for setting in settings {
            let (name, value) =
                setting.split_once('=').with_context(|| format!("expected name=value, got `{setting}`"))?;
            values.push((name, Literal::Text(value.to_owned())));
        }
        Ok(self.arena.known.space.configuration(values)?)
    }
}

#[cfg(test)]
mod tests {
    use engine::Objective;
    use engine::problem::{Constraint, Over};

    use super::*;
    use crate::contest::subject::{Known, Subject};
    use execution::executor::Answer;

    /// The cost is x, and so is the constrained output; 9 crashes.
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
        let known =
            Known { subject: Box::new(Plain), space, training: 3, test: 1, deterministic: true, checksum: 7 };
        let mut objective = Objective::capped(60.0);
        objective.constraints.push(Constraint::new(40.0, Over::Mean));
        Arena::new("plain", known, objective, 1, 7).unwrap()
    }

    #[test]
    fn each_ending_has_its_answer() {
        let arena = arena();
        let mut channel = Channel::new(&arena, 6);
        let mut told = |line: &str| channel.answer(&line.replace(' ', "\t"));
        assert_eq!(told("incumbent x=50"), None);
        assert_eq!(told("run 0 1 - x=20").unwrap(), "finished\t20\tconstrained=20");
        assert_eq!(told("run 2 1 21.5 x=20").unwrap(), "stopped\t21.5");
        assert_eq!(told("run 2 1 22 x=20").unwrap(), "finished\t22\tconstrained=22");
        assert_eq!(told("incumbent x=20"), None);
        assert_eq!(told("run 1 1 1e9 x=60").unwrap(), "timeout\t60");
        assert_eq!(told("run 0 1 - x=9").unwrap(), "crashed\t9");
        assert_eq!(told("run 0 1 30 x=61 y=true").unwrap(), "stopped\t30");
        assert_eq!(told("run 0 1 - x=20").unwrap(), "over");
        let course = channel.finish().unwrap();
        assert_eq!((course.trials, course.capped, course.configurations), (6, 2, 4));
        assert_eq!([0, 2, 3].map(|trials| course.after(trials).to_string()), ["x=50", "x=50", "x=20"]);
        assert_eq!(course.at_cost(63.5).to_string(), "x=20", "20 + 21.5 + 22");
        assert_eq!(course.at_cost(63.4).to_string(), "x=50");
    }

    #[test]
    fn mistakes_are_answered_and_spoil_the_cell() {
        for (line, why) in [
            ("go", "expected `run` or `incumbent` in `go`"),
            ("run 3 1 - x=20", "expected an instance below 3"),
            ("run 0 one - x=20", "expected a random seed, got `one`"),
            ("run 0 1 none x=20", "expected a cap or `-`, got `none`"),
            ("run 0 1 0 x=20", "a cap is positive, not 0"),
            ("run 0 1 - x20", "expected name=value, got `x20`"),
            ("run 0 1 - x=20 y=true", "`y` has a value but is not active"),
            ("run 0 1 - x=200", "200"),
            ("incumbent z=1", "unknown parameter `z`"),
        ] {
            let arena = arena();
            let mut channel = Channel::new(&arena, 6);
            let answer = channel.answer(&line.replace(' ', "\t")).unwrap();
            assert!(answer.starts_with("error\t") && answer.contains(why), "{answer}");
            let told = channel.finish().unwrap_err().to_string();
            assert!(told.contains("the adapter made a mistake") && told.contains(why), "{told}");
        }
    }
}
