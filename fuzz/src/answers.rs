//! Fuzzes the parsers for target output in every protocol. The first four bytes of the input determine the
//! scenario, how the run ended, its cap and the time it took. The remaining bytes are both the output of the
//! run and the contents of the file that the run wrote.
//!
//! Invariants: every run gives an observation, unless its target reports that no trial can succeed. All
//! reported numbers are finite. A cost is at most the cutoff; a censored cost is at most the cap if the run
//! was stopped; a cost that grows during the run is not negative. A failure has a reason, which is one
//! non-empty line. A server gives at most one answer to each trial.

use std::sync::LazyLock;
use std::time::Duration;

use confine::{Captured, CpuTime, Exit, Finished, Limit, Stop, Tier};
use engine::{Cap, Reading, TrialId};
use execution::TargetError;
use execution::process::fuzzing;
use scenario::{CappedBy, Scenario};

use crate::fixtures::scenario;

/// Protocols, each with scenario lines that define the objective.
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

static PARSED: LazyLock<Vec<Scenario>> = LazyLock::new(|| {
    let one = |(protocol, objective): &(&str, &str)| {
        let words = if *protocol == "command" { ", \"{params}\", \"{seed}\"" } else { "" };
        let target = format!("[target]\nprotocol = \"{protocol}\"\ncommand = [\"true\"{words}]");
        scenario(&format!(
            "{target}\n[objective]\n{objective}\n[limits]\nwall = \"9s\"\n[budget]\ntrials = 9"
        ))
    };
    SCENARIOS.iter().map(one).collect()
});

pub fn check(bytes: &[u8]) {
    let Some((head, rest)) = bytes.split_first_chunk::<4>() else { return };
    let [of, end, cap, time] = head.map(|byte| byte.wrapping_sub(b'0'));
    let scenario = &PARSED[usize::from(of) % PARSED.len()];
    let cap = if cap % 4 == 0 { Cap::NONE } else { Cap::at(f64::from(cap) * 0.25) };
    check_account(scenario, cap, &finished(end, time, rest));
    check_server(&String::from_utf8_lossy(rest));
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
    // captune keeps only the beginning and the end of a long stream.
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
        sizes: vec![Ok(written.len() as u64)],
        left_behind: None,
    }
}

fn check_account(scenario: &Scenario, cap: Cap, finished: &Finished) {
    let account = match fuzzing::account(scenario, cap, finished) {
        Ok(account) => account,
        Err(TargetError::Aborted { message }) => {
            return assert!(!message.is_empty(), "aborted without a message");
        }
        Err(error) => panic!("{error}"),
    };
    let observation = &account.observation;
    let objective = &scenario.objective;
    let cutoff = objective.cutoff.unwrap_or(f64::INFINITY);
    match observation.cost() {
        Some(Reading::Exact(cost)) => {
            assert!(cost.is_finite() && cost <= cutoff, "{account:?}");
            let grows = objective.minimise.is_time() || objective.capped_by == CappedBy::Argument;
            assert!(!grows || cost >= 0.0, "{account:?}");
        }
        Some(Reading::AtLeast(cost)) => {
            // A run that ended by itself above the cutoff is censored at the cutoff, even if its cap was
            // lower.
            let most = if finished.stopped.is_some() { cap.cost().min(cutoff) } else { cutoff };
            assert!(cost.is_finite() && (0.0..=most).contains(&cost), "{account:?}");
        }
        None => {
            let status = observation.status();
            assert!(status.is_failure() || status.is_uninformative(), "{account:?}");
            if status.is_failure() {
                let reason = account.detail.reason.as_deref().unwrap_or_default();
                assert!(!reason.trim().is_empty() && !reason.contains(['\n', '\r']), "{account:?}");
            }
        }
    }
    assert!(observation.spent().is_finite() && observation.spent() >= 0.0, "{account:?}");
    assert!(account.detail.outputs.values().all(|number| number.is_finite()), "{account:?}");
}

/// Checks that a server's lines answer each trial at most once. An empty line in the text starts the next
/// trial.
fn check_server(text: &str) {
    let turns: Vec<(TrialId, Vec<&str>)> =
        (1..).map(TrialId).zip(text.split("\n\n").map(|lines| lines.lines().collect())).collect();
    let answers = fuzzing::answered(&turns);
    let trials: Vec<TrialId> = answers.iter().map(|(trial, _)| *trial).collect();
    assert!(trials.windows(2).all(|pair| pair[0] < pair[1]), "two answers to one trial: {answers:?}");
}
