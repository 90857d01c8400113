//! Tests runs that are withdrawn and repeated.

use std::sync::Arc;
use std::time::{Duration, Instant};

use campaign::event::Stop;
use engine::history::Trial;
use engine::{Cap, Status};
use execution::{Leash, ProcessTarget, Target, TargetError};
use scenario::Scenario;
use scenario::testkit::{Stage, trial};
use store::Store;

use crate::session::{GUARDIAN, SCENARIO, go_on};

/// Each run executes the next line of the file `how`, and succeeds when no line is left.
const SCRIPT: &str =
    "how=$(flock $1/lock sh -c 'head -n 1 $0/how; sed -i 1d $0/how' $1); echo ran >> $1/runs; eval \"$how\"";

/// Returns a scenario in which nothing is capped. On a busy machine, a trial could otherwise reach its cap
/// before it fails.
fn text(retry: &str) -> String {
    format!(
        "[target]\ncommand = [\"sh\", \"{{folder}}/script.sh\", \"{{folder}}\", \"{{params}}\", \"{{seed}}\"]\n\
         retry = {{ {retry} }}\n[objective]\nminimise = \"wall_time\"\ncapped_by = \"none\"\ncutoff = \"1m\"\n\
         [parallel]\nworkers = 1\n[budget]\ntrials = 1\n\
         [space]\nx = {{ integer = [1, 900], default = 3 }}\n"
    )
}

fn scenario(stage: &Stage, retry: &str, how: &str) -> Arc<Scenario> {
    stage.file("script.sh", SCRIPT);
    stage.file("how", how);
    stage.file("runs", "");
    Arc::new(stage.read(&text(retry)))
}

fn runs(stage: &Stage) -> usize {
    std::fs::read_to_string(stage.folder.join("runs")).unwrap().lines().count()
}

fn target(scenario: &Arc<Scenario>) -> ProcessTarget {
    ProcessTarget::new(Arc::clone(scenario)).guardian(GUARDIAN)
}

#[test]
fn a_run_is_repeated_until_it_gives_a_result() {
    let stage = Stage::new();
    let told = |retry: &str, how: &str| {
        let scenario = scenario(&stage, retry, how);
        let account = target(&scenario).run(&trial(&scenario, 0, Cap::NONE), &Leash::new()).unwrap();
        (account.observation.status(), account.detail.reason, runs(&stage))
    };
    let both = "exit = [75, 76], pattern = \"no (token|licence)\", times = 3, wait = \"1ms\"";
    let how = "exit 75\nexit 76\necho no token; exit 1\n";
    assert_eq!(told(both, how), (Status::Finished, None, 4));
    assert_eq!(
        told(both, "echo no licence >&2; exit 1\nexit 7\n"),
        (Status::Crashed, Some("exit 7".to_owned()), 2)
    );
    // A run that succeeds is never repeated, whatever it prints.
    assert_eq!(told(both, "echo no token left to ask for\n"), (Status::Finished, None, 1));
}

#[test]
fn a_run_is_not_repeated_forever() {
    let stage = Stage::new();
    let scenario =
        scenario(&stage, "exit = 75, times = 2, wait = \"1ms\"", "exit 75\nexit 75\nexit 75\nexit 0\n");
    let error = target(&scenario).run(&trial(&scenario, 0, Cap::NONE), &Leash::new()).unwrap_err();
    assert!(
        matches!(&error, TargetError::Unavailable { reason, times: 2 } if reason == "exit 75"),
        "{error}"
    );
    assert_eq!(runs(&stage), 3);
}

#[test]
fn cancelling_ends_the_wait_for_a_repetition() {
    let stage = Stage::new();
    let scenario = scenario(&stage, "exit = 75, wait = \"1h\"", "exit 75\nexit 75\n");
    let (target, leash) = (target(&scenario), Leash::new());
    let begin = Instant::now();
    let account = std::thread::scope(|scope| {
        let run = scope.spawn(|| target.run(&trial(&scenario, 0, Cap::NONE), &leash).unwrap());
        while runs(&stage) == 0 {
            std::thread::yield_now();
        }
        leash.cancel();
        run.join().unwrap()
    });
    assert!(begin.elapsed() < Duration::from_secs(600));
    assert_eq!(account.observation.status(), Status::Capped);
    assert_eq!(runs(&stage), 1);
}

/// The campaign stops when a licence is missing. When the licence is available again, the campaign can be
/// resumed and keeps its trials.
#[test]
fn a_campaign_stopped_by_a_missing_resource_can_be_resumed() {
    let stage = Stage::new();
    stage.file("script.sh", SCRIPT);
    stage.file("runs", "");
    stage.file(SCENARIO, &text("exit = 75, times = 1, wait = \"1ms\""));
    // Each of the two workers may fail twice.
    stage.file("how", &format!("{}{}", "true\n".repeat(5), "exit 75\n".repeat(100)));
    let stop = go_on(&stage.folder, 12);
    assert!(matches!(&stop, Stop::Aborted(why) if why.contains("exit 75")), "{stop:?}");
    let stored = || Store::open(&stage.folder).unwrap().load().unwrap().history.trials().to_vec();
    let before = stored();
    let failed = |trial: &Trial| trial.observation.status().is_failure();
    assert!(!before.iter().any(failed), "{before:?}");
    stage.file("how", "");
    assert!(matches!(go_on(&stage.folder, 12), Stop::Budget(_)));
    let after = stored();
    assert_eq!((&after[..before.len()], after.len()), (&before[..], 12));
    assert!(!after.iter().any(failed), "{after:?}");
}
