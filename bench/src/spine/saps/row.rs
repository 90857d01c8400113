//! One campaign as a row of the file.

use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, Result};

use crate::rows;

pub(super) const HEAD: &str = "order,holes,kind,seed,configurations,trials,capped,timeouts,incumbents,pairs,cpu_s,\
                    cpu_incumbents_s,alpha,rho,ps,wp,training_steps,test_par10_steps,default_par10_steps";

/// Result of one campaign.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    /// The class, as ORDER,HOLES.
    pub(super) class: String,
    pub(super) kind: String,
    pub(super) seed: u64,
    pub(super) configurations: u64,
    pub(super) trials: u64,
    pub(super) capped: u64,
    pub(super) timeouts: u64,
    /// Number of times the incumbent was replaced.
    pub(super) incumbents: u64,
    /// Number of pairs that the last incumbent has run on.
    pub(super) pairs: u64,
    pub(super) cpu: f64,
    pub(super) cpu_incumbents: f64,
    /// The parameters alpha, rho, ps and wp of the last incumbent.
    pub(super) saps: [f64; 4],
    pub(super) training_cost: f64,
    pub(super) test_cost: f64,
    pub(super) default_cost: f64,
}

impl Row {
    pub(super) fn is_of(&self, class: &str, kind: &str, seed: u64) -> bool {
        self.class == class && self.kind == kind && self.seed == seed
    }

    pub(super) fn line(&self) -> String {
        let Self { class, kind, seed, configurations, trials, capped, timeouts, incumbents, pairs, .. } =
            self;
        let [alpha, rho, ps, wp] = self.saps;
        format!(
            "{class},{kind},{seed},{configurations},{trials},{capped},{timeouts},{incumbents},{pairs},\
             {:.2},{:.2},{alpha},{rho},{ps},{wp},{:.1},{:.1},{:.1}\n",
            self.cpu, self.cpu_incumbents, self.training_cost, self.test_cost, self.default_cost
        )
    }

    fn of_line(line: &str) -> Result<Self> {
        let mut words = line.split(',');
        let mut word = || words.next().with_context(|| format!("`{line}` has too few cells"));
        fn number<T: FromStr<Err: std::error::Error + Send + Sync + 'static>>(word: &str) -> Result<T> {
            word.parse().with_context(|| format!("`{word}` is not a number"))
        }
        Ok(Self {
            class: format!("{},{}", word()?, word()?),
            kind: word()?.to_owned(),
            seed: number(word()?)?,
            configurations: number(word()?)?,
            trials: number(word()?)?,
            capped: number(word()?)?,
            timeouts: number(word()?)?,
            incumbents: number(word()?)?,
            pairs: number(word()?)?,
            cpu: number(word()?)?,
            cpu_incumbents: number(word()?)?,
            saps: [number(word()?)?, number(word()?)?, number(word()?)?, number(word()?)?],
            training_cost: number(word()?)?,
            test_cost: number(word()?)?,
            default_cost: number(word()?)?,
        })
    }
}

/// Reads all rows of a file; returns an empty list if the file does not exist.
pub(super) fn read(path: &Path) -> Result<Vec<Row>> {
    rows::read(path, HEAD, Row::of_line)
}
