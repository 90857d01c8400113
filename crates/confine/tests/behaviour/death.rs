//! No process survives its main process, its caller, its guardian or its supervisor.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use confine::{Control, Exit, Limit, Stop, Tier};
use rustix::process::{Pid, Signal, kill_process};

use crate::stage::{
    MISBEHAVE, Stage, children, every_tier, misbehave, no_limits, run, tight_tiers, wall, working,
};

#[test]
fn a_daemon_dies_with_the_run() {
    for tier in tight_tiers() {
        let stage = Stage::new();
        let command = stage.direct(misbehave("daemon")).tier(tier);
        let control = Control::new();
        let finished = std::thread::scope(|scope| {
            let run = scope.spawn(|| confine::run(&command, &no_limits(), &control).unwrap());
            stage.await_ready();
            control.lower_wall(Duration::from_millis(1));
            run.join().unwrap()
        });
        assert!(stage.all_dead_now(), "{tier}: a daemon survived");
        assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Wall)));
        assert_eq!(finished.exit, Exit::Signal(9));
    }
}

#[test]
fn an_orphan_dies_when_the_main_process_has_ended() {
    for tier in tight_tiers() {
        let stage = Stage::new();
        let finished = run(&stage.direct(misbehave("orphan")).tier(tier), &no_limits());
        assert!(stage.all_dead_now(), "{tier}: an orphan survived");
        assert_eq!((finished.exit, finished.stopped), (Exit::Code(0), None), "{tier}");
        assert_eq!((finished.adopted, finished.stragglers), (Some(1), Some(1)), "{tier}");
    }
}

#[test]
fn a_chain_of_forks_and_sessions_is_killed() {
    for tier in tight_tiers() {
        let stage = Stage::new();
        let finished = run(&stage.direct(misbehave("chain")).tier(tier), &wall(150));
        assert!(stage.all_dead_now(), "{tier}: the chain survived");
        assert!(finished.adopted.unwrap() > 0, "{tier}");
    }
}

#[test]
fn the_group_tier_reports_orphans_and_stragglers_as_unknown() {
    for tier in working(&[Tier::Group]) {
        let finished = run(&misbehave("exit 0").tier(tier), &no_limits());
        assert_eq!((finished.adopted, finished.stragglers), (None, None));
    }
}

#[test]
fn the_tree_dies_with_its_caller() {
    for tier in tight_tiers() {
        let stage = Stage::new();
        let mut caller = call(&stage, tier, "daemon");
        stage.await_ready();
        caller.kill().unwrap();
        caller.wait().unwrap();
        assert!(stage.all_dead(), "{tier}: the tree survived its caller");
    }
}

#[test]
fn the_group_dies_with_its_caller() {
    for tier in every_tier() {
        let stage = Stage::new();
        let mut caller = call(&stage, tier, "tree 2 60");
        stage.await_ready();
        caller.kill().unwrap();
        caller.wait().unwrap();
        assert!(stage.all_dead(), "{tier}: the tree survived its caller");
    }
}

#[test]
fn the_tree_dies_with_its_supervisor() {
    for tier in tight_tiers() {
        let stage = Stage::new();
        let caller = call(&stage, tier, "daemon");
        stage.await_ready();
        kill(supervisor_of(&caller));
        assert!(stage.all_dead(), "{tier}: the tree survived its supervisor");
        let said = String::from_utf8(caller.wait_with_output().unwrap().stdout).unwrap();
        assert!(said.contains("supervisor was lost"), "{tier}: {said}");
    }
}

#[test]
fn the_tree_dies_with_its_guardian() {
    for tier in tight_tiers() {
        let stage = Stage::new();
        let caller = call(&stage, tier, "daemon");
        stage.await_ready();
        kill(guardian_of(&caller));
        assert!(stage.all_dead(), "{tier}: the tree survived its guardian");
        let said = String::from_utf8(caller.wait_with_output().unwrap().stdout).unwrap();
        assert!(said.contains("supervisor was lost"), "{tier}: {said}");
    }
}

#[test]
fn a_signal_sent_to_every_process_ends_no_supervisor_before_its_tree() {
    for tier in tight_tiers() {
        let stage = Stage::new();
        let mut caller = call(&stage, tier, "daemon");
        stage.await_ready();
        for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT] {
            for pid in [supervisor_of(&caller), guardian_of(&caller)] {
                kill_process(Pid::from_raw(pid as i32).unwrap(), signal).unwrap();
            }
        }
        assert!(!stage.all_dead_now(), "{tier}: the daemon should still be alive");
        caller.kill().unwrap();
        caller.wait().unwrap();
        assert!(stage.all_dead(), "{tier}: a daemon survived");
    }
}

