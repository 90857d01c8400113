//! Two ways to run the trials that a racer asks for. In the first, trials end in any order. In the second, a
//! simulated clock decides when they end, and they report the costs they have reached. In both, some trials
//! are lost and some are withdrawn.

use math::Rng;

use super::stage::{Out, Stage};
use crate::observation::{Observation, Status};
use crate::racing::Ask;
use crate::trial::TrialId;

/// Number of results and reports after which a run ends.
const TRIALS: usize = 150;

/// Picks one random running trial after another and lets it end, report, be lost or be withdrawn.
pub(super) fn in_any_order(stage: &mut Stage<'_>, rng: &mut Rng) {
    let mut told = 0;
    while told < TRIALS {
        loop {
            match stage.next() {
                Ask::Wait => break,
                Ask::Done(_) => return,
                // The caller may do something else before it asks again.
                _ if rng.below(8) == 0 => break,
                _ => {}
            }
        }
        remember(stage, rng, 40);
        let ids: Vec<TrialId> = stage.running.keys().copied().collect();
        if ids.is_empty() {
            continue;
        }
        let id = ids[rng.below(ids.len())];
        let Some(out) = stage.running.get(&id) else { continue };
        let truth = stage.world.truth(&out.request);
        let end = truth.time.min(out.cap.cost());
        let now = out.elapsed + rng.unit() * (end - out.elapsed).max(0.0);
        let grows = stage.world.problem.objective.cutoff.is_some();
        match rng.below(20) {
            0 => stage.tell(id, Observation::failed(Status::Lost, now)),
            1 => stage.withdraw(id),
            2..8 if grows => stage.elapsed(id, now),
            // A cancelled trial was stopped, unless it ended first.
            _ if out.cancelled && rng.below(4) > 0 => stop(stage, id, now),
            _ => {
                let cap =
                    if out.elapsed > out.cap.cost() { crate::trial::Cap::at(out.elapsed) } else { out.cap };
                stage.tell(id, stage.world.observe(&truth, cap));
            }
        }
        told += 1;
    }
}

/// Ends a cancelled trial. If costs grow, it reports the cost it has reached; otherwise it is withdrawn.
fn stop(stage: &mut Stage<'_>, id: TrialId, reached: f64) {
    if stage.world.problem.objective.cutoff.is_some() {
        stage.tell(id, stage.world.stopped(reached));
    } else {
        stage.withdraw(id);
    }
}

/// Occasionally restores a twin from the snapshot, or lets the twin replace the racer.
fn remember(stage: &mut Stage<'_>, rng: &mut Rng, seldom: usize) {
    match rng.below(seldom) {
        0 => stage.restore_twin(),
        1 => stage.replace_by_twin(),
        _ => {}
    }
}

/// The end of a trial that is not stopped.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    ByItself,
    Lost,
    Withdrawn,
}

struct Clock {
    now: f64,
    /// The start of every running trial, its duration if it is not stopped, and how it then ends.
    fates: std::collections::BTreeMap<TrialId, (f64, f64, Fate)>,
}

impl Clock {
    fn start(&mut self, out: &Out, time: f64, rng: &mut Rng) {
        let fate = match rng.below(30) {
            0 => (time * rng.unit(), Fate::Lost),
            1 => (time * rng.unit(), Fate::Withdrawn),
            _ => (time, Fate::ByItself),
        };
        self.fates.insert(out.request.id, (self.now, fate.0, fate.1));
    }

    /// Returns the time at which a trial ends.
    fn end(&self, out: &Out) -> f64 {
        let Some(&(start, time, _)) = self.fates.get(&out.request.id) else { return f64::INFINITY };
        // A trial that has already exceeded its cap stops now.
        (start + time.min(out.cap.cost())).max(self.now)
    }

    fn reached(&self, id: TrialId) -> f64 {
        self.fates.get(&id).map_or(0.0, |&(start, ..)| self.now - start)
    }
}

/// Advances the clock from the end of one trial to the end of the next. If the racer's patience ends earlier,
/// all running trials report the costs they have reached.
pub(super) fn by_the_clock(stage: &mut Stage<'_>, rng: &mut Rng) {
    let grows = stage.world.problem.objective.cutoff.is_some();
    let grain = stage.world.problem.objective.grain.max(1e-3);
    let mut clock = Clock { now: 0.0, fates: std::collections::BTreeMap::new() };
    let mut told = 0;
    while told < TRIALS {
        loop {
            match stage.next() {
                Ask::Run(request) => {
                    let time = stage.world.truth(&request).time;
                    if let Some(out) = stage.running.get(&request.id) {
                        clock.start(out, time, rng);
                    }
                }
                Ask::Tighten(..) => {}
                Ask::Cancel(id) => {
                    stop(stage, id, clock.reached(id));
                    told += 1;
                }
                Ask::Wait => break,
                Ask::Done(_) => return,
            }
        }
        remember(stage, rng, 40);
        let ends = stage.running.values().map(|out| (clock.end(out), out.request.id));
        let Some((end, id)) = ends.min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        let patience = stage.patience().map_or(f64::INFINITY, |time| time.max(grain));
        if clock.now + patience < end {
            clock.now += patience;
            let ids: Vec<TrialId> = stage.running.keys().copied().collect();
            for id in ids {
                stage.elapsed(id, clock.reached(id));
            }
            continue;
        }
        clock.now = end;
        let Some(out) = stage.running.get(&id) else { continue };
        let truth = stage.world.truth(&out.request);
        let reached = clock.reached(id);
        let fate = clock.fates.get(&id).map(|&(_, time, fate)| (fate, reached < time));
        match fate {
            Some((Fate::Lost, _)) => stage.tell(id, Observation::failed(Status::Lost, reached)),
            Some((Fate::Withdrawn, _)) => stage.withdraw(id),
            // The trial had already exceeded its tightened cap.
            Some((_, true)) if grows && reached > out.cap.cost() => {
                stage.tell(id, stage.world.stopped(reached));
            }
            _ => stage.tell(id, stage.world.observe(&truth, out.cap)),
        }
        told += 1;
    }
}
