//! Fuzzes the parser named by the environment variable `READER`. `FOLDER` is an empty folder for parsers that
//! read files. With `READER=list` the program only prints the names of all parsers.

#![no_main]

mod answers;
mod configuration;
mod draft;
mod fixtures;
mod frames;
mod inline;
mod nats;
mod optuna;
mod others;
mod runhistory;
mod runs;
mod runs_csv;
mod scenario;
mod space;

use std::process::exit;
use std::sync::LazyLock;

use ::space::format::Format;

type Parser = Box<dyn Fn(&[u8]) + Send + Sync>;

/// Returns all parsers by name; the space parsers are named after their formats.
fn parsers() -> Vec<(&'static str, Parser)> {
    let mut all: Vec<(&str, Parser)> = Vec::new();
    for format in Format::ALL {
        all.push((format.name(), Box::new(move |bytes| space::check(bytes, format))));
    }
    all.push(("scenario", Box::new(scenario::check)));
    all.push(("scenario-of-others", Box::new(others::check)));
    all.push(("configuration", Box::new(configuration::check)));
    all.push(("runs-csv", Box::new(runs_csv::check)));
    all.push(("runhistory", Box::new(runhistory::check)));
    all.push(("optuna", Box::new(optuna::check)));
    all.push(("answers", Box::new(answers::check)));
    all.push(("inline", Box::new(inline::check)));
    all.push(("frames", Box::new(frames::check)));
    all.push(("nats", Box::new(nats::check)));
    all
}

static PARSER: LazyLock<Parser> = LazyLock::new(|| {
    let wanted = std::env::var("READER").unwrap_or_default();
    let found = parsers().into_iter().find(|(name, _)| *name == wanted);
    found.unwrap_or_else(|| panic!("unknown parser READER={wanted}; READER=list prints the names")).1
});

libfuzzer_sys::fuzz_target!(
    init: {
        if std::env::var("READER").is_ok_and(|name| name == "list") {
            parsers().iter().for_each(|(name, _)| println!("{name}"));
            exit(0);
        }
        LazyLock::force(&PARSER);
    },
    |bytes: &[u8]| PARSER(bytes)
);
