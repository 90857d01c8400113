//! The racer: incumbent gains pairs, challengers meet it in doubling batches, capped by sums.

use std::collections::{BTreeMap, VecDeque};

use super::balance::Balance;
use super::comparison::{Objective, Problem};
use super::constraint::violation;
use super::pairs::Pairs;
use super::race::{Race, Rules, Standing, compared, known};
use super::snapshot::{OpenRace, PendingTrial, Snapshot};
use super::{Ask, Drop, News, Racer, Racing, StopReason};
use crate::history::History;
use crate::observation::Status;
use crate::propose::Proposer;
use crate::reading::Reading;
use crate::trial::{Cap, ConfigId, Pair, TrialId, TrialKey, TrialRequest, Why};

/// Races with adaptive capping, on any number of workers.
pub struct CappedRacer {
    terms: Terms,
    /// Open races, oldest first.
    races: Vec<Race>,
    running: BTreeMap<TrialId, Running>,
    next_trial: u64,
    /// Whether the incumbent is to gain a pair before the next challenger.
    gain_due: bool,
    balance: Balance,
    /// Whether there is no new configuration left.
    exhausted: bool,
    orders: VecDeque<Ask>,
    news: Vec<News>,
}

/// What every race is about.
struct Terms {
    problem: Problem,
    racing: Racing,
    incumbent: ConfigId,
    /// The pairs on which the incumbent is known, in the order gained.
    pairs: Vec<Pair>,
    /// Whether the incumbent keeps all constraints, as far as seen.
    feasible: bool,
}

impl Terms {
    fn rules<'a>(&'a self, history: &'a History) -> Rules<'a> {
        Rules {
            objective: &self.problem.objective,
            racing: &self.racing,
            history,
            incumbent: self.incumbent,
            capping: self.problem.objective.cutoff.is_some() && self.feasible,
        }
    }

    fn source(&self) -> Pairs {
        let Problem { instances, seed, .. } = self.problem;
        Pairs { instances, deterministic: self.racing.deterministic, seed }
    }

    fn objective(&self) -> &Objective {
        &self.problem.objective
    }

    /// The incumbent has changed or gained a pair.
    fn judge_incumbent(&mut self, history: &History) {
        let constraints = &self.problem.objective.constraints;
        self.feasible = constraints.is_empty() || {
            let trials = || {
                let trial = |&pair: &Pair| history.reading(self.incumbent, history.find_pair(pair)?);
                self.pairs.iter().filter_map(trial).map(|trial| &trial.observation)
            };
            violation(constraints, trials) == 0.0
        };
    }
}

struct Running {
    trial: PendingTrial,
    elapsed: f64,
}

impl Running {
    /// What it has reached beyond what was known before.
    fn excess(&self) -> f64 {
        (self.elapsed - self.trial.prior).max(0.0)
    }
}

impl CappedRacer {
    /// A race of everything against the default.
    pub fn new(problem: Problem, racing: Racing, history: &mut History) -> Self {
        let incumbent = history.intern(&problem.default);
        Self {
            terms: Terms { problem, racing, incumbent, pairs: Vec::new(), feasible: false },
            races: Vec::new(),
            running: BTreeMap::new(),
            next_trial: history.trials().iter().map(|trial| trial.id.0 + 1).max().unwrap_or(0),
            gain_due: false,
            balance: Balance::default(),
            exhausted: false,
            orders: VecDeque::new(),
            news: Vec::new(),
        }
    }

    /// Goes on from a snapshot taken when the history was what it is now.
    pub fn restore(problem: Problem, racing: Racing, snapshot: Snapshot, history: &History) -> Self {
        let running = |trial: PendingTrial| (trial.id, Running { trial, elapsed: 0.0 });
        let Snapshot { incumbent, incumbent_pairs: pairs, .. } = snapshot;
        let mut racer = Self {
            terms: Terms { problem, racing, incumbent, pairs, feasible: false },
            races: Vec::new(),
            running: snapshot.pending.into_iter().map(running).collect(),
            next_trial: snapshot.next_trial,
            gain_due: snapshot.gain_due,
            balance: snapshot.balance,
            // A larger space may have been given.
            exhausted: snapshot.exhausted,
            orders: VecDeque::new(),
            news: Vec::new(),
        };
        racer.terms.judge_incumbent(history);
        for OpenRace { config, order, batches } in snapshot.races {
            let mut race = Race::resumed(config, order, batches);
            race.running = racer.challenges_of(config).collect();
            race.refresh(racer.terms.rules(history));
            racer.races.push(race);
        }
        racer
    }

