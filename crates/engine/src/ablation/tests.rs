//! Ablations in made-up worlds whose answer is known.

mod bounded;

use space::format::{Format, read};
use space::{Configuration, Literal, Space};

use super::*;
use crate::Status;
use crate::trial::{InstanceId, Seed};

fn space(text: &str) -> Space {
    read(text, "space.toml", Format::Toml).unwrap()
}

fn pairs(count: u32, seed: u32) -> Vec<Pair> {
    (0..count).map(|instance| Pair { instance: InstanceId(instance), seed: Seed(seed) }).collect()
}

fn plan(space: &Space, best: Configuration) -> Plan {
    let baseline = space.default_configuration();
    Plan {
        space: space.clone(),
        objective: Objective::capped(100.0),
        order: changed(space, &baseline, &best),
        baseline,
        best,
        pairs: pairs(16, 1),
        fresh: pairs(16, 2),
    }
}

fn flag(configuration: &Configuration, name: &str) -> f64 {
    match configuration.get(name) {
        Some(Literal::Boolean(true)) => 1.0,
        Some(Literal::Integer(number)) => number as f64,
        _ => 0.0,
    }
}

/// The trials that an ablation ran.
struct Ran {
    standing: Standing,
    trials: Vec<Wanted>,
    readings: Readings,
}

/// Runs an ablation in a world to its end, `at_once` trials at a time.
fn run(plan: &Plan, at_once: usize, cost: impl Fn(&Configuration, Pair) -> f64) -> Ran {
    run_with_output(plan, at_once, |configuration, pair| (cost(configuration, pair), None))
}

/// Does the same in a world in which finished trials have an output.
fn run_with_output(
    plan: &Plan,
    at_once: usize,
    world: impl Fn(&Configuration, Pair) -> (f64, Option<f64>),
) -> Ran {
    let (mut readings, mut trials) = (Readings::default(), Vec::new());
    loop {
        let standing = plan.decide(&readings);
        if standing.end.is_some() {
            assert!(standing.wanted.is_empty());
            return Ran { standing, trials, readings };
        }
        assert!(!standing.wanted.is_empty() && trials.len() < 5000, "{standing:?}");
        for wanted in standing.wanted.into_iter().take(at_once) {
            assert!(plan.space.check(wanted.configuration.codes()).is_ok(), "{:?}", wanted.configuration);
            let (cost, output) = world(&wanted.configuration, wanted.pair);
            let outputs: Vec<_> = output.into_iter().map(|value| Some(Reading::Exact(value))).collect();
            let observation = match wanted.cap.cost() {
                cap if cost <= cap => Observation::finished(cost).with_constraints(outputs),
                cap if cap < 100.0 => Observation::capped(cap),
                cap => Observation::timeout(cap),
            };
            readings.add(&wanted.configuration, wanted.pair, &observation);
            trials.push(wanted);
        }
    }
}

fn names(plan: &Plan, step: &Step) -> Vec<String> {
    step.changed.iter().map(|&id| plan.space.parameter(id).name().to_owned()).collect()
}

fn path(plan: &Plan, standing: &Standing) -> Vec<String> {
    standing.steps.iter().map(|step| names(plan, step).join("+")).collect()
}

const FLAGS: &str = "a = { boolean = false }\nb = { boolean = false }\nc = { boolean = false }\n\
                     d = { boolean = false }\ne = { boolean = false }\nf = { boolean = false }\n";

fn all_on(space: &Space) -> Configuration {
    let values = space.parameters().iter().map(|one| (one.name(), Literal::Boolean(true)));
    space.configuration(values).unwrap()
}

/// Costs with known gains: c gains 4, a gains 2, e gains 1, the others nothing. Hard pairs cost more.
fn additive(configuration: &Configuration, pair: Pair) -> f64 {
    let gain = |name: &str, gain: f64| gain * flag(configuration, name);
    let own = 10.0 - gain("c", 4.0) - gain("a", 2.0) - gain("e", 1.0);
    own * (1.0 + f64::from(pair.instance.0 % 4))
}

