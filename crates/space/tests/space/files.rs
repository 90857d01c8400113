//! The parameter files of the field, where they are at hand: each is read, sampled, and carried
//! through every format that can express it.

use std::path::{Path, PathBuf};

use math::Rng;
use space::Space;
use space::format::{CannotExpress, Format, read_bytes, write};

const SAMPLES: usize = 10_000;
const FORMATS: [Format; 4] = [Format::Toml, Format::PcsOld, Format::PcsNew, Format::Irace];

/// Nearest folder of this name beside or above the workspace.
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

#[allow(clippy::disallowed_methods, reason = "the engine is handed text; this test is who hands it over")]
fn load(file: &Path) -> (Format, Space) {
    let bytes = std::fs::read(file).expect("a readable file");
    let name = name_of(file);
    let format = Format::guess(&name, &String::from_utf8_lossy(&bytes)).expect("a known format");
    let space = read_bytes(&bytes, &name, format).unwrap_or_else(|e| panic!("{e}"));
    (format, space)
}

/// Whether the space came back equal from the format, or why it cannot be written.
fn carried(space: &Space, format: Format) -> Result<(), CannotExpress> {
    let text = write(space, format)?;
    let again = read_bytes(text.as_bytes(), "again", format).unwrap_or_else(|e| panic!("{text}\n{e}"));
    assert_eq!(&again, space, "{format}:\n{text}");
    assert_eq!(again.default_configuration().fingerprint(), space.default_configuration().fingerprint());
    Ok(())
}

#[test]
fn every_file_is_read_sampled_and_carried() {
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
        let outcomes = FORMATS.map(|target| match carried(&space, target) {
            Ok(()) => format!("{target}: equal"),
            Err(refusal) => format!("{target}: refused: {}", refusal.what.join("; ")),
        });
        let count = space.parameters().len();
        println!("{name} ({format}, {count} parameters)\n  {}", outcomes.join("\n  "));
        assert!(carried(&space, Format::Toml).is_ok() && carried(&space, format).is_ok(), "{name}");
    }
}

/// The same space with what irace asks for: a switch for everyone, and no defaults.
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
fn files_with_plain_names_are_carried_by_irace_once_they_have_switches_and_no_defaults() {
    let files = files();
    let mut carried_over = Vec::new();
    for file in &files {
        let Some(space) = for_irace(&load(file).1) else { continue };
        if carried(&space, Format::Irace).is_ok() {
            carried_over.push(name_of(file));
        }
    }
    println!("carried by irace: {}", carried_over.join(", "));
    assert!(files.is_empty() || carried_over.len() >= 7, "{carried_over:?}");
}
