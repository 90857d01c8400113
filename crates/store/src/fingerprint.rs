//! Fingerprints of the files that a scenario names: programs and instances.
//!
//! If a program is rebuilt or an instance is overwritten, the scenario stays the same, but trials from before
//! and after cannot be compared. So fingerprints of the files' contents are stored with the campaign and
//! checked when it is resumed.
//!
//! | a file | its fingerprint covers | if it has changed |
//! |---|---|---|
//! | a program, or an argument that is a path, except in `teardown` | the whole file | the campaign is not resumed; a change below `/usr`, which the system updates, is only reported |
//! | a training instance | its length, and its first and last 64 KiB | the campaign is not resumed |
//! | a validation instance | its length, and its first and last 64 KiB | the change is reported |
//!
//! Modification times are ignored, so that a copied folder is still the same campaign. Arguments that do not
//! name a file have no fingerprint.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use scenario::change::Difference;
use scenario::keys::Row;
use scenario::{Argument, CommandTemplate, Piece, Scenario, Verify, VerifyPiece, Workdir};
use serde::{Deserialize, Serialize};

use crate::digest::Checksum;

/// Number of bytes read from each end of an instance file.
const END: u64 = 64 << 10;

/// Folder of the operating system's own programs.
const SYSTEM: &str = "/usr";

/// Fingerprints by file name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Fingerprints {
    commands: BTreeMap<String, String>,
    train: BTreeMap<String, String>,
    test: BTreeMap<String, String>,
}

impl Fingerprints {
    /// Computes the fingerprints of the files as they are now.
    pub fn of(scenario: &Scenario) -> Self {
        let workdir = &scenario.target.workdir;
        let commands = scenario.target.until_end().flat_map(|command| files(command, workdir));
        let checks = scenario.target.answers.verify.iter().flat_map(|verify| checking_files(verify, workdir));
        let commands = commands.chain(checks).filter_map(|path| {
            let shown = path.strip_prefix(&scenario.folder).unwrap_or(&path).display().to_string();
            Some((shown, of_file(&path, None)?))
        });
        let instances = |all: &[scenario::Instance]| {
            all.iter()
                .filter_map(|one| Some((one.name.clone(), of_file(Path::new(&one.argument), Some(END))?)))
                .collect()
        };
        Self {
            commands: commands.collect(),
            train: instances(&scenario.instances.train),
            test: instances(&scenario.instances.test),
        }
    }

    /// Compares these fingerprints with the current ones. Returns a difference for every file that is in both
    /// and has changed.
    pub fn compare(&self, now: &Self, folder: &Path) -> Vec<Difference> {
        let train = changed(&self.train, &now.train, "instances", |_| Row::Refuse);
        let test = changed(&self.test, &now.test, "instances.test", |_| Row::Continue);
        self.compare_commands(now, folder).into_iter().chain(train).chain(test).collect()
    }

    /// Compares only the programs and the files that are named by arguments.
    pub fn compare_commands(&self, now: &Self, folder: &Path) -> Vec<Difference> {
        let of_command = |name: &str| {
            let path = folder.join(name);
            let is_of_system = path.canonicalize().is_ok_and(|path| path.starts_with(SYSTEM));
            if is_of_system { Row::Continue } else { Row::Refuse }
        };
        changed(&self.commands, &now.commands, "target", of_command)
    }

    /// Returns the fingerprint of a training instance.
    pub fn training_instance(&self, name: &str) -> Option<&str> {
        self.train.get(name).map(String::as_str)
    }
}

fn changed(
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
    key: &str,
    row: impl Fn(&str) -> Row,
) -> Vec<Difference> {
    let differs = |(name, old): (&String, &String)| {
        let new = now.get(name).filter(|new| *new != old)?;
        let key = format!("the content of {name} ({key})");
        Some(Difference { key, before: Some(old.clone()), after: Some(new.clone()), row: row(name) })
    };
    before.iter().filter_map(differs).collect()
}

