//! Tests the program from the command line.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod campaign;
mod discover;
mod doctor;
mod documents;
mod exec;
mod fleet;
mod help;
mod mistakes;
mod ready_made;
mod solver;
mod space;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const CAPTUNE: &str = env!("CARGO_BIN_EXE_captune");

/// Runs captune with the arguments in `line`.
fn captune(line: &str) -> Output {
    captune_with(line.split_whitespace())
}

fn captune_with<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Output {
    Command::new(CAPTUNE).args(arguments).env("NO_COLOR", "1").env("COLUMNS", "80").output().unwrap()
}

/// Runs captune with text on its standard input.
fn captune_reading(line: &str, input: &str) -> Output {
    let mut child = Command::new(CAPTUNE)
        .args(line.split_whitespace())
        .env("NO_COLOR", "1")
        .env("COLUMNS", "80")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // An error is ignored, because the program may stop reading before the end.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    child.wait_with_output().unwrap()
}

/// Returns whether a program is installed. If not, prints a note, because the test is then skipped.
fn installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdin(Stdio::null()).output().is_ok();
    if !found {
        println!("skipped: {program} is not installed");
    }
    found
}

/// Runs a test in its own folder, which is removed if the test passes.
fn in_folder(name: &str, test: impl FnOnce(&Path)) {
    let folder = std::env::temp_dir().join(format!("captune-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    test(&folder);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Returns the root of the repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}