#[test]
fn an_additive_world_is_taken_apart_in_the_order_of_the_gains() {
    let space = space(FLAGS);
    let plan = plan(&space, all_on(&space));
    for at_once in [1, 3, 100] {
        let Ran { standing, trials, .. } = run(&plan, at_once, additive);
        assert_eq!(path(&plan, &standing), ["c", "a", "e"]);
        let costs: Vec<f64> = standing.steps.iter().map(|step| step.cost).collect();
        assert_eq!(costs, [15.0, 10.0, 7.5], "means over pairs of 6, 4 and 3 times 2.5");
        assert_eq!((standing.baseline, standing.best), (Some(25.0), Some(7.5)));
        assert_eq!(standing.end, Some(End::Enough));
        assert_eq!(standing.steps.iter().map(|step| step.raced).collect::<Vec<_>>(), [6, 5, 4]);
        let check = standing.checks.last().unwrap();
        assert_eq!((check.steps, check.cost, check.best, check.holds), (3, 7.5, 7.5, true));
        // Without races: 15 candidates on 16 pairs, 2 ends, and 2 checks.
        assert!(trials.len() < 19 * 16 * 3 / 4, "{}", trials.len());
    }
}

#[test]
fn no_trial_runs_twice_and_caps_stay_below_the_cutoff() {
    let space = space(FLAGS);
    let plan = plan(&space, all_on(&space));
    let Ran { trials, .. } = run(&plan, 1, additive);
    let mut keys: Vec<(u128, Pair)> =
        trials.iter().map(|one| (one.configuration.fingerprint(), one.pair)).collect();
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), count);
    assert!(trials.iter().all(|one| one.cap.cost() <= 100.0));
    assert!(trials.iter().any(|one| one.cap.cost() < 100.0));
}

#[test]
fn the_readings_alone_decide_so_an_interrupted_ablation_continues() {
    let space = space(FLAGS);
    let plan = plan(&space, all_on(&space));
    let whole = run(&plan, 1, additive);
    for kept in [0, 7, 40, whole.trials.len() - 1] {
        let mut readings = Readings::default();
        for one in &whole.trials[..kept] {
            let reading = whole.readings.get(&one.configuration, one.pair).unwrap();
            readings.add(&one.configuration, one.pair, reading);
        }
        let standing = plan.decide(&readings);
        assert_eq!(standing.wanted[0], whole.trials[kept], "the next trial is the same");
    }
    assert_eq!(plan.decide(&whole.readings), whole.standing);
}

#[test]
fn changes_that_help_only_together_are_both_needed() {
    let space = space(FLAGS);
    let plan = plan(&space, all_on(&space));
    // b alone costs a little, d alone does nothing; together they gain most.
    let world = |configuration: &Configuration, pair: Pair| {
        let on = |name| flag(configuration, name);
        let own = 10.0 - on("a") + 0.5 * on("b") * (1.0 - on("d")) - 6.0 * on("b") * on("d");
        own * (1.0 + f64::from(pair.instance.0 % 3))
    };
    let Ran { standing, .. } = run(&plan, 4, world);
    let path = path(&plan, &standing);
    assert_eq!(path[0], "a", "the only change that helps alone: {path:?}");
    let place = |name: &str| path.iter().position(|step| step.contains(name)).unwrap();
    assert!(place("b") < path.len() && place("d") < path.len(), "{path:?}");
    assert!((standing.steps.last().unwrap().cost - standing.best.unwrap()).abs() < 1e-9);
}

