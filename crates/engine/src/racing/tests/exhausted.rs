//! Spaces in which every configuration has been tried.

use super::*;

/// Returns an optimizer that races in a space with this many configurations, on this many instances.
fn small(configurations: i64, instances: u32, deterministic: bool) -> Optimizer {
    let text = format!("a = {{ integer = [0, {}], default = 0 }}\n", configurations - 1);
    let space = read(&text, "space", Format::Toml).unwrap();
    let default = space.default_configuration();
    let objective = Objective::capped(CUTOFF);
    let problem = Problem { space: space.clone(), default, objective, instances, seed: 1 };
    let mut history = History::new();
    let racer = CappedRacer::new(problem, Racing { deterministic, ..Racing::default() }, &mut history);
    Optimizer::new(history, Box::new(racer), Box::new(Counting(space)))
}

/// Runs trials until nothing is left to try, but at most `most` trials. Returns the number of trials.
fn play(optimizer: &mut Optimizer, most: usize, cost: impl Fn(&TrialRequest) -> f64) -> usize {
    for trials in 0..most {
        match optimizer.ask(1) {
            Ask::Run(request) if cost(&request) <= request.cap.cost() => {
                let cost = cost(&request);
                finish(optimizer, &request, cost);
            }
            Ask::Run(request) => capped(optimizer, &request, request.cap.cost()),
            Ask::Done(_) => return trials,
            other => panic!("{other:?} with nothing running"),
        }
    }
    most
}

#[test]
fn all_that_could_win_meet_the_incumbent_on_all_pairs() {
    // On each instance, a different configuration is lucky. Over all instances, 5 is best and 8 is hopeless.
    let cost = |request: &TrialRequest| {
        let (config, instance) = (request.key.config.0, request.key.pair.instance.0);
        match config {
            5 => 2.0,
            8 => 90.0,
            _ if config % 4 == instance => 1.5,
            _ => 2.5,
        }
    };
    let mut optimizer = small(9, 4, true);
    let trials = play(&mut optimizer, 1000, cost);
    assert!((20..=36).contains(&trials), "{trials} trials; there are at most 36");
    assert_eq!((optimizer.incumbent(), optimizer.incumbent_pairs()), (ConfigId(5), 4));
    let hopeless = optimizer.history().readings(ConfigId(8)).count();
    assert_eq!(hopeless, 1, "one pair shows that it is clearly worse");
}

#[test]
fn with_new_seeds_equal_configurations_race_until_the_budget_is_spent() {
    let mut optimizer = small(3, 2, false);
    let cost = |request: &TrialRequest| 1.0 + f64::from((request.key.pair.seed.0 ^ request.key.config.0) % 7);
    assert_eq!(play(&mut optimizer, 300, cost), 300);
    assert!(optimizer.incumbent_pairs() > 30, "{} pairs", optimizer.incumbent_pairs());
}

#[test]
fn the_search_ends_when_all_others_are_clearly_worse() {
    let mut optimizer = small(4, 5, false);
    let trials =
        play(&mut optimizer, 300, |request| if request.key.config == ConfigId(2) { 1.0 } else { 20.0 });
    assert!(trials < 30, "{trials}");
    assert_eq!(optimizer.incumbent(), ConfigId(2));
}

#[test]
fn a_space_of_one_configuration_ends_at_once() {
    let mut optimizer = small(1, 5, false);
    assert_eq!(play(&mut optimizer, 300, |_| 1.0), 1);
}
