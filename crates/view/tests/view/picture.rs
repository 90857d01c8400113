//! Tests the current state of a campaign.

use std::os::unix::fs::PermissionsExt as _;

use engine::stats::Basis;
use engine::{Observation, Status};
use serde_json::json;
use store::Batch;
use view::{Figured, Kept, Picture, State};

use crate::stage::{SCENARIO, Stage, best, cost, trials};

fn picture(stage: &Stage) -> Picture {
    Picture::of(&Kept::open(&stage.folder).unwrap()).unwrap()
}

#[test]
fn a_campaign_that_has_not_started_shows_the_default() {
    let stage = Stage::new(SCENARIO);
    let picture = picture(&stage);
    assert_eq!((picture.state.clone(), picture.session_count), (State::New, 0));
    assert_eq!(json!(picture.best), json!({ "configuration": 0, "values": { "mode": "slow", "x": 5 } }));
    assert_eq!((picture.tally.trials.all(), picture.tally.configurations), (0, 0));
    let figures = picture.figures.known().unwrap();
    assert_eq!((&figures.best, &figures.training, &figures.verdict), (&None, &None, &None));
    assert_eq!(figures.budget.trials, Some(40));
}

#[test]
fn results_are_computed_from_the_trials() {
    let stage = Stage::new(SCENARIO);
    let told = [(0, cost(4.0, 1.0)), (0, cost(2.0, 1.0)), (1, cost(1.0, 2.0)), (1, cost(2.0, 2.0))];
    let batch = Batch {
        // The last configuration was proposed but never tried.
        configurations: stage.configurations(&[5, 3, 9]),
        trials: trials(&told),
        incumbents: vec![best(1, 4, 1.5)],
        validations: stage.validations(SCENARIO),
        ..Batch::default()
    };
    stage.session(batch, "budget spent: trials");
    let picture = picture(&stage);
    assert_eq!(picture.state, State::Stopped { reason: "budget spent: trials".to_owned() });
    assert_eq!((picture.tally.trials.count(&[Status::Finished]), picture.tally.configurations), (4, 2));
    assert_eq!((picture.spent.trials, picture.sessions.len()), (4, 1));
    assert_eq!(json!(picture.incumbents[0].changes), json!([{ "name": "x", "default": 5, "value": 3 }]));
    let figures = picture.figures.known().unwrap();
    let (own, default) = (figures.best.as_ref().unwrap(), figures.default.as_ref().unwrap());
    assert_eq!((own.cost, default.cost, own.feasible), (1.5, 3.0, true));
    assert_eq!((own.constraints[0].value, own.constraints[0].pairs), (Some(2.0), 2));
    let training = figures.training.unwrap();
    assert_eq!((training.pairs, training.ratio, training.any_ratio), (2, None, Some(2.0)));
    let verdict = figures.verdict.as_ref().unwrap();
    assert_eq!((verdict.basis, verdict.pairs, verdict.ratio), (Basis::UnseenInstances, 24, 2.0));
    assert_eq!((verdict.finding.word(), verdict.worth_using), ("faster", true));
    assert_eq!(verdict.hosts, picture.hosts);
    assert_eq!(picture.hosts, [picture.sessions[0].host.clone()]);
}

#[test]
fn a_best_that_only_failed_is_not_shown() {
    let stage = Stage::new(SCENARIO);
    let crashed = || Observation::failed(Status::Crashed, 1.0);
    let batch = Batch {
        configurations: stage.configurations(&[5, 3]),
        trials: trials(&[(0, crashed()), (1, crashed())]),
        incumbents: vec![best(1, 2, 50.0)],
        ..Batch::default()
    };
    stage.session(batch, "interrupted");
    let picture = picture(&stage);
    assert_eq!((picture.best.clone(), picture.incumbent), (None, 1));
    assert_eq!(picture.tally.trials.failed(), 2);
}

#[test]
fn maximised_costs_have_the_users_sign_even_if_the_scenario_cannot_be_read() {
    let text = SCENARIO
        .replace("minimise = \"cpu_time\"\ncutoff = \"5s\"", "maximise = \"rate\"")
        .replace("[outputs]\n", "[outputs]\nrate = { pattern = 'rate (\\d+)' }\n")
        .replace("\"true\"", "\"./target\"")
        + "[limits]\nwall = \"9s\"\n";
    let base = Stage::new(SCENARIO);
    let program = base.stage.file("target", "#!/bin/sh\n");
    let text = text.replace("./target", program.to_str().unwrap());
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let stage = Stage::new(&text);
    let batch = Batch {
        configurations: stage.configurations(&[5, 3]),
        trials: trials(&[(0, cost(-3.0, 1.0)), (1, cost(-7.0, 1.0))]),
        incumbents: vec![best(1, 2, -7.0)],
        ..Batch::default()
    };
    stage.session(batch, "interrupted");
    let before = picture(&stage);
    assert_eq!(before.figures.known().unwrap().best.as_ref().unwrap().cost, 7.0);
    std::fs::remove_file(&program).unwrap();
    let after = picture(&stage);
    assert!(matches!(&after.figures, Figured::Unknown { problem } if problem.contains("not found")));
    assert_eq!((before.incumbents[0].cost, &after.incumbents), (7.0, &before.incumbents));
}
