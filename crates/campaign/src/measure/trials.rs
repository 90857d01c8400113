//! Runs the baseline a few times: first alone, then in company, that is, with every slot busy.
//!
//! | round | slots busy | seed | shows |
//! |---|---|---|---|
//! | 1 to 3 | one | the first | the variation when nothing changes |
//! | 4, 5 | one | other seeds | the effect of the seed |
//! | 6 to 8 | all | the first | the effect of neighbouring trials |
//!
//! Each round runs every chosen instance once. In company, a trial counts only if all slots were busy until
//! its end. Each of the two parts, alone and in company, gets half of the time. Trials that do not fit into
//! this time are left out.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use confine::Captured;
use engine::{Configuration, InstanceId, Pair, Seed, TrialId, TrialKey, TrialRequest, Why};
use execution::executor::{Bell, Inbox, Local, Refused};
use execution::{Account, Leash, ProcessTarget, Record, Slot, Target, TargetError};
use scenario::{Instance, Scenario};

use crate::Settings;
use crate::desk::{Came, Desk};

/// Largest number of instances to measure.
const INSTANCES: usize = 3;
/// Seeds of the trials that run alone, one for each round.
pub(super) const ALONE: [Seed; 5] = [FIRST_SEED, FIRST_SEED, FIRST_SEED, Seed(2), Seed(3)];
/// The first seed, which all trials in company use.
pub(super) const FIRST_SEED: Seed = Seed(1);
/// Number of rounds with every slot busy.
const IN_COMPANY: usize = 3;

/// Reason why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The target cannot be run at all.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// No worker thread could be started.
    #[error("cannot start a worker")]
    Worker(#[source] std::io::Error),
    /// The executor refused a trial.
    #[error(transparent)]
    Refused(#[from] Refused),
}

/// Extent of a measurement.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The slots. The first part uses only one slot at a time.
    pub slots: Vec<Slot>,
    /// Longest total time in seconds.
    pub time: f64,
}

impl Terms {
    /// Returns the number of trials on this many instances, alone and in company, if there is enough time.
    pub fn trials(&self, instances: usize) -> (usize, usize) {
        let in_company = if self.slots.len() > 1 { IN_COMPANY * instances } else { 0 };
        (ALONE.len() * instances, in_company)
    }
}

/// One trial that has ended.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The trial.
    pub record: Record,
    /// Whether it ran with all slots busy.
    pub in_company: bool,
    /// A hash of the trial's standard output; `None` if its record was lost.
    pub answer: Option<u64>,
}

impl Sample {
    /// Returns the pair that the trial ran on.
    pub fn pair(&self) -> Pair {
        self.record.trial.key.pair
    }
}

/// Chooses the instances to measure: a few, evenly spaced from the first to the last.
pub fn choose(scenario: &Scenario) -> Vec<Instance> {
    let all = &scenario.instances.train;
    let count = all.len().min(INSTANCES);
    let place = |number: usize| if count > 1 { number * (all.len() - 1) / (count - 1) } else { 0 };
    (0..count).map(|number| all[place(number)].clone()).collect()
}

/// Measures a target on its first `instances` instances. `ready` receives a bell that stops the measurement.
/// Returns `None` if the bell was rung.
pub fn run(
    target: ProcessTarget,
    settings: &Settings,
    terms: Terms,
    instances: usize,
    ready: impl FnOnce(Bell),
) -> Result<Option<Vec<Sample>>, MeasureError> {
    let target = Arc::new(Recording { target, answers: Mutex::default() });
    let workers = terms.slots.len();
    let inbox = Inbox::new();
    let executor = Local::new(Arc::clone(&target) as Arc<dyn Target>, terms.slots, 0.0, &inbox.bell());
    let desk = Desk::new(executor.map_err(MeasureError::Worker)?, inbox);
    ready(desk.bell());
    let default = settings.problem.default.clone();
    let cap = settings.problem.objective.full_cap();
    let mut measuring = Measuring { desk, target, default, cap, next: 0, samples: Vec::new() };
    let alone = ALONE.iter().flat_map(|&seed| (0..instances).map(move |instance| (instance, seed)));
    let half = if workers > 1 { terms.time / 2.0 } else { terms.time };
    if !measuring.part(alone.collect(), 1, half)? {
        return Ok(None);
    }
    if workers > 1 {
        let round = || (0..instances).map(|instance| (instance, FIRST_SEED));
        let wanted: Vec<_> = (0..IN_COMPANY).flat_map(|_| round()).collect();
        if !measuring.part(wanted, workers, terms.time)? {
            return Ok(None);
        }
    }
    Ok(Some(measuring.samples))
}

struct Measuring {
    desk: Desk<'static>,
    target: Arc<Recording>,
    default: Configuration,
    cap: engine::Cap,
    next: u64,
    samples: Vec<Sample>,
}

impl Measuring {
    /// Runs the wanted trials, `busy` at a time, until the campaign time `until`. Returns false if it was
    /// interrupted.
    fn part(&mut self, wanted: Vec<(usize, Seed)>, busy: usize, until: f64) -> Result<bool, MeasureError> {
        let (mut begun, mut ended) = (0, 0);
        while ended < wanted.len() {
            while self.desk.out().len() < busy && (busy > 1 || begun < wanted.len()) {
                // In company, more trials run than are wanted, so that even the last wanted trials have
                // neighbours.
                let (instance, seed) = wanted[begun % wanted.len()];
                self.submit(instance, seed)?;
                begun += 1;
            }
            let left = until - self.desk.now();
            if left <= 0.0 {
                break;
            }
            match self.desk.next(Some(left)) {
                Came::Ended(record) => {
                    let answer = self.target.answer(record.trial.id);
                    ended += 1;
                    self.samples.push(Sample { record: *record, in_company: busy > 1, answer });
                }
                Came::Failed(error) => return Err(error.into()),
                Came::Interrupted => {
                    self.withdraw();
                    return Ok(false);
                }
                _ => {}
            }
        }
        self.withdraw();
        Ok(true)
    }

    fn submit(&mut self, instance: usize, seed: Seed) -> Result<(), Refused> {
        let id = TrialId(self.next);
        self.next += 1;
        let pair = Pair { instance: InstanceId(instance as u32), seed };
        let request = TrialRequest {
            id,
            key: TrialKey { config: engine::ConfigId(0), pair },
            configuration: self.default.clone(),
            cap: self.cap,
            why: Why::Incumbent,
        };
        self.desk.submit(request, None)
    }

    /// Stops the running trials and waits until they have ended, so that they do not disturb the next part.
    fn withdraw(&mut self) {
        self.desk.cancel_all();
        while !self.desk.out().is_empty() {
            self.desk.next(None);
        }
    }
}

/// A target that remembers a hash of each trial's standard output.
struct Recording {
    target: ProcessTarget,
    answers: Mutex<BTreeMap<TrialId, u64>>,
}

impl Recording {
    fn answers(&self) -> MutexGuard<'_, BTreeMap<TrialId, u64>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, id: TrialId) -> Option<u64> {
        self.answers().remove(&id)
    }
}

impl Target for Recording {
    fn run_on(&self, trial: &TrialRequest, leash: &Leash, slot: &Slot) -> Result<Account, TargetError> {
        let (account, record) = self.target.run_with_record(trial, leash, slot)?;
        if let Some(record) = record {
            self.answers().insert(trial.id, digest(&record.stdout));
        }
        Ok(account)
    }
}

fn digest(stream: &Captured) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&stream.head, &stream.tail, stream.written).hash(&mut hasher);
    hasher.finish()
}
