//! Small races whose results were computed by hand.

mod answers;
mod constraints;
mod earlier;
mod exhausted;
mod rematches;

use space::format::{Format, read};
use space::{Configuration, Space};

use super::{Ask, CappedRacer, Drop, News, Racing, Requested, Schedule};
use crate::history::History;
use crate::observation::{Observation, Status};
use crate::optimizer::Optimizer;
use crate::problem::{Objective, Problem};
use crate::propose::Proposer;
use crate::trial::{Cap, ConfigId, TrialId, TrialRequest, Why};

const CUTOFF: f64 = 100.0;
const GRAIN: f64 = 0.001;

/// Settings with which the incumbent gains one pair for each challenger.
const STEADY: Racing = Racing {
    slack: 1.3,
    min_pairs: 1,
    max_pairs: 2000,
    schedule: Schedule { early: 1, late: 1 },
    common_seeds: false,
    deterministic: false,
};

/// A proposer of the configurations 1, 2, 3, …
struct Counting(Space);

impl Proposer for Counting {
    fn propose(&mut self, history: &History, _incumbent: ConfigId) -> Option<Configuration> {
        let number = history.configurations().len() as i64;
        self.0.configuration([("a", number.into())]).ok()
    }

    fn origin(&self, _config: ConfigId, _history: &History) -> &'static str {
        "counting"
    }
}

/// Returns an optimizer that races on this many instances with one seed each. The incumbent meets all of them
/// first.
fn arena(instances: u32, objective: Objective, seed: u64) -> Optimizer {
    let most = instances as usize;
    let racing = Racing { slack: 1.3, min_pairs: most, max_pairs: most, deterministic: true, ..STEADY };
    arena_with(instances, objective, seed, racing)
}

fn arena_with(instances: u32, objective: Objective, seed: u64, racing: Racing) -> Optimizer {
    let space = read("a = { integer = [0, 50], default = 0 }\n", "space", Format::Toml).unwrap();
    let default = space.default_configuration();
    let problem = Problem { space: space.clone(), default, objective, instances, seed };
    let mut history = History::new();
    let racer = CappedRacer::new(problem, racing, &mut history);
    Optimizer::new(history, Box::new(racer), Box::new(Counting(space)))
}

/// Calls `see` with different seeds and returns the first result that is not `None`.
fn first<T>(see: impl FnMut(u64) -> Option<T>) -> T {
    (0..100).find_map(see).unwrap()
}

fn run(optimizer: &mut Optimizer) -> TrialRequest {
    match optimizer.ask(1) {
        Ask::Run(request) => request,
        other => panic!("{other:?} instead of a trial"),
    }
}

fn finish(optimizer: &mut Optimizer, request: &TrialRequest, cost: f64) {
    optimizer.tell(request.id, Observation::finished(cost)).unwrap();
}

fn capped(optimizer: &mut Optimizer, request: &TrialRequest, at: f64) {
    optimizer.tell(request.id, Observation::capped(at)).unwrap();
}

/// Runs the incumbent on all its pairs; it costs 10, 20, 30, … depending on the instance.
fn tens(optimizer: &mut Optimizer, instances: u32) {
    for _ in 0..instances {
        let request = run(optimizer);
        assert_eq!((request.why, request.cap), (Why::Incumbent, Cap::at(CUTOFF)));
        finish(optimizer, &request, ten(&request));
    }
}

fn ten(request: &TrialRequest) -> f64 {
    10.0 * f64::from(request.key.pair.instance.0 + 1)
}

#[track_caller]
fn close(cap: Cap, expected: f64) {
    assert!((cap.cost() - expected).abs() < 1e-9, "{cap:?} instead of {expected}");
}

/// Brings a challenger to its second batch, after a cost of 1 on its first pair.
fn second_batch(optimizer: &mut Optimizer) -> ConfigId {
    let request = run(optimizer);
    assert_eq!(request.why, Why::Challenge);
    finish(optimizer, &request, 1.0);
    request.key.config
}

