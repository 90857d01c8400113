//! The state of a search and its steps.
//!
//! The score of a variable x is Δ(x): the weight of clauses that flipping x would break, minus the weight of
//! clauses that it would satisfy. When x is flipped, each clause that contains x and has weight w changes
//! these scores:
//!
//! | true literals of the clause | whose score | change |
//! |---|---|---|
//! | 0 to 1 | its other variables | + w |
//! | 1 to 2 | the one that was true | - w |
//! | 2 to 1 | the one that stays true | + w |
//! | 1 to 0 | its other variables | - w |
//! | any | x itself | changes sign |
//!
//! Each score also has a count: the number of clauses broken minus the number satisfied. When all weights
//! increase by the same amount, the score changes by that amount times this count. Variables whose score has
//! become an improvement are put on a list. Those that are no longer improvements leave the list the next
//! time it is searched.

use math::Rng;

use super::Saps;
use super::network::Network;
use super::weights::{Smoothed, Weights};
use crate::formula::Literal;

#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Score {
    change: f64,
    /// Number of clauses that a flip would break minus the number that it would satisfy.
    count: i32,
    listed: bool,
}

/// The scores, and which of them are improvements.
#[derive(Debug)]
struct Scores {
    all: Vec<Score>,
    /// The first `count` entries contain every variable whose score is below the limit, and possibly others.
    /// The rest is unused.
    candidates: Vec<u32>,
    /// Number of candidates.
    count: usize,
}

impl Scores {
    /// Raises a score because flipping the variable would now break one more clause or satisfy one fewer.
    #[inline]
    fn raise(&mut self, variable: u32, weight: f64) {
        let score = &mut self.all[variable as usize];
        score.change += weight;
        score.count += 1;
    }

    /// Lowers a score, which may make the variable a candidate.
    #[inline]
    fn lower(&mut self, variable: u32, weight: f64, limit: f64) {
        let score = &mut self.all[variable as usize];
        score.change -= weight;
        score.count -= 1;
        self.list(variable, limit);
    }

    /// Lists the variable if its score is below the limit. The code has no branch, because the processor
    /// could not predict it.
    #[inline]
    fn list(&mut self, variable: u32, limit: f64) {
        let score = &mut self.all[variable as usize];
        self.candidates[self.count] = variable;
        let below = score.change < limit;
        self.count += usize::from(below & !score.listed);
        score.listed |= below;
    }

    fn rebuild_candidates(&mut self, limit: f64) {
        self.count = 0;
        for (variable, score) in (0..).zip(&mut self.all) {
            score.listed = score.change < limit;
            self.candidates[self.count] = variable;
            self.count += usize::from(score.listed);
        }
    }

    /// Returns all variables with the lowest score, if that score is below the limit.
    #[inline]
    fn best(&mut self, limit: f64) -> &[u32] {
        let (mut least, mut ties, mut best, mut kept) = (limit, 0, 0, 0);
        for place in 0..self.count {
            let variable = self.candidates[place];
            let score = &mut self.all[variable as usize];
            let change = score.change;
            score.listed = change < limit;
            self.candidates[kept] = variable;
            ties = if change < least { 1 } else { ties + usize::from(change == least) };
            best = if change < least { kept } else { best };
            least = if change < least { change } else { least };
            kept += usize::from(change < limit);
        }
        self.count = kept;
        if ties <= 1 || least >= limit {
            return &self.candidates[best..best + usize::from(least < limit)];
        }
        // Tied variables are moved to the end, where they form one slice.
        let mut end = kept;
        let mut place = best;
        while place < end {
            if self.all[self.candidates[place] as usize].change == least {
                end -= 1;
                self.candidates.swap(place, end);
            } else {
                place += 1;
            }
        }
        &self.candidates[end..kept]
    }
}

/// The true literals of a clause that does not have exactly two literals.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Truth {
    count: u32,
    /// Exclusive or of the variables of all true literals. If there is only one true literal, this is its
    /// variable.
    joined: u32,
}

/// The unsatisfied clauses, and the position of each in the list.
#[derive(Debug)]
struct Unsatisfied {
    list: Vec<u32>,
    places: Vec<u32>,
}

impl Unsatisfied {
    fn add(&mut self, clause: u32) {
        self.places[clause as usize] = self.list.len() as u32;
        self.list.push(clause);
    }

    fn remove(&mut self, clause: u32) {
        let place = self.places[clause as usize] as usize;
        self.list.swap_remove(place);
        if let Some(&moved) = self.list.get(place) {
            self.places[moved as usize] = place as u32;
        }
    }
}

