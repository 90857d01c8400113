//! The optimizer for Python: a thin layer over the crate `captune`.
//!
//! Everything that may take long releases the interpreter's lock. An exception that a surrogate written in
//! Python raises ends the call that used the surrogate.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ::captune::{
    Ask, Bound as OutputBound, ConfigId, Known, Learner, Objective, Outcome, Reading, Search, Standing,
    TrialId, TrialRequest, TunerBuilder,
};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::own::{PythonSurrogate, Raised};
use crate::space::{Space, value_error};
use crate::value::{configuration, dictionary};

/// A bound as Python passes it: output, whether it is a lower bound, limit, on every pair, relative.
type BoundSettings = (String, bool, f64, bool, bool);
/// A trial as Python reads it: number, configuration's number, values, instance, seed, cap, origin.
type Request<'py> = (u64, u32, Bound<'py, PyDict>, u32, u32, f64, &'static str);
/// A result as Python passes it: status, cost, outputs (name, value, whether the value is a lower bound).
type Told = (String, Option<f64>, Vec<(String, f64, bool)>);

/// The settings of an optimizer, and its state once it has been asked.
#[pyclass(frozen, module = "captune._captune")]
pub(crate) struct Tuner {
    space: ::space::Space,
    builder: TunerBuilder,
    tuner: Mutex<::captune::Tuner>,
    raised: Raised,
}

