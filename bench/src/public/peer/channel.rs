//! Requests and answers, one line each, words separated by tabs.
//!
//! | request | answer |
//! |---|---|
//! | `run` INSTANCE SEED CAP `name=value`... | `finished` COST [`output=value`], `stopped` CAP, `timeout` CUTOFF, `crashed` COST, or `over` when the budget is spent |
//! | `incumbent` `name=value`... | none |
//! | anything else | `error` TEXT |
//!
//! CAP is `-` for the cutoff. Only active parameters are given.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail, ensure};
use engine::space::Literal;
use engine::{Configuration, InstanceId, Pair, Rng, Seed, Status};

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