pub(super) struct State<'a> {
    network: &'a Network,
    /// Whether each literal is true.
    holds: Vec<bool>,
    scores: Scores,
    truths: Vec<Truth>,
    unsatisfied: Unsatisfied,
    weights: Weights,
}

impl<'a> State<'a> {
    pub(super) fn random(network: &'a Network, rng: &mut Rng) -> Self {
        let (variables, clauses) = (network.formula.variables() as usize, network.formula.clause_count());
        let holds = (0..variables).flat_map(|_| {
            let value = rng.below(2) == 1;
            [value, !value]
        });
        let mut state = Self {
            network,
            holds: holds.collect(),
            scores: Scores {
                all: vec![Score::default(); variables],
                candidates: vec![0; variables + 1],
                count: 0,
            },
            truths: vec![Truth::default(); clauses],
            unsatisfied: Unsatisfied { list: Vec::with_capacity(clauses), places: vec![0; clauses] },
            weights: Weights::ones(clauses),
        };
        for (index, clause) in network.formula.clauses().enumerate() {
            for literal in clause.iter().filter(|literal| state.holds[literal.index()]) {
                state.truths[index].count += 1;
                state.truths[index].joined ^= literal.variable();
            }
            if state.truths[index].count == 0 {
                state.unsatisfied.add(index as u32);
            }
        }
        state.recompute_scores();
        state
    }

    pub(super) fn is_unsatisfied(&self) -> bool {
        !self.unsatisfied.list.is_empty()
    }

    pub(super) fn assignment(&self) -> Vec<bool> {
        (0..self.network.formula.variables()).map(|x| self.holds[Literal::positive(x).index()]).collect()
    }

    /// Computes every score from its definition.
    fn recompute_scores(&mut self) {
        let scores = &mut self.scores.all;
        scores.fill(Score::default());
        for (index, clause) in (0..).zip(self.network.formula.clauses()) {
            let weight = self.weights.of(index);
            let mut holding = clause.iter().filter(|literal| self.holds[literal.index()]);
            match (holding.next(), holding.next()) {
                (None, _) => {
                    for literal in clause {
                        scores[literal.variable() as usize].change -= weight;
                        scores[literal.variable() as usize].count -= 1;
                    }
                }
                (Some(only), None) => {
                    scores[only.variable() as usize].change += weight;
                    scores[only.variable() as usize].count += 1;
                }
                _ => {}
            }
        }
        self.scores.rebuild_candidates(self.weights.limit);
    }

    /// Makes one step. Some clause must be unsatisfied.
    pub(super) fn step(&mut self, saps: &Saps, rng: &mut Rng) {
        let best = self.scores.best(self.weights.limit);
        match *best {
            [only] => self.flip(only),
            [_, _, ..] => {
                let variable = best[rng.below(best.len())];
                self.flip(variable);
            }
            [] if rng.unit() < saps.wp && !self.holds.is_empty() => {
                self.flip(rng.below(self.holds.len() / 2) as u32);
            }
            [] => {
                self.grow(saps.alpha);
                if rng.unit() < saps.ps {
                    self.smooth(saps.rho);
                }
            }
        }
    }

    fn grow(&mut self, alpha: f64) {
        for &clause in &self.unsatisfied.list {
            let gain = self.weights.grow(clause, alpha);
            for &variable in self.network.variables.get(clause as usize) {
                self.scores.all[variable as usize].change -= gain;
            }
        }
        self.weights.update_limit();
        // The variables can be listed only now, because the limit depends on the new weights.
        for &clause in &self.unsatisfied.list {
            for &variable in self.network.variables.get(clause as usize) {
                self.scores.list(variable, self.weights.limit);
            }
        }
        if self.weights.are_large() {
            self.weights.normalise();
            self.recompute_scores();
        }
    }

    fn smooth(&mut self, rho: f64) {
        match self.weights.smooth(rho) {
            Smoothed::Gained(gain) => {
                for score in &mut self.scores.all {
                    score.change += gain * f64::from(score.count);
                }
            }
            Smoothed::Level(weight) => {
                for score in &mut self.scores.all {
                    score.change = weight * f64::from(score.count);
                }
            }
        }
        self.scores.rebuild_candidates(self.weights.limit);
    }

