//! Embeds the commit that the benchmarks are built from: rows of different versions must not be mixed in one
//! table.

use std::process::Command;

/// Sources that decide how a campaign runs in a benchmark.
const SOURCES: [&str; 3] = ["crates", "bench/src/contest", "Cargo.lock"];

fn git(arguments: &[&str]) -> Option<String> {
    let done = Command::new("git").current_dir("..").args(arguments).output().ok()?;
    done.status.success().then(|| String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

fn main() {
    for source in SOURCES {
        println!("cargo:rerun-if-changed=../{source}");
    }
    for place in ["HEAD", "logs/HEAD", "index"] {
        if let Some(path) = git(&["rev-parse", "--path-format=absolute", "--git-path", place]) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    let of_sources = |arguments: &[&str]| git(&[arguments, &["--"], &SOURCES].concat());
    let commit = of_sources(&["log", "-1", "--format=%h", "--abbrev=12"]).filter(|commit| !commit.is_empty());
    let is_dirty = of_sources(&["status", "--porcelain"]).is_some_and(|changes| !changes.is_empty());
    let dirty = if is_dirty { "-dirty" } else { "" };
    println!("cargo:rustc-env=CAPTUNE_COMMIT={}{dirty}", commit.as_deref().unwrap_or("unknown"));
}
