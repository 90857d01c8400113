//! Tests properties that hold in every campaign, with random worlds, budgets, settings and numbers of
//! workers.

use std::collections::{BTreeMap, BTreeSet};

use campaign::budget::Budget;
use campaign::event::{Stop, What};
use campaign::{Campaign, Desk, Ledger, Search, Settings};
use engine::history::{History, Trial};
use engine::problem::constraint::{Constraint, Over};
use engine::{ConfigId, Configuration, Objective, Pair, Problem, Racing, Reading, Status, TrialRequest};
use execution::executor::{Answer, Executor, Inbox, Simulated};
use proptest::prelude::*;
use scenario::testkit::Stage;
use store::{Charter, Store};
use targets::World;
use targets::worlds::{BOUND, Ending, Kind, mixed_space};

use crate::watched::Watched;

/// A random campaign.
#[derive(Clone, Debug)]
struct Case {
    kind: Kind,
    seed: u64,
    instances: u32,
    workers: usize,
    cutoff: f64,
    racing: Racing,
    search: Search,
    budget: Budget,
    repeatable: bool,
}

/// Returns a strategy for log-uniform numbers between two bounds.
fn magnitude(from: f64, to: f64) -> impl Strategy<Value = f64> {
    (from.log10()..to.log10()).prop_map(|exponent| 10f64.powf(exponent))
}

fn case() -> impl Strategy<Value = Case> {
    let kinds = vec![Kind::Deterministic, Kind::Noisy, Kind::Crashing, Kind::Constrained];
    let slack = prop_oneof![Just(1.0), Just(1.3), 1.0..3.0f64, Just(f64::INFINITY)];
    let racing = (slack, 1..5usize, 3..60usize, any::<bool>()).prop_map(
        |(slack, min_pairs, max_pairs, deterministic)| Racing {
            slack,
            min_pairs,
            max_pairs: max_pairs.max(min_pairs),
            deterministic,
            ..Racing::default()
        },
    );
    let workers = prop_oneof![Just(1), Just(2), 1..65usize];
    let budget = prop_oneof![
        magnitude(5.0, 3000.0).prop_map(|wall| Budget { wall: Some(wall), ..Budget::default() }),
        magnitude(5.0, 3000.0).prop_map(|cpu| Budget { cpu: Some(cpu), ..Budget::default() }),
        Just(Budget::default()),
    ];
    // The number of trials is always limited, so that no campaign takes long.
    let budget = (budget, 1..400u64).prop_map(|(budget, trials)| Budget { trials: Some(trials), ..budget });
    (
        (prop::sample::select(kinds), 0..u64::MAX, 1..9u32),
        (workers, magnitude(1.5, 300.0), racing, any::<bool>(), budget),
    )
        .prop_map(|((kind, seed, instances), (workers, cutoff, racing, local, budget))| {
            let search = if local { Search::Local } else { Search::Random };
            Case { kind, seed, instances, workers, cutoff, racing, search, budget, repeatable: false }
        })
}

impl Case {
    fn settings(&self) -> Settings {
        let space = mixed_space();
        let default = space.default_configuration();
        let mut objective = Objective::capped(self.cutoff);
        if self.kind == Kind::Constrained {
            objective.constraints = vec![Constraint::new(BOUND, Over::Mean)];
        }
        Settings {
            problem: Problem { space, default, objective, instances: self.instances, seed: self.seed },
            racing: self.racing.clone(),
            search: self.search.clone(),
            initial: Vec::new(),
            validation: campaign::validation::Terms::default(),
            budget: self.budget,
            repeatable: self.repeatable,
            cpu_matters: false,
        }
    }

    fn world(&self) -> World {
        World::new(self.kind, &mixed_space(), self.instances, self.seed)
    }

    fn executor(&self) -> Watched {
        let world = self.world();
        let oracle = move |request: &TrialRequest| answer(&world, request);
        Watched::new(Simulated::new(Box::new(oracle), Some(self.cutoff), self.workers, 0.0))
    }

