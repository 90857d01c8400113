//! Tests numbers that a target prints or writes to a file: finding, keeping and minimising them.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::{Cap, Reading, Status};
use execution::{Account, Leash, ProcessTarget, Target};

use scenario::testkit::{Stage, trial};

use crate::SUPERVISOR;

fn text(objective: &str, outputs: &str) -> String {
    format!(
        "[target]\ncommand = [\"sh\", \"{{folder}}/script.sh\", \"{{param:x}}\", \"{{seed}}\"]\n[objective]\n\
         {objective}\n[outputs]\n{outputs}\n[limits]\nwall = \"1m\"\n[budget]\ntrials = 1\n[space]\n\
         x = {{ integer = [1, 9], default = 3 }}\n"
    )
}

fn run(script: &str, objective: &str, outputs: &str) -> Account {
    let stage = Stage::new();
    stage.file("script.sh", script);
    let scenario = Arc::new(stage.read(&text(objective, outputs)));
    let target = ProcessTarget::new(Arc::clone(&scenario)).guardian(SUPERVISOR);
    target.run(&trial(&scenario, 0, Cap::NONE), &Leash::new()).unwrap()
}

fn found(account: &Account) -> BTreeMap<&str, f64> {
    account.detail.outputs.iter().map(|(name, value)| (name.as_str(), *value)).collect()
}

const GAP: &str =
    "first = { pattern = 'gap ([0-9.]+)', take = \"first\" }\ngap = { pattern = 'gap ([0-9.]+)' }";

#[test]
fn all_outputs_that_are_found_are_kept_whatever_is_minimised() {
    let outputs = format!("{GAP}\nnone = {{ pattern = 'none ([0-9]+)' }}");
    // The script uses more memory than the process that starts it, so that the kernel reports it even for a
    // short run.
    let script = "echo gap 9; echo gap 4.5; held=$(head -c 40000000 /dev/zero | tr '\\0' x)";
    let account = run(script, "minimise = \"memory\"", &outputs);
    assert!(account.observation.cost().is_some_and(|cost| cost.lower_bound() >= 4e7));
    assert_eq!(account.observation.status(), Status::Finished);
    assert_eq!(found(&account), [("first", 9.0), ("gap", 4.5)].into());
}

#[test]
fn outputs_of_a_killed_trial_are_kept() {
    let objective = "minimise = \"wall_time\"\ncutoff = \"300ms\"";
    let outputs = format!("{GAP}\nbest = {{ file = \"best.json\", key = \"cost\" }}");
    let script = "echo gap 7; echo '{ \"cost\": 12 }' > best.json; exec sleep 60";
    let account = run(script, objective, &outputs);
    assert_eq!(account.observation.status(), Status::Timeout);
    assert_eq!(found(&account), [("first", 7.0), ("gap", 7.0), ("best", 12.0)].into());
}

#[test]
fn the_objective_may_be_in_a_file() {
    let minimise = "minimise = \"p99\"";
    let json = "p99 = { file = \"d/m.json\", key = \"latency.p99\" }";
    let account = run("mkdir d; echo '{\"latency\": {\"p99\": 2.5}}' > d/m.json", minimise, json);
    assert_eq!(account.observation.cost(), Some(Reading::Exact(2.5)));
    let toml = "p99 = { file = \"m.toml\", key = \"latency.0\" }";
    let account = run("echo 'latency = [4, 5]' > m.toml", minimise, toml);
    assert_eq!(account.observation.cost(), Some(Reading::Exact(4.0)));
    for (script, why) in [
        ("exit 0", "no output `p99` in `d/m.json`: it does not exist"),
        ("mkdir d; echo 3 > d/m.json", "no output `p99` in `d/m.json`: it has no `latency.p99`"),
        ("mkdir d; echo '{\"latency\": {\"p99\": []}}' > d/m.json", "output `p99` is not a finite number"),
        ("ln -s /etc d; :", "no output `p99` in `d/m.json`: it is outside the target's folder"),
    ] {
        let account = run(script, minimise, json);
        assert_eq!(account.observation.status(), Status::Crashed, "{script}");
        assert_eq!(account.detail.reason.as_deref(), Some(why), "{script}");
    }
}

#[test]
fn the_objective_may_be_the_size_of_a_file() {
    let outputs = "size = { size_of = \"b/out.bin\" }\nsame = { size_of = \"./b/out.bin\" }";
    let run = |script: &str| run(script, "minimise = \"size\"", outputs);
    // Larger than a file whose contents are read.
    let account = run("mkdir b; head -c 2000003 /dev/zero > b/out.bin");
    assert_eq!(account.observation.cost(), Some(Reading::Exact(2_000_003.0)));
    assert_eq!(found(&account), [("size", 2_000_003.0), ("same", 2_000_003.0)].into());
    for (script, why) in [
        ("exit 0", "it does not exist"),
        ("mkdir -p b/out.bin", "it is not a regular file"),
        ("mkdir b; ln -s /etc/passwd b/out.bin", "it is outside the target's folder"),
    ] {
        let account = run(script);
        let why = format!("output `size`: `b/out.bin` cannot be measured: {why}");
        assert_eq!(account.observation.status(), Status::Crashed, "{script}");
        assert_eq!(account.detail.reason.as_deref(), Some(why.as_str()), "{script}");
    }
}

#[test]
fn an_output_has_exactly_one_source() {
    let stage = Stage::new();
    stage.file("script.sh", "");
    let mistakes = |output: &str| {
        let mistakes = stage.mistakes(&text("minimise = \"memory\"", output));
        mistakes.lines().next().unwrap().to_owned()
    };
    for (output, mistake) in [
        (
            "x = { file = \"a.json\", pattern = '(a)' }",
            "error: `outputs.x.file` is given together with `pattern`",
        ),
        ("x = { file = \"a.json\" }", "error: `outputs.x.key` is missing"),
        ("x = { key = \"a\" }", "error: `outputs.x.file` is missing"),
        ("x = { take = \"last\" }", "error: `outputs.x.pattern` is missing"),
        ("x = { pattern = '(a)', take = \"best\" }", "error: `outputs.x.take` cannot be `best`"),
        (
            "x = { file = \"a\", key = \"b\", take = \"last\" }",
            "error: `outputs.x.take` can only be used with `pattern`",
        ),
        ("x = { file = \"../a\", key = \"b\" }", "error: `outputs.x.file` cannot be `../a`"),
        ("x = { size_of = \"../a\" }", "error: `outputs.x.size_of` cannot be `../a`"),
        ("x = { size_of = \"a\", key = \"b\" }", "error: `outputs.x.key` is given together with `size_of`"),
        (
            "x = { size_of = \"a\", take = \"last\" }",
            "error: `outputs.x.take` is given together with `size_of`",
        ),
        ("x = { file = \"/a\", key = \"b\" }", "error: `outputs.x.file` cannot be `/a`"),
        ("x = { file = \"a\", key = \"b..c\" }", "error: `outputs.x.key` has an empty name"),
    ] {
        assert_eq!(mistakes(output), mistake);
    }
}