    fn challenges_of(&self, config: ConfigId) -> impl Iterator<Item = TrialId> {
        let challenge = move |running: &&Running| {
            running.trial.key.config == config && running.trial.why == Why::Challenge
        };
        self.running.values().filter(challenge).map(|running| running.trial.id)
    }

    /// The incumbent's trials that are running, so that it gains their pairs.
    fn gains(&self) -> impl Iterator<Item = &PendingTrial> {
        let gain =
            |trial: &&PendingTrial| trial.key.config == self.terms.incumbent && trial.why == Why::Incumbent;
        self.running.values().map(|running| &running.trial).filter(gain)
    }

    /// A trial of these settings on this pair.
    fn run(&mut self, key: TrialKey, cap: Cap, why: Why, prior: f64, history: &History) -> Ask {
        let id = TrialId(self.next_trial);
        self.next_trial += 1;
        let trial = PendingTrial { id, key, cap, why, prior };
        self.running.insert(id, Running { trial, elapsed: 0.0 });
        let configuration = history.configuration(key.config).clone();
        Ask::Run(TrialRequest { id, key, configuration, cap, why })
    }

    /// The incumbent gains a pair; one that the history can answer, at once.
    fn gain(&mut self, history: &History) -> Option<Ask> {
        loop {
            let pending: Vec<Pair> = self.gains().map(|trial| trial.key.pair).collect();
            if self.terms.pairs.len() + pending.len() >= self.terms.racing.max_pairs {
                return None;
            }
            let met = self.terms.pairs.iter().copied().chain(pending);
            let pair = self.terms.source().next(met)?;
            if known(history, self.terms.objective(), self.terms.incumbent, pair).is_none() {
                let key = TrialKey { config: self.terms.incumbent, pair };
                return Some(self.run(key, self.terms.objective().full_cap(), Why::Incumbent, 0.0, history));
            }
            self.terms.pairs.push(pair);
            self.terms.judge_incumbent(history);
            if self.terms.pairs.len() >= self.terms.racing.min_pairs {
                return None;
            }
        }
    }

    /// What the incumbent's running trials are expected to cost.
    fn expected_gains(&self, history: &History) -> f64 {
        let count = self.terms.pairs.len();
        if count == 0 {
            return 0.0;
        }
        let spent = |&pair: &Pair| {
            let trial = history.reading(self.terms.incumbent, history.find_pair(pair)?)?;
            Some(trial.observation.spent())
        };
        let pending = self.gains().count();
        if pending == 0 {
            return 0.0;
        }
        let total: f64 = self.terms.pairs.iter().filter_map(spent).sum();
        pending as f64 * total / count as f64
    }

    /// The next trial of an open race, oldest race first.
    fn challenge(&mut self, history: &History) -> Option<Ask> {
        let mut place = 0;
        while place < self.races.len() {
            let race = &mut self.races[place];
            let pair_of = |id| self.running.get(id).map(|running: &Running| running.trial.key.pair);
            let running: Vec<Pair> = race.running.iter().filter_map(pair_of).collect();
            let next = race.next_pair(self.terms.rules(history), |pair| running.contains(&pair));
            let Some(pair) = next else {
                place += 1;
                continue;
            };
            let race = &self.races[place];
            let config = race.config;
            let prior =
                compared(history, self.terms.objective(), config, pair).map_or(0.0, Reading::lower_bound);
            let left = race.left(self.terms.rules(history), self.elapsed_of(race));
            if left < self.terms.objective().grain {
                self.remove(place, Drop::Sum);
                continue;
            }
            let cap =
                self.terms.objective().cutoff.map_or(Cap::NONE, |cutoff| Cap::at(cutoff.min(left + prior)));
            let ask = self.run(TrialKey { config, pair }, cap, Why::Challenge, prior, history);
            if let Ask::Run(request) = &ask {
                self.races[place].running.push(request.id);
            }
            return Some(ask);
        }
        None
    }