#[test]
fn if_every_single_change_is_disastrous_the_rest_is_one_step() {
    let space = space("a = { boolean = false }\nb = { boolean = false }\n");
    let plan = plan(&space, all_on(&space));
    let world = |configuration: &Configuration, _| match (flag(configuration, "a"), flag(configuration, "b"))
    {
        (0.0, 0.0) => 10.0,
        (1.0, 1.0) => 2.0,
        _ => 90.0,
    };
    let Ran { standing, trials, .. } = run(&plan, 1, world);
    assert_eq!(path(&plan, &standing), ["a+b"]);
    assert_eq!(standing.end, Some(End::Whole));
    // Each single change is stopped in its first batch, at the current configuration's bound.
    assert_eq!(trials.len(), 32 + 2);
    assert!(trials[32..].iter().all(|one| one.cap.cost() < 81.0));
}

#[test]
fn conditions_and_forbidden_clauses_are_respected() {
    let text = "mode = { choices = [\"slow\", \"fast\"], default = \"slow\" }\n\
                depth = { integer = [0, 9], default = 5, when = \"mode == 'fast'\" }\n\
                safe = { boolean = true }\nwide = { boolean = false }\ntail = { boolean = false }\n\
                forbidden = [\"safe == true && wide == true\", \"safe == false && wide == false\", \
                \"tail == true && wide == false\"]\n";
    let space = space(text);
    let best = space
        .configuration([
            ("mode", Literal::Text("fast".into())),
            ("depth", Literal::Integer(9)),
            ("safe", Literal::Boolean(false)),
            ("wide", Literal::Boolean(true)),
            ("tail", Literal::Boolean(true)),
        ])
        .unwrap();
    let plan = plan(&space, best);
    let world = |configuration: &Configuration, _| {
        20.0 - flag(configuration, "depth")
            - 5.0 * flag(configuration, "wide")
            - 2.0 * flag(configuration, "tail")
    };
    let Ran { standing, .. } = run(&plan, 1, world);
    // The depth comes with the mode, and the two flags can only change together.
    assert_eq!(path(&plan, &standing), ["mode+depth", "safe+wide", "tail"]);
    assert_eq!(standing.end, Some(End::Whole));
}

#[test]
fn without_a_gain_there_is_nothing_to_take_apart() {
    let space = space(FLAGS);
    let plan = plan(&space, all_on(&space));
    let Ran { standing, trials, .. } = run(&plan, 1, |_, _| 3.0);
    assert_eq!((standing.end, standing.steps.len(), trials.len()), (Some(End::NoGain), 0, 32));
}

#[test]
fn a_check_that_fails_adds_another_change() {
    let space = space(FLAGS);
    let plan = plan(&space, all_on(&space));
    // f matters only on the fresh pairs.
    let world = |configuration: &Configuration, pair: Pair| {
        let fresh = f64::from(u8::from(pair.seed == Seed(2)));
        10.0 - 5.0 * flag(configuration, "a")
            - 3.0 * fresh * flag(configuration, "f")
            - 0.01 * flag(configuration, "f")
    };
    let Ran { standing, .. } = run(&plan, 1, world);
    assert_eq!(path(&plan, &standing), ["a", "f"]);
    let holds: Vec<bool> = standing.checks.iter().map(|check| check.holds).collect();
    assert_eq!(holds, [false, true]);
}

#[test]
fn failures_without_a_cutoff_are_worse_than_any_cost() {
    let space = space(FLAGS);
    let mut plan = plan(&space, all_on(&space));
    plan.objective = Objective::uncapped();
    let mut readings = Readings::default();
    loop {
        let standing = plan.decide(&readings);
        let Some(wanted) = standing.wanted.first() else {
            assert_eq!(path(&plan, &standing), ["b"]);
            assert_eq!(standing.end, Some(End::Enough));
            break;
        };
        assert_eq!(wanted.cap, Cap::NONE);
        let works = flag(&wanted.configuration, "b") == 1.0;
        let observation =
            if works { Observation::finished(-3.0) } else { Observation::failed(Status::Crashed, 1.0) };
        readings.add(&wanted.configuration, wanted.pair, &observation);
    }
}
