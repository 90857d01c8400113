//! The racer: incumbent gains pairs, challengers meet it in doubling batches, capped by sums.

use std::collections::{BTreeMap, VecDeque};

use surrogate::Reading;

use super::again::{Again, FINALISTS};
use super::losses::Losses;
use super::race::{Race, Standing, compared, known};
use super::snapshot::{Order, PendingTrial, Snapshot};
use super::terms::Terms;
use super::tried_out::{self, Rest};
use super::{Ask, Drop, News, Racer, Racing, Requested, StopReason};
use crate::history::History;
use crate::problem::Problem;
use crate::propose::Proposer;
use crate::trial::{Cap, ConfigId, Pair, TrialId, TrialKey, TrialRequest, Why};

/// Most configurations of an earlier campaign that race again.
const MOST_EARLIER: usize = 10;

/// Races with adaptive capping, on any number of workers.
pub struct CappedRacer {
    terms: Terms,
    /// Configurations of an earlier campaign, or asked for, that are to race before new ones.
    earlier: VecDeque<ConfigId>,
    /// How many of these were asked for: they come first.
    requested: usize,
    again: Again,
    losses: Losses,
    /// Open races, oldest first.
    races: Vec<Race>,
    running: BTreeMap<TrialId, Running>,
    next_trial: u64,
    /// Challengers raced so far; those that race again do not count, but for those of a finite space that
    /// has been tried out.
    challengers: usize,
    /// Whether there is no new configuration left.
    exhausted: bool,
    orders: VecDeque<Order>,
    /// Whether running trials are left alone.
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

    /// What was known of its cost before.
    fn prior(&self) -> f64 {
        self.trial.prior.unwrap_or(0.0)
    }

    /// What it has reached beyond what was known before.
    fn excess(&self) -> f64 {
        (self.elapsed - self.prior()).max(0.0)
    }
}

