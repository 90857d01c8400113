//! Tests set-up and teardown of a trial, its folder and its files.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use engine::{Cap, Reading, Status, TrialId};
use execution::{Account, Leash, ProcessTarget, Slot, Target};
use rustix::fs::{FlockOperation, flock};
use scenario::Scenario;
use scenario::testkit::{Stage, trial};

use crate::SUPERVISOR;

const WALL: &str = "minimise = \"wall_time\"\ncutoff = \"1m\"";

/// Returns a scenario with three `sh` scripts. Each is called with `{folder}` and its own arguments.
fn scenario(stage: &Stage, scripts: [&str; 3], objective: &str, more: &str) -> Arc<Scenario> {
    let [setup, command, teardown] = scripts;
    stage.file("setup.sh", setup);
    stage.file("command.sh", command);
    stage.file("teardown.sh", teardown);
    let text = format!(
        "[target]\nsetup = [\"sh\", \"{{folder}}/setup.sh\", \"{{folder}}\"]\n\
         command = [\"sh\", \"{{folder}}/command.sh\", \"{{folder}}\", \"{{param:x}}\", \"{{seed}}\"]\n\
         teardown = [\"sh\", \"{{folder}}/teardown.sh\", \"{{folder}}\", \"{{trial}}\", \"{{stdout}}\"]\n{more}\n\
         [objective]\n{objective}\n[budget]\ntrials = 1\n[space]\nx = {{ integer = [1, 9], default = 3 }}\n"
    );
    Arc::new(stage.read(&text))
}

fn target(scenario: &Arc<Scenario>) -> ProcessTarget {
    ProcessTarget::new(Arc::clone(scenario)).guardian(SUPERVISOR)
}

fn run(scenario: &Arc<Scenario>, cap: Cap) -> Account {
    target(scenario).run(&trial(scenario, 0, cap), &Leash::new()).unwrap_or_else(|e| panic!("{e}: {e:?}"))
}

/// Returns whether no process holds the lock on the file `alive`.
fn all_dead(stage: &Stage) -> bool {
    let alive = File::open(stage.folder.join("alive")).unwrap();
    flock(&alive, FlockOperation::NonBlockingLockExclusive).is_ok()
}

#[test]
fn a_server_lives_as_long_as_its_trial() {
    let stage = Stage::new();
    stage.file("alive", "");
    let setup = "exec 9< $1/alive; flock -s 9; sleep 60 & echo $! > server";
    let command = "kill -0 $(cat server) && echo up";
    let teardown = "kill -0 $(cat server) || exit 5";
    let scenario = scenario(&stage, [setup, command, teardown], WALL, "success = { pattern = \"up\" }");
    let account = run(&scenario, Cap::NONE);
    assert_eq!(account.observation.status(), Status::Finished, "{:?}", account.detail);
    assert_eq!(account.detail.teardown, None);
    assert!(all_dead(&stage), "the server survived its trial");
}

#[test]
fn set_up_and_teardown_are_outside_the_cost() {
    let stage = Stage::new();
    let burn = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
    for objective in [WALL, "minimise = \"cpu_time\"\ncutoff = \"1m\""] {
        let alone = scenario(&stage, [burn, "exit 0", burn], objective, "");
        let account = run(&alone, Cap::NONE);
        let inside = scenario(&stage, ["exit 0", burn, "exit 0"], objective, "");
        let (without, with) = (account.observation.spent(), run(&inside, Cap::NONE).observation.spent());
        assert!(without < with / 2.0, "{objective}: {without} and {with}");
        assert_eq!(account.observation.cost(), Some(Reading::Exact(without)));
    }
}

#[test]
fn teardown_runs_however_the_trial_ended() {
    let stage = Stage::new();
    let teardown = "echo torn $2 >> $1/log; cat $3 >> $1/log";
    let ends: [(&str, &str, Status); 4] = [
        ("exit 0", "echo done", Status::Finished),
        ("exit 0", "echo no; exit 1", Status::Crashed),
        ("exit 0", "echo slow; sleep 60", Status::Capped),
        ("exit 3", "echo never", Status::Crashed),
    ];
    for (setup, command, status) in ends {
        let scenario = scenario(&stage, [setup, command, teardown], WALL, "");
        let account = run(&scenario, Cap::at(0.3));
        assert_eq!(account.observation.status(), status, "{command}: {:?}", account.detail);
    }
    let log = std::fs::read_to_string(stage.folder.join("log")).unwrap();
    assert_eq!(log, "torn 0\ndone\ntorn 0\nno\ntorn 0\nslow\ntorn 0\n");
}

#[test]
fn a_failed_set_up_is_the_reason_of_the_crash() {
    let stage = Stage::new();
    let script = "echo trying; echo no such user >&2; exit 3";
    let failed = scenario(&stage, [script, ": > $1/ran", "exit 0"], WALL, "");
    let account = run(&failed, Cap::NONE);
    assert_eq!((account.observation.status(), account.observation.spent()), (Status::Crashed, 0.0));
    assert_eq!(account.detail.reason.as_deref(), Some("setup: exit 3"));
    assert_eq!(
        (&account.detail.stdout_tail[..], &account.detail.stderr_tail[..]),
        (&b"trying\n"[..], &b"no such user\n"[..])
    );
    assert!(!stage.folder.join("ran").exists());
    let slow = scenario(&stage, ["sleep 60", "exit 0", "exit 0"], WALL, "setup_limit = \"100ms\"");
    assert_eq!(run(&slow, Cap::NONE).detail.reason.as_deref(), Some("setup: wall time limit"));
}

