//! Rematches: which configurations race again.

use super::*;

/// A proposer of the configurations 1, 2, 3, … that expects the given costs.
struct Expecting(Counting, Vec<f64>);

impl Proposer for Expecting {
    fn propose(&mut self, history: &History, incumbent: ConfigId) -> Option<Configuration> {
        self.0.propose(history, incumbent)
    }

    fn origin(&self, config: ConfigId, history: &History) -> &'static str {
        self.0.origin(config, history)
    }

    fn expected(&mut self, history: &History) -> &[f64] {
        &self.1[..self.1.len().min(history.configurations().len())]
    }
}

/// Returns an optimizer that races on nine instances, with these expected costs of the configurations.
fn expecting(expected: &[f64]) -> Optimizer {
    let racing = Racing { slack: 1.3, min_pairs: 1, max_pairs: 9, deterministic: true, ..STEADY };
    let space = read("a = { integer = [0, 50], default = 0 }\n", "space", Format::Toml).unwrap();
    let default = space.default_configuration();
    let objective = Objective::capped(CUTOFF);
    let problem = Problem { space: space.clone(), default, objective, instances: 9, seed: 1 };
    let mut history = History::new();
    let racer = CappedRacer::new(problem, racing, &mut history);
    let proposer = Expecting(Counting(space), expected.to_vec());
    Optimizer::new(history, Box::new(racer), Box::new(proposer))
}

/// Runs the next trial. Its cost depends on the configuration and on the number of pairs it has met.
fn step(optimizer: &mut Optimizer, cost: impl Fn(u32, usize) -> f64) -> TrialRequest {
    let request = run(optimizer);
    let met = optimizer.history().readings(request.key.config).count();
    let cost = cost(request.key.config.0, met);
    let cap = request.cap.cost();
    let observation = if cost > cap { Observation::capped(cap) } else { Observation::finished(cost) };
    optimizer.tell(request.id, observation).unwrap();
    request
}

/// Returns the number of pairs the incumbent had at the beginning of each race of a configuration.
fn openings(optimizer: &mut Optimizer, of: u32, cost: impl Fn(u32, usize) -> f64) -> Vec<usize> {
    let mut found = Vec::new();
    for _ in 0..400 {
        if optimizer.incumbent_pairs() == 9 {
            break;
        }
        let pairs = optimizer.incumbent_pairs();
        step(optimizer, &cost);
        let opened = optimizer.news().iter().filter(|&news| *news == News::Opened(ConfigId(of))).count();
        found.extend(std::iter::repeat_n(pairs, opened));
    }
    found
}

/// Configuration 1 is ten times as fast as the default on the first pair and slower on all others. It wins on two pairs,
/// and the default returns when there are four.
#[test]
fn one_pair_on_which_the_default_is_worse_does_not_end_its_rematch() {
    for seed in 0..20 {
        let racing = Racing { max_pairs: 9, deterministic: true, ..STEADY };
        let mut optimizer = arena_with(9, Objective::capped(CUTOFF), seed, racing);
        let mut first = None;
        let mut lost = false;
        while optimizer.incumbent_pairs() < 5 {
            let request = run(&mut optimizer);
            let is_first = *first.get_or_insert(request.key.pair) == request.key.pair;
            let cost = match request.key.config.0 {
                0 => 10.0,
                1 if is_first => 1.0,
                1 => 18.0,
                _ => 90.0,
            };
            let cap = request.cap.cost();
            let seen = if cost > cap { Observation::capped(cap) } else { Observation::finished(cost) };
            optimizer.tell(request.id, seen).unwrap();
            lost |= optimizer.incumbent() == ConfigId(1);
        }
        assert!(lost && optimizer.incumbent() == ConfigId(0), "seed {seed}");
    }
}

