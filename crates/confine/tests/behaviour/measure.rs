//! Tests of a run's record: what the run used, and how it ended.

use std::time::Duration;

use confine::{Command, Exit, Tier};

use crate::stage::{every_tier, misbehave, no_limits, run, undisturbed, working};

/// Checks that the reported CPU time is at least the time that the target burnt, and at most 100 ms more. The
/// margin covers starting and ending the target.
fn assert_used(command: &Command, milliseconds: u64) {
    let burnt = Duration::from_millis(milliseconds);
    let too_much = burnt + Duration::from_millis(100);
    let used = undisturbed(too_much, || {
        let finished = run(command, &no_limits());
        let cpu = finished.cpu.unwrap();
        assert!(cpu.complete && finished.wall >= burnt / 2, "{finished:?}");
        cpu.total()
    });
    assert!(used >= burnt && used < too_much, "{command:?}: {used:?}");
}

#[test]
fn cpu_time_of_one_process() {
    for tier in every_tier() {
        assert_used(&misbehave("burn 0.1").tier(tier), 100);
        let finished = run(&misbehave("burn 0.1").tier(tier), &no_limits());
        assert!(finished.wall >= Duration::from_millis(100), "{tier}: {:?}", finished.wall);
        assert_eq!((finished.exit, finished.stopped, finished.tier), (Exit::Code(0), None, tier));
    }
}

#[test]
fn cpu_time_of_waited_children_and_of_threads() {
    for tier in every_tier() {
        for what in ["tree 2 0.1", "threads 2 0.1"] {
            assert_used(&misbehave(what).tier(tier), 200);
        }
    }
}

#[test]
fn cpu_time_of_children_nobody_waits_for_is_complete_in_a_cgroup() {
    for tier in working(&[Tier::Cgroup]) {
        assert_used(&misbehave("unwaited 2 0.2").tier(tier), 400);
    }
}

#[test]
fn cpu_time_of_children_nobody_waits_for_is_marked_as_a_lower_bound_elsewhere() {
    for tier in working(&[Tier::Namespace, Tier::Subreaper, Tier::Group]) {
        let too_much = Duration::from_millis(900);
        let used = undisturbed(too_much, || {
            let cpu = run(&misbehave("unwaited 2 0.4").tier(tier), &no_limits()).cpu.unwrap();
            assert!(!cpu.complete, "{tier}: {cpu:?}");
            cpu.total()
        });
        assert!(used > Duration::from_millis(400) && used < too_much, "{tier}: {used:?}");
    }
}

#[test]
fn exit_codes_and_signals_are_distinguished() {
    for tier in every_tier() {
        assert_eq!(run(&misbehave("exit 42").tier(tier), &no_limits()).exit, Exit::Code(42));
        let finished = run(&misbehave("signal 11").tier(tier), &no_limits());
        assert_eq!((finished.exit, finished.stopped), (Exit::Signal(11), None));
        assert_eq!(run(&misbehave("signal 9").tier(tier), &no_limits()).exit, Exit::Signal(9));
    }
}

#[test]
fn peak_memory_of_one_process() {
    for tier in every_tier() {
        let peak = run(&misbehave("allocate 100000000").tier(tier), &no_limits()).peak_memory.unwrap();
        assert!((95_000_000..130_000_000).contains(&peak), "{tier}: {peak}");
    }
}

#[test]
fn a_program_that_ends_before_it_is_sampled_has_a_reading() {
    for tier in every_tier() {
        for _ in 0..20 {
            let program = Command::new("true").guardian(crate::stage::MISBEHAVE).tier(tier);
            let bytes = run(&program, &no_limits()).peak_memory.unwrap();
            assert!((1..50_000_000).contains(&bytes), "{tier}: {bytes}");
        }
    }
}
