//! Any bytes, put to the reader that the environment variable `READER` names. `FOLDER` is a folder of its own, for
//! readers of files. With `READER=list` the names are printed, and nothing else happens.

#![no_main]

mod answers;
mod configuration;
mod draft;
mod frames;
mod ground;
mod inline;
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

type Reader = Box<dyn Fn(&[u8]) + Send + Sync>;

/// Every reader, by its name; those of spaces have the names of their formats.
fn readers() -> Vec<(&'static str, Reader)> {
    let mut all: Vec<(&str, Reader)> = Vec::new();
    for format in Format::ALL {
        all.push((format.name(), Box::new(move |bytes| space::put(bytes, format))));
    }
    all.push(("scenario", Box::new(scenario::put)));
    all.push(("scenario-of-others", Box::new(others::put)));
    all.push(("configuration", Box::new(configuration::put)));
    all.push(("runs-csv", Box::new(runs_csv::put)));
    all.push(("runhistory", Box::new(runhistory::put)));
    all.push(("optuna", Box::new(optuna::put)));
    all.push(("answers", Box::new(answers::put)));
    all.push(("inline", Box::new(inline::put)));
    all.push(("frames", Box::new(frames::put)));
    all
}

static READER: LazyLock<Reader> = LazyLock::new(|| {
    let wanted = std::env::var("READER").unwrap_or_default();
    let found = readers().into_iter().find(|(name, _)| *name == wanted);
    found.unwrap_or_else(|| panic!("READER={wanted}: READER=list prints the names")).1
});

libfuzzer_sys::fuzz_target!(
    init: {
        if std::env::var("READER").is_ok_and(|name| name == "list") {
            readers().iter().for_each(|(name, _)| println!("{name}"));
            exit(0);
        }
        LazyLock::force(&READER);
    },
    |bytes: &[u8]| READER(bytes)
);