    fn elapsed_of(&self, race: &Race) -> f64 {
        race.running.iter().filter_map(|id| self.running.get(id)).map(Running::excess).sum()
    }

    /// Ends a race; what still runs for it is stopped.
    fn remove(&mut self, place: usize, drop: Drop) {
        let race = self.races.remove(place);
        for id in race.running {
            if let Some(running) = self.running.get_mut(&id) {
                // It ends where it is now, also if it has to be run anew after an interruption.
                running.trial.cap = Cap::at(running.elapsed.max(f64::MIN_POSITIVE));
                self.orders.push_back(Ask::Cancel(id));
            }
        }
        self.news.push(News::Dropped(race.config, race.sums.count, drop));
    }

    /// Opens a race for a new configuration; false if there is none.
    fn open(&mut self, history: &mut History, proposer: &mut dyn Proposer) -> bool {
        let Some(configuration) = proposer.propose(history, self.terms.incumbent) else {
            return false;
        };
        let config = history.intern(&configuration);
        self.news.push(News::Opened(config));
        self.races.push(Race::new(config));
        self.next_batch(self.races.len() - 1, history);
        self.settle(self.races.len() - 1, history);
        true
    }

    fn next_batch(&mut self, place: usize, history: &History) {
        let pending: Vec<Pair>;
        let pairs = if self.terms.pairs.is_empty() {
            pending = self.gains().map(|trial| trial.key.pair).collect();
            &pending
        } else {
            &self.terms.pairs
        };
        let race = &mut self.races[place];
        race.add_batch(pairs, self.terms.problem.seed);
        race.refresh(self.terms.rules(history));
    }

    /// Judges a race and follows from it: dropped, on to the next batch, or incumbent.
    fn settle(&mut self, place: usize, history: &History) {
        loop {
            let race = &self.races[place];
            let last = race.order.len() >= self.terms.pairs.len();
            match race.standing(self.terms.rules(history), self.elapsed_of(race), last) {
                Standing::Open => return self.tighten(place, history),
                Standing::Lost(drop) => return self.remove(place, drop),
                Standing::Won if !last => self.next_batch(place, history),
                Standing::Won => return self.promote(place, history),
            }
        }
    }

    fn promote(&mut self, place: usize, history: &History) {
        let race = self.races.remove(place);
        let before = std::mem::replace(&mut self.terms.incumbent, race.config);
        self.news.push(News::NewIncumbent(race.config, race.order.len(), before));
        self.terms.judge_incumbent(history);
        self.judge_all(history);
    }

    /// Judges every race against what the incumbent is now.
    fn judge_all(&mut self, history: &History) {
        let configs: Vec<ConfigId> = self.races.iter().map(|race| race.config).collect();
        for config in configs {
            // One of them may have become the incumbent, which has judged the others.
            let Some(place) = self.races.iter().position(|race| race.config == config) else { continue };
            self.races[place].refresh(self.terms.rules(history));
            self.settle(place, history);
        }
    }

    /// Lowers the caps of a challenger's running trials to what is left for each.
    fn tighten(&mut self, place: usize, history: &History) {
        let race = &self.races[place];
        let left = race.left(self.terms.rules(history), self.elapsed_of(race));
        if !left.is_finite() {
            return;
        }
        let grain = self.terms.objective().grain;
        for id in race.running.clone() {
            let Some(running) = self.running.get_mut(&id) else { continue };
            let cap = left + running.excess() + running.trial.prior;
            if cap > 0.0 && cap < running.trial.cap.cost() - grain {
                running.trial.cap = Cap::at(cap);
                self.orders.push_back(Ask::Tighten(id, Cap::at(cap)));
            }
        }
    }

    fn place_of(&self, id: TrialId) -> Option<usize> {
        self.races.iter().position(|race| race.running.contains(&id))
    }
}

