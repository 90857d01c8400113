//! Tests campaigns in which a model proposes configurations.

use std::sync::Arc;
use std::time::Duration;

use campaign::budget::Budget;
use campaign::conduct::{self, Order};
use campaign::event::What;
use campaign::{ByModel, Campaign, Desk, Ledger, Search, Settings};
use engine::history::History;
use engine::propose::Learner;
use engine::{Ask, ConfigId, TrialRequest};
use execution::executor::{Inbox, Local, Simulated, slots};
use execution::{FunctionTarget, Leash, Outcome};
use scenario::testkit::Stage;
use surrogate::InstanceTable;
use surrogate::forest::Treatment;

use crate::simulated::{bowl, settings};

/// Returns a small model-based search that uses a random forest.
fn forest(treatment: Treatment) -> Search {
    let mut search = ByModel::default();
    (search.model.candidates, search.model.starts, search.model.steps) = (60, 3, 3);
    search.model.forest.treatment = treatment;
    Search::Model(Box::new(search))
}

/// Returns a small model-based search with small networks that are trained briefly.
fn small(learner: Learner) -> Search {
    let mut search = ByModel::default();
    search.model.learner = learner;
    (search.model.candidates, search.model.starts, search.model.steps) = (60, 3, 3);
    (search.model.thompson_candidates, search.model.training_steps) = (60, 300);
    search.model.neural.layers = vec![12, 12];
    Search::Model(Box::new(search))
}

fn plan(search: Search, trials: u64) -> Settings {
    let mut settings = settings(4, 20.0, Budget { trials: Some(trials), ..Budget::default() });
    settings.search = search;
    settings
}

fn searched(settings: &Settings) -> (History, Vec<&'static str>) {
    let executor = Simulated::new(Box::new(bowl), Some(20.0), 1, 0.0);
    searched_over(settings, Desk::new(executor, Inbox::new()))
}

fn searched_over(settings: &Settings, desk: Desk<'_>) -> (History, Vec<&'static str>) {
    let mut campaign = Campaign::new(settings, desk, Ledger::in_memory(), None).unwrap();
    campaign.search(&mut |_| {}).unwrap();
    let history = campaign.optimizer().history().clone();
    let all = 0..history.configurations().len() as u32;
    let origins = all.map(|number| campaign.optimizer().origin(ConfigId(number))).collect();
    (history, origins)
}

/// With the same history, different treatments lead to different proposals, and the same treatment always
/// leads to the same proposals.
#[test]
fn treatments_propose_differently_from_the_same_history() {
    let (history, _) = searched(&plan(Search::Random, 80));
    let censored = history.trials().iter().filter(|trial| trial.observation.cost().unwrap().is_censored());
    assert!(censored.count() > 20, "enough censored trials");
    let next = |treatment| {
        let settings = plan(forest(treatment), 120);
        let mut optimizer = settings.optimizer(history.clone(), None).unwrap();
        let mut proposed = Vec::new();
        while proposed.len() < 12 {
            // The proposals need not be run, because the model assumes that each of them costs what it
            // predicted.
            let Ask::Run(request) = optimizer.ask(64) else { continue };
            if request.key.config.index() >= history.configurations().len()
                && !proposed.contains(&request.configuration)
            {
                proposed.push(request.configuration);
            }
        }
        proposed
    };
    let all = [Treatment::Sample, Treatment::Mean, Treatment::Drop, Treatment::Ignore].map(next);
    assert_eq!(all[0], next(Treatment::Sample));
    for (i, one) in all.iter().enumerate() {
        assert!(all[..i].iter().all(|other| other != one), "{i}");
    }
}

#[test]
fn most_proposals_come_from_the_model() {
    let (_, origins) = searched(&plan(forest(Treatment::Sample), 150));
    let count = |word| origins.iter().filter(|&&origin| origin == word).count();
    assert_eq!(count("default") + count("design") + count("random") + count("forest"), origins.len());
    assert!(count("forest") > 2 * count("random") && count("random") > 0, "{origins:?}");
}

/// Networks propose configurations if the scenario asks for them. With `auto`, the learners are compared and
/// each choice is reported.
#[test]
fn networks_propose_and_choices_are_reported() {
    for learner in [Learner::Neural, Learner::Auto] {
        let settings = plan(small(learner), 90);
        let executor = Box::new(Simulated::new(Box::new(bowl), Some(20.0), 1, 0.0));
        let mut campaign =
            Campaign::new(&settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None).unwrap();
        let mut said = Vec::new();
        campaign
            .search(&mut |event| {
                if let What::Chosen(choice) = event.what {
                    said.push(choice);
                }
            })
            .unwrap();
        let all = 0..campaign.optimizer().history().configurations().len() as u32;
        let origins: Vec<_> = all.map(|number| campaign.optimizer().origin(ConfigId(number))).collect();
        let count = |word| origins.iter().filter(|&&origin| origin == word).count();
        if learner == Learner::Neural {
            assert!(
                said.is_empty() && count("forest") == 0 && count("neural") > count("random"),
                "{origins:?}"
            );
            continue;
        }
        assert_eq!(said[0].trials, 20);
        for (i, choice) in said.iter().enumerate() {
            let scores = [
                (Learner::Forest, choice.forest),
                (Learner::Neural, choice.neural),
                (Learner::Gaussian, choice.gaussian.unwrap()),
            ];
            // The target is noisy, so a forest proposes first, and only a better learner replaces it.
            let (_, score) = scores.into_iter().find(|(learner, _)| *learner == choice.learner).unwrap();
            assert!(choice.learner == Learner::Forest || score > choice.forest, "{choice:?}");
            assert!(i == 0 || said[i - 1].learner != choice.learner, "reported once: {said:?}");
        }
        for learner in [Learner::Neural, Learner::Gaussian] {
            let chosen = said.iter().any(|choice| choice.learner == learner);
            assert_eq!(count(learner.word()) > 0, chosen, "{said:?} {origins:?}");
        }
    }
}

