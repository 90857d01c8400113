//! Tests whole campaigns in simulated time.

use campaign::budget::Budget;
use campaign::deadline::Deadline;
use campaign::event::{Stop, What};
use campaign::{Campaign, Desk, Ledger, Search, Settings, progress};
use engine::history::{History, Trial};
use engine::{
    Cap, InstanceId, Objective, Observation, Pair, Problem, Racing, Rng, Seed, Status, TrialId, TrialKey,
    TrialRequest, Why,
};
use execution::executor::{Answer, Inbox, Simulated};
use space::format::{Format, read};

use crate::watched::Watched;

pub(crate) fn settings(instances: u32, cutoff: f64, budget: Budget) -> Settings {
    let text = "x = { float = [0, 1], default = 0.9 }\ny = { float = [0, 1], default = 0.1 }\n\
                z = { choices = [\"a\", \"b\", \"c\"] }\n";
    let space = read(text, "space.toml", Format::Toml).unwrap();
    let default = space.default_configuration();
    let objective = Objective::capped(cutoff);
    Settings {
        problem: Problem { space, default, objective, instances, seed: 1 },
        racing: Racing::default(),
        search: Search::Local,
        initial: Vec::new(),
        validation: campaign::validation::Terms::default(),
        budget,
        repeatable: false,
        cpu_matters: false,
    }
}

/// Returns a cost from 0.5 to a few hundred: a bowl, scaled by instance and noise.
pub(crate) fn bowl(request: &TrialRequest) -> Answer {
    let codes = request.configuration.codes();
    let off = (codes[0] - 0.3).powi(2) + (codes[1] - 0.6).powi(2) + if codes[2] == 1.0 { 0.0 } else { 0.2 };
    let pair = request.key.pair;
    let mut rng = Rng::new(u64::from(pair.seed.0), "noise", request.configuration.fingerprint() as u64);
    let noise = (0.3 * rng.normal()).exp();
    Answer::finished(0.5 * (6.0 * off).exp() * noise * (1.0 + 0.3 * f64::from(pair.instance.0)))
}

#[test]
fn a_search_improves_on_a_bowl_and_every_trial_is_accounted_for() {
    for workers in [1, 2, 7, 64] {
        let settings = settings(5, 50.0, Budget { cpu: Some(3000.0), ..Budget::default() });
        let executor = Simulated::new(Box::new(bowl), Some(50.0), workers, 0.0);
        let mut campaign =
            Campaign::new(&settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None).unwrap();
        let (mut told, mut crowned) = (0, 0);
        let stop = campaign
            .search(&mut |event| match &event.what {
                What::TrialEnded(_) => told += 1,
                What::NewIncumbent(_) => crowned += 1,
                _ => {}
            })
            .unwrap();
        let progress = campaign.progress();
        println!("{workers} workers: {stop:?}, {told} trials, {crowned} incumbents, {progress:?}");
        let compared = progress.default.unwrap();
        assert!(compared.default / compared.incumbent > 2.0, "{compared:?}");
        assert_eq!(progress.counts.iter().sum::<u64>(), told);
    }
}

/// A budget of a hundred trials must not be followed by thousands of validation trials.
#[test]
fn a_validation_without_unseen_instances_takes_no_more_trials_than_the_search() {
    let pairs = |trials, unseen| {
        let budget = Budget { trials, ..Budget::default() };
        campaign::validation::plan(&settings(1000, 50.0, budget), unseen).pairs
    };
    let few = pairs(Some(100), 0);
    assert_eq!((few.len(), pairs(Some(3), 0).len(), pairs(None, 0).len()), (50, 20, 1000));
    assert!(few.iter().any(|pair| pair.instance.0 >= 500), "{few:?}");
    assert_eq!(few, pairs(Some(400), 0)[..50], "a larger budget extends them");
    assert_eq!(pairs(Some(100), 300).len(), 300, "all unseen instances");
}

/// A default that loses at once has few pairs. Its cost on these pairs is mostly luck, so the ratio is not
/// meaningful.
#[test]
fn a_ratio_in_the_training_needs_five_pairs() {
    let compared = |pairs: u32| {
        let settings = settings(8, 50.0, Budget::default());
        let mut history = History::new();
        let configs = [0.1, 0.2].map(|code| {
            let codes = vec![code, code, 0.0];
            history.intern(&settings.problem.space.configuration_of_codes(codes).unwrap())
        });
        for (number, config) in (0..pairs).flat_map(|number| configs.map(|config| (number, config))) {
            let id = TrialId(history.trials().len() as u64);
            let key = TrialKey { config, pair: Pair { instance: InstanceId(number), seed: Seed(1) } };
            let observation = Observation::finished(4.0 / f64::from(config.0 + 1));
            history.push(Trial { id, key, cap: Cap::at(50.0), why: Why::Challenge, observation });
        }
        let [default, incumbent] = configs;
        let both = progress::compare(&history, &settings, default, incumbent).unwrap();
        assert_eq!((both.pairs, both.ratio), (pairs as usize, Some(2.0)));
        both.meaningful_ratio()
    };
    assert_eq!([1, 4, 5, 8].map(compared), [None, None, Some(2.0), Some(2.0)]);
}

