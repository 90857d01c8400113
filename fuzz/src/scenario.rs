//! Fuzzes the scenario parser, in a folder with a few files that scenarios may name. The text after a `--`
//! line is written to `more.txt`, which may then hold instances, features, known answers, a configuration or
//! a space.
//!
//! Invariants: an accepted scenario has a valid baseline, valid initial configurations and at least one
//! instance. Settings, a command and a configuration file can be derived from it. Comparing it with its
//! stored copy finds no difference.

use campaign::conduct::{Order, settings};
use engine::{Cap, ConfigId, InstanceId, Pair, Seed, TrialId, TrialKey, TrialRequest, Why};
use execution::CommandLine;
use scenario::change::{Stored, compare};
use scenario::read;
use space::format::{Format, write};

use crate::fixtures::{FOLDER, check_diagnostics, file, may_leave};

pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if may_leave(text) {
        return;
    }
    let (text, more) = text.split_once("\n--\n").unwrap_or((text, ""));
    file("more.txt", more.as_bytes());
    let scenario = match read(text, &FOLDER, "fuzzed.toml") {
        Ok(scenario) => scenario,
        Err(mistakes) => return check_diagnostics(&mistakes),
    };
    if !scenario.warnings.list().is_empty() {
        check_diagnostics(&scenario.warnings);
    }
    let space = &scenario.space;
    for configuration in scenario.initial.iter().chain([&scenario.baseline()]) {
        assert!(space.check(configuration.codes()).is_ok(), "not valid: {configuration}");
    }
    let cutoff = scenario.objective.cutoff;
    assert!(cutoff.is_none_or(|cutoff| cutoff.is_finite() && cutoff > 0.0), "the cutoff is {cutoff:?}");
    let settings = settings(&scenario, &Order::default());
    assert!(settings.problem.instances > 0, "the scenario has no instance");

    let configuration = settings.problem.default.clone();
    if let Some(form) = &scenario.target.config_file {
        form.content(space, &configuration);
    }
    let pair = Pair { instance: InstanceId(0), seed: Seed(1) };
    let key = TrialKey { config: ConfigId(0), pair };
    let cap = cutoff.map_or(Cap::NONE, Cap::at);
    let trial = TrialRequest { id: TrialId(0), key, configuration, cap, why: Why::Incumbent };
    let line = CommandLine::new(&scenario, &trial, &scenario.instances.train[0]);
    assert!(!line.to_string().is_empty(), "the command is empty");

    let written = write(space, Format::Toml).expect("captune's own format can express every space");
    let names: Vec<String> = scenario.instances.train.iter().map(|one| one.name.clone()).collect();
    let stored = Stored { text, space: &written, instances: &names, baseline: Some(&trial.configuration) };
    let differences = compare(&stored, text, &scenario).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert!(differences.is_empty(), "the scenario differs from its stored copy: {differences:?}");
}