#[test]
fn a_failed_teardown_does_not_change_the_result() {
    let stage = Stage::new();
    for (teardown, reason) in [("exit 4", "teardown: exit 4"), ("sleep 60", "teardown: wall time limit")] {
        let scenario = scenario(&stage, ["exit 0", "exit 0", teardown], WALL, "teardown_limit = \"100ms\"");
        let account = run(&scenario, Cap::NONE);
        assert_eq!(account.observation.status(), Status::Finished);
        assert_eq!(account.detail.teardown.as_deref(), Some(reason));
    }
}

/// Waits until a process opens a pipe for writing. Returns false after 30 seconds, which happens only on a
/// failure.
fn opened(pipe: &Path) -> bool {
    let (sender, receiver) = mpsc::channel();
    let pipe = pipe.to_owned();
    std::thread::spawn(move || sender.send(File::open(pipe).is_ok()));
    receiver.recv_timeout(Duration::from_secs(30)).unwrap_or(false)
}

#[test]
fn a_trial_cancelled_during_its_set_up_has_no_cost_yet() {
    let output = "minimise = \"y\"\n[outputs]\ny = { pattern = '(.+)' }\n[limits]\nwall = \"1m\"";
    for (objective, expected) in
        [(WALL, (Status::Capped, Some(Reading::AtLeast(0.0)))), (output, (Status::Lost, None))]
    {
        let stage = Stage::new();
        let ready = stage.folder.join("ready");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &ready, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let scripts = [": > $1/ready; sleep 60", ": > $1/ran", ": > $1/torn"];
        let scenario = scenario(&stage, scripts, objective, "");
        let (target, leash) = (target(&scenario), Leash::new());
        let account = std::thread::scope(|scope| {
            let run = scope.spawn(|| target.run(&trial(&scenario, 0, Cap::NONE), &leash).unwrap());
            assert!(opened(&ready));
            // The time that the set-up has taken does not matter.
            assert_eq!(target.reached(&leash, 1000.0), None);
            leash.cancel();
            run.join().unwrap()
        });
        assert_eq!((account.observation.status(), account.observation.cost()), expected);
        assert!(!stage.folder.join("ran").exists() && stage.folder.join("torn").exists());
    }
}

/// Returns the output of a command with these arguments.
fn printed(stage: &Stage, arguments: &str, more: &str, slot: &Slot) -> String {
    let text = format!(
        "[target]\ncommand = [\"sh\", \"-c\", \"for word; do echo \\\"$word\\\"; done; $0\", {arguments}, \"{{param:x}}\"]\n{more}\n\
         [objective]\nminimise = \"wall_time\"\ncutoff = \"1m\"\n[racing]\ndeterministic = true\n[budget]\ntrials = 1\n\
         [space]\nx = {{ integer = [1, 9], default = 3 }}\nrate = {{ float = [0.0, 9.0], default = 2.0 }}\n\
         fast = {{ boolean = true }}\n\"a.b\" = {{ choices = [\"it's\", \"two \\\"words\\\"\"], default = \"it's\" }}\n\
         deep = {{ integer = [1, 5], when = \"fast == false\" }}\n"
    );
    let scenario = Arc::new(stage.read(&text));
    let request = engine::TrialRequest { id: TrialId(41), ..trial(&scenario, 0, Cap::NONE) };
    let (account, record) = target(&scenario).run_with_record(&request, &Leash::new(), slot).unwrap();
    assert_eq!(account.observation.status(), Status::Finished, "{:?}", account.detail);
    String::from_utf8(record.unwrap().stdout.joined()).unwrap()
}

#[test]
fn a_trials_command_gets_its_slot_folder_and_limits() {
    let stage = Stage::new();
    let slot = Slot { number: 1, gpus: vec!["4".to_owned(), "GPU-8f".to_owned()], ..Slot::default() };
    let arguments =
        "\"pwd\", \"{slot}\", \"{trial}\", \"{cores}\", \"{memory}\", \"{workdir}\", \"{params}\"";
    let more = "[limits]\nmemory = \"1.5GiB\"\n[parallel]\ncores_per_trial = 2";
    let out = printed(&stage, arguments, more, &slot);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(&lines[..4], ["1", "41", "2", "1536"]);
    assert_eq!(lines[4], lines[lines.len() - 1], "the command runs in its folder");
    assert!(!Path::new(lines[4]).exists(), "the folder was not removed");

    let arguments = "\"env\", \"{params}\"";
    let more = "env = { MKL_NUM_THREADS = \"7\" }\n[parallel]\ncores_per_trial = 2";
    let out = printed(&stage, arguments, more, &slot);
    for line in
        ["CUDA_VISIBLE_DEVICES=4,GPU-8f", "OMP_NUM_THREADS=2", "RAYON_NUM_THREADS=2", "MKL_NUM_THREADS=7"]
    {
        assert!(out.lines().any(|other| other == line), "{line}\n{out}");
    }
    let out = printed(&stage, arguments, "", &Slot::default());
    assert!(out.contains("OPENBLAS_NUM_THREADS=1\n") && !out.contains("CUDA_VISIBLE_DEVICES"), "{out}");
}