#[pymethods]
impl Tuner {
    #[new]
    #[pyo3(signature = (space, *, maximise, cutoff, par, grain, bounds, instances, features, seed, deterministic,
        search, surrogate, initial, baseline, trials, repeatable, state))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments, filled in by Optimizer")]
    fn new(
        py: Python<'_>,
        space: Space,
        maximise: bool,
        cutoff: Option<f64>,
        par: Option<f64>,
        grain: Option<f64>,
        bounds: Vec<BoundSettings>,
        instances: u32,
        features: Option<Vec<Vec<f64>>>,
        seed: u64,
        deterministic: bool,
        search: &str,
        surrogate: Option<Py<PyAny>>,
        initial: Vec<Bound<'_, PyDict>>,
        baseline: Option<Bound<'_, PyDict>>,
        trials: Option<u64>,
        repeatable: bool,
        state: Option<Vec<u8>>,
    ) -> PyResult<Self> {
        let space = space.inner;
        let initial =
            initial.iter().map(|values| configuration(&space, values)).collect::<PyResult<Vec<_>>>()?;
        let mut builder = ::captune::Tuner::builder(space.clone())
            .objective(if maximise { Objective::Maximise } else { Objective::Minimise })
            .instances(instances)
            .seed(seed)
            .deterministic(deterministic)
            .initial(initial)
            .repeatable(repeatable);
        if let Some(cutoff) = cutoff {
            builder = builder.cutoff(cutoff);
        }
        if let Some(par) = par {
            builder = builder.par(par);
        }
        if let Some(grain) = grain {
            builder = builder.grain(grain);
        }
        for (output, from_below, limit, every_pair, relative) in bounds {
            let mut bound =
                if from_below { OutputBound::at_least(limit) } else { OutputBound::at_most(limit) };
            if every_pair {
                bound = bound.on_every_pair();
            }
            if relative {
                bound = bound.relative();
            }
            builder = builder.constraint(output, bound);
        }
        if let Some(rows) = features {
            let width = rows.first().map_or(0, Vec::len);
            if rows.iter().any(|row| row.len() != width) {
                return Err(PyValueError::new_err(
                    "features: all instances need the same number of features",
                ));
            }
            builder = builder.features(rows.concat(), width);
        }
        if let Some(values) = baseline {
            builder = builder.baseline(configuration(&space, &values)?);
        }
        if let Some(trials) = trials {
            builder = builder.trials(trials);
        }
        let mut raised = Raised::default();
        builder = match (surrogate, search) {
            (Some(object), _) => {
                let own = PythonSurrogate::new(object);
                raised = own.raised();
                builder.surrogate("own", own)
            }
            (None, "auto") => builder,
            (None, "random") => builder.search(Search::Random),
            (None, "local") => builder.search(Search::Local),
            (None, word) => match Learner::named(word) {
                Some(learner) => builder.learner(learner),
                None => {
                    let learners = Learner::ALL.iter().map(|learner| learner.word());
                    let words: Vec<&str> = learners.filter(|word| *word != "own").collect();
                    return Err(PyValueError::new_err(format!(
                        "search is `{word}`; expected {}, local, random, or an object with fit(X, y, censored) and \
                         predict(X)",
                        words.join(", ")
                    )));
                }
            },
        };
        let tuner = py.detach(|| match state {
            Some(state) => builder.load(&state).map_err(value_error),
            None => builder.build().map_err(value_error),
        })?;
        Ok(Self { space, builder, tuner: Mutex::new(tuner), raised })
    }

    /// Returns the next order: `("run", request)`, `("tighten", trial, cap)`, `("cancel", trial)`,
    /// `("wait",)` or `("done",)`.
    fn ask<'py>(&self, py: Python<'py>, slots: usize) -> PyResult<Bound<'py, PyAny>> {
        let (ask, origin) = py.detach(|| {
            let mut tuner = self.lock();
            let ask = tuner.ask(slots);
            let origin = if let Ask::Run(request) = &ask { tuner.origin(request.key.config) } else { "" };
            (ask, origin)
        });
        self.raise()?;
        Ok(match ask {
            Ask::Run(request) => ("run", read(py, &request, origin)?).into_pyobject(py)?.into_any(),
            Ask::Tighten(trial, cap) => ("tighten", trial.0, cap.cost()).into_pyobject(py)?.into_any(),
            Ask::Cancel(trial) => ("cancel", trial.0).into_pyobject(py)?.into_any(),
            Ask::Wait => ("wait",).into_pyobject(py)?.into_any(),
            Ask::Done(_) => ("done",).into_pyobject(py)?.into_any(),
        })
    }

    /// Records the result of a trial.
    #[pyo3(signature = (trial, result, *, spent = None))]
    fn tell(&self, py: Python<'_>, trial: u64, result: Told, spent: Option<f64>) -> PyResult<()> {
        let mut outcome = outcome(result)?;
        if let Some(spent) = spent {
            outcome = outcome.with_spent(spent);
        }
        py.detach(|| self.lock().tell(TrialId(trial), outcome)).map_err(value_error)
    }

    fn withdraw(&self, py: Python<'_>, trial: u64) -> PyResult<()> {
        py.detach(|| self.lock().withdraw(TrialId(trial))).map_err(value_error)
    }

    /// Reports the costs that running trials have reached.
    fn elapsed(&self, py: Python<'_>, reached: Vec<(u64, f64)>) {
        let reached: Vec<_> = reached.into_iter().map(|(trial, cost)| (TrialId(trial), cost)).collect();
        py.detach(|| self.lock().elapsed(&reached));
    }

    fn patience(&self, py: Python<'_>) -> Option<f64> {
        py.detach(|| self.lock().patience())
    }

    /// Lets a configuration race before any new one.
    fn enqueue(&self, py: Python<'_>, values: &Bound<'_, PyDict>) -> PyResult<()> {
        let configuration = configuration(&self.space, values)?;
        py.detach(|| self.lock().enqueue(&configuration).map(|_| ())).map_err(value_error)
    }

    fn best<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let standing = py.detach(|| self.lock().best());
        describe(py, &standing)
    }

    fn standing<'py>(&self, py: Python<'py>, config: u32) -> PyResult<Bound<'py, PyDict>> {
        let standing = py.detach(|| {
            let tuner = self.lock();
            let exists = (config as usize) < tuner.history().configurations().len();
            exists.then(|| tuner.standing(ConfigId(config)))
        });
        let unknown = || PyValueError::new_err(format!("configuration {config} does not exist"));
        describe(py, &standing.ok_or_else(unknown)?)
    }

    #[getter]
    fn trials(&self, py: Python<'_>) -> usize {
        py.detach(|| self.lock().trials())
    }

    /// Returns the trials that have been requested and have not ended.
    fn running<'py>(&self, py: Python<'py>) -> PyResult<Vec<Request<'py>>> {
        let running: Vec<(TrialRequest, &'static str)> = py.detach(|| {
            let tuner = self.lock();
            tuner.running().map(|request| (request.clone(), tuner.origin(request.key.config))).collect()
        });
        running.iter().map(|(request, origin)| read(py, request, origin)).collect()
    }

    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes =
            py.detach(|| self.lock().save()).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Returns the configuration to try next from known results alone; `None` if nothing is left to try.
    fn suggest<'py>(
        &self,
        py: Python<'py>,
        known: Vec<(Bound<'py, PyDict>, u32, Told)>,
        pending: Vec<Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let mut results = Vec::with_capacity(known.len());
        for (values, instance, told) in known {
            let configuration = configuration(&self.space, &values)?;
            results.push(Known { configuration, instance, outcome: outcome(told)? });
        }
        let pending =
            pending.iter().map(|values| configuration(&self.space, values)).collect::<PyResult<Vec<_>>>()?;
        let found = py.detach(|| self.builder.suggest(&results, &pending));
        self.raise()?;
        found.map_err(value_error)?.map(|configuration| dictionary(py, &configuration)).transpose()
    }
}