#[test]
fn no_trial_starts_that_cannot_end_before_the_deadline() {
    for (workers, repeatable) in [(1, false), (7, false), (3, true)] {
        let settings =
            Settings { repeatable, ..settings(5, 50.0, Budget { wall: Some(1e4), ..Budget::default() }) };
        let mut executor = Watched::new(Simulated::new(Box::new(bowl), Some(50.0), workers, 0.0));
        let mut campaign =
            Campaign::new(&settings, Desk::new(&mut executor, Inbox::new()), Ledger::in_memory(), None)
                .unwrap()
                .until(Some(Deadline::at(1000.0)));
        let mut last = 0.0;
        let stop = campaign.search(&mut |event| last = event.at).unwrap();
        let (deadline, progress) = (campaign.deadline().unwrap(), campaign.progress());
        drop(campaign);
        assert_eq!(stop, Stop::Deadline);
        assert!(executor.latest_end <= 1000.0, "{} {}", executor.latest_end, executor.largest_cap);
        assert_eq!(progress.out, 0, "all started trials have ended");
        assert_eq!(deadline.ended(), progress.counts.iter().sum::<u64>());
        // Only trials that were too long for the remaining time were left.
        assert!(deadline.refused().is_some_and(|needed| last + needed >= 1000.0), "{deadline:?} {last}");
        assert!(last > 900.0, "{last}");
    }
}

/// Campaign time stands still while a fleet has no workers, but the end of a job does not wait.
#[test]
fn a_deadline_does_not_wait_while_campaign_time_stands_still() {
    let settings = settings(5, 50.0, Budget { wall: Some(1e4), ..Budget::default() });
    let mut executor = Watched::new(Simulated::new(Box::new(bowl), Some(50.0), 1, 0.0));
    executor.stood_still = 700.0;
    let mut campaign =
        Campaign::new(&settings, Desk::new(&mut executor, Inbox::new()), Ledger::in_memory(), None)
            .unwrap()
            .until(Some(Deadline::at(1000.0)));
    let mut last = 0.0;
    assert_eq!(campaign.search(&mut |event| last = event.at).unwrap(), Stop::Deadline);
    drop(campaign);
    assert!(
        (200.0..=300.0).contains(&last) && executor.latest_end <= 300.0,
        "{last} {}",
        executor.latest_end
    );
}

/// Returns the configurations that raced again after losing, each with the number of trials that had ended by
/// then.
fn returns(settings: &Settings) -> Vec<(u64, u32)> {
    let executor = Simulated::new(Box::new(bowl), Some(50.0), 1, 0.0);
    let mut campaign =
        Campaign::new(settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None).unwrap();
    let (mut told, mut opened, mut returned) = (0, vec![0], Vec::new());
    campaign
        .search(&mut |event| match &event.what {
            What::TrialEnded(_) => told += 1,
            What::RaceOpened { config, .. } if opened.contains(&config.0) => returned.push((told, config.0)),
            What::RaceOpened { config, .. } => opened.push(config.0),
            _ => {}
        })
        .unwrap();
    returned
}

#[test]
fn the_best_configurations_that_lost_race_again_before_the_end() {
    let budget = Budget { trials: Some(2000), ..Budget::default() };
    let returned = returns(&settings(5, 50.0, budget));
    // In the last tenth of the budget, the finalists race one after the other once the open race is over.
    // Before that, a configuration returns only now and then.
    let within = |from: u64, to: u64| returned.iter().filter(move |&&(told, _)| (from..to).contains(&told));
    let &(first, config) = within(1800, 2000).next().unwrap();
    assert_eq!(config, 0, "{returned:?}");
    assert!(within(first, 2000).count() >= 5, "{returned:?}");
    assert!(within(1500, 1800).count() < 5, "{returned:?}");
}

/// Runs a campaign in which some configurations crash. Returns the reason why it stopped, the number of
/// trials and the number of crashes.
fn stop_with_crashes(workers: usize, crashes: fn(&TrialRequest) -> bool) -> (Stop, u64, u64) {
    let settings = settings(5, 50.0, Budget { trials: Some(300), ..Budget::default() });
    let answer = move |request: &TrialRequest| match crashes(request) {
        true => Answer { status: Status::Crashed, ..Answer::finished(0.1) },
        false => bowl(request),
    };
    let executor = Simulated::new(Box::new(answer), Some(50.0), workers, 0.0);
    let mut campaign =
        Campaign::new(&settings, Desk::new(executor, Inbox::new()), Ledger::in_memory(), None).unwrap();
    let stop = campaign.search(&mut |_| {}).unwrap();
    let progress = campaign.progress();
    (stop, progress.counts.iter().sum(), progress.count(Status::Crashed))
}

#[test]
fn a_target_that_never_succeeds_stops_the_campaign_soon() {
    for workers in [1, 2, 7] {
        let (stop, trials, _) = stop_with_crashes(workers, |_| true);
        let Stop::NeverSucceeded { trial } = stop else { panic!("{stop:?}") };
        assert_eq!(trial.trial.key.config.0, 0, "a failure of the default is reported");
        assert!(trials <= 10, "{trials}");
    }
}

#[test]
fn others_may_succeed_although_the_default_and_many_more_fail() {
    for workers in [1, 2, 7] {
        // The default has the parameter's first choice, like a third of all random configurations.
        let (stop, trials, crashed) =
            stop_with_crashes(workers, |request| request.configuration.codes()[2] == 0.0);
        assert!(matches!(stop, Stop::Budget(_)), "{stop:?}");
        assert_eq!(trials, 300);
        assert!(crashed > 10, "{crashed}");
    }
}
