//! Each limit is enforced and reported as the reason why the run was stopped.

use std::time::Duration;

use confine::{Exit, Limit, Limits, Stop, Tier, quantity};

use crate::stage::{
    Stage, cpu, every_tier, misbehave, no_limits, run, tight_tiers, undisturbed, wall, working,
};

/// A run with a limit of 50 ms that takes this long was stopped too late. The bound is loose on purpose:
/// `bench` measures the exact figures.
const LATE: Duration = Duration::from_millis(150);

#[test]
fn wall_time() {
    for tier in every_tier() {
        let took = undisturbed(LATE, || {
            let finished = run(&misbehave("sleep 60").tier(tier), &wall(50));
            assert_eq!(
                (finished.exit, finished.stopped),
                (Exit::Signal(9), Some(Stop::Limit(Limit::Wall))),
                "{tier}"
            );
            assert!(finished.wall >= Duration::from_millis(50), "{tier}: early, {:?}", finished.wall);
            finished.wall
        });
        assert!(took < LATE, "{tier}: {took:?}");
    }
}

#[test]
fn cpu_time_of_one_process_and_of_a_tree() {
    for tier in every_tier() {
        for what in ["burn 60", "tree 2 60", "threads 2 60"] {
            let used = undisturbed(LATE, || {
                let finished = run(&misbehave(what).tier(tier), &cpu(50));
                assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Cpu)), "{tier} {what}");
                let used = finished.cpu.unwrap().total();
                assert!(used >= Duration::from_millis(50), "{tier} {what}: early, {used:?}");
                used
            });
            assert!(used < LATE, "{tier} {what}: {used:?}");
        }
    }
}

#[test]
fn cpu_time_of_children_nobody_waits_for() {
    for tier in every_tier() {
        // The children of `unwaited` run at the same time. The children of `relay` run one after the other,
        // so that each is gone when the next one is seen.
        for what in ["unwaited 2 60", "relay 200 0.02"] {
            let finished = run(&misbehave(what).tier(tier), &cpu(200));
            assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Cpu)), "{tier} {what}");
        }
    }
}

#[test]
fn a_deadlock_ends_by_the_wall_limit_that_a_cpu_limit_implies() {
    // The implied wall limit is at least five seconds, so only one tier is tested.
    let finished = run(&misbehave("deadlock"), &cpu(200));
    assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Wall)));
    assert!(finished.wall >= Duration::from_millis(5400));
}

#[test]
fn memory_of_one_process() {
    let limits = Limits { memory: Some(64 << 20), ..no_limits() };
    for tier in every_tier() {
        let finished = run(&misbehave("allocate 400000000").tier(tier), &limits);
        // Either the supervisor or the kernel stopped the target, or an allocation failed and it aborted.
        let aborted = finished.stopped.is_none() && finished.exit == Exit::Signal(libc::SIGABRT);
        assert!(aborted || finished.stopped == Some(Stop::Limit(Limit::Memory)), "{tier}: {finished:?}");
        let peak = finished.peak_memory.unwrap();
        assert!(peak < 80 << 20, "{tier}: {}", quantity::show_size(peak));
    }
}

#[test]
fn memory_of_a_tree_of_small_processes() {
    // No single process is too large, but together they are.
    let limits = Limits { memory: Some(64 << 20), wall: Some(Duration::from_secs(20)), ..no_limits() };
    for tier in every_tier() {
        let finished = run(&misbehave("herd 8 20000000").tier(tier), &limits);
        assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Memory)), "{tier}: {finished:?}");
    }
}

#[test]
fn memory_that_is_shared_counts_once() {
    let limits = Limits { memory: Some(150 << 20), ..wall(500) };
    for tier in every_tier() {
        let finished = run(&misbehave("share 4 60000000").tier(tier), &limits);
        assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Wall)), "{tier}: {:?}", finished.peak_memory);
    }
}

#[test]
fn memory_of_a_process_whose_first_thread_has_ended() {
    let limits = Limits { memory: Some(50 << 20), ..wall(20_000) };
    for tier in every_tier() {
        let finished = run(&misbehave("headless 100000000").tier(tier), &limits);
        assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Memory)), "{tier}: {finished:?}");
    }
}

