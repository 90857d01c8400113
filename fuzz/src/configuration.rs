//! Fuzzes the parsers for configuration files. The first byte determines the file's name, which in turn
//! determines its format.
//!
//! Invariants: an accepted configuration is valid for its space, and is unchanged after a round trip through
//! every output format.

use scenario::ConfigFile;
use scenario::configuration_file::read;

use crate::fixtures::{PARSED_SPACE, check_diagnostics};

const NAMES: [&str; 4] = ["x", "x.json", "x.toml", "x.txt"];

pub fn check(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let name = NAMES[usize::from(*first) % NAMES.len()];
    let space = &*PARSED_SPACE;
    let configuration = match read(text, name, space) {
        Ok(configuration) => configuration,
        Err(mistakes) => return check_diagnostics(&mistakes),
    };
    assert!(space.check(configuration.codes()).is_ok(), "not valid: {configuration}");
    let lines = configuration.iter().map(|(name, value)| format!("{name} {value}\n")).collect();
    let written = [
        ("x.json", ConfigFile::Json.content(space, &configuration)),
        ("x.toml", ConfigFile::Toml.content(space, &configuration)),
        // The output format of `captune best --as pcs`.
        ("x.txt", lines),
    ];
    for (name, text) in written {
        let again = read(&text, name, space).unwrap_or_else(|mistakes| panic!("{text}\n{mistakes}"));
        assert!(again == configuration, "not equal after a round trip:\n{text}");
    }
}
