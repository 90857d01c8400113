//! Published parameter files, if they are available: each is read, sampled, and written and read again
//! in every format that can express it.

use std::path::{Path, PathBuf};

use math::Rng;
use space::Space;
use space::format::{CannotExpress, Format, read_bytes, write};

const SAMPLES: usize = 10_000;
const FORMATS: [Format; 4] = [Format::Toml, Format::PcsOld, Format::PcsNew, Format::Irace];

/// Returns the folder `shared/data` in the nearest parent folder that has one.
fn shared() -> Option<PathBuf> {
    let start = Path::new(env!("CARGO_MANIFEST_DIR"));
    start.ancestors().map(|folder| folder.join("shared/data")).find(|folder| folder.join("pcs").is_dir())
}

fn files() -> Vec<PathBuf> {
    let Some(shared) = shared() else { return Vec::new() };
    let list = std::fs::read_dir(shared.join("pcs")).expect("a readable folder");
    let mut files: Vec<PathBuf> = list.map(|entry| entry.expect("a readable folder").path()).collect();
    let mixed = shared.join("smac3-spear-qcp/spear-params-mixed.pcs");
    files.extend(Some(mixed).filter(|file| file.exists()));
    files.sort();
    files
}

fn name_of(file: &Path) -> String {
    file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[allow(clippy::disallowed_methods, reason = "the crate takes text, so the test reads the file")]
fn load(file: &Path) -> (Format, Space) {
    let bytes = std::fs::read(file).expect("a readable file");
    let name = name_of(file);
    let format = Format::guess(&name, &String::from_utf8_lossy(&bytes)).expect("a known format");
    let space = read_bytes(&bytes, &name, format).unwrap_or_else(|e| panic!("{e}"));
    (format, space)
}

/// Writes a space in a format, reads it again and asserts that it is equal; or returns why it cannot be
/// written.
fn round_trip(space: &Space, format: Format) -> Result<(), CannotExpress> {
    let text = write(space, format)?;
    let again = read_bytes(text.as_bytes(), "again", format).unwrap_or_else(|e| panic!("{text}\n{e}"));
    assert_eq!(&again, space, "{format}:\n{text}");
    assert_eq!(again.default_configuration().fingerprint(), space.default_configuration().fingerprint());
    Ok(())
}

#[test]
fn every_file_is_read_sampled_and_survives_a_round_trip() {
    let files = files();
    if files.is_empty() {
        println!("skipped: no shared/data/pcs above the workspace");
    }
    for file in files {
        let (format, space) = load(&file);
        let name = name_of(&file);
        space.check(space.default_configuration().codes()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut rng = Rng::new(1, "files", 0);
        for _ in 0..SAMPLES {
            let sample = space.sample(&mut rng).unwrap_or_else(|e| panic!("{name}: {e}"));
            space.check(sample.codes()).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        let outcomes = FORMATS.map(|target| match round_trip(&space, target) {
            Ok(()) => format!("{target}: equal"),
            Err(error) => format!("{target}: rejected: {}", error.what.join("; ")),
        });
        let count = space.parameters().len();
        println!("{name} ({format}, {count} parameters)\n  {}", outcomes.join("\n  "));
        assert!(round_trip(&space, Format::Toml).is_ok() && round_trip(&space, format).is_ok(), "{name}");
    }
}

/// Returns the same space in the form that irace requires: with a switch for every parameter and without
/// defaults.
fn for_irace(space: &Space) -> Option<Space> {
    let text = write(space, Format::Toml).ok()?;
    let line = |line: &str| {
        let (head, tail) = line.split_once(", default = ").unwrap_or((line, ""));
        let rest = [", when = ", ", note = ", " }"].iter().filter_map(|mark| tail.find(mark)).min();
        let line = format!("{head}{}", rest.map_or("", |at| &tail[at..]));
        let name = line.split(' ').next().unwrap_or_default().to_owned();
        line.replace(" }", &format!(", switch = \"--{name} \" }}")) + "\n"
    };
    let parameters = text.lines().take_while(|line| !line.is_empty()).map(line).collect::<String>();
    let forbidden = text.find("\nforbidden = ").map_or("", |at| &text[at..]);
    read_bytes((parameters + forbidden).as_bytes(), "prepared", Format::Toml).ok()
}

#[test]
fn files_with_plain_names_survive_an_irace_round_trip_with_switches_and_without_defaults() {
    let files = files();
    let mut equal = Vec::new();
    for file in &files {
        let Some(space) = for_irace(&load(file).1) else { continue };
        if round_trip(&space, Format::Irace).is_ok() {
            equal.push(name_of(file));
        }
    }
    println!("equal after a round trip through irace: {}", equal.join(", "));
    assert!(files.is_empty() || equal.len() >= 7, "{equal:?}");
}
