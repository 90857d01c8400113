//! Runs trials of real programs and checks the result for each way in which a run can end.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use confine::Cores;
use engine::{Cap, Reading, Status};
use execution::{Account, Leash, ProcessTarget, Slot, Target, TargetError, environment};
use scenario::Scenario;

use scenario::testkit::{Stage, root, trial};

use crate::SUPERVISOR;

/// Shell script that uses CPU time forever.
const BURN: &str = "while :; do :; done";

/// Returns a scenario that runs an `sh` script, with further lines for some tables.
fn scenario(stage: &Stage, script: &str, objective: &str, more: &str) -> Arc<Scenario> {
    stage.file("script.sh", script);
    let text = format!(
        "[target]\ncommand = [\"sh\", \"{{folder}}/script.sh\", \"{{param:x}}\", \"{{seed}}\"]\n{more}\n\
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

/// Runs a script as a trial that minimises `wall_time`, with a cutoff of one minute.
fn run_script(script: &str, more: &str) -> Account {
    let stage = Stage::new();
    run(&scenario(&stage, script, "minimise = \"wall_time\"\ncutoff = \"1m\"", more), Cap::NONE)
}

fn failure(account: &Account) -> (Status, &str) {
    assert_eq!(account.observation.cost(), None);
    (account.observation.status(), account.detail.reason.as_deref().unwrap())
}

#[test]
fn a_success_has_the_measured_cost() {
    let account = run_script("exit 0", "");
    assert_eq!(account.observation.status(), Status::Finished);
    assert_eq!(account.observation.cost(), Some(Reading::Exact(account.detail.wall.unwrap())));
    assert_eq!(account.detail.exit, Some(0));
    assert_eq!(account.detail.reason, None);
    assert!(account.detail.cpu.is_some() && !account.detail.tier.is_empty());

    let stage = Stage::new();
    let cpu = scenario(&stage, "exit 0", "minimise = \"cpu_time\"\ncutoff = \"1m\"", "");
    let account = run(&cpu, Cap::NONE);
    assert_eq!(account.observation.cost(), account.detail.cpu.map(Reading::Exact));
    // The script uses enough memory for the kernel to report it even for a short run.
    let hold = "held=$(head -c 40000000 /dev/zero | tr '\\0' x)";
    let memory = scenario(&stage, hold, "minimise = \"memory\"", "");
    let account = run(&memory, Cap::NONE);
    assert_eq!(account.observation.cost(), account.detail.memory.map(|bytes| Reading::Exact(bytes as f64)));
    assert_eq!(account.observation.spent(), account.detail.wall.unwrap());
}

#[test]
fn true_succeeds_and_false_does_not() {
    let stage = Stage::new();
    for (program, status) in [("true", Status::Finished), ("false", Status::Crashed)] {
        let text = format!(
            "[target]\ncommand = [{program:?}, \"{{params}}\", \"{{seed}}\"]\n[objective]\nminimise = \"cpu_time\"\n\
             cutoff = \"9s\"\n[budget]\ntrials = 1\n[space]\nx = {{ integer = [1, 9] }}\n"
        );
        assert_eq!(run(&Arc::new(stage.read(&text)), Cap::NONE).observation.status(), status, "{program}");
    }
}

#[test]
fn the_same_failure_always_has_the_same_reason() {
    let success = "success = { exit = [0, 10], pattern = \"^s SAT$\" }";
    assert_eq!(failure(&run_script("exit 3", "")), (Status::Crashed, "exit 3"));
    assert_eq!(failure(&run_script("kill -11 $$", "")), (Status::Crashed, "signal 11 (SIGSEGV)"));
    let unsure = failure(&run_script("echo s SATURN; exit 10", success)).1.to_owned();
    assert_eq!(unsure, "exit 10 but pattern not found");
    assert_eq!(failure(&run_script("echo s SAT; exit 20", success)), (Status::Crashed, "exit 20"));
    assert_eq!(run_script("echo s SAT; exit 10", success).observation.status(), Status::Finished);
    // If only a pattern is required, every exit code is accepted, but a signal is not.
    let pattern = "success = { pattern = \"SAT\" }";
    assert_eq!(run_script("echo SAT; exit 99", pattern).observation.status(), Status::Finished);
    assert_eq!(failure(&run_script("echo SAT; kill -6 $$", pattern)).1, "signal 6 (SIGABRT)");
}

#[test]
fn the_end_of_the_output_is_kept_for_failures_only() {
    let script = "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; echo oops >&2; exit ";
    let account = run_script(&format!("{script} 1"), "");
    assert!(
        account.detail.stdout_tail.ends_with(b"line 2999\n") && account.detail.stdout_tail.len() <= 8 << 10
    );
    assert_eq!(account.detail.stderr_tail, b"oops\n");
    let account = run_script(&format!("{script} 0"), "");
    assert!(account.detail.stdout_tail.is_empty() && account.detail.stderr_tail.is_empty());
}

#[test]
fn a_trial_stopped_at_its_cap_costs_at_least_that() {
    let stage = Stage::new();
    for (measure, script) in [("cpu_time", BURN), ("wall_time", "exec sleep 60")] {
        let objective = format!("minimise = \"{measure}\"\ncutoff = \"200ms\"");
        let scenario = scenario(&stage, script, &objective, "");
        let account = run(&scenario, Cap::at(0.05));
        assert_eq!(account.observation.status(), Status::Capped, "{measure}");
        assert_eq!(account.observation.cost(), Some(Reading::AtLeast(0.05)), "{measure}");
        assert!(account.observation.spent() >= 0.05, "{measure}");
        for cap in [Cap::at(0.2), Cap::NONE] {
            let account = run(&scenario, cap);
            assert_eq!(account.observation.status(), Status::Timeout, "{measure}");
            assert_eq!(account.observation.cost(), Some(Reading::AtLeast(0.2)), "{measure}");
            assert_eq!(account.detail.reason, None);
        }
    }
}

#[test]
fn a_cost_above_the_cutoff_is_a_timeout() {
    let stage = Stage::new();
    let objective = "minimise = \"steps\"\ncutoff = 100\n[outputs]\nsteps = { pattern = 'steps (\\S+)' }";
    let scenario = scenario(&stage, "echo steps 101", objective, "");
    let account = run(&scenario, Cap::NONE);
    assert_eq!(account.observation.status(), Status::Timeout);
    assert_eq!(account.observation.cost(), Some(Reading::AtLeast(100.0)));
}

#[test]
fn a_negative_cost_is_a_failure_if_trials_are_capped() {
    let stage = Stage::new();
    stage.file("script.sh", "echo steps -1e-12");
    let of = |capped_by: &str, words: &str| {
        let text = format!(
            "[target]\ncommand = [\"sh\", \"{{folder}}/script.sh\", \"{{param:x}}\"{words}]\n\
             [objective]\nminimise = \"steps\"\ncutoff = 100\ncapped_by = \"{capped_by}\"\n\
             [outputs]\nsteps = {{ pattern = 'steps (\\S+)' }}\n\
             [budget]\ntrials = 1\n[space]\nx = {{ integer = [1, 9], default = 3 }}\n"
        );
        run(&Arc::new(stage.read(&text)), Cap::at(50.0))
    };
    let account = of("argument", ", \"{cap}\"");
    assert_eq!(account.observation.status(), Status::Crashed);
    let reason = account.detail.reason.unwrap();
    assert!(reason.contains("the cost is -0.000000000001") && reason.contains("capped_by"), "{reason}");
    assert_eq!(of("none", "").observation.cost(), Some(Reading::Exact(-1e-12)));
}

/// Sleeping uses no CPU time, so only the wall-clock limit can end the trial.
#[test]
fn a_wall_limit_with_a_cpu_objective_is_a_timeout_at_the_cpu_time_used() {
    let stage = Stage::new();
    let text = "minimise = \"cpu_time\"\ncutoff = \"50s\"\n[limits]\nwall = \"100ms\"";
    let account = run(&scenario(&stage, "exec sleep 60", text, ""), Cap::at(40.0));
    assert_eq!(account.observation.status(), Status::Timeout);
    assert_eq!(account.observation.cost(), account.detail.cpu.map(Reading::AtLeast));
    assert!(account.observation.spent() < 40.0);
}

#[test]
fn other_limits_are_failures() {
    // Use many processes, each well below the limit. A single process would fail to allocate the memory and
    // exit by itself.
    let hold = "(x=$(head -c 4000000 /dev/zero | tr '\\0' a); sleep 60; : $x) &";
    let memory = format!("{}\nwait", [hold; 20].join("\n"));
    let limit = |key: &str| format!("minimise = \"wall_time\"\ncutoff = \"1m\"\n[limits]\n{key}");
    let stage = Stage::new();
    let account = run(&scenario(&stage, &memory, &limit("memory = \"50MB\""), ""), Cap::NONE);
    assert_eq!(failure(&account), (Status::Memory, "memory limit"));
    let flood = "while :; do echo flood; done";
    let account = run(&scenario(&stage, flood, &limit("output = \"10kB\""), ""), Cap::NONE);
    assert_eq!(failure(&account), (Status::Crashed, "output limit"));
    // If a cost does not grow, it is unknown when the trial is stopped.
    let output = "minimise = \"y\"\n[outputs]\ny = { pattern = '(.+)' }\n[limits]\nwall = \"100ms\"";
    let account = run(&scenario(&stage, "echo 3; exec sleep 60", output, ""), Cap::NONE);
    assert_eq!(failure(&account), (Status::Crashed, "wall time limit"));
}

#[test]
fn an_output_is_the_cost() {
    let stage = Stage::new();
    let run = |script: &str| {
        let objective = "minimise = \"steps\"\n[outputs]\nother = { pattern = 'o (.)' }\nsteps = { pattern = 'steps (\\S+)' }";
        run(&scenario(&stage, script, objective, ""), Cap::NONE)
    };
    let account = run("echo steps 5; echo steps $1.25; echo other");
    assert_eq!(account.observation.cost(), Some(Reading::Exact(3.25)));
    assert_eq!(account.observation.spent(), account.detail.wall.unwrap());
    assert_eq!(run("echo steps -4").observation.cost(), Some(Reading::Exact(-4.0)));
    assert_eq!(failure(&run("echo other")), (Status::Crashed, "no match for output `steps`"));
    for number in ["nan", "inf", "1e999", "many"] {
        let account = run(&format!("echo steps {number}"));
        assert_eq!(failure(&account), (Status::Crashed, "output `steps` is not a finite number"));
    }
}

/// Some programs, such as encoders, report on standard error.
#[test]
fn an_output_is_looked_for_in_standard_error_too() {
    let stage = Stage::new();
    let cost = |stream: &str, script: &str| {
        let outputs = format!("[outputs]\nsize = {{ pattern = 'size (\\S+)'{stream} }}");
        let objective = format!("minimise = \"size\"\n{outputs}");
        run(&scenario(&stage, script, &objective, ""), Cap::NONE).observation.cost()
    };
    let exact = |cost: f64| Some(Reading::Exact(cost));
    let both = "echo size 1; echo size 2 >&2; echo size 3 >&2";
    assert_eq!(cost("", "echo size 7 >&2"), exact(7.0));
    assert_eq!(cost("", both), exact(1.0), "standard output comes first");
    assert_eq!(cost(", stream = \"stderr\"", both), exact(3.0));
    assert_eq!(cost(", stream = \"stderr\", take = \"first\"", both), exact(2.0));
    assert_eq!(cost(", stream = \"stdout\"", "echo size 7 >&2"), None);
}

/// The target stops itself at `{cap}` and reports the cost that it has reached.
#[test]
fn a_target_that_stops_itself_is_capped_by_its_output() {
    let stage = Stage::new();
    let objective = "minimise = \"steps\"\ncutoff = 100\ncapped_by = \"argument\"\n[outputs]\nsteps = { pattern = 'steps ([0-9]+)' }";
    let run = |script: &str, cap| {
        stage.file("script.sh", script);
        let text = format!(
            "[target]\ncommand = [\"sh\", \"{{folder}}/script.sh\", \"{{cap}}\", \"{{param:x}}\", \"{{seed}}\"]\n\
             [objective]\n{objective}\n[budget]\ntrials = 1\n[space]\nx = {{ integer = [1, 9] }}\n"
        );
        run(&Arc::new(stage.read(&text)), cap)
    };
    let stops = "echo steps $1; exit 1";
    let account = run(stops, Cap::at(40.0));
    assert_eq!(account.observation.status(), Status::Capped);
    assert_eq!(account.observation.cost(), Some(Reading::AtLeast(40.0)));
    let account = run(stops, Cap::at(100.0));
    assert_eq!(account.observation.status(), Status::Timeout);
    assert_eq!(account.observation.cost(), Some(Reading::AtLeast(100.0)));
    // The target had not reached the cap, so it crashed.
    let account = run("echo steps 39; exit 1", Cap::at(40.0));
    assert_eq!(failure(&account), (Status::Crashed, "exit 1"));
    assert_eq!(account.observation.spent(), 39.0);
    assert_eq!(run("echo steps 39", Cap::at(40.0)).observation.cost(), Some(Reading::Exact(39.0)));
}

/// The costs are thousands of steps, with two decimals.
#[test]
fn a_target_with_fractional_costs_is_capped_at_its_cap() {
    let stage = Stage::new();
    let run = |script: &str, cap: f64| {
        stage.file("script.sh", script);
        let text = "[target]\ncommand = [\"sh\", \"{folder}/script.sh\", \"{cap}\", \"{param:x}\", \"{seed}\"]\n\
             [objective]\nminimise = \"steps\"\ncutoff = 0.8\ncapped_by = \"argument\"\ngrain = 0.01\n\
             [outputs]\nsteps = { pattern = 'steps (\\S+)' }\n\
             [budget]\ntrials = 1\n[space]\nx = { integer = [1, 9] }\n";
        run(&Arc::new(stage.read(text)), Cap::at(cap))
    };
    let spent = |script: &str, cap| run(script, cap).observation.spent();
    let run = |script: &str, cap| {
        let observation = run(script, cap).observation;
        (observation.status(), observation.cost())
    };
    let at_least = |cost| Some(Reading::AtLeast(cost));
    let stops = "echo steps $1; exit 1";
    assert_eq!(run(stops, 0.5), (Status::Capped, at_least(0.5)));
    assert_eq!(run(stops, 0.123_456), (Status::Capped, at_least(0.123_456)));
    assert_eq!(run(stops, 0.001), (Status::Capped, at_least(0.001)));
    assert_eq!(run(stops, 3.0), (Status::Timeout, at_least(0.8)));
    assert_eq!([spent(stops, 0.5), spent(stops, 0.123_456), spent(stops, 0.001)], [0.5, 0.13, 0.01]);
    // A sum of fractions may be wrong in its last digit.
    assert_eq!(
        run("echo steps 0.49999999999999994; exit 1", 0.5),
        (Status::Capped, at_least(0.499_999_999_999_999_94))
    );
    assert_eq!(run("echo steps 0.499; exit 1", 0.5), (Status::Crashed, None));
    assert_eq!(run("echo steps 0; exit 1", 0.001), (Status::Crashed, None), "below one grain as well");
    assert_eq!(run("echo steps 0.5", 0.5), (Status::Finished, Some(Reading::Exact(0.5))));
}

/// Waits until a process opens a pipe for writing. Returns false after 30 seconds, which happens only on a
/// failure.
fn opened(pipe: &Path) -> bool {
    let (sender, receiver) = mpsc::channel();
    let pipe = pipe.to_owned();
    std::thread::spawn(move || sender.send(File::open(pipe).is_ok()));
    receiver.recv_timeout(Duration::from_secs(30)).unwrap_or(false)
}

/// Runs a script that signals when it is ready. Then calls `order` to control it.
fn steer(objective: &str, rest: &str, order: impl FnOnce(&ProcessTarget, &Leash)) -> Account {
    steer_below(Cap::NONE, objective, "", ["", rest], order)
}

/// Like [`steer`], but with a cap, further lines in the scenario, and two parts of the script: one before it
/// is ready and one after.
fn steer_below(
    cap: Cap,
    objective: &str,
    more: &str,
    [first, rest]: [&str; 2],
    order: impl FnOnce(&ProcessTarget, &Leash),
) -> Account {
    let stage = Stage::new();
    let ready = stage.folder.join("ready");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &ready, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let script = format!("{first}\n: > {}\n{rest}", ready.display());
    let scenario = scenario(&stage, &script, objective, more);
    let (target, control) = (target(&scenario), Leash::new());
    std::thread::scope(|scope| {
        let run = scope.spawn(|| target.run(&trial(&scenario, 0, cap), &control).unwrap());
        if opened(&ready) {
            order(&target, &control);
        } else {
            // If the script is never ready, the test would otherwise hang.
            control.cancel();
        }
        run.join().unwrap()
    })
}

#[test]
fn a_cancelled_trial_reports_the_cost_it_had_reached() {
    let objective = "minimise = \"wall_time\"\ncutoff = \"50s\"";
    let account = steer(objective, "exec sleep 60", |_, control| control.cancel());
    assert_eq!(account.observation.status(), Status::Capped);
    assert_eq!(account.observation.cost(), Some(Reading::AtLeast(account.detail.wall.unwrap())));
    let output = "minimise = \"y\"\n[outputs]\ny = { pattern = '(.+)' }";
    let account = steer(output, "exec sleep 60", |_, control| control.cancel());
    assert_eq!((account.observation.status(), account.observation.cost()), (Status::Lost, None));
}

/// A trial that takes a long time to end may exceed its cap in the meantime.
#[test]
fn a_cancelled_trial_reports_no_cost_beyond_its_cap() {
    let objective = "minimise = \"wall_time\"\ncutoff = \"50s\"";
    let (grace, deaf) = ("[limits]\ngrace = \"1s\"\n", ["trap '' TERM", "sleep 60"]);
    let account = steer_below(Cap::at(0.2), objective, grace, deaf, |_, control| control.cancel());
    assert_eq!(account.observation.status(), Status::Capped);
    assert!(account.detail.wall.unwrap() > 0.2, "{:?}", account.detail.wall);
    assert_eq!(account.observation.cost(), Some(Reading::AtLeast(0.2)));
}

#[test]
fn a_lowered_cap_applies() {
    for (measure, rest) in [("cpu_time", BURN), ("wall_time", "exec sleep 60")] {
        let objective = format!("minimise = \"{measure}\"\ncutoff = \"50s\"");
        let account = steer(&objective, rest, |target, control| target.lower_cap(control, Cap::at(0.05)));
        assert_eq!(account.observation.status(), Status::Capped, "{measure}");
        let bound = account.observation.cost().unwrap().lower_bound();
        let measured =
            if measure == "cpu_time" { account.detail.cpu.unwrap() } else { account.detail.wall.unwrap() };
        assert!(bound >= 0.05 && bound <= measured.max(0.05), "{measure}: {bound}, {measured}");
    }
}

#[test]
fn a_program_that_cannot_start_stops_the_campaign() {
    let stage = Stage::new();
    let program = stage.file("solver", "#!/surely/not/there\n");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let text = "[target]\ncommand = [\"./solver\", \"{params}\", \"{seed}\"]\n[objective]\nminimise = \"cpu_time\"\n\
                cutoff = \"9s\"\n[budget]\ntrials = 1\n[space]\nx = { integer = [1, 9], default = 3 }\n";
    let scenario = Arc::new(stage.read(text));
    let error = target(&scenario).run(&trial(&scenario, 0, Cap::NONE), &Leash::new()).unwrap_err();
    assert_eq!(stage.hidden(&error.to_string()), "could not start the target: FOLDER/solver --x=3 17");
    assert!(matches!(error, TargetError::Launch { .. }));
}

#[test]
fn the_target_sees_its_environment_and_its_cores() {
    let variables = "env = { OWN = \"value\" }\nsuccess = { pattern = \"^value--/.*$\" }";
    let script = "echo \"$OWN-$CARGO_MANIFEST_DIR-$(pwd)\"";
    assert_eq!(run_script(script, variables).observation.status(), Status::Finished);

    let stage = Stage::new();
    let core = Cores::allowed().unwrap().iter().last().unwrap();
    let objective =
        "minimise = \"cores\"\n[outputs]\ncores = { pattern = 'Cpus_allowed_list:\\s*([0-9]+)$' }";
    let scenario = scenario(&stage, "grep Cpus_allowed_list /proc/self/status", objective, "");
    let slot = Slot { cores: Some([core].into_iter().collect()), ..Slot::default() };
    let account = target(&scenario).run_on(&trial(&scenario, 0, Cap::NONE), &Leash::new(), &slot);
    assert_eq!(account.unwrap().observation.cost(), Some(Reading::Exact(core as f64)));
}

#[test]
fn variables_that_a_crashed_target_may_have_needed_are_named() {
    let account = run_script("echo \"${CARGO_MANIFEST_DIR:?CARGO_MANIFEST_DIR}\"", "");
    assert_eq!(account.observation.status(), Status::Crashed);
    let stage = Stage::new();
    let scenario = scenario(&stage, "", "minimise = \"memory\"", "");
    let suspects = environment::suspects(&account.detail.stderr_tail, &scenario.target);
    assert_eq!(suspects.first().map(String::as_str), Some("CARGO_MANIFEST_DIR"));
}

#[test]
fn a_crash_is_not_counted_if_its_instance_is_gone() {
    let stage = Stage::new();
    let path = stage.file("one.txt", "1");
    let text = "[target]\ncommand = [\"cat\", \"{param:x}\", \"{instance}\"]\n[objective]\nminimise = \"cpu_time\"\n\
                cutoff = \"50s\"\n[instances]\nfiles = \"*.txt\"\n[budget]\ntrials = 1\n\
                [space]\nx = { choices = [\"-u\", \"--wrong\"] }\n";
    let scenario = Arc::new(stage.read(text));
    let trial = trial(&scenario, 0, Cap::NONE);
    let target = target(&scenario);
    assert_eq!(target.run(&trial, &Leash::new()).unwrap().observation.status(), Status::Finished);
    std::fs::remove_file(&path).unwrap();
    let error = target.run(&trial, &Leash::new()).unwrap_err();
    let explained = format!("the instance {} no longer exists; restore the file", path.display());
    assert_eq!(error.explained(), explained);
    stage.file("one.txt", "1");
    assert_eq!(target.run(&trial, &Leash::new()).unwrap().observation.status(), Status::Finished);
}

/// Runs a real solver with its ready-made space.
#[test]
fn minisat_solves_a_formula() {
    if std::process::Command::new("minisat").arg("--help").output().is_err() {
        println!("skipped: minisat is not installed");
        return;
    }
    let stage = Stage::new();
    stage.file("sat.cnf", "p cnf 2 2\n1 2 0\n-1 2 0\n");
    stage.file("unsat.cnf", "p cnf 1 2\n1 0\n-1 0\n");
    stage.file("minisat.toml", &std::fs::read_to_string(root().join("spaces/minisat.toml")).unwrap());
    let text = "[target]\ncommand = [\"minisat\", \"{params}\", \"-rnd-seed={seed}\", \"{instance}\"]\n\
                success = { exit = [10, 20], pattern = \"SATISFIABLE$\" }\n[objective]\nminimise = \"cpu_time\"\n\
                cutoff = \"50s\"\n[instances]\nfiles = \"*.cnf\"\n[budget]\ntrials = 1\n[space]\nfrom = \"minisat.toml\"\n";
    let scenario = Arc::new(stage.read(text));
    for (instance, exit) in [(0, 10), (1, 20)] {
        let trial = trial(&scenario, instance, Cap::NONE);
        let account = target(&scenario).run(&trial, &Leash::new()).unwrap();
        assert_eq!(account.observation.status(), Status::Finished, "{:?}", account.detail);
        assert_eq!(account.detail.exit, Some(exit));
    }
    // The instances are in another order, as when they come from a store.
    let reversed = target(&scenario).on(scenario.instances.train.iter().rev().cloned().collect());
    let account = reversed.run(&trial(&scenario, 0, Cap::NONE), &Leash::new()).unwrap();
    assert_eq!(account.detail.exit, Some(20));
}

/// A file system is mounted in the folder, so captune cannot remove the folder.
#[test]
fn a_folder_that_cannot_be_removed_is_reported() {
    if !rustix::process::getuid().is_root() {
        println!("skipped: only root can mount");
        return;
    }
    assert_eq!(run_script("exit 0", "").detail.left_behind, None);
    let account = run_script("mkdir there here && mount --bind there here", "");
    assert_eq!(account.observation.status(), Status::Finished);
    let Some(left) = account.detail.left_behind else {
        // The mount disappeared together with its namespace.
        assert_eq!(account.detail.tier, "namespace");
        return;
    };
    let unmounted = std::process::Command::new("umount").arg(left.join("here")).status().unwrap();
    assert!(unmounted.success());
    std::fs::remove_dir_all(left).unwrap();
}