    /// Runs this campaign in memory and returns its history.
    fn history(&self) -> History {
        let settings = self.settings();
        let executor = Box::new(self.executor());
        let mut campaign =
            Campaign::new(&settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None).unwrap();
        campaign.search(&mut |_| {}).unwrap();
        campaign.optimizer().history().clone()
    }
}

fn answer(world: &World, request: &TrialRequest) -> Answer {
    truth(world, &request.configuration, request.key.pair)
}

/// Returns the result of a trial that is never stopped.
fn truth(world: &World, configuration: &Configuration, pair: Pair) -> Answer {
    let answer = world.answer(configuration, pair.instance.0, u64::from(pair.seed.0));
    let (status, cost) = match answer.ending {
        Ending::Finished => (Status::Finished, answer.cost),
        Ending::Crashed { after } => (Status::Crashed, after),
        Ending::MemoryOut { after } => (Status::Memory, after),
    };
    Answer { cost, status, constraints: answer.constraints, time: cost }
}

/// Returns whether a trial reveals everything about its pair, so that a later trial could add nothing.
fn is_fully_informative(trial: &Trial, cutoff: f64) -> bool {
    match trial.observation.status() {
        Status::Capped => trial.observation.cost().is_some_and(|cost| cost.lower_bound() >= cutoff),
        status => !status.is_uninformative(),
    }
}

