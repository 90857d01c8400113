//! Every mistake is an error that names the setting, never a panic.

use captune::surrogate::forest::ForestSettings;
use captune::surrogate::gaussian::GaussianSettings;
use captune::surrogate::neural::NeuralSettings;
use captune::{
    Bound, ByModel, Known, Learner, ModelSettings, Objective, Outcome, Search, SuggestError, TellError,
    Tuner, TunerBuilder, Utility,
};

use crate::space;

/// Checks the name and the message of the error.
fn mistake(builder: &TunerBuilder, setting: &str, message: &str) {
    let error = builder.build().err().unwrap_or_else(|| panic!("{setting} was accepted"));
    assert_eq!(error.setting(), setting, "{error}");
    assert!(error.to_string().contains(message), "{error}");
    let suggested = builder.suggest(&[], &[]).unwrap_err();
    assert_eq!(suggested.to_string(), error.to_string(), "`suggest` checks the same settings");
}

#[test]
fn mistakes_in_the_settings_name_the_setting() {
    let plain = || Tuner::builder(space());
    for cutoff in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        mistake(&plain().cutoff(cutoff), "cutoff", "must be finite and above 0");
    }
    mistake(&plain().cutoff(1.0).objective(Objective::Maximise), "cutoff", "excludes `objective`");
    mistake(&plain().par(0.5), "par", "0.5");
    mistake(&plain().grain(-1.0), "grain", "-1");
    mistake(&plain().instances(0), "instances", "at least 1");
    mistake(&plain().slack(0.9), "slack", "at least 1");
    mistake(&plain().pairs(0..=5), "min_pairs", "at least 1");
    let (least, most) = (6, 5);
    mistake(&plain().pairs(least..=most), "max_pairs", "at least `min_pairs`");
    mistake(&plain().features([1.0, 2.0], 0), "features", "at least 1");
    mistake(&plain().instances(3).features([1.0, 2.0], 1), "features", "2 rows, but there are 3 instances");
    mistake(&plain().features([1.0], 1).search(Search::Random), "features", "only models");
    mistake(&plain().constraint("a", Bound::at_most(f64::NAN)), "bound", "finite");
    mistake(&plain().constraint("a", Bound::at_least(0.0).relative()), "bound", "other than 0");
    mistake(&plain().constraint("a", Bound::at_most(1.0).confidence(1.0)), "confidence", "below 1");
    let twice = plain().constraint("a", Bound::at_most(1.0)).constraint("a", Bound::at_most(2.0));
    mistake(&twice, "constraint", "given twice for `a`");
    let range = plain().constraint("a", Bound::at_most(2.0)).constraint("a", Bound::at_least(1.0));
    assert!(range.build().is_ok(), "a bound from each side is allowed");
    let other = captune::read_space("x = { float = [0, 1] }", "other", captune::Format::Toml).unwrap();
    mistake(&plain().baseline(other.default_configuration()), "baseline", "another space");
    mistake(&plain().initial([other.default_configuration()]), "initial", "another space");
    mistake(&plain().learner(Learner::Own), "learner", "needs `own`");
    let by = ByModel { overhead: 0.0, ..ByModel::default() };
    mistake(&plain().search(Search::Model(Box::new(by))), "overhead", "above 0");
}

#[test]
fn mistakes_in_the_settings_of_models_name_the_setting() {
    let with = |model: ModelSettings| Tuner::builder(space()).search(Search::by(model));
    let plain = ModelSettings::default;
    mistake(&with(ModelSettings { first_fit: 0, ..plain() }), "first_fit", "at least 1");
    mistake(&with(ModelSettings { random_every: 0, ..plain() }), "random_every", "at least 1");
    mistake(&with(ModelSettings { refit: f64::NAN, ..plain() }), "refit", "NaN");
    mistake(&with(ModelSettings { points: 0, ..plain() }), "points", "at least 1");
    mistake(&with(ModelSettings { candidates: 0, ..plain() }), "candidates", "at least 1");
    mistake(&with(ModelSettings { utility: Utility::LowerBound(-1.0), ..plain() }), "utility", "-1");
    let forest = |forest| with(ModelSettings { forest, ..plain() });
    mistake(&forest(ForestSettings { trees: 0, ..ForestSettings::default() }), "trees", "at least 1");
    mistake(&forest(ForestSettings { min_leaf: 0, ..ForestSettings::default() }), "min_leaf", "at least 1");
    mistake(&forest(ForestSettings { features: 0.0, ..ForestSettings::default() }), "features", "above 0");
    let neural = |neural| with(ModelSettings { neural, ..plain() });
    let settings = NeuralSettings::default;
    mistake(&neural(NeuralSettings { layers: vec![8, 0], ..settings() }), "layers", "at least 1");
    mistake(&neural(NeuralSettings { batch: 0, ..settings() }), "batch", "at least 1");
    mistake(&neural(NeuralSettings { members: 0, ..settings() }), "members", "at least 1");
    mistake(&neural(NeuralSettings { rate: f64::INFINITY, ..settings() }), "rate", "finite");
    let gaussian = |gaussian| with(ModelSettings { gaussian, ..plain() });
    let settings = GaussianSettings::default;
    mistake(&gaussian(GaussianSettings { least_noise: 0.0, ..settings() }), "least_noise", "above 0");
    mistake(&gaussian(GaussianSettings { max_points: 0, ..settings() }), "max_points", "at least 1");
}

