//! Servers: targets that keep running between trials.

use std::fs::File;
use std::sync::Arc;

use engine::{Cap, Reading, Status, TrialId};
use execution::{Leash, ProcessTarget, Target};
use rustix::fs::{FlockOperation, flock};
use scenario::testkit::{Stage, trial};
use scenario::{Instance, Protocol, Scenario};

use super::{observed, program, reason, target};

/// A server that holds a lock while it runs, counts its starts, and answers with the number of requests so
/// far.
const SERVER: &str = r#"#!/bin/sh
at=${0%/*}
exec 9< "$at/alive"; flock -s 9
echo started >> "$at/starts"
i=0; while [ $i -lt ${BURN:-0} ]; do i=$((i+1)); done
echo warming up
echo '{"ready": true}'
count=0
while read -r request; do
  count=$((count+1))
  case $request in
    *'"x":1,'*|*'"x":1}'*) sleep 60 ;;
    *'"x":2}'*) echo oh no >&2; exit 3 ;;
    *'"x":3}'*) echo "{\"cost\": $count}"; exit 0 ;;
    *'"x":4}'*) while :; do :; done ;;
    *'"x":5}'*) echo "{\"cost\": $count}"; kill -9 $PPID; exit 0 ;;
    *'"x":6}'*) kill -9 $PPID; exit 0 ;;
    *'"x":7}'*) echo ended 7; printf '{"cost": 7}'; exit 0 ;;
    *) echo working; echo "{\"cost\": $count}" ;;
  esac
done
"#;

fn scenario(stage: &Stage, objective: &str, more: &str) -> Arc<Scenario> {
    stage.file("alive", "");
    program(stage, "server", SERVER);
    let text = format!(
        "[target]\ncommand = [\"./server\"]\nprotocol = \"json-server\"\n{more}\n[objective]\n{objective}\n\
         [budget]\ntrials = 1\n[space]\nx = {{ integer = [1, 9], default = 9 }}\n"
    );
    Arc::new(stage.read(&text))
}

/// Runs a trial of one configuration.
fn run(target: &ProcessTarget, scenario: &Scenario, x: i64, cap: Cap) -> execution::Account {
    let mut trial = trial(scenario, 0, cap);
    trial.configuration = scenario.space.configuration([("x", x.into())]).unwrap();
    target.run(&trial, &Leash::new()).unwrap_or_else(|error| panic!("{error}: {error:?}"))
}

fn starts(stage: &Stage) -> usize {
    std::fs::read_to_string(stage.folder.join("starts")).unwrap().lines().count()
}

fn all_dead(stage: &Stage) -> bool {
    let alive = File::open(stage.folder.join("alive")).unwrap();
    flock(&alive, FlockOperation::NonBlockingLockExclusive).is_ok()
}

const COST: &str = "minimise = \"cost\"\n[limits]\nwall = \"30s\"";

#[test]
fn a_server_keeps_running_until_its_target_is_dropped() {
    let stage = Stage::new();
    let scenario = scenario(&stage, COST, "");
    let target = target(&scenario);
    for count in 1..=4 {
        let account = run(&target, &scenario, 9, Cap::NONE);
        assert_eq!(observed(&account), (Status::Finished, Some(Reading::Exact(f64::from(count)))));
    }
    assert_eq!(starts(&stage), 1);
    assert!(!all_dead(&stage));
    drop(target);
    assert!(all_dead(&stage), "the server survived its target");
}

#[test]
fn a_variant_of_a_target_uses_the_same_servers() {
    let stage = Stage::new();
    let scenario = scenario(&stage, COST, "");
    let target = target(&scenario);
    run(&target, &scenario, 9, Cap::NONE);
    let variant = target.variant(Arc::clone(&scenario));
    assert_eq!(observed(&run(&variant, &scenario, 9, Cap::NONE)).1, Some(Reading::Exact(2.0)));
    assert_eq!(starts(&stage), 1);
}

#[test]
fn a_server_is_restarted_after_a_number_of_trials() {
    let stage = Stage::new();
    let scenario = scenario(&stage, COST, "restart_after = 2");
    let target = target(&scenario);
    let costs: Vec<_> = (0..5).map(|_| observed(&run(&target, &scenario, 9, Cap::NONE)).1).collect();
    let expected = [1.0, 2.0, 1.0, 2.0, 1.0].map(|cost| Some(Reading::Exact(cost)));
    assert_eq!((costs, starts(&stage)), (expected.to_vec(), 3));
}

#[test]
fn a_server_that_ends_crashes_only_its_current_trial() {
    let stage = Stage::new();
    let scenario = scenario(&stage, COST, "");
    let target = target(&scenario);
    let crashed = run(&target, &scenario, 2, Cap::NONE);
    assert_eq!((observed(&crashed).0, reason(&crashed)), (Status::Crashed, "the server ended: exit 3"));
    assert_eq!(crashed.detail.stderr_tail, b"oh no\n");
    assert_eq!(observed(&run(&target, &scenario, 9, Cap::NONE)).1, Some(Reading::Exact(1.0)));
    assert_eq!(starts(&stage), 2);
}

/// A server that ends after its answer does not crash the trial. When the next trial starts, the server may
/// have ended, be about to end, or end while it receives the request.
#[test]
fn a_server_that_ends_between_two_trials_is_started_again() {
    let stage = Stage::new();
    let scenario = scenario(&stage, COST, "");
    let target = target(&scenario);
    for round in 0..30 {
        let account = run(&target, &scenario, 3, Cap::NONE);
        assert_eq!(observed(&account), (Status::Finished, Some(Reading::Exact(1.0))), "round {round}");
        let expected = "the server ended: exit 0, between two trials; the server was restarted";
        let expected = (round > 0).then_some(expected);
        assert_eq!(account.detail.server.as_deref(), expected, "round {round}");
    }
    assert_eq!(starts(&stage), 30);
}

/// The shell that waits for the server is killed first, so nothing reports how the server ended.
#[test]
fn a_server_whose_end_is_not_reported_is_noticed() {
    let stage = Stage::new();
    let scenario = scenario(&stage, COST, "");
    let target = target(&scenario);
    for round in 0..3 {
        let account = run(&target, &scenario, 5, Cap::NONE);
        assert_eq!(observed(&account).1, Some(Reading::Exact(1.0)), "round {round}: {account:?}");
    }
    let crashed = run(&target, &scenario, 6, Cap::NONE);
    assert_eq!((observed(&crashed).0, reason(&crashed)), (Status::Crashed, "the server ended"));
}

#[test]
fn an_answer_needs_no_line_break_and_a_log_line_is_not_an_end() {
    let stage = Stage::new();
    let scenario = scenario(&stage, COST, "");
    let account = run(&target(&scenario), &scenario, 7, Cap::NONE);
    assert_eq!(observed(&account), (Status::Finished, Some(Reading::Exact(7.0))), "{account:?}");
}

/// The request is longer than a pipe's buffer, and the server ends before it has read the whole request.
#[test]
fn a_long_request_to_a_server_that_ends_does_not_block() {
    let stage = Stage::new();
    let scenario = scenario(&stage, COST, "");
    program(&stage, "server", "#!/bin/sh\necho '{\"ready\": true}'\nhead -c 5 > /dev/null\nexit 6\n");
    let mut long = Scenario::clone(&scenario);
    long.instances.train = vec![Instance::new("long", "x".repeat(100_000))];
    let long = Arc::new(long);
    let account = run(&target(&long), &long, 9, Cap::NONE);
    assert_eq!((observed(&account).0, reason(&account)), (Status::Crashed, "the server ended: exit 6"));
}

/// Runs trials 0, 1, ... on a server that executes these shell lines for each request. In the lines, `N` is
/// the number of the trial and `x` is the expected cost.
fn run_in_order(stage: &Stage, lines: &str, count: u64) -> Vec<execution::Account> {
    let scenario = scenario(stage, COST, "");
    let server = format!(
        "#!/bin/sh\necho started >> \"${{0%/*}}/starts\"\necho '{{\"ready\": true}}'\nwhile read -r request; do\n\
         x=${{request#*'\"x\":'}}; x=${{x%%[!0-9]*}}; N=${{request##*'\"trial\":'}}; N=${{N%%[!0-9]*}}\n\
         {lines}\ndone\n"
    );
    program(stage, "server", &server);
    let target = target(&scenario);
    let run = |id| {
        let mut trial = trial(&scenario, 0, Cap::NONE);
        trial.id = TrialId(id);
        let x = i64::try_from(id % 9 + 1).unwrap();
        trial.configuration = scenario.space.configuration([("x", x.into())]).unwrap();
        target.run(&trial, &Leash::new()).unwrap()
    };
    (0..count).map(run).collect()
}

fn own_cost(id: u64) -> Option<Reading> {
    Some(Reading::Exact((id % 9 + 1) as f64))
}

/// The line before the first answer is taken for that answer, because it might be one. After that, the
/// answers name their trials.
#[test]
fn a_surplus_line_does_not_shift_answers_that_name_their_trial() {
    let stage = Stage::new();
    let lines = r#"[ $N = 0 ] && echo '{"progress": 1}'; echo "{\"cost\": $x, \"trial\": $N}""#;
    let accounts = run_in_order(&stage, lines, 12);
    assert_eq!(reason(&accounts[0]), "the answer has no `cost`");
    for (id, account) in (0..).zip(&accounts).skip(1) {
        assert_eq!(observed(account).1, own_cost(id), "trial {id}: {account:?}");
    }
    let noticed: Vec<_> = accounts.iter().filter_map(|account| account.detail.server.as_deref()).collect();
    assert!(matches!(noticed[..], [only] if only.contains("more lines of JSON than")), "{noticed:?}");
}

/// Progress lines between and after answers are harmless, too.
#[test]
fn progress_between_named_answers_is_skipped() {
    let stage = Stage::new();
    let lines =
        r#"[ $N = 0 ] || echo '{"cost": 99}'; echo "{\"cost\": $x, \"trial\": $N}"; echo '{"cost": 98}'"#;
    for (id, account) in (0..).zip(run_in_order(&stage, lines, 12)) {
        assert_eq!(observed(&account).1, own_cost(id), "trial {id}: {account:?}");
    }
}

/// If answers do not name their trial, they cannot be distinguished from surplus lines, so the server is not
/// used again.
#[test]
fn a_server_with_surplus_lines_that_name_no_trial_is_started_again() {
    let stage = Stage::new();
    let lines = r#"printf '{"cost": %s}\n{"cost": 99}\n' "$x""#;
    let accounts = run_in_order(&stage, lines, 6);
    for (id, account) in (0..).zip(&accounts) {
        assert_eq!(observed(account).1, own_cost(id), "trial {id}: {account:?}");
        assert!(account.detail.server.is_some(), "trial {id}");
    }
    assert_eq!(starts(&stage), 6);
}

/// A server may report a crash for every trial.
#[test]
fn an_answer_that_reports_a_crash_is_not_a_surplus_line() {
    let stage = Stage::new();
    let accounts = run_in_order(&stage, r#"echo '{"status": "crashed", "reason": "no"}'"#, 3);
    assert!(accounts.iter().all(|account| reason(account) == "no" && account.detail.server.is_none()));
    assert_eq!(starts(&stage), 1);
}

#[test]
fn an_answer_to_an_unknown_trial_is_a_crash() {
    let stage = Stage::new();
    let accounts = run_in_order(&stage, r#"echo "{\"cost\": $x, \"trial\": 77}""#, 2);
    for account in &accounts {
        assert_eq!(observed(account).0, Status::Crashed);
        assert_eq!(reason(account), "the server named a `trial` that was never sent to it");
    }
}

#[test]
fn a_trial_stopped_at_its_cap_is_censored_and_its_server_is_killed() {
    let stage = Stage::new();
    for (objective, x) in [("wall_time", 1), ("cpu_time", 4)] {
        let scenario = scenario(&stage, &format!("minimise = \"{objective}\"\ncutoff = \"20s\""), "");
        let target = target(&scenario);
        let account = run(&target, &scenario, x, Cap::at(0.1));
        assert_eq!(observed(&account), (Status::Capped, Some(Reading::AtLeast(0.1))), "{objective}");
        assert!(all_dead(&stage), "{objective}: a server that did not answer is still running");
        assert_eq!(observed(&run(&target, &scenario, 9, Cap::NONE)).0, Status::Finished);
    }
}

/// If the same program is started as a new process for each trial, it uses CPU time at every start.
#[test]
fn starting_a_server_is_not_part_of_the_cost() {
    let stage = Stage::new();
    let objective = "minimise = \"cpu_time\"\ncutoff = \"20s\"";
    let server = scenario(&stage, objective, "env = { BURN = \"300000\" }");
    let first = run(&target(&server), &server, 9, Cap::NONE);
    let mut alone = Scenario::clone(&server);
    alone.target.protocol = Protocol::Json;
    let alone = Arc::new(alone);
    let with_start = run(&target(&alone), &alone, 9, Cap::NONE);
    assert_eq!((observed(&first).0, observed(&with_start).0), (Status::Finished, Status::Finished));
    let (first, with_start) = (first.observation.spent(), with_start.observation.spent());
    assert!(first > 0.0 && first < with_start / 2.0, "{first} and {with_start}");
}

#[test]
fn a_server_that_does_not_become_ready_gives_a_reason() {
    let stage = Stage::new();
    let scenario = scenario(&stage, COST, "setup_limit = \"150ms\"");
    program(&stage, "server", "#!/bin/sh\necho no port >&2\nexit 4\n");
    let account = run(&target(&scenario), &scenario, 9, Cap::NONE);
    assert_eq!(
        (observed(&account).0, reason(&account)),
        (Status::Crashed, "the server did not become ready: exit 4")
    );
    assert_eq!(account.detail.stderr_tail, b"no port\n");
    program(&stage, "server", "#!/bin/sh\nexec sleep 60\n");
    let account = run(&target(&scenario), &scenario, 9, Cap::NONE);
    assert_eq!(reason(&account), "the server did not become ready: wall time limit");
}

#[test]
fn cancelling_a_trial_kills_its_server() {
    let stage = Stage::new();
    let scenario = scenario(&stage, "minimise = \"wall_time\"\ncutoff = \"50s\"", "");
    let (target, leash) = (target(&scenario), Leash::new());
    let mut slow = trial(&scenario, 0, Cap::NONE);
    slow.configuration = scenario.space.configuration([("x", 1.into())]).unwrap();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| target.run(&slow, &leash).unwrap());
        while leash.run_time().is_none() {
            std::thread::yield_now();
        }
        leash.cancel();
        assert_eq!(run.join().unwrap().observation.status(), Status::Capped);
    });
    assert!(all_dead(&stage));
}