#[test]
fn the_cap_is_what_remains_of_the_sum() {
    let mut optimizer = arena(3, Objective::capped(CUTOFF), 1);
    tens(&mut optimizer, 3);
    let first = run(&mut optimizer);
    close(first.cap, 1.3 * ten(&first) + GRAIN);
    finish(&mut optimizer, &first, 4.0);
    // The second batch contains the other two pairs. On all three pairs together, the incumbent costs 60.
    let second = run(&mut optimizer);
    close(second.cap, 1.3 * 60.0 + 3.0 * GRAIN - 4.0);
    finish(&mut optimizer, &second, 50.0);
    let third = run(&mut optimizer);
    close(third.cap, 1.3 * 60.0 + 3.0 * GRAIN - 54.0);
    capped(&mut optimizer, &third, third.cap.cost());
    let config = first.key.config;
    assert_eq!(optimizer.news(), [News::Opened(config), News::Dropped(config, 2, Drop::Sum)]);
    assert_ne!(run(&mut optimizer).key.config, config);
}

#[test]
fn no_cap_is_above_the_cutoff() {
    let mut optimizer = arena(3, Objective::capped(35.0), 1);
    for _ in 0..3 {
        let request = run(&mut optimizer);
        finish(&mut optimizer, &request, ten(&request));
    }
    second_batch(&mut optimizer);
    assert_eq!(run(&mut optimizer).cap, Cap::at(35.0));
}

#[test]
fn no_trial_is_run_with_less_than_a_grain_left() {
    let bound = 1.3 * 60.0 + 3.0 * GRAIN;
    for (left, runs) in [(1.01 * GRAIN, true), (0.99 * GRAIN, false)] {
        let mut optimizer = arena(3, Objective::capped(CUTOFF), 1);
        tens(&mut optimizer, 3);
        let config = second_batch(&mut optimizer);
        let second = run(&mut optimizer);
        finish(&mut optimizer, &second, bound - 1.0 - left);
        let third = run(&mut optimizer);
        assert_eq!(third.key.config == config, runs);
        if runs {
            close(third.cap, left);
        } else {
            assert!(optimizer.news().contains(&News::Dropped(config, 2, Drop::Sum)));
        }
    }
}

#[test]
fn the_end_of_a_batch_compares_without_slack() {
    for (more, continues) in [(0.0, true), (1e-9, false)] {
        let mut optimizer = arena(3, Objective::capped(CUTOFF), 1);
        tens(&mut optimizer, 3);
        let first = run(&mut optimizer);
        finish(&mut optimizer, &first, ten(&first) + more);
        let next = run(&mut optimizer);
        assert_eq!(next.key.config == first.key.config, continues);
        let dropped = News::Dropped(first.key.config, 1, Drop::Batch);
        assert_eq!(optimizer.news().contains(&dropped), !continues);
    }
}

#[test]
fn batches_double_and_winning_on_all_pairs_makes_an_incumbent() {
    let mut optimizer = arena(9, Objective::capped(CUTOFF), 1);
    for _ in 0..9 {
        let request = run(&mut optimizer);
        finish(&mut optimizer, &request, 1.0);
    }
    // The challenger costs nothing, so the cap shows the number of pairs in its batches so far.
    for pairs in [1, 3, 3, 7, 7, 7, 7, 9, 9] {
        assert_eq!(optimizer.incumbent(), ConfigId(0));
        let request = run(&mut optimizer);
        close(request.cap, f64::from(pairs) * (1.3 + GRAIN));
        finish(&mut optimizer, &request, 0.0);
    }
    let challenger = ConfigId(1);
    assert_eq!(optimizer.incumbent(), challenger);
    assert_eq!(optimizer.incumbent_pairs(), 9);
    assert_eq!(optimizer.news()[1..], [News::NewIncumbent(challenger, 9, ConfigId(0))]);
}

