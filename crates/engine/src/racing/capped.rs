//! The racer. The incumbent gains pairs; challengers race against it in doubling batches, with capped trials.

mod gains;

use std::collections::{BTreeMap, VecDeque};

use surrogate::Reading;

use super::exhausted::{self, Remaining};
use super::incumbent::IncumbentState;
use super::losses::Losses;
use super::race::{Race, Standing, compared, known};
use super::rematches::Rematches;
use super::snapshot::{Order, PendingTrial, Snapshot};
use super::{Ask, Drop, News, Racer, Racing, Requested, StopReason};
use crate::history::History;
use crate::problem::Problem;
use crate::propose::Proposer;
use crate::trial::{Cap, ConfigId, Pair, TrialId, TrialKey, TrialRequest, Why};

/// Largest number of configurations from an earlier campaign that race again.
const MOST_EARLIER: usize = 10;

/// A racer with adaptive capping, for any number of workers.
pub struct CappedRacer {
    state: IncumbentState,
    /// Configurations that race before new ones: requested ones, and those from an earlier campaign.
    earlier: VecDeque<ConfigId>,
    /// Number of requested configurations among these; they come first.
    requested: usize,
    rematches: Rematches,
    losses: Losses,
    /// Open races, oldest first.
    races: Vec<Race>,
    running: BTreeMap<TrialId, Running>,
    next_trial: u64,
    /// Number of challengers raced so far. Rematches count only in an exhausted finite space.
    challengers: usize,
    /// Whether the proposer has no new configuration left.
    exhausted: bool,
    orders: VecDeque<Order>,
    /// Whether running trials are left alone: their caps are never lowered, and they are never stopped.
    hands_off: bool,
    news: Vec<News>,
}

struct Running {
    trial: PendingTrial,
    elapsed: f64,
}

impl Running {
    fn new(trial: PendingTrial) -> Self {
        Self { trial, elapsed: 0.0 }
    }

    /// Returns the lower bound on the trial's cost from an earlier trial; 0 if there is none.
    fn prior(&self) -> f64 {
        self.trial.prior.unwrap_or(0.0)
    }

    /// Returns how much the trial's cost so far exceeds the earlier lower bound.
    fn excess(&self) -> f64 {
        (self.elapsed - self.prior()).max(0.0)
    }
}

impl CappedRacer {
    /// Creates a racer whose first incumbent is the default. If the history contains trials from an earlier
    /// campaign, the default's trials count. The configurations whose costs are known on the most pairs then
    /// race first, because no proposer would propose them again.
    pub fn new(problem: Problem, racing: Racing, history: &mut History) -> Self {
        let incumbent = history.intern(&problem.default);
        history.relate(incumbent, &problem.objective.constraints);
        let mut state = IncumbentState::new(problem, racing, incumbent);
        state.gain_all_known(history);
        let mut earlier: Vec<(usize, ConfigId)> = (0..history.configurations().len() as u32)
            .map(|number| (state.known_pairs(ConfigId(number), history), ConfigId(number)))
            .filter(|&(pairs, config)| pairs > 0 && config != incumbent && !history.is_barred(config))
            .collect();
        // Former incumbents have met more pairs than the configurations that lost against them.
        earlier.sort_by_key(|&(pairs, config)| (std::cmp::Reverse(pairs), config));
        Self {
            state,
            earlier: earlier.into_iter().take(MOST_EARLIER).map(|(_, config)| config).collect(),
            requested: 0,
            rematches: Rematches::default(),
            losses: Losses::default(),
            races: Vec::new(),
            running: BTreeMap::new(),
            next_trial: history.trials().iter().map(|trial| trial.id.0 + 1).max().unwrap_or(0),
            challengers: 0,
            exhausted: false,
            orders: VecDeque::new(),
            hands_off: false,
            news: Vec::new(),
        }
    }

