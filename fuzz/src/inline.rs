//! Fuzzes the parser for commands with inline parameters. The first line is the command; each further line is
//! an option: its letter, followed by its value.
//!
//! Invariants: an accepted command gives valid TOML with a space that can be parsed and is not empty. The
//! scenario parser accepts this TOML or rejects it with diagnostics. If the command can also be drafted to
//! run at once, that draft has the same text.

use scenario;
use scenario::draft::inline::{Wishes, draft, draft_to_run};
use scenario::draft::words;
use space::format::read_section;
use toml::de::DeTable;

use crate::fixtures::{FOLDER, check_diagnostics, may_leave};

pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (command, options) = text.split_once('\n').unwrap_or((text, ""));
    if options.lines().filter_map(option).any(|(_, value)| may_leave(value)) {
        return;
    }
    let words = words(command);
    let wishes = wishes(options.lines());
    let to_run = draft_to_run(&words, &wishes, &FOLDER);
    let draft = match draft(&words, &wishes, &FOLDER) {
        Ok(draft) => draft,
        Err(mistakes) => {
            assert!(to_run.is_err(), "accepted to run, but rejected as a draft: {mistakes}");
            return check_diagnostics(&mistakes);
        }
    };
    let text = draft.to_toml();
    match to_run {
        Ok(to_run) => assert_eq!(to_run.to_toml(), text),
        Err(mistakes) => check_diagnostics(&mistakes),
    }
    if let Err(error) = DeTable::parse(&text) {
        panic!("{text}\n{error}");
    }
    if wishes.space.is_none() {
        let space =
            read_section(&text, "draft", "space").unwrap_or_else(|mistakes| panic!("{text}\n{mistakes}"));
        assert!(!space.parameters().is_empty(), "{text}");
    }
    if let Err(mistakes) = scenario::read(&text, &FOLDER, "draft") {
        check_diagnostics(&mistakes);
    }
}

/// Returns the letter of an option and its value.
fn option(line: &str) -> Option<(char, &str)> {
    let mut rest = line.chars();
    Some((rest.next()?, rest.as_str()))
}

/// Parses the options as the command line does.
fn wishes<'t>(lines: impl Iterator<Item = &'t str>) -> Wishes {
    let mut wishes = Wishes::default();
    for (letter, rest) in lines.filter_map(option) {
        let text = || rest.to_owned();
        let seconds = || rest.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0);
        match letter {
            'i' => wishes.instances.push(text()),
            't' => wishes.test.push(text()),
            'm' => wishes.minimise = Some(text()),
            'c' => wishes.cutoff = Some(text()),
            's' => wishes.space = Some(text()),
            'e' => wishes.success_exit.extend(rest.parse::<u8>().ok()),
            'w' => wishes.wall = seconds(),
            'u' => wishes.cpu = seconds(),
            'n' => wishes.trials = rest.parse().ok(),
            'k' => wishes.workers = rest.parse().ok(),
            'r' => wishes.seed = rest.parse().ok(),
            _ => {}
        }
    }
    wishes
}