#[test]
fn running_siblings_count_with_what_they_have_reached() {
    let mut optimizer = arena(3, Objective::capped(CUTOFF), 1);
    tens(&mut optimizer, 3);
    let config = second_batch(&mut optimizer);
    let bound = 1.3 * 60.0 + 3.0 * GRAIN;
    let (a, b) = (run(&mut optimizer), {
        optimizer.elapsed(&[(TrialId(4), 7.0)]);
        run(&mut optimizer)
    });
    assert_eq!((a.id, a.key.config, b.key.config), (TrialId(4), config, config));
    close(a.cap, bound - 1.0);
    close(b.cap, bound - 1.0 - 7.0);
    close(Cap::at(optimizer.patience().unwrap()), (bound - 1.0 - 7.0) / 2.0);
    // The cost that one trial uses is no longer available to the other.
    optimizer.elapsed(&[(a.id, 7.0), (b.id, 20.0)]);
    let Ask::Tighten(tightened, cap) = optimizer.ask(0) else { panic!("not tightened") };
    assert_eq!(tightened, a.id);
    close(cap, bound - 1.0 - 20.0);
    assert_eq!(optimizer.ask(0), Ask::Wait);
    optimizer.elapsed(&[(a.id, 30.0), (b.id, 20.0)]);
    let Ask::Tighten(tightened, cap) = optimizer.ask(0) else { panic!("not tightened") };
    assert_eq!(tightened, b.id);
    close(cap, bound - 1.0 - 30.0);
    // The two trials together exceed the bound.
    optimizer.elapsed(&[(a.id, 30.0), (b.id, bound - 31.0 + 0.5)]);
    assert_eq!(
        [optimizer.ask(0), optimizer.ask(0), optimizer.ask(0)],
        [Ask::Cancel(a.id), Ask::Cancel(b.id), Ask::Wait]
    );
    assert!(optimizer.news().contains(&News::Dropped(config, 1, Drop::Sum)));
    capped(&mut optimizer, &a, 31.0);
    optimizer.withdraw(b.id).unwrap();
    assert_ne!(run(&mut optimizer).key.config, config);
}

#[test]
fn a_trial_stopped_for_a_sibling_that_vanished_is_run_again_with_a_larger_cap() {
    let mut optimizer = arena(3, Objective::capped(CUTOFF), 1);
    tens(&mut optimizer, 3);
    let config = second_batch(&mut optimizer);
    let bound = 1.3 * 60.0 + 3.0 * GRAIN;
    let (a, b) = (run(&mut optimizer), run(&mut optimizer));
    optimizer.elapsed(&[(a.id, 70.0)]);
    let Ask::Tighten(_, cap) = optimizer.ask(0) else { panic!("not tightened") };
    close(cap, bound - 1.0 - 70.0);
    optimizer.withdraw(a.id).unwrap();
    capped(&mut optimizer, &b, cap.cost());
    // Both pairs need a trial again; the lower bound from b counts.
    let again_a = run(&mut optimizer);
    assert_eq!(again_a.key, a.key);
    close(again_a.cap, bound - 1.0 - cap.cost());
    let again_b = run(&mut optimizer);
    assert_eq!(again_b.key, b.key);
    close(again_b.cap, bound - 1.0);
    // The cost that a trial reaches counts only beyond the known lower bound.
    optimizer.elapsed(&[(again_b.id, cap.cost() / 2.0)]);
    assert_eq!(optimizer.ask(0), Ask::Wait);
    optimizer.elapsed(&[(again_b.id, cap.cost() + 5.0)]);
    let Ask::Tighten(tightened, lower) = optimizer.ask(0) else { panic!("not tightened") };
    assert_eq!(tightened, again_a.id);
    close(lower, bound - 1.0 - cap.cost() - 5.0);
    finish(&mut optimizer, &again_b, cap.cost() + 6.0);
    finish(&mut optimizer, &again_a, 2.0);
    let expected = News::NewIncumbent(config, 3, ConfigId(0));
    assert!(optimizer.news().contains(&expected), "1 + 2 + {} is less than 60", cap.cost() + 6.0);
}

#[test]
fn a_lost_trial_is_run_again() {
    let mut optimizer = arena(2, Objective::capped(CUTOFF), 1);
    tens(&mut optimizer, 2);
    let first = run(&mut optimizer);
    optimizer.tell(first.id, Observation::failed(Status::Lost, 3.0)).unwrap();
    let again = run(&mut optimizer);
    assert_eq!((again.key, again.cap), (first.key, first.cap));
    assert!(again.id > first.id);
    optimizer.withdraw(again.id).unwrap();
    assert_eq!(run(&mut optimizer).key, first.key);
}

