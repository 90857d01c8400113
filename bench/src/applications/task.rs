//! A task: settings to choose, a cost to minimise, and a bound on an error.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use engine::problem::{Constraint, Over};
use engine::{Configuration, Objective, Pair, Space};
use execution::executor::Answer;
use math::mix;

use crate::contest::arena::Arena;
use crate::contest::subject::{Benchmark, Subject};

/// Cost and error of one evaluation, or their means over many.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Evaluation {
    /// Counted operations.
    pub(super) cost: f64,
    pub(super) error: f64,
}

/// What a task evaluates.
pub(super) trait Target: Send + Sync {
    /// Evaluates a configuration once. The seed decides the random numbers, if there are any.
    fn evaluate(&self, configuration: &Configuration, seed: u64) -> Evaluation;

    /// Returns the means over seeds that no evaluation uses.
    fn truth(&self, configuration: &Configuration) -> Evaluation;

    /// Returns the CPU time of the reference divided by that of the configuration.
    fn speed_up_in_time(&self, configuration: &Configuration) -> f64;

    /// Returns the size of the model: support vectors, or 0 if it has none.
    fn size(&self, configuration: &Configuration) -> u64;
}

/// A task on one data set.
pub(super) struct Task {
    /// The application, and by how many percent the error may exceed the reference's: lsh, lsh-5, svm-1 or svm-10.
    pub(super) kind: &'static str,
    pub(super) data_set: &'static str,
    pub(super) space: Space,
    /// Whether evaluations do not depend on the seed.
    pub(super) deterministic: bool,
    /// Evaluations of one search.
    pub(super) budget: u64,
    /// Cost of the reference: the exact search, or the machine with all support vectors.
    pub(super) reference: f64,
    /// Largest error allowed.
    pub(super) bound: f64,
    /// A line about the data and the reference.
    pub(super) remark: String,
    pub(super) target: Box<dyn Target>,
}

impl Task {
    pub(super) fn is_feasible(&self, evaluation: Evaluation) -> bool {
        evaluation.error <= self.bound
    }

    pub(super) fn speed_up(&self, evaluation: Evaluation) -> f64 {
        self.reference / evaluation.cost
    }
}

/// All evaluations of one search, in order.
pub(super) type Log = Arc<Mutex<Vec<(Configuration, Evaluation)>>>;

/// Answers trials, and records them.
struct Recorded {
    task: Arc<Task>,
    log: Log,
    /// Whether the seed is drawn for each configuration, and not for each trial.
    once: bool,
}

impl Subject for Recorded {
    fn answer(&self, configuration: &Configuration, pair: Pair, _cap: f64) -> Answer {
        let seed = u64::from(pair.seed.0);
        let seed = if self.once { mix(seed ^ configuration.fingerprint() as u64) } else { seed };
        let evaluation = self.task.target.evaluate(configuration, seed);
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.push((configuration.clone(), evaluation));
        // Every evaluation takes the same time, because its cost is not a time.
        Answer { constraints: vec![evaluation.error], time: 1.0, ..Answer::finished(evaluation.cost) }
    }
}

/// Returns an arena for one search, and the log of its evaluations. With `once`, the task is presented as
/// deterministic, so that no configuration is evaluated twice. As in the paper, each evaluation then has a new
/// seed, and the search takes it for the truth.
pub(super) fn arena(task: &Arc<Task>, once: bool) -> Result<(Arc<Arena>, Log)> {
    let log = Log::default();
    let mut objective = Objective::uncapped();
    objective.constraints.push(Constraint::new(task.bound, Over::Mean));
    let benchmark = Benchmark {
        subject: Box::new(Recorded { task: task.clone(), log: log.clone(), once }),
        space: task.space.clone(),
        training: 1,
        test: 0,
        deterministic: task.deterministic || once,
        checksum: 0,
    };
    Ok((Arc::new(Arena::new(task.data_set, benchmark, objective, 1, 0)?), log))
}