impl Racer for CappedRacer {
    fn next(&mut self, slots: usize, history: &mut History, proposer: &mut dyn Proposer) -> Ask {
        if let Some(order) = self.orders.pop_front() {
            return order;
        }
        if slots == 0 {
            return Ask::Wait;
        }
        loop {
            let gained = self.terms.pairs.len() + self.gains().count();
            if gained < self.terms.racing.min_pairs.min(self.terms.source().count())
                && let Some(ask) = self.gain(history)
            {
                return ask;
            }
            if let Some(ask) = self.challenge(history) {
                return ask;
            }
            if let Some(order) = self.orders.pop_front() {
                return order;
            }
            if std::mem::take(&mut self.gain_due)
                && self.balance.favours_incumbent(self.expected_gains(history))
                && let Some(ask) = self.gain(history)
            {
                return ask;
            }
            if self.exhausted || !self.open(history, proposer) {
                self.exhausted = true;
                return if self.running.is_empty() { Ask::Done(StopReason::Exhausted) } else { Ask::Wait };
            }
            self.gain_due = true;
        }
    }

    fn told(&mut self, id: TrialId, history: &History) {
        let Some(running) = self.running.remove(&id) else { return };
        let place = self.place_of(id);
        if let Some(place) = place {
            self.races[place].running.retain(|&other| other != id);
        }
        let Some(trial) = history.trials().last() else { return };
        let (status, spent) = (trial.observation.status(), trial.observation.spent());
        let pair = running.trial.key.pair;
        match running.trial.why {
            Why::Incumbent => {
                self.balance.incumbent_spent(spent);
                if running.trial.key.config != self.terms.incumbent {
                    return;
                }
                if known(history, self.terms.objective(), self.terms.incumbent, pair).is_none() {
                    self.gain_due = true;
                    return;
                }
                let first = self.terms.pairs.is_empty();
                self.terms.pairs.push(pair);
                self.terms.judge_incumbent(history);
                if first {
                    self.judge_all(history);
                }
            }
            Why::Challenge => {
                let Some(place) = place else {
                    self.balance.challenger_spent(spent, f64::INFINITY);
                    return;
                };
                let race = &mut self.races[place];
                let grains = race.order.len() as f64 * self.terms.objective().grain;
                let left = match (race.sums.incumbent, self.terms.objective().cutoff) {
                    (Some(sum), Some(_)) => sum + grains - race.sums.known,
                    _ => f64::INFINITY,
                };
                self.balance.challenger_spent(spent, left);
                if status.says_nothing() {
                    return;
                }
                // A pair met before is in the sums already, with what was known of it then.
                if running.trial.prior > 0.0 || status == Status::Capped {
                    race.refresh(self.terms.rules(history));
                } else {
                    race.add(pair, self.terms.rules(history));
                }
                self.settle(place, history);
            }
        }
    }

    fn elapsed(&mut self, id: TrialId, cost: f64, history: &History) {
        let Some(running) = self.running.get_mut(&id) else { return };
        running.elapsed = running.elapsed.max(cost);
        if let Some(place) = self.place_of(id) {
            self.settle(place, history);
        }
    }

    fn withdrawn(&mut self, id: TrialId) {
        let Some(running) = self.running.remove(&id) else { return };
        match self.place_of(id) {
            Some(place) => self.races[place].running.retain(|&other| other != id),
            None => self.gain_due |= running.trial.why == Why::Incumbent,
        }
    }

    fn incumbent(&self) -> ConfigId {
        self.terms.incumbent
    }

    fn incumbent_pairs(&self) -> usize {
        self.terms.pairs.len()
    }

    fn news(&mut self) -> Vec<News> {
        std::mem::take(&mut self.news)
    }

    fn patience(&self, history: &History) -> Option<f64> {
        let left = |race: &Race| {
            let left = race.left(self.terms.rules(history), self.elapsed_of(race));
            (left.is_finite() && !race.running.is_empty()).then(|| left / race.running.len() as f64)
        };
        self.races.iter().filter_map(left).min_by(f64::total_cmp)
    }

    fn snapshot(&self) -> Snapshot {
        let open =
            |race: &Race| OpenRace { config: race.config, order: race.order.clone(), batches: race.batches };
        Snapshot {
            next_trial: self.next_trial,
            incumbent: self.terms.incumbent,
            incumbent_pairs: self.terms.pairs.clone(),
            gain_due: self.gain_due,
            exhausted: self.exhausted,
            balance: self.balance,
            races: self.races.iter().map(open).collect(),
            pending: self.running.values().map(|running| running.trial).collect(),
        }
    }
}