/// The default is unlucky on its first pair, and configuration 1 is lucky there.
#[test]
fn a_default_with_bad_luck_becomes_the_incumbent_again() {
    let mut optimizer = expecting(&[]);
    let cost = |config, met| match (config, met) {
        (0, 0) => 20.0,
        (0, _) => 1.0,
        (1, _) => 10.0,
        _ => 50.0,
    };
    let (mut lost, mut regained) = (false, false);
    for _ in 0..40 {
        step(&mut optimizer, cost);
        lost |= optimizer.incumbent() == ConfigId(1);
        regained |= lost && optimizer.incumbent() == ConfigId(0);
    }
    assert!(lost && regained, "{lost} {regained}");
    assert_eq!(optimizer.incumbent(), ConfigId(0));
}

#[test]
fn former_incumbents_return_whenever_the_pairs_have_doubled() {
    let mut optimizer = expecting(&[]);
    let cost = |config, _| match config {
        0 => 20.0,
        1 => 10.0,
        _ => 50.0,
    };
    assert_eq!(openings(&mut optimizer, 0, cost), [2, 4, 8]);
    assert_eq!(optimizer.incumbent(), ConfigId(1));
}

/// Configurations that fail have equal penalties, so they would replace each other forever.
#[test]
fn a_former_incumbent_that_failed_does_not_return() {
    let mut optimizer = expecting(&[]);
    for _ in 0..40 {
        let request = run(&mut optimizer);
        let config = request.key.config.0;
        let observation =
            if config < 2 { Observation::failed(Status::Crashed, 1.0) } else { Observation::finished(5.0) };
        optimizer.tell(request.id, observation).unwrap();
    }
    assert_eq!(optimizer.history().readings(ConfigId(0)).count(), 1);
}

#[test]
fn a_loser_returns_if_a_model_expects_a_lower_cost_than_the_incumbents() {
    let cost = |config, _| match config {
        0 => 10.0,
        _ => 50.0,
    };
    let nan = f64::NAN;
    assert_eq!(openings(&mut expecting(&[2.0, 1.0]), 1, cost), [1, 2, 4, 8]);
    let first = openings(&mut expecting(&[2.0, 1.0, 1.5]), 2, cost);
    assert_eq!(
        first.len(),
        1,
        "only one returns per doubling of pairs, and another is expected to cost less: {first:?}"
    );
    assert_eq!(openings(&mut expecting(&[2.0, 3.0, nan, 2.0]), 1, cost), [1], "a higher cost is expected");
    assert_eq!(openings(&mut expecting(&[2.0, nan, 2.0]), 1, cost), [1], "it has no expected cost");
    assert_eq!(openings(&mut expecting(&[nan, 1.0]), 1, cost), [1], "the incumbent has no expected cost");
}

/// Returns the configurations that race before a new configuration is tried.
fn next_races(optimizer: &mut Optimizer, cost: impl Fn(u32, usize) -> f64) -> Vec<u32> {
    let all = optimizer.history().configurations().len();
    optimizer.news();
    let mut opened = Vec::new();
    while optimizer.history().configurations().len() == all {
        step(optimizer, &cost);
        opened.extend(optimizer.news().iter().filter_map(|news| match news {
            News::Opened(config) if config.index() < all => Some(config.0),
            _ => None,
        }));
    }
    opened
}

#[test]
fn before_the_end_the_best_race_once_more() {
    let expected = [5.0, 1.0, 9.0, 3.0, 4.0, 2.0, 8.0, 7.0];
    let mut optimizer = expecting(&expected);
    let cost = |config, _| match config {
        0 => 20.0,
        7 => 5.0,
        _ => 25.0,
    };
    while optimizer.incumbent() == ConfigId(0) || optimizer.history().configurations().len() < 12 {
        step(&mut optimizer, cost);
    }
    optimizer.near_end(false);
    let before = next_races(&mut optimizer, cost);
    assert!(before.len() < 2, "{before:?}");
    optimizer.near_end(true);
    let finalists = next_races(&mut optimizer, cost);
    assert_eq!(finalists[..5], [0, 1, 5, 3, 4], "the default, then by expected cost");
    optimizer.near_end(true);
    assert!(next_races(&mut optimizer, cost).len() < 2, "finalists race only once");
    // The budget was raised, so the end comes near a second time.
    optimizer.near_end(false);
    optimizer.near_end(true);
    assert_eq!(next_races(&mut optimizer, cost)[..5], [0, 1, 5, 3, 4]);
}
