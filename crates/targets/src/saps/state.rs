//! The state of a search and its steps.
//!
//! The score of a variable is Δ(x): the weight of clauses it would break less that of clauses it would
//! make. Like a weight it is `scale part + base count`, its two sums being kept per variable. Only these
//! scores change when x is flipped, w being the weight of a clause with x:
//!
//! | true literals of the clause | whose score | change |
//! |---|---|---|
//! | 0 to 1 | its other variables | + w |
//! | 1 to 2 | the one that was true | - w |
//! | 2 to 1 | the one that stays true | + w |
//! | 1 to 0 | its other variables | - w |
//! | any | x itself | changes sign |

use engine::Rng;

use super::Saps;
use super::network::Network;
use super::weights::Weights;
use crate::formula::Literal;

#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Score {
    part: f64,
    count: f64,
}

impl Score {
    #[inline]
    fn add(&mut self, part: f64, sign: f64) {
        self.part += sign * part;
        self.count += sign;
    }
}

/// Of a clause that has not two literals.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Truth {
    count: u32,
    /// Exclusive or of the variables of true literals: the variable itself if there is one.
    joined: u32,
}

/// The unsatisfied clauses, and where each is in their list.
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
    /// By literal.
    holds: Vec<bool>,
    scores: Vec<Score>,
    truths: Vec<Truth>,
    unsatisfied: Unsatisfied,
    weights: Weights,
    /// Variables of equally good score; kept for its memory.
    best: Vec<u32>,
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
            scores: vec![Score::default(); variables],
            truths: vec![Truth::default(); clauses],
            unsatisfied: Unsatisfied { list: Vec::with_capacity(clauses), places: vec![0; clauses] },
            weights: Weights::ones(clauses),
            best: Vec::with_capacity(variables),
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
        state.score_anew();
        state
    }

    pub(super) fn is_unsatisfied(&self) -> bool {
        !self.unsatisfied.list.is_empty()
    }

    pub(super) fn assignment(&self) -> Vec<bool> {
        (0..self.network.formula.variables()).map(|x| self.holds[Literal::positive(x).index()]).collect()
    }

    /// Every score from its definition.
    fn score_anew(&mut self) {
        self.scores.fill(Score::default());
        for (index, clause) in self.network.formula.clauses().enumerate() {
            let part = self.weights.parts[index];
            let mut holding = clause.iter().filter(|literal| self.holds[literal.index()]);
            match (holding.next(), holding.next()) {
                (None, _) => {
                    for literal in clause {
                        self.scores[literal.variable() as usize].add(part, -1.0);
                    }
                }
                (Some(only), None) => self.scores[only.variable() as usize].add(part, 1.0),
                _ => {}
            }
        }
    }

    /// One step; some clause must be unsatisfied.
    pub(super) fn step(&mut self, saps: &Saps, rng: &mut Rng) {
        if self.find_best() {
            let pick = match self.best.len() {
                1 => 0,
                ties => rng.below(ties),
            };
            self.flip(self.best[pick]);
        } else if rng.unit() < saps.wp && !self.scores.is_empty() {
            let variable = rng.below(self.scores.len());
            self.flip(variable as u32);
        } else {
            self.grow(saps.alpha);
            if rng.unit() < saps.ps {
                self.weights.smooth(saps.rho);
            }
            if self.weights.are_extreme() {
                self.weights.renew();
                self.score_anew();
            }
        }
    }

    /// Collects the variables whose flip improves most, if any improves.
    fn find_best(&mut self) -> bool {
        let Weights { scale, base, threshold, .. } = self.weights;
        let mut least = -threshold;
        self.best.clear();
        for &clause in &self.unsatisfied.list {
            for &variable in self.network.variables.get(clause as usize) {
                let score = self.scores[variable as usize];
                let score = scale * score.part + base * score.count;
                if score < least {
                    least = score;
                    self.best.clear();
                    self.best.push(variable);
                } else if score == least && !self.best.is_empty() && !self.best.contains(&variable) {
                    self.best.push(variable);
                }
            }
        }
        !self.best.is_empty()
    }

    fn grow(&mut self, alpha: f64) {
        for &clause in &self.unsatisfied.list {
            let gain = self.weights.grow(clause as usize, alpha);
            for &variable in self.network.variables.get(clause as usize) {
                self.scores[variable as usize].part -= gain;
            }
        }
        self.weights.settle_threshold();
    }

    fn flip(&mut self, variable: u32) {
        let Self { network, holds, scores, truths, unsatisfied, weights, .. } = self;
        let positive = Literal::positive(variable).index();
        let (gained, lost) =
            if holds[positive] { (positive + 1, positive) } else { (positive, positive + 1) };
        holds[gained] = true;
        holds[lost] = false;
        let own = scores[variable as usize];
        for pair in network.pairs.get(gained) {
            let part = weights.parts[pair.clause as usize];
            let sign = if holds[pair.other as usize] {
                -1.0
            } else {
                unsatisfied.remove(pair.clause);
                1.0
            };
            scores[pair.other as usize / 2].add(part, sign);
        }
        for pair in network.pairs.get(lost) {
            let part = weights.parts[pair.clause as usize];
            let sign = if holds[pair.other as usize] {
                1.0
            } else {
                unsatisfied.add(pair.clause);
                -1.0
            };
            scores[pair.other as usize / 2].add(part, sign);
        }
        for &clause in network.others.get(gained) {
            let truth = &mut truths[clause as usize];
            let part = weights.parts[clause as usize];
            if truth.count == 0 {
                unsatisfied.remove(clause);
                for &other in network.variables.get(clause as usize) {
                    scores[other as usize].add(part, 1.0);
                }
            } else if truth.count == 1 {
                scores[truth.joined as usize].add(part, -1.0);
            }
            truth.count += 1;
            truth.joined ^= variable;
        }
        for &clause in network.others.get(lost) {
            let truth = &mut truths[clause as usize];
            let part = weights.parts[clause as usize];
            truth.count -= 1;
            truth.joined ^= variable;
            if truth.count == 0 {
                unsatisfied.add(clause);
                for &other in network.variables.get(clause as usize) {
                    scores[other as usize].add(part, -1.0);
                }
            } else if truth.count == 1 {
                scores[truth.joined as usize].add(part, 1.0);
            }
        }
        // Its own clauses have touched it above, too; what breaks now is what was made before.
        scores[variable as usize] = Score { part: -own.part, count: -own.count };
    }
}