    /// Continues from a snapshot taken with the same history. The costs that running trials have reached must
    /// be reported again.
    pub fn restore(problem: Problem, racing: Racing, snapshot: Snapshot, history: &History) -> Self {
        let Snapshot { incumbent, incumbent_pairs, next_trial, challengers, races, orders, .. } = snapshot;
        Self {
            state: IncumbentState::resumed(problem, racing, incumbent, &incumbent_pairs, history),
            earlier: snapshot.earlier.into(),
            requested: snapshot.requested,
            rematches: snapshot.again,
            losses: snapshot.losses,
            races,
            running: snapshot.pending.into_iter().map(|trial| (trial.id, Running::new(trial))).collect(),
            next_trial,
            challengers,
            // The next proposal will show whether the space is still exhausted.
            exhausted: false,
            orders: orders.into(),
            hands_off: false,
            news: Vec::new(),
        }
    }

    /// Makes the racer leave running trials alone: it never lowers their caps and never stops them. Decisions
    /// then do not depend on how far trials have got.
    #[must_use]
    pub fn hands_off(mut self) -> Self {
        self.hands_off = true;
        self
    }

    /// Starts a trial.
    fn run(&mut self, key: TrialKey, cap: Cap, why: Why, prior: Option<f64>, history: &History) -> Ask {
        let id = TrialId(self.next_trial);
        self.next_trial += 1;
        self.running.insert(id, Running::new(PendingTrial { id, key, cap, why, prior }));
        let configuration = history.configuration(key.config).clone();
        Ask::Run(TrialRequest { id, key, configuration, cap, why })
    }

    /// Returns the next trial of an open race; older races come first.
    fn challenge(&mut self, history: &History) -> Option<Ask> {
        let mut place = 0;
        while place < self.races.len() {
            let race = &self.races[place];
            let Some(&pair) = race.todo.front() else {
                place += 1;
                continue;
            };
            let objective = self.state.objective();
            let config = race.config;
            let prior = compared(history, objective, config, pair).map(Reading::lower_bound);
            let left = self.left(place, history);
            if left <= 0.0 || left < self.races[place].least_left(self.state.rules(history)) {
                self.remove(place, Drop::Sum);
                continue;
            }
            let most = left + prior.unwrap_or(0.0);
            let cap = objective.cutoff.map_or(Cap::NONE, |cutoff| Cap::at(cutoff.min(most)));
            let ask = self.run(TrialKey { config, pair }, cap, Why::Challenge, prior, history);
            if let Ask::Run(request) = &ask {
                self.races[place].todo.pop_front();
                self.races[place].running.push(request.id);
            }
            return Some(ask);
        }
        None
    }

    /// Returns the cost that a challenger may still use, counting what its running trials have reached.
    fn left(&self, place: usize, history: &History) -> f64 {
        let race = &self.races[place];
        race.left(self.state.rules(history), self.elapsed_of(race))
    }

    fn elapsed_of(&self, race: &Race) -> f64 {
        race.running.iter().filter_map(|id| self.running.get(id)).map(Running::excess).sum()
    }

    /// Ends a race and stops its running trials.
    fn remove(&mut self, place: usize, drop: Drop) {
        let race = self.races.remove(place);
        if !self.hands_off {
            self.orders.extend(race.running.into_iter().map(Order::Cancel));
        }
        self.news.push(News::Dropped(race.config, race.sums.count, drop));
    }

    /// Returns the next configuration that races before new ones; skips barred ones, even if requested.
    fn next_earlier(&mut self, history: &History) -> Option<ConfigId> {
        loop {
            let config = self.earlier.pop_front()?;
            self.requested = self.requested.saturating_sub(1);
            if !history.is_barred(config) {
                return Some(config);
            }
        }
    }

    /// Returns the configurations that are racing or have a running trial.
    fn busy(&self) -> Vec<ConfigId> {
        let running = self.running.values().map(|running| running.trial.key.config);
        self.races.iter().map(|race| race.config).chain(running).collect()
    }

    /// Returns a configuration that has lost and may race again now, if there is one.
    fn next_rematch(&mut self, history: &History, proposer: &mut dyn Proposer) -> Option<ConfigId> {
        if !self.rematches.is_due() || !self.state.is_ready() {
            return None;
        }
        let busy = self.busy();
        let field = self.state.field(history, &busy);
        // The model's expectations take time, so they are computed only if they are used.
        let expected = if self.rematches.needs_model(field) { proposer.expected(history) } else { &[] };
        self.rematches.next(field, expected)
    }

