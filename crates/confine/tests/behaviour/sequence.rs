//! Several commands in one tree: processes of a set-up keep running, and none survives the sequence.

use std::process::{Child, Command as Process, Stdio};
use std::time::Duration;

use confine::{Command, Control, Exit, Limit, Sequence, Stop, Tier};
use rustix::process::{Pid, Signal, kill_process};

use crate::stage::{
    MISBEHAVE, Stage, children, cpu, misbehave, no_limits, tight_tiers, undisturbed, wall, working,
};

fn shell(script: &str) -> Command {
    Command::new("sh").args(["-c", script]).guardian(MISBEHAVE)
}

#[test]
fn processes_of_a_set_up_keep_running_until_the_end() {
    for tier in tight_tiers() {
        let (server, own) = (Stage::new(), Stage::new());
        let mut sequence = Sequence::new().unwrap();
        let folder = sequence.folder().to_owned();
        let set_up = server.direct(misbehave("orphan")).tier(tier);
        let finished = sequence.set_up(&set_up, &no_limits(), &Control::new()).unwrap();
        assert_eq!((finished.exit, finished.tier), (Exit::Code(0), tier));
        // Processes left by a command are killed, whether it ended by itself or was stopped.
        for (what, limits, stopped) in
            [("orphan", no_limits(), None), ("chain", wall(150), Some(Stop::Limit(Limit::Wall)))]
        {
            let finished = sequence.run(&own.direct(misbehave(what)), &limits, &Control::new()).unwrap();
            assert_eq!(finished.stopped, stopped, "{tier}");
            assert!(own.all_dead_now(), "{tier}: {what} survived its command");
            assert!(!server.all_dead_now(), "{tier}: the set-up process did not survive {what}");
        }
        assert!(folder.exists());
        let finished = sequence.run_last(&own.direct(misbehave("orphan")), &no_limits(), &Control::new());
        assert_eq!(finished.unwrap().exit, Exit::Code(0), "{tier}");
        assert!(server.all_dead_now() && own.all_dead_now(), "{tier}: something survived the sequence");
        assert!(!folder.exists());
    }
}

#[test]
fn memory_of_a_set_up_that_has_ended_does_not_count_later() {
    for tier in tight_tiers() {
        let mut sequence = Sequence::new().unwrap();
        let large = shell("held=$(head -c 150000000 /dev/zero | tr '\\0' x)").tier(tier);
        let finished = sequence.set_up(&large, &no_limits(), &Control::new()).unwrap();
        assert!(finished.peak_memory.is_some_and(|bytes| bytes > 100_000_000), "{tier}: {finished:?}");
        let small = shell("held=$(head -c 20000000 /dev/zero | tr '\\0' x); sleep 0.2");
        let finished = sequence.run_last(&small, &no_limits(), &Control::new()).unwrap();
        let bytes = finished.peak_memory.unwrap();
        assert!((20_000_000..100_000_000).contains(&bytes), "{tier}: {bytes}");
    }
}

#[test]
fn a_dropped_sequence_leaves_nothing() {
    for tier in tight_tiers() {
        let stage = Stage::new();
        let mut sequence = Sequence::new().unwrap();
        let folder = sequence.folder().to_owned();
        let set_up = stage.direct(misbehave("orphan")).tier(tier);
        sequence.set_up(&set_up, &no_limits(), &Control::new()).unwrap();
        assert!(!stage.all_dead_now(), "{tier}");
        sequence.end();
        assert!(stage.all_dead_now() && !folder.exists(), "{tier}: something survived");
    }
}

#[test]
fn a_stopped_set_up_leaves_nothing() {
    for tier in tight_tiers() {
        let stage = Stage::new();
        let mut sequence = Sequence::new().unwrap();
        let set_up = stage.direct(misbehave("chain")).tier(tier);
        let finished = sequence.set_up(&set_up, &wall(150), &Control::new()).unwrap();
        assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Wall)));
        assert!(stage.all_dead_now(), "{tier}");
        // A clean-up command can still run.
        let finished = sequence.run_last(&misbehave("exit 3"), &no_limits(), &Control::new()).unwrap();
        assert_eq!(finished.exit, Exit::Code(3));
    }
}

