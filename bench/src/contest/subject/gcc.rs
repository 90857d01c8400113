//! gcc on generated programs; the cost is the size of the code in bytes, which is known only at the end
//! of a trial.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use confine::{Command, End};
use engine::{Configuration, Pair, Status};
use execution::executor::Answer;
use space::format::{Format, read};
use targets::generate::c_source::c_source;

use super::command::{is_installed, run, words};
use super::files::written;
use super::{Benchmark, Subject, at_the_end};
use crate::seeds::range;

/// A space that is small enough to try all of its configurations.
const SPACE: &str = include_str!("gcc.toml");
const OBJECT: &str = "out.o";
/// Limit on the CPU seconds of one compilation, which takes about a hundredth of that.
const LONGEST: u64 = 10;

struct Gcc {
    files: Vec<PathBuf>,
}

impl Gcc {
    fn run(&self, configuration: &Configuration, pair: Pair) -> Result<Answer> {
        let command = Command::new("gcc")
            .args(["-w", "-c", "-o", OBJECT])
            .args(words(configuration))
            .arg(&self.files[pair.instance.index()])
            .read_file(OBJECT);
        let finished = run(&command, LONGEST)?;
        Ok(match (finished.end(), finished.files.first()) {
            (End::Exited(0), Some(Ok(object))) => at_the_end(code_size(object)? as f64),
            _ => Answer { status: Status::Crashed, ..at_the_end(0.0) },
        })
    }
}

impl Subject for Gcc {
    fn answer(&self, configuration: &Configuration, pair: Pair, _cap: f64) -> Answer {
        // If gcc cannot be started, no trial can be measured.
        self.run(configuration, pair).unwrap_or_else(|error| panic!("could not run gcc: {error:#}"))
    }
}

/// Returns the size of all sections with instructions in a 64-bit little-endian ELF object file, in bytes.
fn code_size(object: &[u8]) -> Result<u64> {
    const EXECUTABLE: u64 = 4;
    if !object.starts_with(&[0x7f, b'E', b'L', b'F', 2, 1]) {
        bail!("the object file from gcc is not 64-bit little-endian ELF");
    }
    let number = |at: u64, bytes: usize| -> Result<u64> {
        let at = usize::try_from(at)?;
        let field = object.get(at..at + bytes).context("the object file is truncated")?;
        Ok(field.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
    };
    let (table, entry, count) = (number(0x28, 8)?, number(0x3a, 2)?, number(0x3c, 2)?);
    let mut size = 0;
    for section in (0..count).map(|index| table + index * entry) {
        if number(section + 8, 8)? & EXECUTABLE != 0 {
            size += number(section + 0x20, 8)?;
        }
    }
    Ok(size)
}

/// Returns gcc on programs generated from these seeds; `None` if gcc is not installed.
pub(crate) fn on(training: &str, test: &str) -> Result<Option<Benchmark>> {
    if !is_installed("gcc") {
        return Ok(None);
    }
    let (training, test) = (range(training)?, range(test)?);
    let sizes = [&training, &test].map(|seeds| seeds.clone().count() as u32);
    let texts: Vec<String> = training.chain(test).map(c_source).collect();
    let files = written(&texts, "c")?;
    let space = read(SPACE, "gcc.toml", Format::Toml)?;
    let benchmark = Benchmark {
        subject: Box::new(Gcc { files: files.paths }),
        space,
        training: sizes[0],
        test: sizes[1],
        deterministic: true,
        checksum: 0,
    };
    // The answers are part of the checksum, because other versions of gcc generate other code.
    Ok(Some(benchmark.with_answers(files.digest, f64::INFINITY)))
}

#[cfg(test)]
mod tests {
    use space::Domain;

    use super::*;

    /// Checks the size of an object file with three sections. The first and the last contain instructions.
    #[test]
    fn only_sections_with_instructions_count() {
        let mut object = vec![0; 64 + 3 * 64];
        object[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
        (object[0x28], object[0x3a], object[0x3c]) = (64, 64, 3);
        for (index, (flags, size)) in [(6, 300u16), (3, 1000), (4, 7)].into_iter().enumerate() {
            let section = 64 + 64 * index;
            object[section + 8] = flags;
            object[section + 0x20..section + 0x22].copy_from_slice(&size.to_le_bytes());
        }
        assert_eq!(code_size(&object).unwrap(), 307);
        assert!(code_size(&object[..200]).unwrap_err().to_string().contains("truncated"));
        assert!(code_size(b"!<arch>").unwrap_err().to_string().contains("not 64-bit"));
    }

    #[test]
    fn the_space_has_384_configurations() {
        let space = read(SPACE, "gcc.toml", Format::Toml).unwrap();
        let choices = |id| match space.parameter(id).domain() {
            Domain::Choices(choices) => choices.count(),
            Domain::Range(_) => usize::MAX,
        };
        assert_eq!(space.ids().map(choices).product::<usize>(), 384);
    }
}
