//! Checks the invariants of a scenario that captune drafted from another configurator's scenario.
//!
//! The draft is valid TOML, and the scenario parser either accepts it or rejects it with diagnostics. If the
//! draft contains a space, the space can be parsed, and the initial configurations are valid in it.

use std::path::Path;

use campaign::import::scenarios::read;
use scenario;
use scenario::configuration_file;
use space::format::{self, Format, read_section};
use toml::de::DeTable;

use crate::fixtures::{FOLDER, check_diagnostics};

/// Drafts a scenario from the file at this path and checks the draft.
pub fn check(path: &Path) {
    let draft = match read(path, &FOLDER) {
        Ok(found) => found.draft,
        Err(error) => return assert!(!error.to_string().is_empty(), "an error without a message"),
    };
    let text = draft.to_toml();
    if let Err(error) = DeTable::parse(&text) {
        panic!("{text}\n{error}");
    }
    if let Err(mistakes) = scenario::read(&text, &FOLDER, "draft") {
        check_diagnostics(&mistakes);
    }
    let own = draft.files.iter().find(|(name, _)| name == "space.toml");
    let space = match own {
        Some((name, text)) => format::read(text, name, Format::Toml),
        // A space in another configurator's file is covered by the fuzzers for the space parsers.
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