#[test]
fn a_trial_runs_where_the_scenario_says() {
    let stage = Stage::new();
    std::fs::create_dir(stage.folder.join("there")).unwrap();
    let arguments = "\"pwd\", \"{config_file}\"";
    for (workdir, folder) in [("scenario", stage.folder.clone()), ("there", stage.folder.join("there"))] {
        let more = format!("workdir = {workdir:?}\nconfig_file = \"json\"");
        let out = printed(&stage, arguments, &more, &Slot::default());
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(Path::new(lines[lines.len() - 1]), folder);
        assert!(!Path::new(lines[0]).starts_with(&stage.folder), "the file is in the shared folder: {out}");
        assert!(folder.exists());
    }
}

#[test]
fn a_configuration_is_written_in_the_requested_form() {
    let stage = Stage::new();
    let file = |form: &str, more: &str| {
        let more = format!("config_file = {form:?}\n{more}");
        let out = printed(&stage, "\"cat config.*\", \"{config_file}\"", &more, &Slot::default());
        let out: Vec<&str> = out.lines().collect();
        // The first two lines are the path and the value of x.
        out[2..].join("\n")
    };
    assert_eq!(file("json", ""), r#"{"a.b":"it's","fast":true,"rate":2.0,"x":3}"#);
    assert_eq!(file("toml", ""), "x = 3\nrate = 2.0\nfast = true\n\"a.b\" = \"it's\"");
    assert_eq!(file("{name} = {value}", ""), "x = 3\nrate = 2.0\nfast = true\na.b = it's");
    let own = "[target.parameter]\nfast = { on = \"fast\", off = \"\" }\nrate = [\"[rate]\", \"is {value}\"]";
    assert_eq!(file("set {name} {value}", own), "set x 3\n[rate]\nis 2.0\nfast\nset a.b it's");
}

#[test]
fn a_shell_reads_a_file_of_variables() {
    let stage = Stage::new();
    let text = "[target]\ncommand = [\"sh\", \"-c\", \". $0; echo \\\"$alpha|$mode\\\"\", \"{config_file}\"]\nconfig_file = \"env\"\n\
                [objective]\nminimise = \"wall_time\"\ncutoff = \"1m\"\n[budget]\ntrials = 1\n[space]\n\
                alpha = { float = [0.0, 1.0], default = 0.5 }\nmode = { choices = [\"a $b 'c'\", \"d\"], default = \"a $b 'c'\" }\n";
    let scenario = Arc::new(stage.read(text));
    let request = trial(&scenario, 0, Cap::NONE);
    let (_, record) = target(&scenario).run_with_record(&request, &Leash::new(), &Slot::default()).unwrap();
    assert_eq!(record.unwrap().stdout.joined(), b"0.5|a $b 'c'\n");
    let mistakes = stage.mistakes(&text.replace("alpha =", "\"a-b\" ="));
    assert!(mistakes.contains("`a-b` cannot be the name of an environment variable"), "{mistakes}");
}

#[test]
fn mistakes_in_steps_and_folders_are_reported() {
    let stage = Stage::new();
    let text = "[target]\ncommand = [\"true\", \"{params}\", \"{seed}\", \"{config_file}\", \"{memory}\", \"{stdout}\"]\n\
                setup = [\"./missing\"]\nteardown_limit = 3\nworkdir = \"nowhere\"\nretry = { exit = [0] }\n\
                [objective]\nminimise = \"wall_time\"\ncutoff = \"1m\"\n[parallel]\ngpus = [1, 1]\n[budget]\ntrials = 1\n\
                [space]\nx = { integer = [1, 9] }\n";
    insta::assert_snapshot!(stage.mistakes(text));
    let text = text
        .replace(", \"{stdout}\"", "")
        .replace("setup = [\"./missing\"]\n", "")
        .replace("workdir = \"nowhere\"\n", "");
    let text = text
        .replace("teardown_limit = 3\n", "")
        .replace("retry = { exit = [0] }", "retry = { times = 0 }")
        .replace("gpus = [1, 1]", "");
    insta::assert_snapshot!(stage.mistakes(&text));
    insta::assert_snapshot!(
        stage.mistakes(
            &text
                .replace("\"{config_file}\", \"{memory}\"", "\"x\"")
                .replace("retry", "config_file = \"jsn\"\nretry")
        )
    );
    insta::assert_snapshot!(
        stage.mistakes(
            &text
                .replace("\"{config_file}\", \"{memory}\"", "\"x\"")
                .replace("retry = { times = 0 }", "config_file = \"json\"")
        )
    );
}
