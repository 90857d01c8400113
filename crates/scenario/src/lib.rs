//! Scenarios: files that define what to tune, for which objective, on which inputs and for how long.
//!
//! [`read`] turns the TOML text into a checked [`Scenario`], or reports every mistake at once. [`keys`] lists
//! the keys. [`change`] decides what a changed key means for a campaign that has already started.

mod answers;
pub mod change;
mod command;
mod config_file;
pub mod configuration_file;
mod consistency;
mod constraints;
pub mod draft;
mod given;
mod instances;
pub mod keys;
mod objective;
mod outputs;
mod protocol;
mod report;
mod retry;
mod settings;
pub mod shell;
mod space_table;
mod spelling;
mod syntax;
mod target;
mod template;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;
mod validation;
pub mod whole_file;
mod writing;

pub use config_file::object as configuration_object;
pub use syntax::mistakes as syntax_mistakes;

pub use answers::{Answers, Known, Verify, VerifyPiece};
pub use command::{Argument, CommandTemplate, Piece, Program};
pub use config_file::ConfigFile;
pub use constraints::{Bounded, Constraint, are_kept};
pub use engine::problem::Side;
pub use instances::{Features, Instance, Instances};
pub use objective::{CappedBy, Measure, Objective, Sense};
pub use outputs::{Output, Source, Stream, Take};
pub use protocol::Protocol;
pub use retry::Retry;
pub use settings::{Acquisition, Budget, Parallel, Racing, Surrogate, SurrogateKind, Treatment};
pub use target::{Step, Success, TargetSettings, Workdir};
pub use validation::Validation;
pub use writing::{Writing, WritingPiece};

use std::path::{Path, PathBuf};

use confine::Limits;
use engine::{Configuration, Space};
use space::{Diagnostics, Kind, Span};
use toml::de::DeTable;

use report::{Report, Section};

/// A checked scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Name of the campaign.
    pub name: String,
    /// Random seed.
    pub seed: u64,
    /// The folder that relative paths in the scenario start from.
    pub folder: PathBuf,
    /// The configuration that gains are measured against, if it is not the default.
    pub baseline: Option<Configuration>,
    /// Configurations to race before all others.
    pub initial: Vec<Configuration>,
    /// The target.
    pub target: TargetSettings,
    /// The objective.
    pub objective: Objective,
    /// The numbers that the target reports.
    pub outputs: Vec<Output>,
    /// Bounds on outputs, sorted by name. The constraints of an observation are in the same order.
    pub constraints: Vec<Constraint>,
    /// The inputs.
    pub instances: Instances,
    /// Settings for validating the result.
    pub validation: Validation,
    /// Limits on what the campaign may spend.
    pub budget: Budget,
    /// Limits on each trial, in addition to its cap.
    pub limits: Limits,
    /// Settings for comparing configurations.
    pub racing: Racing,
    /// Settings for running trials in parallel.
    pub parallel: Parallel,
    /// Settings of the surrogate, which proposes configurations.
    pub surrogate: Surrogate,
    /// The parameters.
    pub space: Space,
    /// Warnings about doubtful settings; empty if there are none.
    pub warnings: Diagnostics,
}

impl Scenario {
    /// Returns the constraints in the engine's form, in the same order.
    pub fn constraints_for_engine(&self) -> Vec<engine::problem::Constraint> {
        self.constraints.iter().map(Constraint::for_engine).collect()
    }

    /// Returns the configuration that gains are measured against.
    pub fn baseline(&self) -> Configuration {
        self.baseline.clone().unwrap_or_else(|| self.space.default_configuration())
    }

    /// Returns the name of the configuration that gains are measured against. The name is `default` only if
    /// the user gave a default for every parameter.
    pub fn against(&self) -> &'static str {
        let is_given = |parameter: &space::Parameter| {
            parameter.default_is_given() || parameter.fixed().is_some() || parameter.kind() == Kind::Constant
        };
        if self.baseline.is_some() {
            "baseline"
        } else if self.space.parameters().iter().all(is_given) {
            "default"
        } else {
            "starting point"
        }
    }
}

/// Returns whether a text is a scenario and not a space, judging from its keys. The text may contain mistakes.
pub fn is_scenario(text: &str) -> bool {
    let (table, _) = spelling::parse(text.strip_prefix('\u{feff}').unwrap_or(text));
    let table = table.get_ref();
    let has_table = |name: &str| table.get(name).is_some_and(|it| it.get_ref().is_table());
    // A space may have parameters with some of these names.
    has_table("target") && has_table("objective") && table.contains_key("space")
}

/// Reads a scenario. Its paths are relative to `folder`. Messages show `file_name`.
pub fn read(text: &str, folder: &Path, file_name: &str) -> Result<Scenario, Diagnostics> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut report = Report::new(text);
    let mut referred = Vec::new();
    let (table, errors) = spelling::parse(text);
    let scenario = if errors.is_empty() {
        report.unknown_keys(table.get_ref());
        sections(&mut report, table.get_ref(), folder, file_name, &mut referred)
    } else {
        // After a syntax error, the meaning of the rest is uncertain. Mistakes reported in it would be
        // misleading.
        report.mistakes = syntax::mistakes(text, &errors);
        None
    };
    match scenario {
        Some(mut scenario) if report.mistakes.is_empty() => {
            scenario.warnings = Diagnostics::new(file_name, text, report.warnings).as_warnings();
            Ok(scenario)
        }
        _ => {
            let own = Diagnostics::new(file_name, text, report.mistakes);
            Err(referred.into_iter().fold(own, Diagnostics::with_referred))
        }
    }
}