/// Returns a limit with some tolerance for rounding in sums of times.
fn about(limit: f64) -> f64 {
    limit * (1.0 + 1e-9) + 1e-9
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn budgets_and_caps_are_respected_and_no_trial_is_forgotten(case in case()) {
        let settings = case.settings();
        let mut executor = case.executor();
        let mut campaign =
            Campaign::new(&settings, Desk::new(&mut executor, Inbox::new()), Ledger::in_memory(), None).unwrap();
        let mut told = Vec::new();
        let mut known: BTreeMap<ConfigId, BTreeSet<Pair>> = BTreeMap::new();
        let mut incumbent = ConfigId(0);
        // When an incumbent returns, it may have more pairs than when it won, because some of its trials
        // ended after it was replaced.
        let (mut reigned, mut returned_on) = (BTreeSet::from([incumbent]), None);
        let mut replaced_on_fewer = None;
        let stop = campaign
            .search(&mut |event| match &event.what {
                What::TrialEnded(record) => {
                    let trial = &record.trial;
                    told.push(trial.id);
                    if is_fully_informative(trial, case.cutoff) {
                        known.entry(trial.key.config).or_default().insert(trial.key.pair);
                    }
                }
                What::NewIncumbent(new) => {
                    let pairs = |config| known.get(&config).cloned().unwrap_or_default();
                    let (before, after) = (pairs(incumbent), pairs(new.config));
                    let fewer = match returned_on {
                        None => !before.is_subset(&after) || new.pairs < before.len(),
                        Some(pairs) => new.pairs < pairs,
                    };
                    if fewer {
                        replaced_on_fewer = Some((incumbent, new.config, before, after));
                    }
                    incumbent = new.config;
                    returned_on = (!reigned.insert(incumbent)).then_some(new.pairs);
                }
                _ => {}
            })
            .unwrap();
        let optimizer = campaign.optimizer();
        prop_assert_eq!(replaced_on_fewer, None, "the incumbent is never replaced on fewer pairs");
        prop_assert_eq!(incumbent, optimizer.incumbent(), "every new incumbent is reported");

        // Every trial is accounted for once: either reported or still running.
        let still_out: Vec<_> = optimizer.running().map(|request| request.id).collect();
        let mut accounted: Vec<_> = told.iter().chain(&still_out).copied().collect();
        accounted.sort_unstable();
        let told_ids: Vec<_> = optimizer.history().trials().iter().map(|trial| trial.id).collect();
        prop_assert_eq!(&told_ids, &told);
        let spent = campaign.progress().spent;
        let history = optimizer.history().clone();
        drop(campaign);
        prop_assert_eq!(&accounted, &executor.submitted);
        prop_assert!(executor.submitted.iter().enumerate().all(|(number, id)| id.0 == number as u64));

        // A stopped trial is always a lower bound, and every reading is consistent with the true cost.
        let world = case.world();
        for Trial { key, cap, observation, .. } in history.trials() {
            let truth = truth(&world, history.configuration(key.config), key.pair);
            let stopped = matches!(observation.status(), Status::Capped | Status::Timeout);
            match observation.cost() {
                Some(Reading::Exact(cost)) => prop_assert!(!stopped && cost == truth.cost),
                Some(Reading::AtLeast(cost)) => prop_assert!(stopped && cost <= truth.cost),
                None => prop_assert!(truth.status != Status::Finished),
            }
            prop_assert!(cap.cost() <= case.cutoff && observation.spent() <= about(case.cutoff));
        }

        // No worker has more than one trial, no cap is above the cutoff, and the budget is exceeded at most
        // by the trials that are running when it is spent. Simulated time never exceeds its limit.
        prop_assert!(executor.most_out <= case.workers);
        prop_assert!(executor.largest_cap <= case.cutoff);
        let caps = case.workers as f64 * case.cutoff;
        prop_assert!(case.budget.trials.is_none_or(|trials| told.len() as u64 <= trials));
        prop_assert!(case.budget.wall.is_none_or(|wall| executor.now() <= about(wall)));
        prop_assert!(case.budget.cpu.is_none_or(|cpu| executor.busy() <= about(cpu + caps)));
        prop_assert_eq!(spent.trials, told.len() as u64);
        // The campaign reaches a limit, unless every trial fails.
        match stop {
            Stop::Budget(_) => prop_assert!(case.budget.reached(&spent).is_some()),
            Stop::NeverSucceeded { .. } => prop_assert!(case.kind == Kind::Crashing),
            other => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn a_repeatable_campaign_does_not_depend_on_the_number_of_workers(case in case()) {
        let budget = Budget { trials: case.budget.trials, ..Budget::default() };
        let with = |workers| Case { workers, budget, repeatable: true, ..case.clone() }.history();
        let (one, four) = (with(1), with(4));
        for (one, four) in one.trials().iter().zip(four.trials()) {
            prop_assert_eq!(one, four);
        }
        prop_assert_eq!(one.trials().len(), four.trials().len());
        prop_assert_eq!(one.configurations(), four.configurations());
    }
}

proptest! {
    // There are only a few cases, because every trial is a commit to disk.
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn the_store_has_the_history_of_the_optimizer(case in case()) {
        let trials = case.budget.trials.map(|trials| trials.min(60));
        let budget = Budget { trials, ..case.budget };
        let case = Case { budget, repeatable: case.seed % 2 == 0, ..case };
        let settings = case.settings();
        let stage = Stage::new();
        let charter = Charter {
            name: "world".to_owned(),
            scenario: String::new(),
            folder: std::path::PathBuf::new(),
            space: settings.problem.space.clone(),
            instances: (0..case.instances).map(|number| number.to_string()).collect(),
            seed: case.seed,
        };
        let executor = case.executor();
        let store = Store::create(&stage.folder, &charter).unwrap();
        let inbox = Inbox::new();
        let ledger = Ledger::on_disk(store, inbox.bell(), 0, 0).unwrap();
        let mut campaign = Campaign::new(&settings, Desk::new(executor, inbox), ledger, None).unwrap();
        campaign.search(&mut |_| {}).unwrap();
        let history = campaign.optimizer().history().clone();
        campaign.finish("done").unwrap();
        let stored = Store::read(&stage.folder).unwrap().load().unwrap();
        prop_assert_eq!(stored.history.trials(), history.trials());
        prop_assert_eq!(stored.history.configurations(), history.configurations());
        prop_assert_eq!(stored.state.unwrap().told, history.trials().len() as u64);
        let in_memory = case.history();
        prop_assert_eq!(history.trials(), in_memory.trials(), "storing on disk does not change the search");
    }
}
