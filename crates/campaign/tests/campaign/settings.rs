//! Tests the search settings that are derived from a scenario.

use campaign::Search;
use campaign::conduct::{Order, settings};
use engine::propose::{Dependence, Learner, ModelSettings, Utility};
use scenario::testkit::{SMALL, Stage};
use surrogate::forest::{ForestSettings, Treatment};
use surrogate::{gaussian, neural};

/// A deterministic target gives the same outputs each time, but its run time varies.
#[test]
fn only_the_times_of_a_deterministic_target_are_measured_repeatedly() {
    let stage = Stage::new();
    let instances = "[instances]\nlist = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\"]\n";
    let small = SMALL.replace("\"{seed}\"", "\"{instance}\"");
    let timed = format!("{small}{instances}[racing]\ndeterministic = true\n");
    let told = format!("{timed}[outputs]\nsteps = {{ pattern = 'steps ([0-9]+)' }}\n")
        .replace("minimise = \"cpu_time\"\ncutoff = \"5s\"", "minimise = \"steps\"\n[limits]\nwall = \"9s\"");
    let racing = |text: &str| {
        let scenario = stage.read(text);
        let settings = settings(&scenario, &Order::default());
        assert_eq!(settings.validation.has_seeds, !scenario.racing.deterministic);
        (scenario.racing.measured_once, settings.racing.deterministic, settings.racing.max_pairs)
    };
    assert_eq!(racing(&timed), (false, false, 24));
    assert_eq!(racing(&told), (true, true, 8));
    assert_eq!(racing(&timed.replace("[racing]", "[racing]\nrepeats = [1, 9]")), (false, false, 9));
    assert_eq!(racing(&timed.replace("deterministic = true", "")), (false, false, 2000));
}

#[test]
fn a_forest_has_the_settings_of_the_scenario() {
    let text = "[surrogate]\nkind = \"forest\"\ntreatment = \"drop\"\ntrees = 30\noverhead = 0.02\n";
    let scenario = Stage::new().read(&format!("{SMALL}{text}"));
    let Search::Model(search) = settings(&scenario, &Order::default()).search else { panic!("no forest") };
    let ForestSettings { treatment, trees, .. } = search.model.forest;
    assert_eq!((treatment, trees, search.overhead, search.features), (Treatment::Drop, 30, 0.02, None));
}

