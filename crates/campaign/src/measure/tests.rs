//! Tests the advice with artificial trials.

use std::path::Path;

use engine::{Observation, Status};
use execution::testkit::record;
use execution::{Detail, Record};
use scenario::keys::is_known;
use scenario::{Scenario, read};

use super::{Advice, Findings, Sample};
use crate::Settings;
use crate::conduct::{Order, settings};

/// Returns a scenario with its settings. `objective` and `more` are lines of the scenario's text.
fn scenario(command: &str, objective: &str, more: &str) -> (Scenario, Settings) {
    let text = format!(
        "[target]\ncommand = [\"true\", \"{{params}}\", \"{{instance}}\"{command}]\n[objective]\n{objective}\n\
         [instances]\nlist = [\"a\", \"b\"]\n[budget]\nwall = \"1h\"\n{more}\n\
         [space]\nx = {{ integer = [1, 9], default = 3 }}\n"
    );
    let scenario = read(&text, Path::new("."), "test.toml").unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let settings = settings(&scenario, &Order::default());
    (scenario, settings)
}

const CPU: &str = "minimise = \"cpu_time\"\ncutoff = \"100s\"";
const WALL: &str = "minimise = \"wall_time\"\ncutoff = \"100s\"";
const STEPS: &str = "minimise = \"steps\"";
const OUTPUT: &str = "[outputs]\nsteps = { pattern = '([0-9]+)' }";

/// Returns a trial on the first instance with this cost and wall time. Its output is always the same.
fn sample(seed: u32, cost: f64, wall: f64) -> Sample {
    let detail = Detail { cpu: Some(cost), wall: Some(wall), exit: Some(0), ..Detail::default() };
    let record = Record { detail, ..record(0, 0, seed, Observation::finished(cost)) };
    Sample { record, in_company: false, answer: Some(7) }
}

fn in_company(sample: Sample) -> Sample {
    Sample { in_company: true, ..sample }
}

fn findings((scenario, settings): &(Scenario, Settings), samples: &[Sample]) -> Findings {
    Findings::of(scenario, settings, samples, &["a".to_owned()], 2, Some(1 << 30))
}

/// Returns the recommended keys with their values. Checks that they are valid scenario keys.
fn advice(of: &(Scenario, Settings), samples: &[Sample]) -> Vec<String> {
    let found = findings(of, samples).advice;
    for Advice { key, .. } in &found {
        assert!(is_known(key), "`{key}` is not a key of a scenario");
    }
    let line = |one: &Advice| match &one.value {
        Some(value) => format!("{} = {value}", one.key),
        None => one.key.clone(),
    };
    found.iter().map(line).collect()
}

/// Returns five trials that differ in their seeds and costs.
fn quiet() -> Vec<Sample> {
    vec![
        sample(1, 1.0, 1.0),
        sample(1, 1.01, 1.0),
        sample(1, 0.99, 1.0),
        sample(2, 3.0, 3.0),
        sample(3, 0.2, 0.2),
    ]
}

#[test]
fn a_quiet_machine_and_a_randomised_target_need_no_advice() {
    let mut samples = quiet();
    samples.extend([1.0, 1.02].map(|cost| in_company(sample(1, cost, cost))));
    assert_eq!(advice(&scenario(", \"{seed}\"", CPU, ""), &samples), [""; 0]);
}

#[test]
fn a_slow_down_in_wall_time_suggests_cpu_time_or_one_worker() {
    let mut samples = quiet();
    samples.extend([1.6, 1.6, 1.6].map(|wall| in_company(sample(1, 1.0, wall))));
    let wall = scenario(", \"{seed}\"", WALL, "");
    assert_eq!(advice(&wall, &samples), ["objective.minimise = \"cpu_time\"", "parallel.workers = 1"]);
    let slow = findings(&wall, &samples).slow_down.unwrap();
    assert!((slow.wall - 1.6).abs() < 1e-9 && (slow.cpu.unwrap() - 1.0).abs() < 1e-9, "{slow:?}");
    assert_eq!(advice(&scenario(", \"{seed}\"", CPU, ""), &samples), [""; 0], "CPU time is not disturbed");
    let mut samples = quiet();
    samples.extend([1.5, 1.5].map(|both| in_company(sample(1, both, both))));
    assert_eq!(advice(&scenario(", \"{seed}\"", CPU, ""), &samples), ["parallel.workers = 1"]);
}

#[test]
fn trials_alone_and_in_company_are_kept_separate() {
    // Alone, trials use the CPU all the time. In company, they wait half of the time.
    let mut samples = vec![sample(1, 1.0, 1.0), sample(1, 1.0, 1.0)];
    samples.extend([4.0, 4.0, 4.0].map(|wall| in_company(sample(1, 2.0, wall))));
    let found = findings(&scenario(", \"{seed}\"", CPU, ""), &samples);
    assert_eq!((found.alone, found.in_company), (2, 3));
    assert_eq!(found.cpu_share, Some(1.0), "over the trials that ran alone");
    let instance = &found.instances[0];
    let walls = [&instance.alone, &instance.in_company].map(|times| times.as_ref().unwrap().wall.median);
    assert_eq!(walls, [1.0, 4.0]);
    // Two instances on two slots take as long as one trial in company.
    let pass = found.pass.unwrap();
    assert_eq!((pass.wall, pass.cpu, pass.affordable), (4.0, Some(4.0), Some(900.0)));
}

