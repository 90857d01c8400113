//! What must hold of a scenario that was drafted from another configurator's.
//!
//! It is TOML, which the reader of scenarios takes or finds mistakes in. A space of its own can be read, and a first
//! configuration beside it is one of that space.

use std::path::Path;

use campaign::import::scenarios::read;
use scenario;
use scenario::configuration_file;
use space::format::{self, Format, read_section};
use toml::de::DeTable;

use crate::ground::{FOLDER, shown};

/// Drafts a scenario from what a path leads to.
pub fn put(path: &Path) {
    let draft = match read(path, &FOLDER) {
        Ok(found) => found.draft,
        Err(error) => return assert!(!error.to_string().is_empty(), "an error without a word"),
    };
    let text = draft.to_toml();
    if let Err(error) = DeTable::parse(&text) {
        panic!("{text}\n{error}");
    }
    if let Err(mistakes) = scenario::read(&text, &FOLDER, "draft") {
        shown(&mistakes);
    }
    let own = draft.files.iter().find(|(name, _)| name == "space.toml");
    let space = match own {
        Some((name, text)) => format::read(text, name, Format::Toml),
        // The files of others are read as spaces are.
        None if text.contains("[space]\nfrom = ") => return,
        None => read_section(&text, "draft", "space"),
    };
    let space = space.unwrap_or_else(|mistakes| panic!("{text}\n{mistakes}"));
    let starts = draft.files.iter().filter(|(name, _)| name.ends_with(".toml") && name != "space.toml");
    for (name, text) in starts {
        let start = configuration_file::read(text, name, &space);
        let start = start.unwrap_or_else(|mistakes| panic!("{text}\n{mistakes}"));
        assert!(space.check(start.codes()).is_ok(), "not valid: {start}");
    }
}