/// If the optimizer is given no time, it does not use the model. Repeatable campaigns are an exception,
/// because they ignore the clock.
#[test]
fn in_a_hurry_the_model_is_used_only_if_the_campaign_is_repeatable() {
    for repeatable in [false, true] {
        let mut search = ByModel { overhead: 1e-9, ..ByModel::default() };
        (search.model.candidates, search.model.starts, search.model.steps) = (60, 3, 3);
        let mut settings = plan(Search::Model(Box::new(search)), 100);
        settings.repeatable = repeatable;
        let target = FunctionTarget::new(Some(20.0), |request: &TrialRequest, leash: &Leash| {
            let (cost, cap) = (bowl(request).cost, leash.cap().cost());
            if cost > cap { Outcome::Stopped(cap) } else { Outcome::Finished(cost) }
        });
        let inbox = Inbox::new();
        let executor = Local::new(Arc::new(target), slots(1, 1).unwrap(), 0.0, &inbox.bell()).unwrap();
        let (_, origins) = searched_over(&settings, Desk::new(executor, inbox));
        let count = |word| origins.iter().filter(|&&origin| origin == word).count();
        let (model, local) = (count("forest"), count("local"));
        assert!(if repeatable { model > 5 && local == 0 } else { model == 0 && local > 5 }, "{origins:?}");
    }
}

/// If there is time for the forest but not for comparing learners, `auto` uses the forest. Here a comparison
/// is estimated to take a second, which is more than a fifth of the campaign.
#[test]
fn auto_uses_the_forest_while_a_comparison_of_learners_takes_too_long() {
    let mut search = ByModel { overhead: 0.2, ..ByModel::default() };
    search.model.learner = Learner::Auto;
    (search.model.candidates, search.model.starts, search.model.steps) = (60, 3, 3);
    let settings = plan(Search::Model(Box::new(search)), 100);
    let target = FunctionTarget::new(Some(20.0), |request: &TrialRequest, leash: &Leash| {
        std::thread::sleep(Duration::from_millis(3));
        let (cost, cap) = (bowl(request).cost, leash.cap().cost());
        if cost > cap { Outcome::Stopped(cap) } else { Outcome::Finished(cost) }
    });
    let inbox = Inbox::new();
    let executor = Local::new(Arc::new(target), slots(1, 1).unwrap(), 0.0, &inbox.bell()).unwrap();
    let mut campaign =
        Campaign::new(&settings, Desk::new(executor, inbox), Ledger::in_memory(), None).unwrap();
    campaign.search(&mut |_| {}).unwrap();
    let optimizer = campaign.optimizer();
    let all = 0..optimizer.history().configurations().len() as u32;
    let by_forest = all.filter(|&number| optimizer.origin(ConfigId(number)) == "forest").count();
    assert!(by_forest > 0 && optimizer.choice().is_none(), "{by_forest} {:?}", optimizer.choice());
}

/// Features are matched by the names of instances, not by their order in the file. A resumed campaign keeps
/// the order of its store.
#[test]
fn features_reach_the_forest() {
    let stage = Stage::new();
    let text = |list: &str| {
        format!(
            "[target]\ncommand = [\"true\", \"{{params}}\", \"{{seed}}\", \"{{instance}}\"]\n\
             [objective]\nminimise = \"cpu_time\"\ncutoff = \"5s\"\n[budget]\ntrials = 3\n\
             [instances]\nlist = [{list}]\nfeatures = \"features.csv\"\n[parallel]\nworkers = 1\n\
             [space]\nalpha = {{ float = [0, 1] }}\n"
        )
    };
    stage.file("features.csv", "name,size,depth\nc,30,1\na,10,1\nb,20,3\n");
    let table = |settings: &Settings| {
        let Search::Model(search) = &settings.search else { panic!("no forest") };
        search.features.clone()
    };
    let scenario = stage.read(&text("'a', 'b', 'c'"));
    let expected = InstanceTable::of_features(&[10.0, 1.0, 20.0, 3.0, 30.0, 1.0], 2);
    assert_eq!(table(&conduct::settings(&scenario, &Order::default())), Some(expected));

    let path = stage.file("features.toml", &text("'c', 'b'"));
    let order = Order { path: path.clone(), ..Order::default() };
    drop(conduct::open(&order).unwrap());
    stage.file("features.toml", &text("'a', 'b', 'c'"));
    let opened = conduct::open(&order).unwrap();
    let names: Vec<&str> = opened.instances.iter().map(|instance| instance.name.as_str()).collect();
    let by_name = |name: &&str| match *name {
        "a" => [10.0, 1.0],
        "b" => [20.0, 3.0],
        _ => [30.0, 1.0],
    };
    assert_ne!(names, ["a", "b", "c"]);
    let rows: Vec<f64> = names.iter().flat_map(by_name).collect();
    assert_eq!(table(&opened.settings), Some(InstanceTable::of_features(&rows, 2)));
}