#[test]
fn a_challenger_that_fails_where_the_incumbent_does_not_is_dropped() {
    let fail = |optimizer: &mut Optimizer, request: &TrialRequest, status| {
        optimizer.tell(request.id, Observation::failed(status, 0.5)).unwrap();
    };
    for status in [Status::Crashed, Status::Memory] {
        let mut optimizer = arena(2, Objective::capped(CUTOFF), 1);
        tens(&mut optimizer, 2);
        let config = second_batch(&mut optimizer);
        let second = run(&mut optimizer);
        fail(&mut optimizer, &second, status);
        assert!(optimizer.news().contains(&News::Dropped(config, 2, Drop::Failure)));
        // If both fail on a pair, the other pairs decide.
        let mut optimizer = arena(2, Objective::capped(CUTOFF), 1);
        for _ in 0..2 {
            let request = run(&mut optimizer);
            fail(&mut optimizer, &request, status);
        }
        for _ in 0..2 {
            let request = run(&mut optimizer);
            assert_eq!((request.key.config, request.cap), (ConfigId(1), Cap::at(CUTOFF)));
            fail(&mut optimizer, &request, status);
        }
        assert_eq!(optimizer.incumbent(), ConfigId(1));
    }
}

/// Returns two challengers that both meet instance 1 first, on which the incumbent costs 20.
fn two_on_the_second_instance() -> (Optimizer, TrialRequest, TrialRequest) {
    first(|seed| {
        let mut optimizer = arena(2, Objective::capped(CUTOFF), seed);
        tens(&mut optimizer, 2);
        let (x, y) = (run(&mut optimizer), run(&mut optimizer));
        let both = [&x, &y].iter().all(|request| request.key.pair.instance.0 == 1);
        assert_ne!(x.key.config, y.key.config);
        both.then_some((optimizer, x, y))
    })
}

#[test]
fn a_better_incumbent_tightens_open_races() {
    let (mut optimizer, x, y) = two_on_the_second_instance();
    close(x.cap, 26.0 + GRAIN);
    finish(&mut optimizer, &y, 5.0);
    let y = run(&mut optimizer);
    finish(&mut optimizer, &y, 1.0);
    assert_eq!(optimizer.incumbent(), y.key.config);
    let Ask::Tighten(id, cap) = optimizer.ask(0) else { panic!("not tightened") };
    assert_eq!(id, x.id);
    close(cap, 1.3 * 5.0 + GRAIN);
    capped(&mut optimizer, &x, cap.cost());
    assert!(optimizer.news().contains(&News::Dropped(x.key.config, 0, Drop::Sum)));
}

#[test]
fn a_trial_capped_too_low_for_a_new_incumbent_is_run_again() {
    let (mut optimizer, x, y) = two_on_the_second_instance();
    finish(&mut optimizer, &y, 20.0);
    let y = run(&mut optimizer);
    finish(&mut optimizer, &y, 1.0);
    assert_eq!(optimizer.incumbent(), y.key.config);
    // The new incumbent has the same cost on this pair. So the cap stays the same, and it decides the race.
    assert_eq!(optimizer.ask(0), Ask::Wait);
    capped(&mut optimizer, &x, x.cap.cost());
    assert!(optimizer.news().contains(&News::Dropped(x.key.config, 0, Drop::Sum)));

    // The new incumbent is better overall but worse on this pair. A cost of 25 is within the slack, and no
    // batch ends here.
    let (mut optimizer, x) = first(|seed| {
        let mut optimizer = arena(3, Objective::capped(CUTOFF), seed);
        tens(&mut optimizer, 3);
        let (x, y) = (run(&mut optimizer), run(&mut optimizer));
        if (x.key.pair.instance.0, y.key.pair.instance.0) != (1, 0) {
            return None;
        }
        finish(&mut optimizer, &y, 1.0);
        for _ in 0..2 {
            let request = run(&mut optimizer);
            let cost = if request.key.pair.instance.0 == 1 { 25.0 } else { 1.0 };
            finish(&mut optimizer, &request, cost);
        }
        assert_eq!(optimizer.incumbent(), y.key.config);
        Some((optimizer, x))
    });
    close(x.cap, 26.0 + GRAIN);
    capped(&mut optimizer, &x, x.cap.cost());
    let again = run(&mut optimizer);
    assert_eq!(again.key, x.key);
    close(again.cap, 1.3 * 25.0 + GRAIN);
}

