//! Child processes under `confine`'s limits.
//!
//! A child is one run of `confine`: its whole process tree is kept together, limited and killed as a trial of
//! a campaign is. It serves many calls of a function; what it is asked and answers goes through a socket that
//! Python handles.
//!
//! A thread of its own kills the child at the end of a call's time, whatever the interpreter does meanwhile.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use confine::{Command, Control, Cores, End, Finished, Folder, LaunchError, Limit, Limits};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

type Ended = Arc<(Mutex<Option<Result<Finished, LaunchError>>>, Condvar)>;

/// The end of the current call's time.
#[derive(Default)]
struct Watch {
    state: Mutex<WatchState>,
    changed: Condvar,
}

#[derive(Default)]
struct WatchState {
    deadline: Option<Instant>,
    /// Whether a deadline has passed, so that the child was killed.
    fired: bool,
    /// Whether there is nothing left to watch.
    over: bool,
}

impl Watch {
    /// Kills the child when a deadline passes; returns when there is nothing left to watch.
    fn run(&self, control: &Control) {
        let mut state = lock(&self.state);
        while !state.over {
            let Some(deadline) = state.deadline else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                (state.fired, state.deadline) = (true, None);
                control.cancel();
            } else {
                state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }

    fn set(&self, deadline: Option<Instant>) -> bool {
        let mut state = lock(&self.state);
        state.deadline = deadline;
        self.changed.notify_all();
        state.fired
    }

    fn stop(&self) {
        lock(&self.state).over = true;
        self.changed.notify_all();
    }
}

/// A running child.
#[pyclass(frozen, module = "captune._captune")]
pub(crate) struct Child {
    control: Arc<Control>,
    ended: Ended,
    watch: Arc<Watch>,
}

#[pymethods]
impl Child {
    /// Starts a command. `guardian` is the program `captune`, which supervises it.
    #[new]
    #[pyo3(signature = (command, *, guardian, folder, memory = None, processes = None, cores = None, environment = None))]
    fn new(
        command: Vec<PathBuf>,
        guardian: PathBuf,
        folder: PathBuf,
        memory: Option<u64>,
        processes: Option<u32>,
        cores: Option<Vec<usize>>,
        environment: Option<Vec<(String, String)>>,
    ) -> PyResult<Self> {
        let Some((program, arguments)) = command.split_first() else {
            return Err(PyValueError::new_err("the command is empty"));
        };
        let mut command = Command::new(program)
            .args(arguments)
            .guardian(guardian)
            .folder(Folder::Given(folder))
            .pass_env("*")
            .keep_output(4 << 10, 64 << 10);
        for (name, value) in environment.unwrap_or_default() {
            command = command.env(name, value);
        }
        let cores = cores.map(|cores| cores.into_iter().collect::<Cores>());
        let limits = Limits { memory, processes, cores, ..Limits::default() };
        limits.check().map_err(|error| PyValueError::new_err(error.to_string()))?;
        let (control, ended) = (Arc::new(Control::new()), Ended::default());
        let (its_control, its_end) = (control.clone(), ended.clone());
        std::thread::spawn(move || {
            let outcome = confine::run(&command, &limits, &its_control);
            *lock(&its_end.0) = Some(outcome);
            its_end.1.notify_all();
        });
        let watch = Arc::new(Watch::default());
        let (its_watch, its_control) = (watch.clone(), control.clone());
        std::thread::spawn(move || its_watch.run(&its_control));
        Ok(Self { control, ended, watch })
    }

    /// Kills the child after this many seconds, unless `disarm` is called before.
    fn arm(&self, seconds: f64) {
        let limit = Duration::try_from_secs_f64(seconds.max(0.0)).ok();
        self.watch.set(limit.and_then(|limit| Instant::now().checked_add(limit)));
    }

    /// Cancels the deadline. Returns whether it has passed already, so that the child was killed.
    fn disarm(&self) -> bool {
        self.watch.set(None)
    }

    /// Kills the child and everything that it started.
    fn kill(&self) {
        self.control.cancel();
    }

    /// Waits until the child and everything that it started have ended, and returns how; `None` if `timeout`
    /// seconds pass first.
    #[pyo3(signature = (timeout = None))]
    fn wait<'py>(&self, py: Python<'py>, timeout: Option<f64>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let timeout =
            timeout.map(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX));
        let ended = py.detach(|| {
            let guard = lock(&self.ended.0);
            let running = |outcome: &mut Option<_>| outcome.is_none();
            let guard = match timeout {
                None => self.ended.1.wait_while(guard, running).unwrap_or_else(PoisonError::into_inner),
                Some(timeout) => {
                    self.ended
                        .1
                        .wait_timeout_while(guard, timeout, running)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
            };
            match &*guard {
                None => None,
                Some(Ok(finished)) => Some(Ok(finished.clone())),
                Some(Err(error)) => Some(Err(error.to_string())),
            }
        });
        match ended {
            None => Ok(None),
            Some(Ok(finished)) => record(py, &finished).map(Some),
            Some(Err(why)) => Err(PyRuntimeError::new_err(why)),
        }
    }
}

/// The child dies with the object: a notebook that forgets it leaves nothing behind.
impl Drop for Child {
    fn drop(&mut self) {
        self.watch.stop();
        self.control.cancel();
    }
}

fn record<'py>(py: Python<'py>, finished: &Finished) -> PyResult<Bound<'py, PyDict>> {
    let end = match finished.end() {
        End::Exited(code) => format!("exited with code {code}"),
        End::Signalled(signal) => format!("was killed by signal {signal}"),
        End::Stopped(limit) => format!("reached its limit on {limit}"),
        End::Cancelled => "was killed".to_owned(),
    };
    let record = PyDict::new(py);
    record.set_item("end", end)?;
    record.set_item("memory", matches!(finished.end(), End::Stopped(Limit::Memory)))?;
    record.set_item("peak_memory", finished.peak_memory)?;
    record.set_item("tier", finished.tier.to_string())?;
    record.set_item("stdout", String::from_utf8_lossy(&finished.stdout.joined()).into_owned())?;
    record.set_item("stderr", String::from_utf8_lossy(&finished.stderr.joined()).into_owned())?;
    Ok(record)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
