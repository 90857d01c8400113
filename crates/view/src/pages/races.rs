//! The races: who was dropped, when, why and at what cap.

use std::collections::BTreeMap;

use campaign::event::What;
use engine::{ConfigId, Why};
use serde::Serialize;

use super::material::Material;
use super::thinned::Thinned;

/// Largest number of races in the picture.
const RACES: usize = 2000;

/// The races.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Races {
    /// All races in the order in which they ended; races that are still open come last.
    pub races: Thinned<Race>,
    /// Number of races by outcome.
    pub outcomes: BTreeMap<&'static str, usize>,
}

/// One race of a configuration against the incumbent.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Race {
    /// The challenger.
    pub configuration: u32,
    /// The origin of the challenger.
    pub origin: String,
    /// Campaign time at which the race began, in seconds.
    pub opened: f64,
    /// Campaign time at which the race ended; `None` while it is open.
    pub ended: Option<f64>,
    /// Number of pairs on which the challenger's cost was known.
    pub pairs: usize,
    /// `won`, `open`, or why the challenger was dropped.
    pub outcome: &'static str,
    /// The cap of the challenger's last trial.
    pub cap: Option<f64>,
}

impl Races {
    pub(super) fn of(material: &Material<'_>) -> Self {
        let caps = caps(material);
        let mut open: BTreeMap<ConfigId, f64> = BTreeMap::new();
        let mut races = Vec::new();
        let mut close = |config: ConfigId, opened, ended, pairs, outcome| {
            let origin = material.origin(config).to_owned();
            let cap = caps.get(&config).copied();
            races.push(Race { configuration: config.0, origin, opened, ended, pairs, outcome, cap });
        };
        for event in &material.events {
            match &event.what {
                What::RaceOpened { config, .. } => {
                    open.insert(*config, event.at);
                }
                What::RaceDropped { config, pairs, why } => {
                    let opened = open.remove(config).unwrap_or(event.at);
                    close(*config, opened, Some(event.at), *pairs, why.name());
                }
                What::NewIncumbent(new) => {
                    let opened = open.remove(&new.config).unwrap_or(event.at);
                    close(new.config, opened, Some(event.at), new.pairs, "won");
                }
                _ => {}
            }
        }
        for (config, opened) in open {
            let pairs = material.records.is_known(config).then(|| {
                let history = material.records.history();
                history
                    .readings(config)
                    .filter(|(_, trial)| material.objective().known(&trial.observation).is_some())
                    .count()
            });
            close(config, opened, None, pairs.unwrap_or(0), "open");
        }
        let mut outcomes = BTreeMap::new();
        races.iter().for_each(|race| *outcomes.entry(race.outcome).or_default() += 1);
        Self { races: Thinned::evenly(races, RACES), outcomes }
    }
}

fn caps(material: &Material<'_>) -> BTreeMap<ConfigId, f64> {
    let challenges = material.records.history().trials().iter().filter(|trial| trial.why == Why::Challenge);
    let caps = challenges.map(|trial| (trial.key.config, trial.cap.cost()));
    caps.filter(|(_, cap)| cap.is_finite()).collect()
}