/// If all processes with the caller's name are killed, those that clean up after it must survive.
#[test]
fn guardian_and_supervisor_do_not_have_the_name_of_their_caller() {
    let stage = Stage::new();
    let mut caller = call(&stage, tight_tiers()[0], "daemon");
    stage.await_ready();
    for helper in [guardian_of(&caller), supervisor_of(&caller)] {
        let read = |file: &str| std::fs::read_to_string(format!("/proc/{helper}/{file}")).unwrap();
        assert_eq!((read("comm").trim(), read("cmdline").as_str()), ("confine", "confine\0__supervise\0"));
    }
    caller.kill().unwrap();
    caller.wait().unwrap();
    assert!(stage.all_dead());
}

/// The processes of a namespace die with its supervisor. A control group stays until the next caller finds
/// it.
#[test]
fn processes_left_when_all_others_are_killed_at_once_die_at_the_next_start() {
    for tier in working(&[Tier::Cgroup, Tier::Namespace]) {
        let stage = Stage::new();
        let mut caller = call(&stage, tier, "daemon");
        stage.await_ready();
        let helpers = [guardian_of(&caller), supervisor_of(&caller)];
        // Stop all of them first, so that none can react to the death of another.
        for signal in [Signal::STOP, Signal::KILL] {
            helpers.iter().for_each(|&pid| kill_process(Pid::from_raw(pid as i32).unwrap(), signal).unwrap());
        }
        caller.kill().unwrap();
        caller.wait().unwrap();
        if tier == Tier::Cgroup {
            assert!(!stage.all_dead_now(), "the daemon should still be alive");
        }
        stage.alone(&["call", tier.name(), "exit", "0"]);
        assert!(stage.all_dead(), "{tier}: a daemon survived the next start");
    }
}

#[test]
fn a_caller_that_lost_its_guardian_gets_a_new_one() {
    for tier in tight_tiers() {
        let stage = Stage::new();
        let mut caller = Command::new(MISBEHAVE);
        caller.args(["call-twice", tier.name(), "burn", "0.5"]).stdout(Stdio::piped());
        let caller = caller.env("ALIVE", stage.path("alive")).spawn().unwrap();
        while children(caller.id()).is_empty() {
            std::thread::yield_now();
        }
        kill(guardian_of(&caller));
        let said = String::from_utf8(caller.wait_with_output().unwrap().stdout).unwrap();
        assert_eq!(said.matches("supervisor was lost").count(), 1, "{tier}: {said}");
        assert_eq!(said.matches("exit: Code(0)").count(), 1, "{tier}: {said}");
        assert!(stage.all_dead(), "{tier}");
    }
}

#[test]
fn one_lost_run_does_not_block_another() {
    for tier in tight_tiers() {
        let stages = [Stage::new(), Stage::new()];
        let mut caller = Command::new(MISBEHAVE);
        caller.args(["call-both", tier.name(), "daemon"]).stdout(Stdio::piped());
        for (stage, name) in stages.iter().zip(["READY", "READY2"]) {
            caller.env(name, stage.path("ready"));
        }
        let mut caller = caller.env("ALIVE", stages[0].path("alive")).spawn().unwrap();
        stages.iter().for_each(Stage::await_ready);
        let supervisors = children(guardian_of(&caller));
        assert_eq!(supervisors.len(), 2, "{tier}");
        kill(supervisors[0]);
        // The caller prints a result as soon as a run has ended. The other run takes a minute.
        let mut said = BufReader::new(caller.stdout.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        assert!(line.contains("supervisor was lost"), "{tier}: {line}");
        caller.kill().unwrap();
        caller.wait().unwrap();
        assert!(stages[0].all_dead(), "{tier}");
    }
}

#[test]
fn an_unprivileged_user_can_use_the_namespace_tier() {
    if !rustix::process::getuid().is_root() {
        println!("skipped: only root can switch users");
        return;
    }
    let said = Stage::new().alone_unprivileged(&["call", "namespace", "tree", "2", "0.1"]);
    let mut unshare = Command::new("unshare");
    let allowed = std::os::unix::process::CommandExt::uid(&mut unshare, 65534)
        .args(["--user", "--pid", "--fork", "--mount-proc", "--map-root-user", "true"])
        .status();
    if allowed.is_ok_and(|status| status.success()) {
        assert!(said.contains("exit: Code(0)"), "{said}");
    } else {
        assert!(said.contains("namespace tier does not work here"), "{said}");
    }
}

/// Starts a caller in a separate process.
fn call(stage: &Stage, tier: Tier, what: &str) -> Child {
    Command::new(MISBEHAVE)
        .args(["call", tier.name()])
        .args(what.split(' '))
        .env("ALIVE", stage.path("alive"))
        .env("READY", stage.path("ready"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Returns the only child of the caller.
fn guardian_of(caller: &Child) -> u32 {
    children(caller.id())[0]
}

fn supervisor_of(caller: &Child) -> u32 {
    children(guardian_of(caller))[0]
}

fn kill(pid: u32) {
    kill_process(Pid::from_raw(pid as i32).unwrap(), Signal::KILL).unwrap();
}
