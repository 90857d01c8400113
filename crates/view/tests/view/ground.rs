//! Pages and verdict use the same readings of the same pairs, whatever else was validated.

use engine::{ConfigId, Observation, Reading};
use store::{Batch, StoredValidation};

use crate::pages::pages;
use crate::stage::{SCENARIO, Stage, best, cost, trials};

fn told(cost: f64) -> Observation {
    Observation::finished(cost).with_constraints(vec![Some(Reading::Exact(2.0))])
}

/// Returns the validations again, with the costs times a factor and another configuration in place of 1.
fn again(rows: &[StoredValidation], config: u32, factor: f64) -> Vec<StoredValidation> {
    let mut rows = rows.to_vec();
    for row in &mut rows {
        let trial = &mut row.record.trial;
        let cost = trial.observation.cost().unwrap().lower_bound();
        trial.observation = told(factor * cost);
        if trial.key.config == ConfigId(1) {
            trial.key.config = ConfigId(config);
        }
    }
    rows
}

/// A campaign whose best configuration is 1, with these validations, each in its own session.
fn campaign(validations: &[&[StoredValidation]]) -> Stage {
    let stage = Stage::new(SCENARIO);
    let searched = [(0, cost(4.0, 1.0)), (0, cost(2.0, 1.0)), (1, cost(1.0, 2.0)), (1, cost(2.0, 2.0))];
    let batch = Batch {
        configurations: stage.configurations(&[5, 3, 9]),
        trials: trials(&searched),
        incumbents: vec![best(1, 4, 1.5)],
        ..Batch::default()
    };
    stage.session(batch, "budget spent: trials");
    for rows in validations {
        let batch = Batch { validations: rows.to_vec(), ..Batch::default() };
        stage.session(batch, "budget spent: trials");
    }
    stage
}

#[test]
fn unseen_pairs_are_those_of_the_verdict() {
    let planned = Stage::new(SCENARIO).validations(SCENARIO);
    // The best configuration is much worse on pairs that the verdict does not use.
    let mut elsewhere = again(&planned, 1, 1.0);
    for row in &mut elsewhere {
        row.instance = format!("new/{}", row.instance);
        let is_best = row.record.trial.key.config == ConfigId(1);
        row.record.trial.observation = told(if is_best { 100.0 } else { 1.0 });
    }
    let fresh = again(&planned, 1, 1.25);
    let other = again(&planned, 2, 1.5);
    let pages = pages(&campaign(&[&planned, &other, &elsewhere, &fresh]));
    let figures = pages.overview.picture.figures.known().unwrap();
    let verdict = figures.verdict.as_ref().unwrap();
    assert_eq!((verdict.default, verdict.best), (2.5, 1.25), "the last measurements count");
    let means: Vec<(u32, f64, f64, usize)> = pages
        .trajectory
        .unseen
        .iter()
        .map(|one| (one.configuration, one.cost, one.default, one.pairs))
        .collect();
    let pairs = planned.len() / 2;
    // The default is not compared with itself, and another configuration only with the default beside it.
    assert_eq!(means, [(1, 1.25, 2.5, pairs), (2, 1.5, 3.0, pairs)]);
    assert_eq!(verdict.pairs, pairs);
    assert_eq!(pages.trajectory.left_out, elsewhere.len() + planned.len());
    let unseen: Vec<_> = pages.duel.pairs.iter().filter(|pair| pair.unseen).collect();
    assert_eq!(unseen.len(), verdict.pairs);
    for pair in unseen {
        assert_eq!((pair.default.cost, pair.best.cost), (Some(2.5), Some(1.25)), "{}", pair.instance);
    }
}

#[test]
fn validations_elsewhere_alone_are_not_shown_as_the_ground_of_a_verdict() {
    let mut elsewhere = Stage::new(SCENARIO).validations(SCENARIO);
    elsewhere.iter_mut().for_each(|row| row.instance = format!("new/{}", row.instance));
    let pages = pages(&campaign(&[&elsewhere]));
    assert_eq!(pages.overview.picture.figures.known().unwrap().verdict, None);
    assert_eq!((pages.trajectory.unseen.len(), pages.trajectory.left_out), (0, elsewhere.len()));
    assert!(pages.duel.pairs.iter().all(|pair| !pair.unseen));
}