    /// Returns the race of the next challenger: a requested configuration, a rematch, a new configuration, or
    /// one from an exhausted space; `None` if there is no challenger.
    fn next_race(&mut self, history: &mut History, proposer: &mut dyn Proposer) -> Option<Race> {
        if let Some(config) = self.next_earlier(history).or_else(|| self.next_rematch(history, proposer)) {
            let rules = self.state.rules(history);
            let is_new = history.readings(config).next().is_none();
            return Some(if is_new { Race::new(config) } else { Race::again(config, rules) });
        }
        if !self.exhausted {
            if let Some(proposed) = proposer.propose(history, self.state.incumbent()) {
                self.challengers += 1;
                let rounded = Some(proposed.rounded()).filter(|rounded| history.find(rounded).is_none());
                return Some(Race::new(history.intern(&rounded.unwrap_or(proposed))));
            }
            self.exhausted = true;
        }
        let config = self.next_of_all(history)?;
        self.challengers += 1;
        Some(Race::in_exhausted_space(config, self.state.rules(history)))
    }

    /// Returns the configuration that races again in an exhausted space. If all configurations that could win
    /// have met the incumbent on all its pairs, makes the incumbent gain another pair instead.
    fn next_of_all(&mut self, history: &History) -> Option<ConfigId> {
        if !self.state.is_ready() {
            return None;
        }
        let busy = self.busy();
        let pairs = self.state.pairs().len();
        match exhausted::next(&self.state, history, |config| {
            busy.contains(&config) || self.rematches.has_met(config, pairs)
        }) {
            Remaining::Race(config) => Some(config),
            Remaining::Gain => {
                let IncumbentState { problem, racing, .. } = &self.state;
                let wanted = racing.schedule.challengers(pairs + 1, problem.instances as usize);
                self.challengers = self.challengers.max(wanted);
                None
            }
            Remaining::Nothing => None,
        }
    }

    /// Opens a race; returns `false` if there is no challenger.
    fn open(&mut self, history: &mut History, proposer: &mut dyn Proposer) -> bool {
        let Some(race) = self.next_race(history, proposer) else { return false };
        let config = race.config;
        let is_racing =
            config == self.state.incumbent() || self.races.iter().any(|race| race.config == config);
        assert!(!is_racing, "a challenger must be neither the incumbent nor already racing");
        if history.readings(config).next().is_some() {
            self.rematches.record(config, self.state.pairs().len());
        }
        self.news.push(News::Opened(config));
        self.races.push(race);
        self.next_batch(self.races.len() - 1, history);
        self.settle(self.races.len() - 1, history);
        true
    }

    fn next_batch(&mut self, place: usize, history: &History) {
        let pending: Vec<Pair> = self.gains().collect();
        let race = &mut self.races[place];
        let (seed, rules) = (self.state.problem.seed, self.state.rules(history));
        if rules.ready {
            race.add_batch(rules.pairs, seed, rules);
        } else {
            // While the incumbent's first trials are running, challengers may already run on the same pairs.
            let pairs: Vec<Pair> = rules.pairs.iter().copied().chain(pending).collect();
            race.add_batch(&pairs, seed, rules);
        }
    }

    /// Judges a race and acts on the result: drops the challenger, adds the next batch, or promotes the
    /// challenger.
    fn settle(&mut self, place: usize, history: &History) {
        loop {
            let race = &self.races[place];
            let rules = self.state.rules(history);
            match race.standing(rules, self.elapsed_of(race)) {
                Standing::Open => return self.tighten(place, history),
                Standing::Lost(drop) => return self.remove(place, drop),
                Standing::Won if race.has_met_all(rules) => return self.promote(place, history),
                Standing::Won => self.next_batch(place, history),
            }
        }
    }

    fn promote(&mut self, place: usize, history: &History) {
        let race = self.races.remove(place);
        let before = self.state.promote(race.config, history);
        let won = (self.state.pairs().len(), self.state.is_feasible());
        // After an import, its cost may be known on more pairs than those of the race.
        self.state.gain_all_known(history);
        self.rematches.replaced(before, history);
        self.news.push(News::NewIncumbent(race.config, race.order.len(), before));
        if self.state.pairs().len() > won.0 {
            self.rematches.gained();
            if won.1 && !self.state.is_feasible() {
                self.recall_former(history);
            }
        }
        self.judge_all(history);
    }