#[test]
fn a_seed_without_effect_is_detected() {
    let same: Vec<Sample> = [1, 1, 1, 2, 3].map(|seed| sample(seed, 1.0, 1.0)).to_vec();
    assert_eq!(advice(&scenario(", \"{seed}\"", CPU, ""), &same), ["racing.deterministic = true"]);
    assert_eq!(advice(&scenario("", CPU, ""), &same), ["racing.deterministic = true"]);
    let declared = scenario("", CPU, "[racing]\ndeterministic = true");
    assert_eq!(advice(&declared, &same), [""; 0]);
    assert_eq!(advice(&declared, &quiet()), ["racing.deterministic = false"]);
    // If the costs are the same but the outputs differ, the seed has an effect.
    let mut others = same;
    others[3].answer = Some(8);
    assert_eq!(advice(&scenario(", \"{seed}\"", CPU, ""), &others), [""; 0]);
}

#[test]
fn results_that_differ_with_the_same_seed_are_reported() {
    let with = |seed: u32, steps: f64| {
        let mut sample = sample(seed, steps, 1.0);
        sample.record.detail.outputs.insert("steps".to_owned(), steps);
        sample
    };
    let random = [with(1, 10.0), with(1, 10.5), with(2, 10.2)];
    let found = findings(&scenario(", \"{seed}\"", STEPS, OUTPUT), &random);
    assert_eq!(found.advice[0].key, "target.command");
    assert!(found.advice[0].because.contains("the seed does not determine them"), "{:?}", found.advice);
    let found = findings(&scenario("", STEPS, OUTPUT), &random);
    assert!(found.advice[0].because.contains("`{seed}` is not passed to the target"), "{:?}", found.advice);
    let steady = [with(1, 10.0), with(1, 10.0), with(2, 10.2)];
    assert_eq!(advice(&scenario(", \"{seed}\"", STEPS, OUTPUT), &steady), [""; 0]);
}

#[test]
fn missing_outputs_are_named() {
    let mut samples = quiet();
    samples[0].record.detail.outputs.insert("steps".to_owned(), 4.0);
    let found = findings(&scenario(", \"{seed}\"", CPU, OUTPUT), &samples);
    let output = &found.outputs[0];
    assert_eq!((output.found, output.of, output.least, output.most), (1, 5, Some(4.0), Some(4.0)));
    assert_eq!(found.advice[0].key, "outputs.steps");
}

#[test]
fn limits_and_budgets_are_compared_with_what_was_used() {
    let of = scenario(", \"{seed}\"", CPU, "[limits]\nmemory = \"100MiB\"");
    let mut samples = quiet();
    samples[0].record.detail.memory = Some(90 << 20);
    assert_eq!(advice(&of, &samples), ["limits.memory"]);
    let of = scenario(", \"{seed}\"", CPU, "");
    samples[0].record.detail.memory = Some(600 << 20);
    assert_eq!(
        advice(&of, &samples),
        ["parallel.workers = 1"],
        "two trials of 600 MiB do not fit into 1 GiB"
    );
    let mut slow = quiet();
    for sample in &mut slow {
        sample.record.trial.observation = Observation::timeout(100.0);
        sample.record.detail.wall = Some(400.0);
        sample.record.detail.cpu = Some(1.0);
    }
    // One pass over two instances with two workers takes 400 s of the 3600 s.
    let found = findings(&of, &slow);
    assert_eq!(found.pass.unwrap().affordable, Some(9.0));
    assert_eq!(advice(&of, &slow), ["objective.minimise = \"wall_time\"", "objective.cutoff", "budget.wall"]);
    assert_eq!(found.count(Status::Timeout), 5);
}

#[test]
fn short_or_varying_trials_are_reported() {
    let of = scenario(", \"{seed}\"", CPU, "");
    let short = [sample(1, 0.004, 0.004), sample(1, 0.004, 0.004), sample(2, 0.2, 0.2)];
    assert_eq!(advice(&of, &short), ["instances"]);
    let varying = [sample(1, 1.0, 1.0), sample(1, 1.5, 1.5), sample(1, 0.7, 0.7), sample(2, 20.0, 20.0)];
    assert_eq!(advice(&of, &varying), ["racing.repeats"]);
    // If only the wall time varies, CPU time is the better objective.
    let clock = [1.0, 1.5, 0.7].map(|wall| {
        let mut sample = sample(1, wall, wall);
        sample.record.detail.cpu = Some(0.9);
        sample
    });
    assert_eq!(advice(&scenario(", \"{seed}\"", WALL, ""), &clock), ["objective.minimise = \"cpu_time\""]);
}