#[test]
fn learners_are_chosen_by_name_and_each_has_its_name_for_the_likelihood() {
    let stage = Stage::new();
    let of = |text: &str| {
        let scenario = stage.read(&format!("{SMALL}[surrogate]\n{text}\n"));
        let Search::Model(search) = settings(&scenario, &Order::default()).search else { panic!("no model") };
        let ModelSettings { learner, forest, neural, .. } = search.model;
        (learner, forest.treatment, neural.treatment)
    };
    let both = (Treatment::Sample, neural::Treatment::Tobit);
    assert_eq!(of("kind = \"neural\""), (Learner::Neural, both.0, both.1));
    assert_eq!(of("kind = \"neural\"\ntreatment = \"tobit\""), (Learner::Neural, both.0, both.1));
    assert_eq!(of("kind = \"auto\"\ntreatment = \"sample\""), (Learner::Auto, both.0, both.1));
    let mean = (Treatment::Mean, neural::Treatment::Mean);
    assert_eq!(of("kind = \"auto\"\ntreatment = \"mean\""), (Learner::Auto, mean.0, mean.1));
    let of = |text: &str| {
        let scenario = stage.read(&format!("{SMALL}[surrogate]\n{text}\n"));
        let Search::Model(search) = settings(&scenario, &Order::default()).search else { panic!("no model") };
        let ModelSettings { learner, gaussian, gaussian_points, utility, first_fit, .. } = search.model;
        (learner, gaussian.treatment, gaussian_points > 0, utility, first_fit)
    };
    let (gain, likely) = (Utility::ExpectedImprovement, gaussian::Treatment::Likelihood);
    assert_eq!(of("kind = \"gaussian\""), (Learner::Gaussian, likely, true, gain, 5));
    assert_eq!(
        of("kind = \"gaussian\"\ntreatment = \"drop\"\nacquisition = \"improvement-per-budget\""),
        (Learner::Gaussian, gaussian::Treatment::Drop, true, Utility::ImprovementPerSpent, 5)
    );
    // A Gaussian process has no such treatment, so only the other learners are candidates.
    assert_eq!(of("kind = \"auto\"\ntreatment = \"mean\""), (Learner::Auto, likely, false, gain, 10));
    let scenario =
        stage.read(&format!("{SMALL}[surrogate]\nkind = \"gaussian\"\ndependence = \"residuals\"\n"));
    let Search::Model(search) = settings(&scenario, &Order::default()).search else { panic!("no model") };
    assert_eq!(search.model.dependence, Dependence::Residuals);
    let wrong = stage.mistakes(&format!("{SMALL}[surrogate]\ndependence = \"residuals\"\n"));
    assert!(wrong.contains("needs a Gaussian process"), "{wrong}");
    let wrong = stage.mistakes(&format!("{SMALL}[surrogate]\nkind = \"gaussian\"\ntreatment = \"mean\"\n"));
    assert!(wrong.contains("surrogate.treatment") && wrong.contains("likelihood"), "{wrong}");
    let scenario =
        stage.read(&format!("{SMALL}[surrogate]\nkind = \"neural\"\nacquisition = \"improvement\"\n"));
    assert!(scenario.warnings.to_string().contains("no forest or Gaussian"), "{}", scenario.warnings);
    let wrong = stage.mistakes(&format!("{SMALL}[surrogate]\nkind = \"neural\"\ntreatment = \"sample\"\n"));
    assert!(wrong.contains("surrogate.treatment") && wrong.contains("tobit"), "{wrong}");
    let wrong = stage.mistakes(&format!("{SMALL}[surrogate]\ntreatment = \"tobit\"\n"));
    assert!(wrong.contains("sample"), "{wrong}");
    let scenario = stage.read(&format!("{SMALL}[surrogate]\nkind = \"neural\"\ntrees = 5\n"));
    assert!(scenario.warnings.to_string().contains("there is no forest"), "{}", scenario.warnings);
}

fn with_bounds(constraints: &str) -> String {
    let outputs = "error = { pattern = 'error (\\S+)' }\nrecall = { pattern = 'recall (\\S+)' }";
    format!("{SMALL}[outputs]\n{outputs}\n[constraints]\n{constraints}\n")
}

#[test]
fn each_output_may_have_its_own_model() {
    let stage = Stage::new();
    let text = |kind: &str| {
        let bounds = "recall = \">= 0.9\"\nerror = { bound = \"<= 0.05\", surrogate = \"gaussian\" }\n\
             memory = { bound = \"<= 1MiB\", surrogate = \"forest\" }\n";
        with_bounds(&format!("{bounds}[surrogate]\n{kind}"))
    };
    let Search::Model(search) = settings(&stage.read(&text("")), &Order::default()).search else {
        panic!("no model")
    };
    assert_eq!(search.model.learner, Learner::Forest);
    assert_eq!(search.model.constraints, [Some(Learner::Gaussian), Some(Learner::Forest), None]);
    let said = stage.read(&text("kind = \"random\"")).warnings.to_string();
    assert!(said.contains("`constraints.error.surrogate` has no effect: there is no model"), "{said}");
    let wrong = stage.mistakes(&text("kind = \"gaussian\"\ndependence = \"residuals\""));
    assert!(
        wrong.contains("`constraints.memory.surrogate` is not `gaussian`")
            && !wrong.contains("error.surrogate"),
        "{wrong}"
    );
    let wrong = stage.mistakes(&with_bounds("error = { bound = \"<= 1\", surrogate = \"neural\" }"));
    assert!(wrong.contains("constraints.error.surrogate") && wrong.contains("gaussian"), "{wrong}");
}