    /// Judges every race against the current incumbent.
    fn judge_all(&mut self, history: &History) {
        let configs: Vec<ConfigId> = self.races.iter().map(|race| race.config).collect();
        for config in configs {
            // A challenger promoted meanwhile is no longer in the list; all others were judged at its
            // promotion.
            let Some(place) = self.races.iter().position(|race| race.config == config) else { continue };
            self.races[place].refresh(self.state.rules(history));
            self.settle(place, history);
        }
    }

    /// Bars a configuration that has given a wrong answer, even if it is the incumbent.
    fn bar(&mut self, config: ConfigId, history: &History) {
        self.earlier.retain(|&other| other != config);
        if config == self.state.incumbent() {
            self.dethrone(history);
        } else if let Some(place) = self.races.iter().position(|race| race.config == config) {
            self.remove(place, Drop::Wrong);
        }
    }

    /// Replaces a barred incumbent. Its successor may have fewer pairs than challengers have met, so open
    /// races start again; known results are kept.
    fn dethrone(&mut self, history: &History) {
        let Some((successor, pairs)) = self.state.successor(history) else { return };
        let before = self.state.incumbent();
        while let Some(last) = self.races.len().checked_sub(1) {
            let config = self.races[last].config;
            self.remove(last, Drop::Restart);
            self.earlier.push_front(config);
            self.requested += 1;
        }
        self.earlier.retain(|&config| config != successor);
        let (problem, racing) = (self.state.problem.clone(), self.state.racing.clone());
        self.state = IncumbentState::resumed(problem, racing, successor, &pairs, history);
        self.state.gain_all_known(history);
        // The successor continues with the pairs it has, instead of catching up at once.
        let IncumbentState { problem, racing, .. } = &self.state;
        self.challengers = racing.schedule.challengers(self.state.pairs().len(), problem.instances as usize);
        self.news.push(News::Dethroned(successor, self.state.pairs().len(), before));
    }

    /// Lowers the caps of a challenger's running trials to the cost that it may still use.
    fn tighten(&mut self, place: usize, history: &History) {
        let left = self.left(place, history);
        if self.hands_off || !left.is_finite() {
            return;
        }
        let grain = self.state.objective().grain;
        for &id in &self.races[place].running {
            let Some(running) = self.running.get_mut(&id) else { continue };
            let cap = left + running.excess() + running.prior();
            if cap > 0.0 && cap < running.trial.cap.cost() - grain {
                running.trial.cap = Cap::at(cap);
                self.orders.push_back(Order::Tighten(id, Cap::at(cap)));
            }
        }
    }

    fn place_of(&self, id: TrialId) -> Option<usize> {
        self.races.iter().position(|race| race.running.contains(&id))
    }

    /// Returns the next order, skipping those that are no longer valid.
    fn order(&mut self) -> Option<Ask> {
        while let Some(order) = self.orders.pop_front() {
            match order {
                Order::Cancel(id) if self.running.contains_key(&id) => return Some(Ask::Cancel(id)),
                // The order is outdated if a later one has lowered the cap further.
                Order::Tighten(id, cap) if self.running.get(&id).is_some_and(|it| it.trial.cap == cap) => {
                    return Some(Ask::Tighten(id, cap));
                }
                Order::Cancel(_) | Order::Tighten(..) => {}
            }
        }
        None
    }
}

impl Racer for CappedRacer {
    fn next(&mut self, slots: usize, history: &mut History, proposer: &mut dyn Proposer) -> Ask {
        loop {
            if let Some(order) = self.order() {
                return order;
            }
            if slots == 0 {
                return Ask::Wait;
            }
            if !self.state.is_ready()
                && let Some(ask) = self.gain(history)
            {
                return ask;
            }
            if let Some(ask) = self.challenge(history) {
                return ask;
            }
            if !self.orders.is_empty() {
                continue;
            }
            if self.state.is_ready()
                && let Some(ask) = self.gain(history)
            {
                return ask;
            }
            if !self.open(history, proposer) {
                if let Some(ask) = self.gain(history) {
                    return ask;
                }
                return if self.running.is_empty() { Ask::Done(StopReason::Exhausted) } else { Ask::Wait };
            }
        }
    }