#[test]
fn a_mistake_in_a_result_leaves_the_trial_running() {
    let bound = Bound::at_most(1.0);
    let mut tuner = Tuner::builder(space()).cutoff(5.0).constraint("error", bound).build().unwrap();
    let captune::Ask::Run(trial) = tuner.ask(1) else { panic!("no trial") };
    let mut told = |outcome: Outcome| tuner.tell(trial.id, outcome).err().map(|error| error.to_string());
    let says =
        |error: Option<String>, part: &str| assert!(error.as_ref().unwrap().contains(part), "{error:?}");
    says(told(Outcome::finished(f64::NAN)), "`cost` is NaN");
    says(told(Outcome::stopped(f64::INFINITY)), "`cost` is inf");
    says(told(Outcome::finished(-1.0)), "cannot be negative");
    says(told(Outcome::finished(1.0).with_spent(f64::NAN)), "`spent` is NaN");
    says(told(Outcome::finished(1.0).with_tie(f64::NAN)), "`tie` is NaN");
    says(told(Outcome::finished(1.0).with_output("error", f64::NAN)), "`error` is NaN");
    says(told(Outcome::finished(1.0).with_output("eror", 1.0)), "did you mean `error`");
    let twice = Outcome::finished(1.0).with_output("error", 1.0).with_output("error", 2.0);
    says(told(twice), "twice");
    assert_eq!(told(Outcome::finished(1.0)), None);
    says(told(Outcome::finished(1.0)), "trial 0 is not running");
    assert_eq!(tuner.withdraw(trial.id), Err(TellError::NotRunning(trial.id)));
    assert_eq!(tuner.trials(), 1);
}

#[test]
fn a_lower_bound_on_the_cost_needs_a_cutoff() {
    let mut tuner = Tuner::builder(space()).build().unwrap();
    let captune::Ask::Run(trial) = tuner.ask(1) else { panic!("no trial") };
    assert_eq!(tuner.tell(trial.id, Outcome::stopped(3.0)), Err(TellError::NoCutoff));
}

#[test]
fn a_cost_above_the_cutoff_is_a_timeout() {
    let mut tuner = Tuner::builder(space()).cutoff(5.0).build().unwrap();
    tuner.run(1, |_| 7.0).unwrap();
    assert_eq!((tuner.best().timeouts, tuner.best().cost), (1, Some(50.0)));
}

#[test]
fn suggestions_reject_results_and_configurations_that_do_not_fit() {
    let builder = Tuner::builder(space());
    let known =
        |instance, outcome| Known { configuration: space().default_configuration(), instance, outcome };
    let error = |known: Known| builder.suggest(&[known], &[]).unwrap_err();
    let nan = error(known(0, Outcome::finished(f64::NAN)));
    assert!(matches!(nan, SuggestError::Known { index: 0, error: TellError::NotFinite { .. } }), "{nan}");
    let second = error(known(1, Outcome::finished(1.0)));
    assert_eq!(second.to_string(), "trial 0 has the instance 1, but `instances` is 1");
    let other = captune::read_space("x = { float = [0, 1] }", "other", captune::Format::Toml).unwrap();
    assert_eq!(builder.suggest(&[], &[other.default_configuration()]), Err(SuggestError::OtherSpace(0)));
    let mut tuner = builder.build().unwrap();
    assert_eq!(tuner.enqueue(&other.default_configuration()), Err(captune::OtherSpace));
}
