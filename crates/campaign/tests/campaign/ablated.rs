//! Tests that an ablation that is interrupted and resumed gives the same result as an uninterrupted one.

use std::collections::BTreeMap;

use campaign::ablation::{Ablated, Limits, StoredPlan, ablate, readings};
use campaign::budget::{Budget, Limit};
use campaign::event::What;
use campaign::{Desk, Ledger, Settings};
use engine::ablation::End;
use engine::{ConfigId, InstanceId, TrialRequest, Why};
use execution::executor::{Answer, Happening, Inbox, Simulated};
use scenario::testkit::Stage;
use space::Literal;
use store::{Batch, Charter, NewCampaign, Store, StoredConfiguration};

use crate::simulated::{bowl, settings};

fn names() -> Vec<String> {
    (0..5).map(|number| number.to_string()).collect()
}

/// Creates a campaign with the default and a configuration near the bottom of the bowl.
fn campaign(stage: &Stage, settings: &Settings) {
    let space = &settings.problem.space;
    let charter = Charter {
        name: "bowl".to_owned(),
        scenario: String::new(),
        folder: stage.folder.clone(),
        space: space.clone(),
        instances: names(),
        seed: 1,
    };
    let store = Store::create_with(&stage.folder.join("bowl.campaign"), &NewCampaign::of(charter)).unwrap();
    let values = [("x", Literal::Float(0.3)), ("y", Literal::Float(0.55)), ("z", Literal::from("b"))];
    let both = [space.default_configuration(), space.configuration(values).unwrap()];
    let stored = (0..).zip(both).map(|(id, configuration)| StoredConfiguration {
        id: ConfigId(id),
        origin: "design".to_owned(),
        configuration,
    });
    let mut writer = store.write(|_| {}).unwrap();
    writer.submit(Batch { configurations: stored.collect(), ..Batch::default() }).unwrap();
    writer.finish("done").unwrap();
}

/// Continues the ablation until `most` trials have ended.
fn session(stage: &Stage, settings: &Settings, workers: usize, most: u64, budget: Budget) -> Ablated {
    let store = Store::open(&stage.folder.join("bowl.campaign")).unwrap();
    let mut history = store.load().unwrap().history;
    let names = names();
    let known = readings(store.reader().ablations().unwrap(), &history, &names, &settings.validation, None);
    let earlier = StoredPlan::of_events(&store.reader().events().unwrap(), ConfigId(1));
    let inbox = Inbox::new();
    let bell = inbox.bell();
    let oracle = |request: &TrialRequest| -> Answer {
        assert_eq!(request.why, Why::Ablation);
        bowl(request)
    };
    let executor = Simulated::new(Box::new(oracle), Some(50.0), workers, 0.0);
    let mut ledger = Ledger::on_disk(store, bell.clone(), history.configurations().len(), 0).unwrap();
    let plan = earlier.unwrap_or_else(|| {
        let plan = StoredPlan::new(settings, &history, ConfigId(1), &names);
        ledger.note(Batch { events: vec![plan.event(0.0).unwrap()], ..Batch::default() }).unwrap();
        plan
    });
    let plan = plan.plan(settings, &history, &names);
    let name = |id: InstanceId| names[id.index()].clone();
    let limits = Limits { budget, names: &name };
    let sink = &mut |event: &campaign::event::Event| {
        if matches!(event.what, What::Ablating { trials, .. } if trials == most) {
            bell.ring(Happening::Interrupted);
        }
    };
    let mut desk = Desk::new(executor, inbox);
    let ablated = ablate(&plan, known, &mut history, &limits, &mut desk, &mut ledger, sink).unwrap();
    drop(desk);
    ledger.finish("ablation").unwrap();
    ablated
}

#[test]
fn an_interrupted_ablation_loses_nothing_and_gives_the_same_result() {
    let settings = settings(5, 50.0, Budget::default());
    let whole = Stage::new();
    campaign(&whole, &settings);
    let expected = session(&whole, &settings, 1, u64::MAX, Budget::default());
    assert!(matches!(expected.standing.end, Some(End::Enough | End::Whole)), "{expected:?}");
    assert!(!expected.standing.steps.is_empty() && !expected.interrupted);
    for (workers, step) in [(1, 31), (3, 23), (8, 60)] {
        let stage = Stage::new();
        campaign(&stage, &settings);
        let (mut parts, mut trials) = (0, 0);
        let last = loop {
            let ablated = session(&stage, &settings, workers, step, Budget::default());
            parts += 1;
            trials += ablated.spent.trials;
            if ablated.standing.end.is_some() {
                break ablated;
            }
            assert!(ablated.interrupted && parts < 1000, "{ablated:?}");
        };
        assert!(parts > 1, "it was not interrupted");
        assert_eq!(last.standing, expected.standing, "{workers} workers in steps of {step}");
        let rows = Store::read(&stage.folder.join("bowl.campaign")).unwrap().ablations().unwrap();
        assert_eq!(rows.len() as u64, trials, "every trial is stored");
        // An exact cost is never measured again.
        let mut exact: BTreeMap<(ConfigId, String, u32), u32> = BTreeMap::new();
        for row in rows
            .iter()
            .filter(|row| row.record.trial.observation.cost().is_some_and(|cost| !cost.is_censored()))
        {
            let (config, instance, seed) = row.key();
            *exact.entry((config, instance.to_owned(), seed.0)).or_default() += 1;
        }
        assert!(exact.values().all(|&count| count == 1));
        // Another session has nothing to do.
        assert_eq!(session(&stage, &settings, workers, u64::MAX, Budget::default()).spent.trials, 0);
    }
}

#[test]
fn the_budget_of_a_session_is_respected() {
    let settings = settings(5, 50.0, Budget::default());
    let stage = Stage::new();
    campaign(&stage, &settings);
    let some = session(&stage, &settings, 3, u64::MAX, Budget { trials: Some(10), ..Budget::default() });
    assert_eq!((some.spent.trials, some.limit), (10, Some(Limit::Trials)));
    let wall = session(&stage, &settings, 1, u64::MAX, Budget { wall: Some(30.0), ..Budget::default() });
    assert_eq!(wall.limit, Some(Limit::Wall));
    assert!(wall.spent.wall < 31.0 && wall.spent.trials > 0, "{wall:?}");
    let rows = Store::read(&stage.folder.join("bowl.campaign")).unwrap().ablations().unwrap();
    assert_eq!(rows.len() as u64, 10 + wall.spent.trials);
}

/// The search must not see trials of an ablation, even if it continues later.
#[test]
fn the_history_of_the_search_stays_the_same() {
    let settings = settings(5, 50.0, Budget::default());
    let stage = Stage::new();
    campaign(&stage, &settings);
    session(&stage, &settings, 2, u64::MAX, Budget::default());
    let loaded = Store::open(&stage.folder.join("bowl.campaign")).unwrap().load().unwrap();
    assert_eq!((loaded.history.trials().len(), loaded.history.tried()), (0, 0));
    assert!(loaded.history.configurations().len() > 2, "its configurations are known");
}
