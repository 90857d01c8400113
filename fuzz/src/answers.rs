//! What targets write, under every protocol. Of the first four bytes one each chooses the scenario, how the run ended,
//! its cap and the time it took; the rest is its output, and also the file that it left.
//!
//! A run is accounted for unless its target says that no trial can succeed. Every number told is finite. A cost is at
//! most the cutoff, and a censored one at most the cap if the run was stopped; it is not below zero if it grows. A failure
//! has its reason in one line, which is not empty. A server's line answers at most one trial, and another line or
//! none the next.

use std::sync::LazyLock;
use std::time::Duration;

use confine::{Captured, CpuTime, Exit, Finished, Limit, Stop, Tier};
use engine::{Cap, Reading, TrialId};
use execution::TargetError;
use execution::process::fuzzing;
use scenario::{CappedBy, Scenario};

use crate::ground::scenario;

/// Protocols, and what is minimised under them.
const SCENARIOS: [(&str, &str); 13] = [
    (
        "command",
        "minimise = \"cpu_time\"\ncutoff = \"5s\"\nthen = \"tie\"\n[outputs]\ntie = { pattern = 'tie (.*)' }",
    ),
    ("command", "minimise = \"loss\"\n[outputs]\nloss = { file = \"out.json\", key = \"a.0.b\" }"),
    ("command", "maximise = \"rate\"\n[outputs]\nrate = { file = \"out.toml\", key = \"a.rate\" }"),
    ("aclib", "minimise = \"runtime\"\ncutoff = 5\ncapped_by = \"argument\""),
    ("aclib", "minimise = \"quality\""),
    ("aclib2", "minimise = \"cost\""),
    ("irace", "minimise = \"cost\""),
    ("irace", "minimise = \"time\"\ncutoff = 5\ncapped_by = \"argument\""),
    ("smac3", "minimise = \"cost\""),
    ("smac3", "minimise = \"runtime\"\ncutoff = 5\ncapped_by = \"argument\""),
    ("json", "minimise = \"cost\"\ncutoff = 5\ncapped_by = \"argument\""),
    ("json", "maximise = \"cost\"\n[outputs]\nsize = { key = \"size\" }\n[constraints]\nsize = \"<= 3\""),
    ("json-server", "minimise = \"wall_time\"\ncutoff = \"5s\""),
];

static READ: LazyLock<Vec<Scenario>> = LazyLock::new(|| {
    let one = |(protocol, objective): &(&str, &str)| {
        let words = if *protocol == "command" { ", \"{params}\", \"{seed}\"" } else { "" };
        let target = format!("[target]\nprotocol = \"{protocol}\"\ncommand = [\"true\"{words}]");
        scenario(&format!(
            "{target}\n[objective]\n{objective}\n[limits]\nwall = \"9s\"\n[budget]\ntrials = 9"
        ))
    };
    SCENARIOS.iter().map(one).collect()
});

pub fn put(bytes: &[u8]) {
    let Some((head, rest)) = bytes.split_first_chunk::<4>() else { return };
    let [of, end, cap, time] = head.map(|byte| byte.wrapping_sub(b'0'));
    let scenario = &READ[usize::from(of) % READ.len()];
    let cap = if cap % 4 == 0 { Cap::NONE } else { Cap::at(f64::from(cap) * 0.25) };
    accounted(scenario, cap, &finished(end, time, rest));
    served(&String::from_utf8_lossy(rest));
}

fn finished(end: u8, time: u8, written: &[u8]) -> Finished {
    let (exit, stopped) = match end % 8 {
        0..=2 => (Exit::Code(0), None),
        3 => (Exit::Code(1), None),
        4 => (Exit::Signal(11), None),
        5 => (Exit::Signal(9), Some(Stop::Limit(Limit::Cpu))),
        6 => (Exit::Signal(9), Some(Stop::Limit(Limit::Wall))),
        _ => (Exit::Signal(9), Some(Stop::Cancelled)),
    };
    // A stream that was not kept whole: its middle is gone.
    let (head, tail) = written.split_at(if end >= 128 { written.len() / 2 } else { written.len() });
    let dropped = if end >= 128 { 9 } else { 0 };
    let stdout = Captured {
        head: head.to_vec(),
        tail: tail.to_vec(),
        written: written.len() as u64 + dropped,
        file_complete: true,
    };
    let wall = Duration::from_millis(u64::from(time) * 50);
    Finished {
        exit,
        stopped,
        cpu: Some(CpuTime { user: wall, system: Duration::ZERO, complete: true }),
        wall,
        peak_memory: Some(1 << 20),
        adopted: None,
        stragglers: None,
        tier: Tier::Group,
        stdout,
        stderr: Captured::default(),
        files: vec![Ok(written.to_vec())],
        left_behind: None,
    }
}

fn accounted(scenario: &Scenario, cap: Cap, finished: &Finished) {
    let account = match fuzzing::account(scenario, cap, finished) {
        Ok(account) => account,
        Err(TargetError::Aborted { said }) => return assert!(!said.is_empty(), "aborted without a word"),
        Err(error) => panic!("{error}"),
    };
    let told = &account.observation;
    let objective = &scenario.objective;
    let cutoff = objective.cutoff.unwrap_or(f64::INFINITY);
    match told.cost() {
        Some(Reading::Exact(cost)) => {
            assert!(cost.is_finite() && cost <= cutoff, "{account:?}");
            let grows = objective.minimise.is_time() || objective.capped_by == CappedBy::Argument;
            assert!(!grows || cost >= 0.0, "{account:?}");
        }
        Some(Reading::AtLeast(cost)) => {
            // One that ended by itself above the cutoff says more than one that was stopped.
            let most = if finished.stopped.is_some() { cap.cost().min(cutoff) } else { cutoff };
            assert!(cost.is_finite() && (0.0..=most).contains(&cost), "{account:?}");
        }
        None => {
            let status = told.status();
            assert!(status.is_failure() || status.says_nothing(), "{account:?}");
            if status.is_failure() {
                let reason = account.detail.reason.as_deref().unwrap_or_default();
                assert!(!reason.trim().is_empty() && !reason.contains(['\n', '\r']), "{account:?}");
            }
        }
    }
    assert!(told.spent().is_finite() && told.spent() >= 0.0, "{account:?}");
    assert!(account.detail.outputs.values().all(|number| number.is_finite()), "{account:?}");
}

/// Lines of a server, to which a trial is put at each empty line.
fn served(text: &str) {
    let turns: Vec<(TrialId, Vec<&str>)> =
        (1..).map(TrialId).zip(text.split("\n\n").map(|lines| lines.lines().collect())).collect();
    let answers = fuzzing::answered(&turns);
    let trials: Vec<TrialId> = answers.iter().map(|(trial, _)| *trial).collect();
    assert!(trials.windows(2).all(|pair| pair[0] < pair[1]), "two answers to one trial: {answers:?}");
}