#[test]
fn output_of_a_target_that_writes_and_ends() {
    let limits = Limits { output: Some(10), ..no_limits() };
    let command = confine::Command::new("seq").arg("1000").guardian(crate::stage::MISBEHAVE);
    let finished = run(&command, &limits);
    assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Output)));
    // The target usually ends by itself before the supervisor can stop it.
    assert!(matches!(finished.exit, Exit::Code(0) | Exit::Signal(9)), "{finished:?}");
}

#[test]
fn a_target_that_stops_its_supervisor_is_still_limited() {
    for tier in every_tier() {
        let stage = Stage::new();
        let finished = run(&stage.direct(misbehave("stop-parent")).tier(tier), &wall(200));
        assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Wall)), "{tier}");
        assert!(stage.all_dead_now(), "{tier}");
    }
}

#[test]
fn a_target_that_leaves_its_control_group_is_still_limited() {
    if !rustix::process::getuid().is_root() {
        println!("skipped: only root may move to any group");
        return;
    }
    for tier in working(&[Tier::Cgroup]) {
        let finished = run(&misbehave("leave-group").tier(tier), &wall(200));
        assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Wall)), "{finished:?}");
    }
}

#[test]
fn output() {
    let limits = Limits { output: Some(100_000), ..no_limits() };
    for tier in every_tier() {
        let finished = run(&misbehave("flood").tier(tier), &limits);
        assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Output)), "{tier}");
        assert!(finished.stdout.written > 100_000);
    }
}

#[test]
fn unlimited_output_uses_bounded_memory() {
    let command = misbehave("flood").keep_output(1000, 2000);
    let finished = run(&command, &wall(200));
    assert_eq!((finished.stdout.head.len(), finished.stdout.tail.len()), (1000, 2000));
    assert_eq!(finished.stdout.dropped(), finished.stdout.written - 3000);
}

#[test]
fn processes() {
    let limits = Limits { processes: Some(10), wall: Some(Duration::from_secs(20)), ..no_limits() };
    for tier in tight_tiers() {
        let stage = Stage::new();
        let finished = run(&stage.direct(misbehave("crowd 50")).tier(tier), &limits);
        assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Processes)), "{tier}");
        assert!(stage.all_dead_now());
    }
}

#[test]
fn file_size() {
    let limits = Limits { file_size: Some(200_000), ..no_limits() };
    let finished = run(&misbehave("grow-file"), &limits);
    assert_eq!(finished.stopped, Some(Stop::Limit(Limit::FileSize)));
    assert_eq!(finished.exit, Exit::Signal(libc::SIGXFSZ));
}

#[test]
fn cores() {
    let first = confine::Cores::allowed().unwrap().iter().next().unwrap();
    let limits = Limits { cores: Some([first].into_iter().collect()), ..no_limits() };
    let said = String::from_utf8(run(&misbehave("show"), &limits).stdout.head).unwrap();
    assert!(said.contains(&format!("cores {first}\n")), "{said}");
}

#[test]
fn a_polite_target_ends_by_itself_during_grace() {
    for tier in every_tier() {
        let limits = Limits { grace: Some(Duration::from_secs(20)), ..cpu(50) };
        let finished = run(&misbehave("polite").tier(tier), &limits);
        assert_eq!(
            (finished.exit, finished.stopped),
            (Exit::Code(7), Some(Stop::Limit(Limit::Cpu))),
            "{tier}"
        );
    }
}

#[test]
fn a_stubborn_target_is_killed_after_grace() {
    for tier in every_tier() {
        let limits = Limits { grace: Some(Duration::from_millis(50)), ..wall(50) };
        let finished = run(&misbehave("stubborn").tier(tier), &limits);
        assert_eq!(
            (finished.exit, finished.stopped),
            (Exit::Signal(9), Some(Stop::Limit(Limit::Wall))),
            "{tier}"
        );
        assert!(finished.wall >= Duration::from_millis(100), "{tier}: {:?}", finished.wall);
    }
}