#[test]
fn challengers_run_on_the_incumbents_first_pairs_while_it_does() {
    let mut optimizer = arena(2, Objective::capped(CUTOFF), 1);
    let all: Vec<TrialRequest> = (0..8).map(|_| run(&mut optimizer)).collect();
    let (own, others) = all.split_at(2);
    assert!(own.iter().all(|request| request.why == Why::Incumbent));
    let pairs = [own[0].key.pair, own[1].key.pair];
    let is_full =
        |request: &TrialRequest| pairs.contains(&request.key.pair) && request.cap == Cap::at(CUTOFF);
    assert!(others.iter().all(is_full));
    // Challengers are not judged before the incumbent has its first two pairs.
    for request in others.iter().take(3) {
        finish(&mut optimizer, request, 99.0);
    }
    finish(&mut optimizer, &own[1], 4.0);
    assert_eq!(optimizer.ask(0), Ask::Wait);
    assert!(optimizer.news().iter().all(|news| matches!(news, News::Opened(_))));
    // If a trial on the first pairs is lost, it is requested again on the same pair.
    optimizer.tell(own[0].id, Observation::failed(Status::Lost, 1.0)).unwrap();
    let again = run(&mut optimizer);
    assert_eq!((again.key, again.why), (own[0].key, Why::Incumbent));
    finish(&mut optimizer, &again, 4.0);
    let dropped =
        optimizer.news().into_iter().filter(|news| matches!(news, News::Dropped(_, 1, Drop::Batch)));
    assert_eq!(dropped.count(), 0, "a cost of 99 already exceeds the bound on the sum");
    for request in &others[3..] {
        let Ask::Tighten(id, cap) = optimizer.ask(0) else { panic!("not tightened") };
        assert_eq!(id, request.id);
        close(cap, 1.3 * 4.0 + GRAIN);
    }
    assert_eq!(optimizer.ask(0), Ask::Wait);
}

#[test]
fn a_withdrawn_first_seed_of_a_single_instance_is_requested_again() {
    let racing = Racing { min_pairs: 3, ..STEADY };
    let mut optimizer = arena_with(1, Objective::capped(CUTOFF), 1, racing);
    let all: Vec<TrialRequest> = (0..5).map(|_| run(&mut optimizer)).collect();
    optimizer.withdraw(all[0].id).unwrap();
    finish(&mut optimizer, &all[1], 1.0);
    finish(&mut optimizer, &all[2], 1.0);
    assert_eq!(run(&mut optimizer).key, all[0].key);
}

#[test]
fn the_incumbent_gains_pairs_per_challenger_whatever_they_cost() {
    for (schedule, gains) in [(Schedule { early: 1, late: 1 }, 6), (Schedule { early: 2, late: 1 }, 3)] {
        let racing = Racing { schedule, ..STEADY };
        let mut optimizer = arena_with(9, Objective::capped(CUTOFF), 1, racing);
        let default = run(&mut optimizer);
        // The default is as expensive as possible. The first challenger is ten thousand times cheaper, and no
        // other is nearly as cheap.
        finish(&mut optimizer, &default, 99.0);
        let lucky = run(&mut optimizer);
        finish(&mut optimizer, &lucky, 0.0099);
        let mut challengers = vec![lucky.key.config];
        let mut gained = 0;
        while challengers.len() < 7 {
            let request = run(&mut optimizer);
            match request.why {
                Why::Incumbent => {
                    gained += 1;
                    finish(&mut optimizer, &request, 99.0);
                }
                Why::Challenge => {
                    let is_new =
                        request.key.config != ConfigId(0) && !challengers.contains(&request.key.config);
                    if is_new {
                        challengers.push(request.key.config);
                    }
                    capped(&mut optimizer, &request, request.cap.cost());
                }
                Why::Baseline => unreachable!("no constraint is relative"),
                Why::Validation | Why::Ablation => {
                    unreachable!("a search requests no {}", request.why.name())
                }
            }
        }
        assert_eq!(gained, gains, "{schedule:?}");
    }
}