#[test]
fn a_command_that_does_not_start_does_not_end_the_sequence() {
    let stage = Stage::new();
    let mut sequence = Sequence::new().unwrap();
    let set_up = stage.direct(misbehave("orphan")).tier(Tier::Subreaper);
    sequence.set_up(&set_up, &no_limits(), &Control::new()).unwrap();
    let script = stage.path("script");
    std::fs::write(&script, "#!/surely/not/there\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    sequence.run(&Command::new(&script), &no_limits(), &Control::new()).unwrap_err();
    assert!(!stage.all_dead_now());
    let finished = sequence.run_last(&misbehave("exit 0"), &no_limits(), &Control::new()).unwrap();
    assert_eq!(finished.exit, Exit::Code(0));
    assert!(stage.all_dead_now());
}

/// With pipes this would fail: a process that writes to a pipe that nobody reads is killed by a signal or
/// blocks forever.
#[test]
fn processes_that_keep_running_can_write() {
    for tier in tight_tiers() {
        let mut sequence = Sequence::new().unwrap();
        let script = "echo up; (until [ -e go ]; do sleep 0.01; done; head -c 200000 /dev/zero; echo more; : > done) &";
        let finished = sequence.set_up(&shell(script).tier(tier), &no_limits(), &Control::new()).unwrap();
        assert_eq!(finished.stdout.joined(), b"up\n");
        let script = ": > go; until [ -e done ]; do sleep 0.01; done";
        let finished = sequence.run(&shell(script), &wall(30_000), &Control::new()).unwrap();
        assert_eq!(finished.stopped, None, "{tier}: the set-up process never finished");
    }
}

#[test]
fn a_command_is_not_charged_for_earlier_cpu_time() {
    for tier in tight_tiers() {
        let mut sequence = Sequence::new().unwrap();
        let used = |finished: &confine::Finished| finished.cpu.unwrap().total();
        let burn = misbehave("burn 0.3").tier(tier);
        let set_up = sequence.set_up(&burn, &no_limits(), &Control::new()).unwrap();
        assert!(used(&set_up) >= Duration::from_millis(299), "{tier}");
        // Earlier CPU time does not count towards the command's limit either.
        let limit = Duration::from_millis(200);
        let took = undisturbed(limit, || {
            used(&sequence.run(&misbehave("burn 0.1"), &cpu(200), &Control::new()).unwrap())
        });
        assert!(took >= Duration::from_millis(99) && took < limit, "{tier}: {took:?}");
        let finished = sequence.run_last(&misbehave("burn 60"), &cpu(50), &Control::new()).unwrap();
        assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Cpu)), "{tier}");
        assert!(used(&finished) >= Duration::from_millis(50), "{tier}: {finished:?}");
    }
}

/// If a server works while a command runs, that work is assumed to be for the command.
#[test]
fn a_command_is_charged_for_what_a_server_does_while_it_runs() {
    for tier in tight_tiers() {
        let mut sequence = Sequence::new().unwrap();
        let script = format!("(until [ -e go ]; do sleep 0.01; done; {MISBEHAVE} burn 0.2; : > done) &");
        sequence.set_up(&shell(&script).tier(tier), &no_limits(), &Control::new()).unwrap();
        let script = ": > go; until [ -e done ]; do sleep 0.01; done";
        let finished = sequence.run(&shell(script), &wall(30_000), &Control::new()).unwrap();
        assert!(finished.cpu.unwrap().total() >= Duration::from_millis(180), "{tier}: {finished:?}");
    }
}

#[test]
fn a_control_applies_to_the_running_command() {
    let control = Control::new();
    control.cancel();
    let mut sequence = Sequence::new().unwrap();
    let set_up = misbehave("exit 0").tier(Tier::Subreaper);
    assert_eq!(sequence.set_up(&set_up, &no_limits(), &Control::new()).unwrap().stopped, None);
    let finished = sequence.run(&misbehave("sleep 60"), &no_limits(), &control).unwrap();
    assert_eq!(finished.stopped, Some(Stop::Cancelled));
    // An order given after the end of its command does not affect the next one.
    control.cancel();
    assert_eq!(sequence.run(&misbehave("exit 0"), &no_limits(), &Control::new()).unwrap().stopped, None);
}

#[test]
fn the_group_tier_supports_only_one_command() {
    for tier in working(&[Tier::Group]) {
        let mut sequence = Sequence::new().unwrap();
        let error = sequence.set_up(&misbehave("exit 0").tier(tier), &no_limits(), &Control::new());
        assert!(matches!(error, Err(confine::LaunchError::Tier { tier: Tier::Group, .. })));
    }
}

/// Checks both the time while a command is running (`idle` is false) and the time between two commands.
#[test]
fn processes_of_a_set_up_die_with_caller_guardian_and_supervisor() {
    for tier in tight_tiers() {
        for idle in [false, true] {
            for victim in ["caller", "guardian", "supervisor"] {
                let stage = Stage::new();
                let mut caller = call(&stage, tier, idle);
                stage.await_ready();
                let guardian = children(caller.id())[0];
                let pid = match victim {
                    "caller" => caller.id(),
                    "guardian" => guardian,
                    _ => children(guardian)[0],
                };
                kill_process(Pid::from_raw(pid as i32).unwrap(), Signal::KILL).unwrap();
                assert!(stage.all_dead(), "{tier}: a process survived its {victim}");
                caller.kill().unwrap();
                caller.wait().unwrap();
            }
        }
    }
}

/// Starts a caller in a separate process. The caller runs a set-up and then, unless `idle`, a command.
fn call(stage: &Stage, tier: Tier, idle: bool) -> Child {
    Process::new(MISBEHAVE)
        .args(["call-sequence", tier.name(), if idle { "idle" } else { "busy" }])
        // Only the processes that the caller starts hold the lock, not the caller itself.
        .env("STAGE_ALIVE", stage.path("alive"))
        .env("STAGE_READY", stage.path("ready"))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}