    fn near_end(&mut self, near: bool, history: &History, proposer: &mut dyn Proposer) {
        if near == self.rematches.is_final() {
            return;
        }
        let mut busy = self.busy();
        busy.extend(&self.earlier);
        let finalists =
            self.rematches.finalists(near, self.state.field(history, &busy), proposer.expected(history));
        self.earlier.extend(finalists);
    }

    fn request(&mut self, config: ConfigId) -> Requested {
        if config == self.state.incumbent() {
            return Requested::Incumbent;
        }
        if self.earlier.contains(&config) || self.races.iter().any(|race| race.config == config) {
            return Requested::Underway;
        }
        self.earlier.insert(self.requested.min(self.earlier.len()), config);
        self.requested += 1;
        Requested::Next
    }

    fn told(&mut self, id: TrialId, history: &History) {
        let Some(Running { trial, .. }) = self.running.remove(&id) else { return };
        let place = self.place_of(id);
        if let Some(place) = place {
            self.races[place].running.retain(|&other| other != id);
        }
        let Some(observation) = history.trials().last().map(|trial| &trial.observation) else { return };
        let objective = self.state.objective();
        if observation.status().bars() {
            return self.bar(trial.key.config, history);
        }
        match (trial.why, place) {
            (Why::Incumbent, _) => {
                let is_known = known(history, objective, trial.key.config, trial.key.pair).is_some();
                if trial.key.config == self.state.incumbent() && is_known {
                    self.gained(trial.key.pair, history);
                }
            }
            (Why::Challenge, None) | (Why::Baseline | Why::Validation | Why::Ablation, _) => {}
            (Why::Challenge, Some(place)) => {
                let race = &mut self.races[place];
                let pair = trial.key.pair;
                if observation.status().is_uninformative() {
                    race.todo.push_front(pair);
                    if self.losses.lost(trial.key.config) {
                        self.remove(place, Drop::Lost);
                    }
                    return;
                }
                self.losses.told(trial.key.config);
                if known(history, objective, race.config, pair).is_none() {
                    race.todo.push_back(pair);
                }
                if trial.prior.is_some() {
                    // The sums already contain the earlier lower bound for this pair.
                    race.refresh(self.state.rules(history));
                } else {
                    race.add(pair, self.state.rules(history));
                }
                self.settle(place, history);
            }
        }
    }

    fn elapsed(&mut self, reached: &[(TrialId, f64)], history: &History) {
        self.running.values_mut().for_each(|running| running.elapsed = 0.0);
        for (id, cost) in reached {
            if let Some(running) = self.running.get_mut(id) {
                running.elapsed = *cost;
            }
        }
        for &(id, _) in reached {
            if let Some(place) = self.place_of(id) {
                self.settle(place, history);
            }
        }
    }

    fn withdrawn(&mut self, id: TrialId) {
        let Some(Running { trial, .. }) = self.running.remove(&id) else { return };
        if let Some(place) = self.place_of(id) {
            self.races[place].running.retain(|&other| other != id);
            self.races[place].todo.push_front(trial.key.pair);
        }
    }

    fn incumbent(&self) -> ConfigId {
        self.state.incumbent()
    }

    fn incumbent_pairs(&self) -> usize {
        self.state.pairs().len()
    }

    fn news(&mut self) -> Vec<News> {
        std::mem::take(&mut self.news)
    }

    fn patience(&self, history: &History) -> Option<f64> {
        let left = |place: usize| {
            let (left, running) = (self.left(place, history), self.races[place].running.len());
            (left.is_finite() && running > 0).then(|| left / running as f64)
        };
        (0..self.races.len()).filter_map(left).min_by(f64::total_cmp)
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            next_trial: self.next_trial,
            incumbent: self.state.incumbent(),
            incumbent_pairs: self.state.pairs().to_vec(),
            earlier: self.earlier.iter().copied().collect(),
            requested: self.requested,
            again: self.rematches.clone(),
            losses: self.losses.clone(),
            challengers: self.challengers,
            races: self.races.clone(),
            orders: self.orders.iter().copied().collect(),
            pending: self.running.values().map(|running| running.trial).collect(),
        }
    }
}