#[test]
fn one_lucky_seed_of_the_incumbent_does_not_set_the_caps() {
    for (common_seeds, bounds) in [(false, [6.5, 6.5]), (true, [1.3, 11.7])] {
        let racing = Racing { min_pairs: 2, common_seeds, ..STEADY };
        let mut optimizer = arena_with(1, Objective::capped(CUTOFF), 1, racing);
        let own: Vec<TrialRequest> = (0..2).map(|_| run(&mut optimizer)).collect();
        finish(&mut optimizer, &own[0], 1.0);
        finish(&mut optimizer, &own[1], 9.0);
        let challenge = run(&mut optimizer);
        let lucky = own[0].key.pair == challenge.key.pair;
        close(challenge.cap, bounds[usize::from(!lucky)] + GRAIN);
    }
}

#[test]
fn costs_of_zero_or_below_do_not_stall_the_race() {
    for (cost, grain) in [(0.0, GRAIN), (0.0, 0.0), (-1e-12, GRAIN), (-5.0, 0.0)] {
        let objective = Objective { grain, ..Objective::capped(CUTOFF) };
        let mut optimizer = arena_with(2, objective, 1, STEADY);
        for _ in 0..20 {
            let request = run(&mut optimizer);
            assert!(request.cap.cost() > 0.0);
            finish(&mut optimizer, &request, cost);
        }
        assert!(optimizer.history().configurations().len() <= 20);
    }
}

#[test]
fn without_a_cutoff_costs_may_be_negative_and_nothing_is_stopped() {
    let mut optimizer = arena(3, Objective::uncapped(), 1);
    for _ in 0..3 {
        let request = run(&mut optimizer);
        assert_eq!(request.cap, Cap::NONE);
        finish(&mut optimizer, &request, -1.0);
    }
    let first = run(&mut optimizer);
    finish(&mut optimizer, &first, -2.0);
    let (second, third) = (run(&mut optimizer), run(&mut optimizer));
    assert_eq!((second.cap, third.cap), (Cap::NONE, Cap::NONE));
    // The challenger is worse than the incumbent in the middle of a batch, and better at its end.
    finish(&mut optimizer, &second, 7.0);
    assert_eq!(optimizer.patience(), None);
    assert_eq!(optimizer.ask(0), Ask::Wait);
    finish(&mut optimizer, &third, -9.0);
    assert_eq!(optimizer.incumbent(), first.key.config);
    // A challenger that fails loses, whatever its other trials cost.
    let request = run(&mut optimizer);
    finish(&mut optimizer, &request, -1e9);
    let request = run(&mut optimizer);
    optimizer.tell(request.id, Observation::failed(Status::Crashed, 1.0)).unwrap();
    assert!(optimizer.news().contains(&News::Dropped(request.key.config, 2, Drop::Failure)));
}

#[test]
fn the_search_ends_after_the_last_configuration() {
    let mut optimizer = arena(1, Objective::capped(CUTOFF), 1);
    let mut trials = 0;
    loop {
        match optimizer.ask(3) {
            Ask::Run(request) => {
                trials += 1;
                finish(&mut optimizer, &request, 1.0 + f64::from(request.key.config.0 % 7));
            }
            Ask::Done(_) => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((trials, optimizer.history().configurations().len()), (51, 51));
}

#[test]
fn requested_configurations_race_once_and_before_new_ones() {
    let mut optimizer = arena(1, Objective::capped(CUTOFF), 1);
    let first = run(&mut optimizer);
    finish(&mut optimizer, &first, 10.0);
    let wanted = |a: i64| first.configuration.space().configuration([("a", a.into())]).unwrap();
    assert_eq!(optimizer.request(&wanted(40)), (ConfigId(1), Requested::Next));
    assert_eq!(optimizer.request(&wanted(30)), (ConfigId(2), Requested::Next));
    assert_eq!(optimizer.request(&wanted(40)), (ConfigId(1), Requested::Underway));
    assert_eq!(optimizer.request(&wanted(0)), (ConfigId(0), Requested::Incumbent));
    assert_eq!(optimizer.origin(ConfigId(1)), "given");
    let order: Vec<u32> = (0..3)
        .map(|_| {
            let request = run(&mut optimizer);
            finish(&mut optimizer, &request, 20.0);
            request.key.config.0
        })
        .collect();
    assert_eq!(order, [1, 2, 3]);
}
