//! Compares `captune exec` with runsolver. Each is timed as a whole command, and the two alternate.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};

use super::{Setting, milliseconds};
use crate::quantiles::Quantiles;

/// A measurement, with one command line for each of the two programs.
struct Case {
    name: &'static str,
    captune: &'static [&'static str],
    runsolver: &'static [&'static str],
    /// Milliseconds that the command would take under a runner without any overhead.
    ideal: f64,
    repetitions: usize,
}

const CASES: [Case; 3] = [
    Case {
        name: "start and end of /bin/true",
        captune: &["exec", "--", "/bin/true"],
        runsolver: &["/bin/true"],
        ideal: 0.0,
        repetitions: 100,
    },
    Case {
        name: "overshoot past a wall-time cap of 1 s, sleeping",
        captune: &["exec", "--wall", "1s", "--", "/bin/sleep", "60"],
        runsolver: &["-W", "1", "/bin/sleep", "60"],
        ideal: 1000.0,
        repetitions: 10,
    },
    Case {
        name: "overshoot past a CPU cap of 1 s, busy",
        captune: &["exec", "--cpu", "1s", "--", "/usr/bin/sha1sum", "/dev/zero"],
        runsolver: &["-C", "1", "/usr/bin/sha1sum", "/dev/zero"],
        ideal: 1000.0,
        repetitions: 10,
    },
];

/// Prints by how much both programs exceed the ideal time.
pub(super) fn compare(setting: &Setting, runsolver: &Path) -> Result<()> {
    println!("\n## Compared with runsolver: whole commands, alternating\n");
    println!(
        "| measurement | captune exec p50 | max | runsolver p50 | max | ratio at p50 |\n|---|---|---|---|---|---|"
    );
    for case in CASES {
        let mut series = [Vec::new(), Vec::new()];
        for _ in 0..case.repetitions {
            series[0].push(elapsed(&setting.guardian, case.captune)? - case.ideal);
            series[1].push(elapsed(runsolver, case.runsolver)? - case.ideal);
        }
        let [ours, theirs] = series.map(Quantiles::of);
        println!(
            "| {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.0}x |",
            case.name,
            ours.median(),
            ours.max(),
            theirs.median(),
            theirs.max(),
            theirs.median() / ours.median()
        );
    }
    Ok(())
}

fn elapsed(program: &Path, arguments: &[&str]) -> Result<f64> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    command.status().with_context(|| format!("cannot run {}", program.display()))?;
    Ok(milliseconds(start.elapsed()))
}
