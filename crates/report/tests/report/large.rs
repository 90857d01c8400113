//! A large campaign: 100 000 trials, 76 parameters, 200 instances.

use std::fmt::Write as _;

use report::html;
use rustix::time::{ClockId, clock_gettime};

use crate::stage::Stage;

fn scenario() -> String {
    let mut text =
        "name = \"large\"\n[target]\ncommand = [\"true\", \"{params}\", \"{instance}\"]\n[objective]\n\
                    minimise = \"cpu_time\"\ncutoff = \"5s\"\n[instances]\nlist = ["
            .to_owned();
    (0..200).for_each(|number| write!(text, "\"instances/train/number-{number}.cnf\", ").unwrap());
    text += "]\n[budget]\ntrials = 200000\n[space]\n";
    let kinds = ["float = [0.001, 10.0], log = true", "integer = [1, 1000], log = true", "boolean = true"];
    (0..76).for_each(|number| writeln!(text, "parameter-{number} = {{ {} }}", kinds[number % 3]).unwrap());
    text
}

/// Returns the CPU seconds of all threads of this process.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The bars are 5 s and 10 MB for a release build. CPU time is measured, because tests share the machine.
#[test]
#[ignore = "writes 100 000 trials first, which takes half a minute"]
fn a_large_campaign_is_quick_small_and_says_what_it_leaves_out() {
    let mut stage = Stage::new(&scenario());
    let trials = stage.add(0, 36_000, 5);
    assert!(trials > 100_000, "{trials}");
    let start = cpu();
    let pages = stage.pages();
    let (read, text) = (cpu() - start, html(&pages));
    let (took, size) = (cpu() - start, text.len());
    let folder = std::env::temp_dir();
    std::fs::write(folder.join("captune-large-report.html"), &text).unwrap();
    let figures = format!("{trials} trials: {read:.2} s for the data, {took:.2} s in all, {size} bytes\n");
    std::fs::write(folder.join("captune-large-report.txt"), &figures).unwrap();
    assert!(took < 15.0 && size < 10_000_000, "{figures}");
    assert!(
        text.contains("Shown: 4000 of 1") && text.contains("Shown: 2000 of 1"),
        "it says that it is thinned"
    );
}