/// Returns a command's program and the arguments that may be paths.
fn files(command: &CommandTemplate, workdir: &Workdir) -> Vec<PathBuf> {
    let literal = |piece: &Piece| match piece {
        Piece::Literal(text) => Some(text.clone()),
        _ => None,
    };
    let word = |argument: &Argument| -> Option<String> {
        match argument {
            // `{folder}/train.py` consists of two literals.
            Argument::Pieces(pieces) => pieces.iter().map(literal).collect(),
            Argument::Params | Argument::Written(_) => None,
        }
    };
    let words = command.arguments.iter().filter_map(word).filter_map(|word| resolved(&word, workdir));
    command.program.found().map(Path::to_owned).into_iter().chain(words).collect()
}

/// Returns the program that checks answers, and its arguments that may be paths.
fn checking_files(verify: &Verify, workdir: &Workdir) -> Vec<PathBuf> {
    let literal = |piece: &VerifyPiece| match piece {
        VerifyPiece::Literal(text) => Some(text.clone()),
        _ => None,
    };
    let word = |pieces: &Vec<VerifyPiece>| pieces.iter().map(literal).collect::<Option<String>>();
    let words = verify.arguments.iter().filter_map(word).filter_map(|word| resolved(&word, workdir));
    std::iter::once(verify.program.clone()).chain(words).collect()
}

/// Resolves a path against the folder in which the command runs.
fn resolved(word: &str, workdir: &Workdir) -> Option<PathBuf> {
    match workdir {
        Workdir::Shared(folder) => Some(folder.join(word)),
        // A new private folder contains no files yet.
        Workdir::Private => Path::new(word).is_absolute().then(|| PathBuf::from(word)),
    }
}

/// Returns the fingerprint of a regular file; `None` for anything else. If `ends` is given, only that many
/// bytes at each end are read.
fn of_file(path: &Path, ends: Option<u64>) -> Option<String> {
    // Opening a pipe would block until a writer opens it.
    let length = std::fs::metadata(path).ok().filter(|data| data.is_file())?.len();
    let read = || -> io::Result<Checksum> {
        let mut file = File::open(path)?;
        let mut checksum = Checksum::default();
        let mut part = Vec::new();
        match ends.filter(|end| length > 2 * end) {
            Some(end) => {
                (&mut file).take(end).read_to_end(&mut part)?;
                file.seek(SeekFrom::End(-end.cast_signed()))?;
                file.read_to_end(&mut part)?;
                checksum.bytes(0, &part);
            }
            None => {
                while (&mut file).take(1 << 20).read_to_end(&mut part)? > 0 {
                    checksum.bytes(0, &part);
                    part.clear();
                }
            }
        }
        Ok(checksum)
    };
    // A file that captune cannot read is not an error, because the target may be able to read it. Its content
    // counts as unknown.
    let checksum = read().ok()?;
    Some(format!("{length} bytes, {:016x}", checksum.end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_instance_is_identified_by_its_length_and_ends_and_a_program_by_all_of_it() {
        let path = std::env::temp_dir().join(format!("campaign-fingerprint-{}", std::process::id()));
        let of = |content: &[u8], ends: Option<u64>| {
            std::fs::write(&path, content).unwrap();
            of_file(&path, ends).unwrap()
        };
        let whole = vec![7; 3 * END as usize];
        let changed = |place: usize| {
            let mut content = whole.clone();
            content[place] = 8;
            content
        };
        let last = whole.len() - 1;
        for ends in [None, Some(END)] {
            assert_eq!(of(&whole, ends), of(&whole, ends));
            assert_ne!(of(&whole, ends), of(&changed(0), ends));
            assert_ne!(of(&whole, ends), of(&changed(last), ends));
            assert_ne!(of(&whole, ends), of(&whole[..last], ends));
        }
        assert_ne!(of(&whole, None), of(&changed(last / 2), None));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(of_file(&path, None), None);
        assert_eq!(of_file(Path::new("/dev/null"), None), None);
    }
}