impl Tuner {
    fn lock(&self) -> MutexGuard<'_, ::captune::Tuner> {
        self.tuner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Raises the exception of a surrogate written in Python, if there was one.
    fn raise(&self) -> PyResult<()> {
        self.raised.take().map_or(Ok(()), Err)
    }
}

fn read<'py>(py: Python<'py>, request: &TrialRequest, origin: &'static str) -> PyResult<Request<'py>> {
    let TrialRequest { id, key, configuration, cap, .. } = request;
    let values = dictionary(py, configuration)?;
    Ok((id.0, key.config.0, values, key.pair.instance.0, key.pair.seed.0, cap.cost(), origin))
}

fn outcome((status, cost, outputs): Told) -> PyResult<Outcome> {
    let needed = || cost.ok_or_else(|| PyValueError::new_err(format!("a {status} trial needs a cost")));
    let mut outcome = match status.as_str() {
        "finished" => Outcome::finished(needed()?),
        "censored" => Outcome::stopped(needed()?),
        "crashed" => Outcome::crashed(),
        "memory" => Outcome::out_of_memory(),
        "wrong" => Outcome::wrong(),
        "lost" => Outcome::lost(),
        word => {
            let message =
                format!("status is `{word}`; expected finished, censored, crashed, memory, wrong or lost");
            return Err(PyValueError::new_err(message));
        }
    };
    for (name, value, censored) in outputs {
        outcome = match censored {
            true => outcome.with_output_at_least(name, value),
            false => outcome.with_output(name, value),
        };
    }
    Ok(outcome)
}

fn describe<'py>(py: Python<'py>, standing: &Standing) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    described.set_item("id", standing.id.0)?;
    described.set_item("configuration", dictionary(py, &standing.configuration)?)?;
    described.set_item("cost", standing.cost)?;
    described
        .set_item("interval", standing.interval.as_ref().map(|interval| (interval.low, interval.high)))?;
    described.set_item("pairs", standing.pairs)?;
    described.set_item("timeouts", standing.timeouts)?;
    described.set_item("feasible", standing.is_feasible())?;
    let outputs = PyDict::new(py);
    for output in &standing.outputs {
        outputs.set_item(&output.name, output.value.map(Reading::lower_bound))?;
    }
    described.set_item("outputs", outputs)?;
    Ok(described)
}
