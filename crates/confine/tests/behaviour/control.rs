//! Tests of controlling a run from another thread.

use std::time::Duration;

use confine::{Control, Finished, Limit, Stop};

use crate::stage::{Stage, cpu, every_tier, misbehave, no_limits, undisturbed, wall};

/// Runs a target, gives an order once the target is ready, and returns the record.
fn steer(tier: confine::Tier, what: &str, order: impl FnOnce(&Control) + Send) -> Finished {
    let stage = Stage::new();
    let command = stage.direct(misbehave(what)).tier(tier);
    let control = Control::new();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| confine::run(&command, &cpu(60_000), &control));
        stage.await_ready();
        order(&control);
        run.join().unwrap().unwrap()
    })
}

#[test]
fn cancel_ends_a_run() {
    for tier in every_tier() {
        let finished = steer(tier, "stubborn", Control::cancel);
        assert_eq!(finished.stopped, Some(Stop::Cancelled), "{tier}");
    }
}

#[test]
fn a_lowered_cpu_cap_is_enforced() {
    for tier in every_tier() {
        let late = Duration::from_millis(200);
        let used = undisturbed(late, || {
            let finished = steer(tier, "stubborn", |control| control.lower_cpu(Duration::from_millis(50)));
            assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Cpu)), "{tier}");
            finished.cpu.unwrap().total()
        });
        assert!(used >= Duration::from_millis(50) && used < late, "{tier}: {used:?}");
    }
}

#[test]
fn a_lowered_wall_cap_is_enforced_even_if_it_has_passed() {
    for tier in every_tier() {
        let finished = steer(tier, "deadlock", |control| control.lower_wall(Duration::from_nanos(1)));
        assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Wall)), "{tier}");
    }
}

#[test]
fn a_second_cancel_does_not_wait_for_grace() {
    for tier in every_tier() {
        let stage = Stage::new();
        let command = stage.direct(misbehave("stubborn")).tier(tier);
        let control = Control::new();
        let limits = confine::Limits { grace: Some(Duration::from_secs(60)), ..no_limits() };
        let finished = std::thread::scope(|scope| {
            let run = scope.spawn(|| confine::run(&command, &limits, &control).unwrap());
            stage.await_ready();
            control.cancel();
            control.cancel();
            run.join().unwrap()
        });
        assert_eq!(finished.stopped, Some(Stop::Cancelled), "{tier}");
    }
}

#[test]
fn a_cap_is_never_raised() {
    let control = Control::new();
    control.lower_wall(Duration::from_secs(3600));
    let finished = confine::run(&misbehave("sleep 60"), &wall(30), &control).unwrap();
    assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Wall)));
    assert!(finished.wall < Duration::from_secs(30));
}

#[test]
fn two_cancels_before_the_start_do_not_wait_for_grace() {
    let control = Control::new();
    control.cancel();
    control.cancel();
    let limits = confine::Limits { grace: Some(Duration::from_secs(60)), ..no_limits() };
    let finished = confine::run(&misbehave("stubborn"), &limits, &control).unwrap();
    assert_eq!(finished.stopped, Some(Stop::Cancelled));
    assert!(finished.wall < Duration::from_secs(30), "{:?}", finished.wall);
}

#[test]
fn an_order_given_before_the_start_takes_effect() {
    let control = Control::new();
    control.cancel();
    let finished = confine::run(&misbehave("sleep 60"), &no_limits(), &control).unwrap();
    assert_eq!(finished.stopped, Some(Stop::Cancelled));
}

#[test]
fn a_lowered_cpu_cap_implies_a_wall_limit_too() {
    let control = Control::new();
    control.lower_cpu(Duration::from_millis(200));
    let finished = confine::run(&misbehave("deadlock"), &no_limits(), &control).unwrap();
    assert_eq!(finished.stopped, Some(Stop::Limit(Limit::Wall)));
}

#[test]
fn orders_during_grace_change_nothing() {
    for tier in every_tier() {
        let stage = Stage::new();
        let command = stage.direct(misbehave("stubborn")).tier(tier);
        let control = Control::new();
        let limits = confine::Limits { grace: Some(Duration::from_millis(300)), ..wall(60_000) };
        let finished = std::thread::scope(|scope| {
            let run = scope.spawn(|| confine::run(&command, &limits, &control).unwrap());
            stage.await_ready();
            while !run.is_finished() {
                control.lower_wall(Duration::from_millis(1));
                control.lower_cpu(Duration::from_millis(1));
                std::thread::yield_now();
            }
            run.join().unwrap()
        });
        assert!(matches!(finished.stopped, Some(Stop::Limit(_))), "{tier}");
        assert!(finished.wall >= Duration::from_millis(300), "{tier}: {:?}", finished.wall);
    }
}

#[test]
fn the_cpu_time_used_so_far_is_reported_and_grows() {
    for tier in every_tier() {
        let finished = steer(tier, "stubborn", |control| {
            let mut last = Duration::ZERO;
            while last < Duration::from_millis(30) {
                let used = control.used_cpu().unwrap_or_default();
                assert!(used >= last, "{tier}: {used:?} after {last:?}");
                last = used;
            }
            control.cancel();
        });
        assert!(finished.cpu.unwrap().total() >= Duration::from_millis(30), "{tier}");
    }
}