    fn flip(&mut self, variable: u32) {
        let Self { network, holds, scores, truths, unsatisfied, weights, .. } = self;
        let positive = Literal::positive(variable).index();
        let (gained, lost) =
            if holds[positive] { (positive + 1, positive) } else { (positive, positive + 1) };
        holds[gained] = true;
        holds[lost] = false;
        let limit = weights.limit;
        let own = scores.all[variable as usize];
        for pair in network.pairs.get(gained) {
            let weight = weights.of(pair.clause);
            if holds[pair.other as usize] {
                scores.lower(pair.other / 2, weight, limit);
            } else {
                unsatisfied.remove(pair.clause);
                scores.raise(pair.other / 2, weight);
            }
        }
        for pair in network.pairs.get(lost) {
            let weight = weights.of(pair.clause);
            if holds[pair.other as usize] {
                scores.raise(pair.other / 2, weight);
            } else {
                unsatisfied.add(pair.clause);
                scores.lower(pair.other / 2, weight, limit);
            }
        }
        for &clause in network.others.get(gained) {
            let truth = &mut truths[clause as usize];
            let weight = weights.of(clause);
            if truth.count == 0 {
                unsatisfied.remove(clause);
                for &other in network.variables.get(clause as usize) {
                    scores.raise(other, weight);
                }
            } else if truth.count == 1 {
                scores.lower(truth.joined, weight, limit);
            }
            truth.count += 1;
            truth.joined ^= variable;
        }
        for &clause in network.others.get(lost) {
            let truth = &mut truths[clause as usize];
            let weight = weights.of(clause);
            truth.count -= 1;
            truth.joined ^= variable;
            if truth.count == 0 {
                unsatisfied.add(clause);
                for &other in network.variables.get(clause as usize) {
                    scores.lower(other, weight, limit);
                }
            } else if truth.count == 1 {
                scores.raise(truth.joined, weight);
            }
        }
        // The loops above have changed the score of the flipped variable too. Flipping it back would have the
        // opposite effect, so its new score is its old one with the opposite sign.
        let score = &mut scores.all[variable as usize];
        (score.change, score.count) = (-own.change, -own.count);
        scores.list(variable, limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Formula;
    use crate::quasigroup::Quasigroup;

    /// Compares all incrementally updated values with values computed from their definitions.
    fn check(state: &State<'_>, what: &str) {
        let formula = &state.network.formula;
        let mut changes = vec![(0.0, 0); formula.variables() as usize];
        let mut unsatisfied = Vec::new();
        for (index, clause) in (0..).zip(formula.clauses()) {
            let weight = state.weights.of(index);
            let holding: Vec<u32> =
                clause.iter().filter(|literal| state.holds[literal.index()]).map(|l| l.variable()).collect();
            let mut note = |variable: u32, sign: i32| {
                let (change, count) = &mut changes[variable as usize];
                *change += f64::from(sign) * weight;
                *count += sign;
            };
            match *holding {
                [] => clause.iter().for_each(|literal| note(literal.variable(), -1)),
                [only] => note(only, 1),
                _ => {}
            }
            if holding.is_empty() {
                unsatisfied.push(index);
            }
            if clause.len() != 2 {
                let joined = holding.iter().fold(0, |joined, variable| joined ^ variable);
                assert_eq!(state.truths[index as usize], Truth { count: holding.len() as u32, joined });
            }
        }
        for (place, &clause) in (0..).zip(&state.unsatisfied.list) {
            assert_eq!(state.unsatisfied.places[clause as usize], place);
        }
        let mut listed = state.unsatisfied.list.clone();
        listed.sort_unstable();
        assert_eq!(listed, unsatisfied, "{what}");
        let candidates = &state.scores.candidates[..state.scores.count];
        for (variable, &(change, count)) in (0..).zip(&changes) {
            let score = state.scores.all[variable as usize];
            assert_eq!(score.count, count, "{what}, variable {variable}");
            assert!(
                (score.change - change).abs() < state.weights.limit.abs() / 10.0,
                "{what}: {} for {change}",
                score.change
            );
            assert_eq!(
                candidates.iter().filter(|&&other| other == variable).count(),
                usize::from(score.listed)
            );
            assert!(score.listed || score.change >= state.weights.limit, "{what}: {variable} is not listed");
        }
        assert!(state.holds.chunks(2).all(|both| both[0] != both[1]));
    }

    /// Returns a formula with clauses of all lengths, with repeated and opposite literals.
    fn mixed(rng: &mut Rng) -> Formula {
        let mut formula = Formula::new(30);
        for _ in 0..150 {
            let clause: Vec<Literal> = (0..1 + rng.below(5))
                .map(|_| {
                    let variable = rng.below(30) as u32;
                    if rng.below(2) == 0 { Literal::positive(variable) } else { Literal::negative(variable) }
                })
                .collect();
            formula.push(clause);
        }
        formula
    }

    #[test]
    fn every_score_matches_its_definition() {
        let settings = [
            Saps::default(),
            Saps { alpha: 1.05, rho: 0.0, ps: 0.3, wp: 0.2 },
            Saps { alpha: 1.4, rho: 0.002, ps: 0.2, wp: 0.01 },
            Saps { alpha: 1.4, rho: 1e-20, ps: 0.2, wp: 0.01 },
            Saps { alpha: 1.0, rho: 0.5, ps: 0.1, wp: 0.06 },
            Saps { alpha: 1.4, rho: 1.0, ps: 0.1, wp: 0.0 },
            Saps { alpha: 3.0, rho: 0.5, ps: 0.0, wp: 0.0 },
        ];
        let mut rng = Rng::new(5, "test", 0);
        for saps in settings {
            for formula in [mixed(&mut rng), Quasigroup { order: 12, holes: 70, seed: 1 }.formula()] {
                let network = Network::of(&formula);
                let mut state = State::random(&network, &mut rng);
                check(&state, "at first");
                for step in 0..3000 {
                    if !state.is_unsatisfied() {
                        state = State::random(&network, &mut rng);
                    }
                    state.step(&saps, &mut rng);
                    if step % 7 == 0 {
                        check(&state, &format!("{saps:?}, step {step}"));
                    }
                }
            }
        }
    }

    /// Checks each step against the definition of the method.
    #[test]
    fn steps_follow_the_method() {
        let formula = Quasigroup { order: 14, holes: 90, seed: 2 }.formula();
        let network = Network::of(&formula);
        let mut rng = Rng::new(6, "test", 0);
        let saps = Saps { wp: 0.2, ps: 0.4, ..Saps::default() };
        let (mut greedy, mut random, mut grown, mut smoothed) = (0, 0, 0, 0);
        let mut state = State::random(&network, &mut rng);
        for _ in 0..20_000 {
            if !state.is_unsatisfied() {
                state = State::random(&network, &mut rng);
                continue;
            }
            let (before, weights, unit) =
                (state.assignment(), published(&state), state.weights.published_unit());
            let least = state.scores.all.iter().map(|score| score.change).fold(0.0, f64::min);
            let unsatisfied = state.unsatisfied.list.clone();
            state.step(&saps, &mut rng);
            let flipped: Vec<usize> = before
                .iter()
                .zip(state.assignment())
                .enumerate()
                .filter(|(_, (a, b))| **a != *b)
                .map(|(x, _)| x)
                .collect();
            let mean = weights.iter().sum::<f64>() / weights.len() as f64;
            let improves = least * unit < -0.1_f64.max(1e-9 * mean);
            match *flipped {
                [variable] if improves => {
                    assert_eq!(-state.scores.all[variable].change, least, "not the best");
                    greedy += 1;
                }
                [_] => random += 1,
                [] => {
                    assert!(!improves);
                    let mut expected = weights;
                    for clause in unsatisfied {
                        expected[clause as usize] *= saps.alpha;
                    }
                    let mean = expected.iter().sum::<f64>() / expected.len() as f64;
                    let smooth: Vec<f64> =
                        expected.iter().map(|weight| saps.rho * weight + (1.0 - saps.rho) * mean).collect();
                    let is_near = |expected: &[f64]| {
                        published(&state).iter().zip(expected).all(|(a, b)| (a / b - 1.0).abs() < 1e-9)
                    };
                    match (is_near(&expected), is_near(&smooth)) {
                        (true, false) => grown += 1,
                        (false, true) => smoothed += 1,
                        other => panic!("weights are neither grown nor smoothed, or both: {other:?}"),
                    }
                }
                _ => panic!("{flipped:?} flipped at once"),
            }
        }
        // Within five standard deviations.
        let is_share = |part: i32, whole: i32, share: f64| {
            let (part, whole) = (f64::from(part), f64::from(whole));
            whole > 500.0 && (part / whole - share).abs() < 5.0 * (share * (1.0 - share) / whole).sqrt()
        };
        assert!(greedy > 1000 && is_share(random, random + grown + smoothed, 0.2), "{greedy} {random}");
        assert!(is_share(smoothed, grown + smoothed, 0.4), "{smoothed} {grown}");
    }

    #[test]
    fn ties_are_broken_at_random() {
        let mut formula = Formula::new(3);
        formula.push((0..3).map(Literal::positive));
        let network = Network::of(&formula);
        let mut counts = [0; 3];
        for seed in 0..4000 {
            let mut rng = Rng::new(seed, "test", 0);
            let mut state = State::random(&network, &mut rng);
            if state.is_unsatisfied() {
                state.step(&Saps::default(), &mut rng);
                counts[state.assignment().iter().position(|&value| value).unwrap()] += 1;
            }
        }
        assert!(counts.iter().all(|count| (120..220).contains(count)), "{counts:?}");
    }

    fn published(state: &State<'_>) -> Vec<f64> {
        let unit = state.weights.published_unit();
        (0..state.weights.parts.len() as u32).map(|clause| unit * state.weights.of(clause)).collect()
    }
}
