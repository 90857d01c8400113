//! captune finds the settings with which a function or a program is fastest, or best by another measure. It
//! stops slow trials early and learns from the stopped ones too.
//!
//! This crate is the library: it decides which trials to run and learns from their results. The caller runs
//! them. It starts no programs, opens no files and reads no clock, and it runs on Linux, macOS, Windows and
//! WebAssembly. The command `captune`, which tunes whole programs, is in the package `captune-cli`.
//!
//! # A function
//!
//! A [`Space`] lists the parameters. [`Tuner::run`] calls a function for each trial:
//!
//! ```
//! use captune::{Format, Tuner, read_space};
//!
//! let space = read_space(
//!     "rate = { float = [1e-4, 1], log = true, default = 0.5 }
//!      depth = { integer = [1, 12], default = 10 }
//!      kind = { choices = ['plain', 'wide'] }",
//!     "the space",
//!     Format::Toml,
//! )?;
//! let mut tuner = Tuner::builder(space).deterministic(true).trials(40).build()?;
//! tuner.run(40, |trial| {
//!     let number = |name| trial.configuration.number(name).unwrap();
//!     (number("rate").log10() + 2.0).powi(2) + (number("depth") - 4.0).abs()
//! })?;
//! let best = tuner.best();
//! println!("{} costs {:.3}", best.configuration, best.cost.unwrap());
//! # assert!(best.cost.unwrap() < 0.5, "{best:?}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Costs that grow: caps and instances
//!
//! If the cost is a time, give it a [cutoff](TunerBuilder::cutoff). Then each trial has a
//! [cap](TrialRequest::cap): a cost at which the trial has lost its race and should be stopped. A trial that
//! was stopped is reported with [`Outcome::stopped`], and the models learn that its cost is at least that.
//! With several [instances](TunerBuilder::instances), a configuration must be good on all of them:
//!
//! ```
//! use captune::{Outcome, Tuner};
//! # use captune::{Format, read_space};
//! # let space = read_space("x = { float = [0, 1] }", "line", Format::Toml)?;
//! # let seconds = |x: f64, instance: u32| 0.1 + x * f64::from(instance + 1);
//!
//! let mut tuner = Tuner::builder(space).cutoff(60.0).instances(20).seed(7).build()?;
//! tuner.run(100, |trial| {
//!     let needed = seconds(trial.configuration.number("x").unwrap(), trial.instance().0);
//!     let cap = trial.cap.cost();
//!     if needed > cap { Outcome::stopped(cap) } else { Outcome::finished(needed) }
//! })?;
//! assert!(tuner.history().count(captune::Status::Capped) > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Your own loop
//!
//! [`Tuner::ask`] and [`Tuner::tell`] separate the decisions from the work. Any number of trials may run at
//! the same time, and results may come in any order. [`Ask::Tighten`] and [`Ask::Cancel`] are orders about
//! running trials.
//!
//! ```
//! use captune::{Ask, Tuner};
//! # use captune::{Format, read_space};
//! # let space = read_space("x = { float = [0, 1] }", "line", Format::Toml)?;
//!
//! let mut tuner = Tuner::builder(space).build()?;
//! while tuner.trials() < 10 {
//!     match tuner.ask(1) {
//!         Ask::Run(trial) => tuner.tell(trial.id, trial.configuration.number("x").unwrap())?,
//!         Ask::Tighten(..) | Ask::Cancel(_) | Ask::Wait => {}
//!         Ask::Done(_) => break,
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Constraints
//!
//! A [`Bound`] limits another output. The best configuration is the cheapest one that satisfies all bounds:
//!
//! ```
//! use captune::{Bound, Outcome, Tuner};
//! # use captune::{Format, read_space};
//! # let space = read_space("x = { float = [0, 1], default = 1 }", "line", Format::Toml)?;
//!
//! let mut tuner = Tuner::builder(space)
//!     .deterministic(true)
//!     .constraint("accuracy", Bound::at_least(0.9))
//!     .build()?;
//! tuner.run(30, |trial| {
//!     let x = trial.configuration.number("x").unwrap();
//!     Outcome::finished(x).with_output("accuracy", 0.5 + x)
//! })?;
//! let best = tuner.best();
//! assert!(best.is_feasible() && best.cost.unwrap() < 0.45, "{best:?}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # And also
//!
//! | to | use |
//! |---|---|
//! | save the state and continue later | [`Tuner::save`], [`TunerBuilder::load`] |
//! | try a configuration of your own next | [`Tuner::enqueue`] |
//! | get one suggestion without a tuner | [`suggest`], [`TunerBuilder::suggest`] |
//! | choose the model | [`TunerBuilder::learner`], [`TunerBuilder::search`] |
//! | propose with a model of your own | [`TunerBuilder::surrogate`], [`surrogate`](mod@surrogate) |
//! | test a model of your own | `captune::testkit::surrogate::conforms`, with the feature `testkit` |
//! | read spaces of SMAC, irace and ConfigSpace | [`read_space`] with another [`Format`] |
//!
//! Every mistake in the settings is an error that [names the setting](SettingError::setting).

mod assembly;
mod bound;
mod builder;
mod outcome;
mod search;
mod standing;
mod state;
mod suggest;
mod tuner;

pub use assembly::Assembly;
pub use bound::Bound;
pub use builder::{Objective, TunerBuilder};
pub use outcome::{Outcome, TellError};
pub use search::{ByModel, Search};
pub use standing::{BoundedOutput, Standing};
pub use state::{LoadError, SaveError};
pub use suggest::{Known, SuggestError, suggest};
pub use tuner::{FINAL, OtherSpace, Tuner};

pub use engine::history::{History, Trial};
pub use engine::propose::{
    Choice, Dependence, Forecast, Learner, ModelSettings, OwnSurrogate, Tempo, Utility,
};
pub use engine::racing::{Ask, News, Requested};
pub use engine::stats::Interval;
pub use engine::{
    Cap, ConfigId, InstanceId, Interrupt, Observation, Pair, Reading, Rng, Seed, SettingError, Status,
    TrialId, TrialKey, TrialRequest,
};
pub use space::format::{Format, read as read_space, write as write_space};
pub use space::{
    Configuration, ConfigurationError, Diagnostics, Literal, ParameterDefinition, Space, SpaceBuilder,
};
/// Models that predict costs, and the traits for writing one.
pub use surrogate;

/// Suites that implementations of captune's traits must pass.
#[cfg(feature = "testkit")]
pub mod testkit {
    pub use engine::testkit::racer;
    pub use surrogate::testkit as surrogate;
}
