//! Commands with parameters in them. The first line is the command; each of the others begins with the letter of an
//! option.
//!
//! What is accepted makes a text in TOML whose space can be read and has every parameter of the command, and which
//! the reader of scenarios takes or finds mistakes in. A draft to be run at once is the same draft.

use scenario;
use scenario::draft::inline::{Wishes, draft, draft_to_run};
use scenario::draft::words;
use space::format::read_section;
use toml::de::DeTable;

use crate::ground::{FOLDER, may_leave, shown};

pub fn put(bytes: &[u8]) {
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
            assert!(to_run.is_err(), "to be run although it is refused: {mistakes}");
            return shown(&mistakes);
        }
    };
    let text = draft.to_toml();
    match to_run {
        Ok(to_run) => assert_eq!(to_run.to_toml(), text),
        Err(mistakes) => shown(&mistakes),
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
        shown(&mistakes);
    }
}

/// The letter of an option, and what it is given.
fn option(line: &str) -> Option<(char, &str)> {
    let mut rest = line.chars();
    Some((rest.next()?, rest.as_str()))
}

/// The options, as the command line would have read them.
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
