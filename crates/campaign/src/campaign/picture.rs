//! Pictures of a campaign's progress, for displays and for the journal.

use engine::{ConfigId, Status, TrialRequest};
use scenario::are_kept;

use super::{Campaign, Sink, TICK};
use crate::event::{Event, What};
use crate::progress::{self, Progress};
use crate::savings::Savings;

/// Share of the budget between two stored pictures.
const KEPT_EVERY: f64 = 0.01;

impl Campaign<'_> {
    /// Emits a picture if the next one is due.
    pub(super) fn tick(&mut self, sink: Sink<'_>) {
        let now = self.desk.now();
        if self.desk.is_stepwise() || (now < self.next_tick && self.stop.is_none()) {
            return;
        }
        self.next_tick = now + TICK;
        let progress = self.progress();
        let fraction = progress.fraction;
        let warnings = self.watch.progress(&progress);
        let event = Event { at: now, what: What::Progress(Box::new(progress)) };
        if fraction >= self.next_kept {
            self.next_kept = fraction + KEPT_EVERY;
            self.ledger.record_always(&event);
        }
        sink(&event);
        warnings.into_iter().for_each(|warning| self.emit(sink, What::Warning(warning)));
    }

    /// Returns the current state of the campaign.
    pub fn progress(&self) -> Progress {
        let (history, objective) = (self.optimizer.history(), &self.settings.problem.objective);
        let spent = self.spent();
        let incumbent = self.optimizer.incumbent();
        let challenges: Vec<&TrialRequest> = self
            .desk
            .out()
            .values()
            .map(|out| &out.request)
            .filter(|request| request.why == engine::Why::Challenge)
            .collect();
        let racing =
            challenges.iter().min_by_key(|request| request.key.config).map(|request| progress::Challenger {
                config: request.key.config,
                met: history.readings(request.key.config).count(),
                cap: request.cap.cost(),
            });
        let mut racers: Vec<_> = challenges.iter().map(|request| request.key.config).collect();
        racers.sort_unstable();
        racers.dedup();
        let default = ConfigId(0);
        Progress {
            spent,
            fraction: self.settings.budget.fraction(&spent),
            workers: self.desk.workers(),
            out: self.desk.out().len(),
            optimizer_share: self.thinking.share(spent.wall),
            counts: Status::ALL.map(|status| history.count(status)),
            lost: self.lost(),
            configurations: history.tried(),
            best: progress::standing(history, objective, incumbent),
            default: progress::compare(history, self.settings, default, incumbent),
            racing,
            others: racers.len().saturating_sub(1),
            default_is_feasible: are_kept(&progress::holdings(history, objective, default)),
            unmeasured: self.unmeasured,
            saved: self.savings.as_ref().map_or(1.0, Savings::factor),
        }
    }
}
