//! Tests wrong answers, and outputs with other roles: maximised objectives and tie-breakers.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use engine::{Cap, Reading, Status};
use execution::{Account, Leash, ProcessTarget, Target};
use scenario::Scenario;

use scenario::testkit::{Stage, root, trial};

use crate::SUPERVISOR;
const WALL: &str = "minimise = \"wall_time\"\ncutoff = \"1m\"";

fn script(stage: &Stage, name: &str, text: &str) {
    let path = stage.file(name, &format!("#!/bin/sh\n{text}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn text(target: &str, objective: &str) -> String {
    format!(
        "[target]\ncommand = [\"./solve\", \"{{param:x}}\", \"{{seed}}\", \"{{instance}}\"]\n{target}\n[objective]\n\
         {objective}\n[instances]\nlist = [\"a\", \"b\"]\n[limits]\nwall = \"2m\"\n[budget]\ntrials = 1\n[space]\n\
         x = {{ integer = [1, 9], default = 3 }}\n"
    )
}

fn run(scenario: &Arc<Scenario>, instance: u32) -> Account {
    let target = ProcessTarget::new(Arc::clone(scenario)).guardian(SUPERVISOR);
    target.run(&trial(scenario, instance, Cap::NONE), &Leash::new()).unwrap_or_else(|e| panic!("{e}: {e:?}"))
}

fn ended(account: &Account) -> (Status, Option<&str>) {
    (account.observation.status(), account.detail.reason.as_deref())
}

#[test]
fn the_users_program_distinguishes_right_and_wrong_answers() {
    let stage = Stage::new();
    // The script prints more than is kept in memory, with the answer at the very start.
    script(
        &stage,
        "solve",
        "echo $3 $2; head -c 3000000 /dev/zero | tr '\\0' '\\n'; [ $3 = a ] || echo lie >&2",
    );
    script(
        &stage,
        "check",
        "read name seed < $2; echo checked $name; [ $1 = $name ] && [ $3 = $seed ] && [ $1 = a ] \\\n\
                             && [ $(wc -c < $2) -gt 3000000 ]",
    );
    let verify = "verify = [\"./check\", \"{instance}\", \"{stdout}\", \"{seed}\"]";
    let scenario = Arc::new(stage.read(&text(verify, WALL)));
    let right = run(&scenario, 0);
    assert_eq!(ended(&right), (Status::Finished, None));
    assert_eq!(right.observation.cost(), Some(Reading::Exact(right.detail.wall.unwrap())));
    let wrong = run(&scenario, 1);
    assert_eq!(ended(&wrong), (Status::Wrong, Some("wrong answer: verify: exit 1")));
    assert_eq!(wrong.observation.cost(), None);
    assert_eq!(wrong.detail.stderr_tail, b"checked b\n");
}

#[test]
fn a_check_that_never_ends_fails() {
    let stage = Stage::new();
    script(&stage, "solve", "echo done");
    script(&stage, "check", "exec sleep 60");
    let verify = "verify = \"./check\"\nverify_limit = \"100ms\"";
    let scenario = Arc::new(stage.read(&text(verify, WALL)));
    assert_eq!(ended(&run(&scenario, 0)), (Status::Wrong, Some("wrong answer: verify: wall time limit")));
}

#[test]
fn failures_and_timeouts_are_not_checked() {
    let stage = Stage::new();
    script(&stage, "check", "exit 1");
    // Only the trial that must be stopped has a short cutoff. On a busy machine, even starting a shell may
    // take that long.
    let short = "minimise = \"wall_time\"\ncutoff = \"200ms\"";
    let both = [("exit 3", WALL, Status::Crashed), ("exec sleep 60", short, Status::Timeout)];
    for (solve, objective, status) in both {
        script(&stage, "solve", solve);
        let scenario = Arc::new(stage.read(&text("verify = [\"./check\"]", objective)));
        assert_eq!(run(&scenario, 0).observation.status(), status);
    }
}

#[test]
fn known_answers_are_compared_with_the_targets() {
    let stage = Stage::new();
    stage.file("known.csv", "instance,answer\na,SAT\n");
    for (solve, instance, end) in [
        ("echo s SAT", 0, (Status::Finished, None)),
        ("echo s SAT; echo s UNSAT", 0, (Status::Wrong, Some("wrong answer: got `UNSAT`, expected `SAT`"))),
        ("echo hm", 0, (Status::Crashed, Some("no match for `target.answer`"))),
        ("echo s UNSAT", 1, (Status::Finished, None)),
    ] {
        script(&stage, "solve", solve);
        let known = "known = \"known.csv\"\nanswer = '^s (\\w+)'";
        let scenario = Arc::new(stage.read(&text(known, WALL)));
        assert!(scenario.warnings.to_string().contains("`target.known` has no answer for `b`"));
        assert_eq!(ended(&run(&scenario, instance)), end, "{solve}");
    }
}

/// Two formulas have known answers. In the second round, one of these known answers is wrong.
#[test]
fn a_real_solver_passes_and_a_wrong_known_answer_is_noticed() {
    if std::process::Command::new("minisat").arg("--help").output().is_err() {
        println!("skipped: minisat is not installed");
        return;
    }
    let stage = Stage::new();
    stage.file("sat.cnf", "p cnf 2 2\n1 2 0\n-1 2 0\n");
    stage.file("unsat.cnf", "p cnf 1 2\n1 0\n-1 0\n");
    stage.file("minisat.toml", &std::fs::read_to_string(root().join("spaces/minisat.toml")).unwrap());
    let text = "[target]\ncommand = [\"minisat\", \"{params}\", \"-rnd-seed={seed}\", \"{instance}\"]\n\
                success = { exit = [10, 20] }\nknown = \"known.toml\"\nanswer = '^((?:UN)?SATISFIABLE)$'\n[objective]\n\
                minimise = \"cpu_time\"\ncutoff = \"50s\"\n[instances]\nfiles = \"*.cnf\"\n[budget]\ntrials = 1\n\
                [space]\nfrom = \"minisat.toml\"\n";
    for (of_unsat, status) in [("UNSATISFIABLE", Status::Finished), ("SATISFIABLE", Status::Wrong)] {
        stage.file("known.toml", &format!("\"sat.cnf\" = \"SATISFIABLE\"\n\"unsat.cnf\" = \"{of_unsat}\"\n"));
        let scenario = Arc::new(stage.read(text));
        assert_eq!(run(&scenario, 0).observation.status(), Status::Finished);
        assert_eq!(run(&scenario, 1).observation.status(), status);
    }
}

#[test]
fn a_larger_maximised_output_has_a_lower_cost() {
    let stage = Stage::new();
    script(&stage, "solve", "echo tps $1.5");
    let objective = "maximise = \"tps\"\n[outputs]\ntps = { pattern = 'tps ([0-9.]+)' }";
    let scenario = Arc::new(stage.read(&text("", objective)));
    let account = run(&scenario, 0);
    assert_eq!(account.observation.cost(), Some(Reading::Exact(-3.5)));
    assert_eq!(account.detail.outputs["tps"], 3.5);
    let sense = scenario.objective.sense;
    assert_eq!([sense.shown(-3.5), sense.shown(f64::INFINITY)], [3.5, f64::NEG_INFINITY]);
    assert!(sense.shown(0.0).is_sign_positive());
}

#[test]
fn the_tie_breaker_is_read_for_timeouts_too() {
    let stage = Stage::new();
    script(&stage, "solve", "echo gap 7; [ $3 = a ] && exit; echo gap 5; exec sleep 60");
    let objective = "minimise = \"wall_time\"\ncutoff = \"300ms\"\nthen = \"gap\"\n[outputs]\ngap = { pattern = 'gap (.+)' }";
    let scenario = Arc::new(stage.read(&text("", objective)));
    assert_eq!(run(&scenario, 0).observation.tie(), Some(7.0));
    let timeout = run(&scenario, 1).observation;
    assert_eq!((timeout.status(), timeout.tie()), (Status::Timeout, Some(5.0)));
}

#[test]
fn contradictory_settings_are_reported() {
    let stage = Stage::new();
    script(&stage, "solve", "");
    stage.file("known.csv", "c,SAT\n");
    let first = |target: &str, objective: &str| {
        let objective = format!("{objective}\n[outputs]\ntps = {{ pattern = '(.)' }}");
        stage.mistakes(&text(target, &objective)).lines().next().unwrap().to_owned()
    };
    for (target, objective, mistake) in [
        (
            "",
            "maximise = \"tps\"\nminimise = \"tps\"",
            "`objective.maximise` and `minimise` cannot both be set",
        ),
        ("", "maximise = \"cpu_time\"", "`objective.maximise` must be an output"),
        (
            "",
            "maximise = \"tps\"\ncutoff = 3",
            "`objective.cutoff` has no meaning when an output is maximised",
        ),
        (
            "",
            "maximise = \"tps\"\ncapped_by = \"argument\"",
            "`objective.capped_by`: trials are not capped when an output is maximised",
        ),
        ("", "maximise = \"tsp\"", "`objective.maximise` cannot be `tsp`"),
        (
            "",
            "minimise = \"memory\"\nthen = \"tps\"",
            "`objective.then` decides between timeouts, but there is no cutoff",
        ),
        ("", "minimise = \"wall_time\"\ncutoff = \"1s\"\nthen = \"tsp\"", "`objective.then` cannot be `tsp`"),
        ("known = \"known.csv\"", WALL, "`target.known` needs `target.answer`"),
        ("answer = '(.)'", WALL, "`target.answer` needs `target.known`"),
        (
            "known = \"known.csv\"\nanswer = '(.)'",
            WALL,
            "`target.known` has no answer for any instance, such as `a`",
        ),
        ("verify_limit = \"1s\"", WALL, "`target.verify_limit` is given without `target.verify`"),
        ("verify = [\"./solve\", \"{params}\"]", WALL, "unknown placeholder `{params}`"),
    ] {
        assert_eq!(first(target, objective), format!("error: {mistake}"));
    }
}
