//! What a run has used, and how it ended.

use std::time::Duration;

use confine::{Exit, Tier};

use crate::stage::{every_tier, misbehave, no_limits, run, working};

/// Between what was burnt and what a crowded machine adds for starting processes.
fn about(measured: Duration, milliseconds: u64) -> bool {
    let burnt = Duration::from_millis(milliseconds);
    measured >= burnt && measured < burnt + Duration::from_millis(100)
}

#[test]
fn cpu_time_of_one_process() {
    for tier in every_tier() {
        let finished = run(&misbehave("burn 0.1").tier(tier), &no_limits());
        let cpu = finished.cpu.unwrap();
        assert!(about(cpu.total(), 100) && cpu.complete, "{tier}: {cpu:?}");
        assert!(finished.wall >= Duration::from_millis(100), "{tier}: {:?}", finished.wall);
        assert_eq!((finished.exit, finished.stopped, finished.tier), (Exit::Code(0), None, tier));
    }
}

#[test]
fn cpu_time_of_waited_children_and_of_threads() {
    for tier in every_tier() {
        for what in ["tree 2 0.1", "threads 2 0.1"] {
            let cpu = run(&misbehave(what).tier(tier), &no_limits()).cpu.unwrap();
            assert!(about(cpu.total(), 200) && cpu.complete, "{tier} {what}: {cpu:?}");
        }
    }
}

#[test]
fn cpu_time_of_children_nobody_waits_for_is_complete_in_a_cgroup() {
    for tier in working(&[Tier::Cgroup]) {
        let cpu = run(&misbehave("unwaited 2 0.2").tier(tier), &no_limits()).cpu.unwrap();
        assert!(about(cpu.total(), 400) && cpu.complete, "{cpu:?}");
    }
}

#[test]
fn cpu_time_of_children_nobody_waits_for_is_a_lower_bound_elsewhere_and_says_so() {
    for tier in working(&[Tier::Namespace, Tier::Subreaper, Tier::Group]) {
        let cpu = run(&misbehave("unwaited 2 0.4").tier(tier), &no_limits()).cpu.unwrap();
        assert!(!cpu.complete, "{tier}: {cpu:?}");
        assert!(cpu.total() > Duration::from_millis(400), "{tier}: {cpu:?}");
        assert!(cpu.total() < Duration::from_millis(900), "{tier}: {cpu:?}");
    }
}

#[test]
fn codes_and_signals_are_told_apart() {
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
fn memory_that_cannot_be_told_from_our_own_is_absent() {
    let finished = run(&confine::Command::new("true").guardian(crate::stage::MISBEHAVE), &no_limits());
    assert_ne!(finished.peak_memory, Some(0));
}
