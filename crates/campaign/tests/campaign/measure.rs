//! Tests measuring a real program before a campaign.

use std::sync::Arc;

use campaign::conduct::{Order, settings};
use campaign::measure::{Findings, Sample, Terms, choose, run};
use engine::Status;
use execution::executor::Happening;
use execution::{ProcessTarget, Slot};
use scenario::Scenario;
use scenario::testkit::Stage;

use crate::session::GUARDIAN;

fn scenario(stage: &Stage, script: &str, cutoff: &str) -> Arc<Scenario> {
    stage.file("target.sh", script);
    let text = format!(
        "[target]\ncommand = [\"sh\", \"{{folder}}/target.sh\", \"{{instance}}\", \"{{seed}}\", \"{{param:x}}\"]\n\
         [objective]\nminimise = \"wall_time\"\ncutoff = \"{cutoff}\"\n[budget]\ntrials = 100\n\
         [outputs]\nsteps = {{ pattern = 'steps ([0-9]+)' }}\ngap = {{ pattern = 'gap ([0-9]+)' }}\n\
         [instances]\nlist = [\"a\", \"b\", \"c\", \"d\", \"e\"]\n\
         [space]\nx = {{ integer = [1, 9], default = 3 }}\n"
    );
    Arc::new(stage.read(&text))
}

fn measured(scenario: &Arc<Scenario>, workers: usize, time: f64, ring: bool) -> Option<Vec<Sample>> {
    let chosen = choose(scenario);
    let count = chosen.len();
    let target = ProcessTarget::new(Arc::clone(scenario)).guardian(GUARDIAN).on(chosen);
    let slots = (0..workers).map(|number| Slot { number, ..Slot::default() }).collect();
    let ready = |bell: execution::executor::Bell| {
        if ring {
            bell.ring(Happening::Interrupted);
        }
    };
    let settings = settings(scenario, &Order::default());
    run(target, &settings, Terms { slots, time }, count, ready).unwrap()
}

#[test]
fn the_first_middle_and_last_instances_are_run_alone_and_in_company() {
    let stage = Stage::new();
    let scenario = scenario(&stage, "echo steps $2$3", "1m");
    let chosen: Vec<String> = choose(&scenario).into_iter().map(|instance| instance.name).collect();
    assert_eq!(chosen, ["a", "c", "e"]);
    let samples = measured(&scenario, 2, 600.0, false).unwrap();
    let alone: Vec<(usize, u32)> = samples
        .iter()
        .filter(|one| !one.in_company)
        .map(|one| (one.pair().instance.index(), one.pair().seed.0))
        .collect();
    let expected: Vec<(usize, u32)> =
        [1, 1, 1, 2, 3].into_iter().flat_map(|seed| (0..3).map(move |instance| (instance, seed))).collect();
    assert_eq!(alone, expected);
    assert_eq!(samples.len() - alone.len(), 9);

    let settings = settings(&scenario, &Order::default());
    let findings = Findings::of(&scenario, &settings, &samples, &chosen, 2, None);
    assert_eq!(findings.count(Status::Finished), 24);
    let steps = &findings.outputs[0];
    assert_eq!((steps.found, steps.of, steps.least, steps.most), (24, 24, Some(13.0), Some(33.0)));
    assert_eq!((findings.outputs[1].found, findings.outputs[1].least), (0, None));
    assert_eq!(findings.advice[0].key, "outputs.gap");
    let (same, other) = (findings.seeds.same.unwrap(), findings.seeds.other.unwrap());
    assert!(same.are_same() && same.trials == 6, "{same:?}");
    assert!(other.differing.contains("steps") && other.trials == 6, "{other:?}");
    assert!(findings.slow_down.is_some() && findings.instances.iter().all(|one| one.alone.is_some()));
    assert_eq!(findings.pass.unwrap().affordable, Some(20.0), "100 trials on five instances");
}

#[test]
fn one_worker_has_no_company() {
    let stage = Stage::new();
    let samples = measured(&scenario(&stage, "echo steps 1", "1m"), 1, 600.0, false).unwrap();
    assert_eq!((samples.len(), samples.iter().filter(|one| one.in_company).count()), (15, 0));
}

#[test]
fn trials_that_do_not_fit_into_the_time_are_left_out() {
    let stage = Stage::new();
    let scenario = scenario(&stage, "[ $1 = a ] && exit 0; exec sleep 600", "20m");
    let samples = measured(&scenario, 2, 2.0, false).unwrap();
    assert!(samples.iter().all(|one| one.pair().instance.index() == 0), "{samples:?}");
}

#[test]
fn it_stops_when_asked_to() {
    let stage = Stage::new();
    assert!(measured(&scenario(&stage, "exec sleep 600", "20m"), 2, 600.0, true).is_none());
}