/// Reads all tables. A function that finds a mistake reports it and may continue with a substitute value, so
/// the returned scenario is valid only if no mistake was reported.
fn sections(
    report: &mut Report<'_>,
    table: &DeTable<'_>,
    folder: &Path,
    file_name: &str,
    referred: &mut Vec<Diagnostics>,
) -> Option<Scenario> {
    // The target runs in its own folder, so relative paths would be wrong there.
    let folder = match std::path::absolute(folder) {
        Ok(folder) => folder,
        Err(error) => {
            let message = format!("the scenario's folder `{}` cannot be used: {error}", folder.display());
            report.mistake(Span::NONE, message, "run captune from a folder that exists");
            return None;
        }
    };
    let root = Section::root(table);
    let name = match root.get("name") {
        None => Path::new(file_name).file_stem().map(|stem| stem.to_string_lossy().into_owned()),
        Some(found) => report.text(&found),
    };
    let seed = match root.get("seed") {
        None => Some(1),
        Some(found) => report.integer(&found, 0, i64::MAX),
    };
    let space = space_table::read(report, &root, &folder, file_name, referred);
    let baseline = given::baseline(report, &root, &folder, space.as_ref(), referred);
    let initial = given::initial(report, &root, &folder, space.as_ref(), referred);
    // Without the protocol, the meaning of the command, the outputs and the objective is unknown.
    let protocol = protocol::read(report, &root.section("target"))?;
    let mut target = target::read(report, &root.section("target"), &folder, space.as_ref(), protocol);
    let outputs = outputs::read(report, &root.section("outputs"), protocol);
    let names = outputs::names(&root.section("outputs"), protocol);
    let objective = objective::read(report, &root.section("objective"), &names, protocol);
    let constraints = constraints::read(report, &root.section("constraints"), &names);
    let instances = instances::read(
        report,
        &root.section("instances"),
        &folder,
        seed.map_or(0, |seed| seed as u64),
        referred,
    );
    let budget = settings::budget(report, &root.section("budget"));
    let limits = settings::limits(report, &root.section("limits"));
    // Each campaign leaves one fold out of its training.
    let count = instances.as_ref().map(|instances| {
        let count = instances.train.len();
        count - instances.folds.map_or(0, |folds| count / folds as usize)
    });
    let is_output =
        objective.as_ref().is_some_and(|read| matches!(read.objective.minimise, Measure::Output(_)));
    let racing = settings::racing(report, &root.section("racing"), count, is_output);
    let parallel = settings::parallel(report, &root.section("parallel"));
    let validation = validation::read(
        report,
        &root.section("validation"),
        objective.as_ref(),
        racing.as_ref(),
        limits.as_ref().and_then(|limits| limits.wall),
    );
    let surrogate = settings::surrogate(report, &root.section("surrogate"));

    if let Some(target) = &mut target {
        let given = root.section("instances").is_present();
        let (command, outputs) =
            ((&mut target.settings, target.command_span), outputs.as_deref().unwrap_or_default());
        protocol::complete(report, command, outputs, objective.as_ref(), given);
    }
    if let Some(target) = &target {
        let given = root.section("instances").is_present();
        let repeats_given = root.section("racing").get("repeats").is_some();
        consistency::placeholders(report, target, given, objective.as_ref(), racing.as_ref(), repeats_given);
        if let (Some(answers), Some(instances)) = (&target.answers, &instances) {
            answers::check_instances(report, answers, instances);
        }
        consistency::placeholder_settings(report, target, limits.as_ref());
        if let Some(space) = &space {
            consistency::parameters_are_passed(report, target, space);
        }
    }
    if let Some(objective) = &objective {
        let limit = limits.as_ref().and_then(|limits| limits.wall);
        let section = root.section("limits");
        let folds = instances.as_ref().and_then(|instances| instances.folds);
        let measured = (objective, protocol);
        consistency::times(report, measured, budget.as_ref(), &section, limit, parallel.as_ref(), folds);
    }
    if let (Some(constraints), Some(objective), Some(limits)) = (&constraints, &objective, &limits) {
        consistency::bounds(report, &root.section("constraints"), constraints, &objective.objective, limits);
    }
    if let (Some(constraints), Some(surrogate)) = (&constraints, &surrogate) {
        consistency::surrogates(report, &root.section("constraints"), constraints, surrogate);
    }
    consistency::folds_are_validated(report, &root, instances.as_ref(), validation.as_ref());
    Some(Scenario {
        name: name?,
        seed: seed? as u64,
        folder,
        baseline: baseline?,
        initial: initial?,
        target: target?.settings,
        objective: objective?.objective,
        outputs: outputs?,
        constraints: constraints?,
        instances: instances?,
        validation: validation?,
        budget: budget?,
        limits: limits?,
        racing: racing?,
        parallel: parallel?,
        surrogate: surrogate?,
        space: space?,
        warnings: Diagnostics::new(file_name, report.text, Vec::new()),
    })
}