impl CappedRacer {
    /// A race of everything against the default. If the history holds trials of an earlier campaign,
    /// the default is known where it was, and the configurations known best race before new ones:
    /// nobody proposes them again.
    pub fn new(problem: Problem, racing: Racing, history: &mut History) -> Self {
        let incumbent = history.intern(&problem.default);
        let mut terms = Terms::new(problem, racing, incumbent);
        terms.gain_all_known(history);
        let mut earlier: Vec<(usize, ConfigId)> = (0..history.configurations().len() as u32)
            .map(|number| (terms.known_pairs(ConfigId(number), history), ConfigId(number)))
            .filter(|&(pairs, config)| pairs > 0 && config != incumbent && !history.is_barred(config))
            .collect();
        // An incumbent is known on more pairs than whoever lost against it.
        earlier.sort_by_key(|&(pairs, config)| (std::cmp::Reverse(pairs), config));
        Self {
            terms,
            earlier: earlier.into_iter().take(MOST_EARLIER).map(|(_, config)| config).collect(),
            requested: 0,
            again: Again::default(),
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

    /// Goes on from a snapshot taken when the history was what it is now. What running trials have
    /// reached is to be reported anew, if they still run.
    pub fn restore(problem: Problem, racing: Racing, snapshot: Snapshot, history: &History) -> Self {
        let Snapshot { incumbent, incumbent_pairs, next_trial, challengers, races, orders, .. } = snapshot;
        Self {
            terms: Terms::resumed(problem, racing, incumbent, &incumbent_pairs, history),
            earlier: snapshot.earlier.into(),
            requested: snapshot.requested,
            again: snapshot.again,
            losses: snapshot.losses,
            races,
            running: snapshot.pending.into_iter().map(|trial| (trial.id, Running::new(trial))).collect(),
            next_trial,
            challengers,
            // If it still is, the next proposal will show.
            exhausted: false,
            orders: orders.into(),
            hands_off: false,
            news: Vec::new(),
        }
    }

    /// Never lowers the cap of a running trial and never stops one: for whoever must not let decisions
    /// depend on how far trials have come.
    #[must_use]
    pub fn hands_off(mut self) -> Self {
        self.hands_off = true;
        self
    }

    /// The incumbent's trials that are running, so that it gains their pairs.
    fn gains(&self) -> impl Iterator<Item = Pair> {
        let gain =
            |trial: &&PendingTrial| trial.why == Why::Incumbent && trial.key.config == self.terms.incumbent();
        self.running.values().map(|running| &running.trial).filter(gain).map(|trial| trial.key.pair)
    }

    /// A trial of these settings on this pair.
    fn run(&mut self, key: TrialKey, cap: Cap, why: Why, prior: Option<f64>, history: &History) -> Ask {
        let id = TrialId(self.next_trial);
        self.next_trial += 1;
        self.running.insert(id, Running::new(PendingTrial { id, key, cap, why, prior }));
        let configuration = history.configuration(key.config).clone();
        Ask::Run(TrialRequest { id, key, configuration, cap, why })
    }

    /// The next trial of the incumbent, if it is to gain a pair. A pair that the history can answer is gained at
    /// once.
    fn gain(&mut self, history: &History) -> Option<Ask> {
        loop {
            let pending: Vec<Pair> = self.gains().collect();
            if self.terms.pairs().len() + pending.len() >= self.terms.pairs_due(self.challengers) {
                return None;
            }
            let pair = self.terms.next_pair(&pending)?;
            let config = self.terms.incumbent();
            if known(history, self.terms.objective(), config, pair).is_none() {
                let cap = self.terms.objective().full_cap();
                return Some(self.run(TrialKey { config, pair }, cap, Why::Incumbent, None, history));
            }
            self.gained(pair, history);
        }
    }

    /// The incumbent is known on one more pair.
    fn gained(&mut self, pair: Pair, history: &History) {
        let rules = |terms: &Terms| (terms.are_ready(), terms.is_feasible());
        let before = rules(&self.terms);
        self.terms.gain(pair, history);
        self.again.gained();
        let after = rules(&self.terms);
        // Where a mean is what counts it has moved.
        if after != before || !self.terms.compares_seeds() {
            if before.1 && !after.1 && self.terms.pairs().len() > 1 {
                self.recall_former(history);
            }
            self.judge_all(history);
        }
    }

    /// The incumbent was feasible only on fewer pairs: those that it beat by its cost may have been better.
    fn recall_former(&mut self, history: &History) {
        let mut busy = self.busy();
        busy.extend(&self.earlier);
        // Whether they look feasible is not asked: on pairs where capping stopped them nobody knows.
        let latest = self.again.latest(self.terms.field(history, &busy));
        let place = self.requested.min(self.earlier.len());
        for config in latest.into_iter().take(FINALISTS).rev() {
            self.earlier.insert(place, config);
        }
    }

    /// The next trial of an open race, oldest race first.
    fn challenge(&mut self, history: &History) -> Option<Ask> {
        let mut place = 0;
        while place < self.races.len() {
            let race = &self.races[place];
            let Some(&pair) = race.todo.front() else {
                place += 1;
                continue;
            };
            let objective = self.terms.objective();
            let config = race.config;
            let prior = compared(history, objective, config, pair).map(Reading::lower_bound);
            let left = self.left(place, history);
            if left <= 0.0 || left < self.races[place].least_left(self.terms.rules(history)) {
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

    /// What a challenger may still cost, running trials counted at what they have reached.
    fn left(&self, place: usize, history: &History) -> f64 {
        let race = &self.races[place];
        race.left(self.terms.rules(history), self.elapsed_of(race))
    }

    fn elapsed_of(&self, race: &Race) -> f64 {
        race.running.iter().filter_map(|id| self.running.get(id)).map(Running::excess).sum()
    }

    /// Ends a race; what still runs for it is stopped.
    fn remove(&mut self, place: usize, drop: Drop) {
        let race = self.races.remove(place);
        if !self.hands_off {
            self.orders.extend(race.running.into_iter().map(Order::Cancel));
        }
        self.news.push(News::Dropped(race.config, race.sums.count, drop));
    }

    /// The first of those that are to race before new ones; whoever was wrong is passed over, whoever
    /// wants it tried.
    fn next_earlier(&mut self, history: &History) -> Option<ConfigId> {
        loop {
            let config = self.earlier.pop_front()?;
            self.requested = self.requested.saturating_sub(1);
            if !history.is_barred(config) {
                return Some(config);
            }
        }
    }

    /// Those that race, and those of which a trial has not ended yet.
    fn busy(&self) -> Vec<ConfigId> {
        let running = self.running.values().map(|running| running.trial.key.config);
        self.races.iter().map(|race| race.config).chain(running).collect()
    }

    /// One that has lost and races again.
    fn next_again(&mut self, history: &History, proposer: &mut dyn Proposer) -> Option<ConfigId> {
        if !self.again.is_due() || !self.terms.are_ready() {
            return None;
        }
        let busy = self.busy();
        let field = self.terms.field(history, &busy);
        // A model that nobody listens to need not think.
        let expected = if self.again.hopes(field) { proposer.expected(history) } else { &[] };
        self.again.next(field, expected)
    }

    /// The race of the next challenger: one asked for, one that races again, a new one, or one of a space that
    /// has been tried out; `None` if there is none.
    fn next_race(&mut self, history: &mut History, proposer: &mut dyn Proposer) -> Option<Race> {
        if let Some(config) = self.next_earlier(history).or_else(|| self.next_again(history, proposer)) {
            return Some(Race::new(config));
        }
        if !self.exhausted {
            if let Some(configuration) = proposer.propose(history, self.terms.incumbent()) {
                self.challengers += 1;
                return Some(Race::new(history.intern(&configuration)));
            }
            self.exhausted = true;
        }
        let config = self.next_of_all(history)?;
        self.challengers += 1;
        Some(Race::again(config, tried_out::TOLERANCE, self.terms.rules(history)))
    }

    /// Who races again in a space that has been tried out. If all that could win have met the incumbent on all
    /// its pairs, it is to gain another one.
    fn next_of_all(&mut self, history: &History) -> Option<ConfigId> {
        if !self.terms.are_ready() {
            return None;
        }
        let busy = self.busy();
        let pairs = self.terms.pairs().len();
        match tried_out::next(&self.terms, history, |config| {
            busy.contains(&config) || self.again.has_met(config, pairs)
        }) {
            Rest::Race(config) => Some(config),
            Rest::Gain => {
                let Terms { problem, racing, .. } = &self.terms;
                let wanted = racing.schedule.challengers(pairs + 1, problem.instances as usize);
                self.challengers = self.challengers.max(wanted);
                None
            }
            Rest::Nothing => None,
        }
    }

    /// Opens a race; false if there is nobody to race.
    fn open(&mut self, history: &mut History, proposer: &mut dyn Proposer) -> bool {
        let Some(race) = self.next_race(history, proposer) else { return false };
        let config = race.config;
        let is_racing =
            config == self.terms.incumbent() || self.races.iter().any(|race| race.config == config);
        assert!(!is_racing, "a proposal is neither the incumbent nor racing against it");
        if history.readings(config).next().is_some() {
            self.again.returns(config, self.terms.pairs().len());
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
        let (seed, rules) = (self.terms.problem.seed, self.terms.rules(history));
        if rules.ready {
            race.add_batch(rules.pairs, seed, rules);
        } else {
            // The incumbent's first pairs are still running: challengers may meet them already.
            let pairs: Vec<Pair> = rules.pairs.iter().copied().chain(pending).collect();
            race.add_batch(&pairs, seed, rules);
        }
    }

    /// Judges a race and follows from it: dropped, on to the next batch, or incumbent.
    fn settle(&mut self, place: usize, history: &History) {
        loop {
            let race = &self.races[place];
            let rules = self.terms.rules(history);
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
        let before = self.terms.crown(race.config, history);
        self.again.fell(before, history);
        self.news.push(News::NewIncumbent(race.config, race.order.len(), before));
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

    /// A configuration has given a wrong answer: it is out, also as the incumbent.
    fn bar(&mut self, config: ConfigId, history: &History) {
        self.earlier.retain(|&other| other != config);
        if config == self.terms.incumbent() {
            self.dethrone(history);
        } else if let Some(place) = self.races.iter().position(|race| race.config == config) {
            self.remove(place, Drop::Wrong);
        }
    }

    /// The incumbent is barred. Its successor may know fewer pairs, of which open races have met
    /// others: they begin anew, with what is known of them.
    fn dethrone(&mut self, history: &History) {
        let Some((successor, pairs)) = self.terms.successor(history) else { return };
        let before = self.terms.incumbent();
        while let Some(last) = self.races.len().checked_sub(1) {
            let config = self.races[last].config;
            self.remove(last, Drop::Restart);
            self.earlier.push_front(config);
            self.requested += 1;
        }
        self.earlier.retain(|&config| config != successor);
        let (problem, racing) = (self.terms.problem.clone(), self.terms.racing.clone());
        self.terms = Terms::resumed(problem, racing, successor, &pairs, history);
        self.terms.gain_all_known(history);
        // The successor goes on from the pairs it has, instead of catching up at once.
        let Terms { problem, racing, .. } = &self.terms;
        self.challengers = racing.schedule.challengers(self.terms.pairs().len(), problem.instances as usize);
        self.news.push(News::Dethroned(successor, self.terms.pairs().len(), before));
    }

    /// Lowers the caps of a challenger's running trials to what is left for each.
    fn tighten(&mut self, place: usize, history: &History) {
        let left = self.left(place, history);
        if self.hands_off || !left.is_finite() {
            return;
        }
        let grain = self.terms.objective().grain;
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

    /// The next order that still makes sense.
    fn order(&mut self) -> Option<Ask> {
        while let Some(order) = self.orders.pop_front() {
            match order {
                Order::Cancel(id) if self.running.contains_key(&id) => return Some(Ask::Cancel(id)),
                // A later order may have lowered the cap further.
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
            if !self.terms.are_ready()
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
            if self.terms.are_ready()
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
        if near == self.again.is_final() {
            return;
        }
        let mut busy = self.busy();
        busy.extend(&self.earlier);
        let finalists =
            self.again.finalists(near, self.terms.field(history, &busy), proposer.expected(history));
        self.earlier.extend(finalists);
    }

    fn request(&mut self, config: ConfigId) -> Requested {
        if config == self.terms.incumbent() {
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
        let objective = self.terms.objective();
        if observation.status().bars() {
            return self.bar(trial.key.config, history);
        }
        match (trial.why, place) {
            (Why::Incumbent, _) => {
                let is_known = known(history, objective, trial.key.config, trial.key.pair).is_some();
                if trial.key.config == self.terms.incumbent() && is_known {
                    self.gained(trial.key.pair, history);
                }
            }
            (Why::Challenge, None) | (Why::Validation, _) => {}
            (Why::Challenge, Some(place)) => {
                let race = &mut self.races[place];
                let pair = trial.key.pair;
                if observation.status().says_nothing() {
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
                    // The pair is in the sums already, with what was known of it then.
                    race.refresh(self.terms.rules(history));
                } else {
                    race.add(pair, self.terms.rules(history));
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
        self.terms.incumbent()
    }

    fn incumbent_pairs(&self) -> usize {
        self.terms.pairs().len()
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
            incumbent: self.terms.incumbent(),
            incumbent_pairs: self.terms.pairs().to_vec(),
            earlier: self.earlier.iter().copied().collect(),
            requested: self.requested,
            again: self.again.clone(),
            losses: self.losses.clone(),
            challengers: self.challengers,
            races: self.races.clone(),
            orders: self.orders.iter().copied().collect(),
            pending: self.running.values().map(|running| running.trial).collect(),
        }
    }
}
