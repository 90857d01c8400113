//! Opens a campaign from a scenario file or a campaign folder.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use engine::Status;
use engine::history::History;
use engine::problem::{Objective, Problem};
use engine::propose::{Learner, ModelSettings, Utility};
use engine::racing::Racing;
use execution::executor::{SlotError, available_gpus, physical_cores, share_gpus, slots};
use execution::{Slot, TargetError};
use scenario::change::{self, Difference, Stored};
use scenario::keys::Row;
use scenario::whole_file;
use scenario::{
    Acquisition, CappedBy, Instance, Measure, Scenario, Surrogate, SurrogateKind, Treatment, read,
};
use space::Diagnostics;
use space::format::{CannotExpress, Format, write};
use surrogate::{InstanceTable, forest, gaussian, neural};

use super::carry_over::{CarriedOver, NotReused, carry_over, stored_history};
use crate::BookmarkError;
use crate::budget::{Budget, Spent};
use crate::deadline;
use crate::folds::{FoldPlan, FoldsError};
use crate::import::runs::{Misfits, Outputs};
use crate::resume::Resumed;
use crate::staging::StagingError;
use crate::validation::Terms;
use crate::{ByModel, CampaignError, LedgerError, Search, Settings};
use store::fingerprint::Fingerprints;
use store::{Batch, Charter, NewCampaign, Store, StoreError};

/// The user's choices on the command line.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// A scenario file, or the folder of a campaign.
    pub path: PathBuf,
    /// The campaign's folder, if it is not the default folder, which is named after the scenario.
    pub folder: Option<PathBuf>,
    /// Limits that override those in the scenario.
    pub budget: Budget,
    /// Number of workers; overrides the scenario's.
    pub workers: Option<usize>,
    /// Random seed for a new campaign; overrides the scenario's.
    pub seed: Option<u64>,
    /// Time at which the surrounding job ends. The campaign stops before that.
    pub until: Option<SystemTime>,
    /// Whether the trials run on other machines, so that the cores of this one do not matter.
    pub remote: bool,
}

impl Order {
    /// Returns the campaign's folder.
    pub fn folder(&self) -> PathBuf {
        self.folder.clone().unwrap_or_else(|| folder_of(&self.path))
    }
}

/// Returns the folder of a campaign that a user has named by its folder or by its scenario, even if the
/// scenario's file no longer exists.
pub fn folder_of(path: &Path) -> PathBuf {
    let is_scenario = path.is_file() || (!path.is_dir() && path.extension() == Some(OsStr::new("toml")));
    if is_scenario { path.with_extension("campaign") } else { path.to_owned() }
}

/// Reason why a campaign cannot be run.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages explain the variants")]
pub enum ConductError {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("the path of the folder {} is not UTF-8", path.display())]
    NotUtf8 { path: PathBuf },
    #[error("{0}")]
    Scenario(Diagnostics),
    #[error("the trials in {} do not measure what this scenario asks for", folder.display())]
    Refused { folder: PathBuf, differences: Vec<Difference> },
    #[error("the trials in {source_name} do not measure what this scenario asks for")]
    NotImportable { source_name: String, differences: Vec<Difference> },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Slots(#[from] SlotError),
    #[error(transparent)]
    Campaign(#[from] CampaignError),
    #[error("cannot start a worker")]
    Worker(#[source] std::io::Error),
    #[error("cannot read the stored state of the search: another version of captune wrote it")]
    State(#[from] BookmarkError),
    #[error("cannot store the budget")]
    Budget(#[source] serde_json::Error),
    #[error(transparent)]
    Space(#[from] CannotExpress),
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error(transparent)]
    Staging(#[from] StagingError),
    #[error("the space file of {} has changed since the campaign last ran", folder.display())]
    OtherSpace { folder: PathBuf },
    #[error("{0}")]
    Instances(String),
    #[error("the cutoff of a validation must not be below the scenario's")]
    ShortCutoff,
    #[error("there is nothing to validate: the best configuration is the baseline")]
    NothingToValidate,
    #[error("there is nothing to ablate: the best configuration is the baseline")]
    NothingToAblate,
    #[error(transparent)]
    Folds(#[from] FoldsError),
    #[error("{} has {count} folds, each a separate campaign", folder.display())]
    Several { folder: PathBuf, count: usize },
    #[error(transparent)]
    Runs(Misfits),
    #[error("a deterministic target can only be validated on instances that it was not tuned on")]
    NothingUnseen,
}

impl From<LedgerError> for ConductError {
    fn from(error: LedgerError) -> Self {
        CampaignError::from(error).into()
    }
}

/// The way in which a campaign was opened.
#[derive(Clone, PartialEq, Debug)]
pub enum Opening {
    /// Created in a new folder.
    New,
    /// Resumed, with the differences between the stored scenario and the current one.
    Continue(Vec<Difference>),
    /// Opened as a new campaign that re-uses the trials of the previous one.
    Reuse {
        /// The differences between the stored scenario and the current one.
        differences: Vec<Difference>,
        /// Number of trials re-used.
        trials: usize,
        /// Reasons why the other trials were not re-used.
        not_reused: NotReused,
        /// The path of the previous store.
        set_aside: PathBuf,
    },
}

/// A campaign ready to run.
#[derive(Debug)]
pub struct Opened {
    /// The campaign's folder.
    pub folder: PathBuf,
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// The settings of the search.
    pub settings: Settings,
    /// All instances by number: first the training instances, then the unseen ones.
    pub instances: Vec<Instance>,
    /// The way in which the campaign was opened.
    pub opening: Opening,
    /// Number of trials that run at the same time.
    pub workers: usize,
    /// Time at which the surrounding job ends.
    pub until: Option<SystemTime>,
    pub(super) store: Store,
    pub(super) resumed: Resumed,
    /// Numbers of configurations and trials in the store.
    pub(super) stored: (usize, u64),
}

impl Opened {
    /// Returns the time that earlier sessions have used, and the number of trials already known.
    pub fn so_far(&self) -> Spent {
        let Resumed { history, untold, wall, cpu, .. } = &self.resumed;
        Spent { wall: *wall, cpu: *cpu, trials: (history.trials().len() + untold.len()) as u64 }
    }

    /// Returns the text of the scenario.
    pub fn scenario_text(&self) -> Result<String, ConductError> {
        Ok(self.store.reader().charter()?.scenario)
    }

    /// Returns the seconds for which the campaign may still run, if there is a deadline.
    pub fn time_left(&self) -> Option<f64> {
        self.until.map(|end| deadline::left(&self.scenario, end, SystemTime::now()))
    }
}

/// Returns the engine's settings for a scenario. If the scenario asks for folds, these are the settings of
/// one fold with its share of the scenario's budget. A budget in `order` is not divided.
pub fn settings(scenario: &Scenario, order: &Order) -> Settings {
    let folds = scenario.instances.folds;
    let given = scenario.budget.of_fold(folds);
    let budget = Budget {
        wall: order.budget.wall.or(given.wall.map(|time| time.as_secs_f64())),
        cpu: order.budget.cpu.or(given.cpu.map(|time| time.as_secs_f64())),
        trials: order.budget.trials.or(given.trials),
    };
    // The training parts of the folds may differ in size by one instance.
    let train = scenario.instances.train.len() as u32;
    let pairs = |count: u32| if scenario.racing.measured_once { count.min(train) } else { count } as usize;
    Settings {
        problem: Problem {
            space: scenario.space.clone(),
            default: scenario.baseline(),
            objective: objective(scenario),
            instances: train,
            seed: order.seed.unwrap_or(scenario.seed),
        },
        racing: Racing {
            slack: scenario.racing.slack,
            min_pairs: pairs(scenario.racing.min_pairs),
            max_pairs: pairs(scenario.racing.max_pairs),
            deterministic: scenario.racing.measured_once,
            ..Racing::default()
        },
        search: search(scenario),
        initial: scenario
            .baseline
            .iter()
            .map(|_| scenario.space.default_configuration())
            .chain(scenario.initial.clone())
            .collect(),
        validation: Terms {
            wanted: scenario.validation.at_the_end,
            cutoff: scenario.validation.cutoff,
            seeds: scenario.validation.seeds,
            // By default, a validation may take as long as the search.
            budget: validation_budget(scenario).or(budget.wall),
            of_fold: folds.is_some(),
            has_seeds: !scenario.racing.deterministic,
            are_times: matches!(scenario.objective.minimise, Measure::CpuTime | Measure::WallTime),
        },
        budget,
        repeatable: scenario.parallel.repeatable,
        cpu_matters: scenario.objective.minimise == Measure::CpuTime,
    }
}

/// Returns the objective of a scenario in the engine's form.
pub fn objective(scenario: &Scenario) -> Objective {
    let objective = &scenario.objective;
    let capped = objective.capped_by != CappedBy::Nobody;
    Objective {
        cutoff: objective.cutoff.filter(|_| capped),
        par: objective.par,
        grain: objective.grain,
        constraints: scenario.constraints_for_engine(),
    }
}

/// Returns the seconds that the scenario allows for a validation. With folds, this is the time for each fold.
pub(super) fn validation_budget(scenario: &Scenario) -> Option<f64> {
    let folds = scenario.instances.folds.unwrap_or(1);
    scenario.validation.budget.map(|time| time.as_secs_f64() / f64::from(folds))
}

fn search(scenario: &Scenario) -> Search {
    let Surrogate { kind, treatment, acquisition, dependence, trees, overhead } = scenario.surrogate;
    let model = match kind {
        SurrogateKind::Random => return Search::Random,
        SurrogateKind::Local => return Search::Local,
        // A Gaussian process has no such treatment, so the default is a forest.
        SurrogateKind::Unspecified if treatment == Treatment::Mean => ModelSettings::of(Learner::Forest),
        SurrogateKind::Unspecified => ModelSettings::suited(&scenario.space, scenario.racing.deterministic),
        SurrogateKind::Learner(learner) => ModelSettings::of(learner),
    };
    let mut search = ByModel { model, features: features(scenario), overhead };
    let ModelSettings { forest, neural, gaussian, gaussian_points, .. } = &mut search.model;
    (forest.treatment, neural.treatment) = match treatment {
        Treatment::Likelihood => (forest::Treatment::Sample, neural::Treatment::Tobit),
        Treatment::Mean => (forest::Treatment::Mean, neural::Treatment::Mean),
        Treatment::Drop => (forest::Treatment::Drop, neural::Treatment::Drop),
        Treatment::Ignore => (forest::Treatment::Ignore, neural::Treatment::Ignore),
    };
    match treatment {
        Treatment::Likelihood => gaussian.treatment = gaussian::Treatment::Likelihood,
        Treatment::Drop => gaussian.treatment = gaussian::Treatment::Drop,
        Treatment::Ignore => gaussian.treatment = gaussian::Treatment::Ignore,
        // A Gaussian process has no such treatment, so `auto` does not use one.
        Treatment::Mean => *gaussian_points = 0,
    }
    forest.trees = trees as usize;
    search.model.dependence = dependence;
    search.model.constraints = scenario.constraints.iter().map(|one| one.surrogate).collect();
    search.model.utility = match acquisition {
        Acquisition::Improvement => Utility::ExpectedImprovement,
        Acquisition::ImprovementPerBudget => Utility::ImprovementPerSpent,
    };
    Search::Model(Box::new(search))
}

/// Returns the features of the training instances, in the order of the instances.
fn features(scenario: &Scenario) -> Option<InstanceTable> {
    let features = scenario.instances.features.as_ref()?;
    let width = features.numbers().len();
    let matrix: Vec<f64> = scenario.instances.train.iter().flat_map(|one| features.row(one)).collect();
    (width > 0).then(|| InstanceTable::of_features(&matrix, width))
}

/// Returns the number of trials that run at the same time on this machine. By default, this is the largest number that the
/// physical cores and the GPUs allow. Returns an error if there are not enough cores or GPUs.
pub fn workers(scenario: &Scenario, order: &Order) -> Result<usize, SlotError> {
    if order.remote {
        return Ok(0);
    }
    let each = scenario.parallel.cores_per_trial as usize;
    let given = order.workers.or(scenario.parallel.workers.map(|workers| workers as usize));
    let workers = match given {
        Some(workers) => workers,
        None => {
            let by_cores = physical_cores()? / each;
            let by_gpus = match scenario.parallel.gpus_per_trial as usize {
                0 => by_cores,
                gpus => available_gpus(&scenario.parallel).len() / gpus,
            };
            by_cores.min(by_gpus).max(1)
        }
    };
    worker_slots(scenario, workers)?;
    Ok(workers)
}

/// Returns a slot for each worker, with its cores and its GPUs.
pub fn worker_slots(scenario: &Scenario, workers: usize) -> Result<Vec<Slot>, SlotError> {
    with_gpus(slots(workers, scenario.parallel.cores_per_trial as usize)?, scenario)
}

/// Returns a slot for each worker, with its GPUs but without cores of its own.
pub fn free_slots(scenario: &Scenario, workers: usize) -> Result<Vec<Slot>, SlotError> {
    with_gpus((0..workers).map(|number| Slot { number, ..Slot::default() }).collect(), scenario)
}

fn with_gpus(mut slots: Vec<Slot>, scenario: &Scenario) -> Result<Vec<Slot>, SlotError> {
    share_gpus(&mut slots, &available_gpus(&scenario.parallel), scenario.parallel.gpus_per_trial as usize)?;
    Ok(slots)
}

/// Opens a new or stored campaign. For a scenario with folds, which has several campaigns, see
/// [`open_folds`](super::open_folds).
pub fn open(order: &Order) -> Result<Opened, ConductError> {
    if order.path.is_dir() {
        if let Some(plan) = FoldPlan::read(&order.path)? {
            return Err(ConductError::Several { folder: order.path.clone(), count: plan.folds.len() });
        }
        let store = Store::open(&order.path)?;
        let loaded = store.load()?;
        let Charter { scenario: text, folder, seed, name, .. } = loaded.charter.clone();
        let scenario = read(&text, &folder, "scenario.toml").map_err(ConductError::Scenario)?;
        // The default name comes from the scenario file, which is not read here.
        let scenario = Scenario { name, ..scenario };
        let order = Order { seed: Some(seed), ..order.clone() };
        return resume(&order, scenario, text, order.path.clone(), store);
    }
    let (text, scenario) = scenario_of_file(&order.path)?;
    let folder = order.folder();
    if let Some(count) = scenario.instances.folds {
        return Err(ConductError::Several { folder, count: count as usize });
    }
    if let Some(plan) = FoldPlan::read(&folder)? {
        return Err(other_folds(folder, Some(plan.folds.len()), None));
    }
    match Store::open(&folder) {
        Ok(store) => resume(order, scenario, text, folder, store),
        Err(StoreError::Missing { .. }) => {
            Ok(begin(order, scenario, text, folder, None, Earlier::default())?.0)
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the error for a folder whose folds differ from those that the scenario asks for.
pub(super) fn other_folds(folder: PathBuf, before: Option<usize>, after: Option<usize>) -> ConductError {
    let shown = |folds: Option<usize>| {
        Some(folds.map_or_else(|| "one campaign".to_owned(), |folds| format!("folds: {folds}")))
    };
    let key = "instances.test".to_owned();
    let difference = Difference { key, before: shown(before), after: shown(after), row: Row::Refuse };
    ConductError::Refused { folder, differences: vec![difference] }
}

/// Reads and checks a scenario file.
pub fn scenario_of_file(path: &Path) -> Result<(String, Scenario), ConductError> {
    let failed = |source| ConductError::Read { path: path.to_owned(), source };
    let text = fs::read_to_string(path).map_err(failed)?;
    let folder = whole_file::folder_of(path);
    // Commands and the store contain this path as text.
    let absolute = std::path::absolute(folder).map_err(failed)?;
    if absolute.to_str().is_none() {
        return Err(ConductError::NotUtf8 { path: absolute });
    }
    let name = path.display().to_string();
    let scenario = read(&text, folder, &name).map_err(ConductError::Scenario)?;
    Ok((text, scenario))
}

fn charter(scenario: &Scenario, text: String, instances: &[Instance], settings: &Settings) -> Charter {
    Charter {
        name: scenario.name.clone(),
        scenario: text,
        folder: scenario.folder.clone(),
        space: scenario.space.clone(),
        instances: instances.iter().map(|instance| instance.name.clone()).collect(),
        seed: settings.problem.seed,
    }
}

/// Trials that a new campaign takes from an earlier campaign or an import.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    /// The trials for the search.
    pub(super) resumed: Resumed,
    /// The same trials for the store, with the reason stored for their session.
    pub(super) known: Option<(Batch, String)>,
}

impl Earlier {
    /// Returns the trials of an earlier campaign.
    fn of_campaign(history: History, outputs: Vec<Outputs>) -> Self {
        let batch = stored_history(&history, outputs, history.trials().len(), "");
        let resumed = Resumed { history, ..Resumed::default() };
        Self { resumed, known: Some((batch, "trials re-used".to_owned())) }
    }
}

/// Creates a campaign in a new folder or in place of another campaign. Returns the path of the previous
/// store, which is kept beside the new one.
pub(super) fn begin(
    order: &Order,
    scenario: Scenario,
    text: String,
    folder: PathBuf,
    before: Option<Store>,
    earlier: Earlier,
) -> Result<(Opened, Option<PathBuf>), ConductError> {
    let settings = settings(&scenario, order);
    let workers = workers(&scenario, order)?;
    let train = scenario.instances.train.clone();
    let Earlier { resumed, known } = earlier;
    let stored =
        known.as_ref().map_or((0, 0), |(batch, _)| (batch.configurations.len(), batch.trials.len() as u64));
    let new = NewCampaign {
        charter: charter(&scenario, text, &train, &settings),
        test: drawn_test_instances(&scenario),
        files: Some(Fingerprints::of(&scenario)),
        known,
    };
    let (store, set_aside) = match before {
        Some(before) => {
            let (store, aside) = before.replace(&new)?;
            (store, Some(aside))
        }
        None => (Store::create_with(&folder, &new)?, None),
    };
    let instances = train.into_iter().chain(scenario.instances.test.clone()).collect();
    let scenario = Arc::new(scenario);
    let (until, opening) = (order.until, Opening::New);
    let opened =
        Opened { folder, scenario, settings, instances, opening, workers, until, store, resumed, stored };
    Ok((opened, set_aside))
}

pub(super) fn resume(
    order: &Order,
    mut scenario: Scenario,
    text: String,
    folder: PathBuf,
    mut store: Store,
) -> Result<Opened, ConductError> {
    let loaded = store.load()?;
    let before = &loaded.charter;
    let apart = store.reader().test_instances()?.unwrap_or_default();
    scenario.instances.keep_split(&before.instances, &apart);
    let space = write(&before.space, Format::Toml)?;
    let baseline = loaded.history.configurations().first();
    let stored = Stored { text: &before.scenario, space: &space, instances: &before.instances, baseline };
    let mut differences = change::compare(&stored, &text, &scenario).map_err(ConductError::Scenario)?;
    // The files that the scenario names may have changed even if the scenario is the same.
    let files = Fingerprints::of(&scenario);
    if let Some(before) = store.reader().fingerprints()? {
        differences.extend(before.compare(&files, &scenario.folder));
    }
    if let Some(seed) = order.seed.filter(|&seed| seed != before.seed) {
        let (key, before, after) = ("seed".to_owned(), Some(before.seed.to_string()), Some(seed.to_string()));
        differences.push(Difference { key, before, after, row: Row::Reuse });
    }
    let succeeded = [Status::Finished, Status::Capped, Status::Timeout];
    let worthless = succeeded.iter().all(|&status| loaded.history.count(status) == 0);
    match change::verdict(&differences) {
        // The failed trials are of no use, so a corrected scenario starts from the beginning.
        Row::Refuse if worthless => {
            let begun = begin(order, scenario, text, folder, Some(store), Earlier::default())?;
            Ok(in_place_of(begun, differences, 0, NotReused::new()))
        }
        Row::Refuse => Err(ConductError::Refused { folder, differences }),
        Row::Continue => {
            // A seed given on the command line stays with the campaign, whatever the scenario contains.
            let order = Order { seed: Some(before.seed), ..order.clone() };
            let train = in_stored_order(&before.instances, &scenario.instances.train);
            scenario.instances.train.clone_from(&train);
            let settings = settings(&scenario, &order);
            let workers = workers(&scenario, &order)?;
            if text != before.scenario || train.len() > before.instances.len() {
                store.update_charter(&charter(&scenario, text, &train, &settings))?;
            }
            if let Some(names) = drawn_test_instances(&scenario) {
                store.keep_test_instances(&names)?;
            }
            store.keep_fingerprints(&files)?;
            let instances = train.into_iter().chain(scenario.instances.test.clone()).collect();
            let stored = (loaded.history.configurations().len(), loaded.history.trials().len() as u64);
            let resumed = Resumed::of_store(loaded)?;
            let opening = Opening::Continue(differences);
            let (scenario, until) = (Arc::new(scenario), order.until);
            Ok(Opened {
                folder,
                scenario,
                settings,
                instances,
                opening,
                workers,
                until,
                store,
                resumed,
                stored,
            })
        }
        Row::Reuse => {
            let settings = settings(&scenario, order);
            let kept =
                change::kept_constraints(&before.scenario, &scenario).map_err(ConductError::Scenario)?;
            let outputs = store.reader().outputs()?;
            let CarriedOver { history, outputs, not_reused } =
                carry_over(&loaded, outputs, &settings, &scenario.instances.train, &kept);
            let trials = history.trials().len();
            let earlier = Earlier::of_campaign(history, outputs);
            let begun = begin(order, scenario, text, folder, Some(store), earlier)?;
            Ok(in_place_of(begun, differences, trials, not_reused))
        }
    }
}

/// Marks a new campaign as the replacement for an earlier one.
fn in_place_of(
    (opened, set_aside): (Opened, Option<PathBuf>),
    differences: Vec<Difference>,
    trials: usize,
    not_reused: NotReused,
) -> Opened {
    let set_aside = set_aside.unwrap_or_default();
    Opened { opening: Opening::Reuse { differences, trials, not_reused, set_aside }, ..opened }
}

/// Returns the names of the instances that were drawn at random for the validation. The names are stored so
/// that no later search tunes on these instances.
fn drawn_test_instances(scenario: &Scenario) -> Option<Vec<String>> {
    let drawn = scenario.instances.share.is_some() || scenario.instances.folds.is_some();
    drawn.then(|| scenario.instances.test.iter().map(|instance| instance.name.clone()).collect())
}

/// Sorts the instances: first those in the store, in their stored order, then the others.
pub(super) fn in_stored_order(known: &[String], instances: &[Instance]) -> Vec<Instance> {
    let places: HashMap<&String, usize> = known.iter().zip(0..).collect();
    let mut sorted: Vec<Instance> = instances.to_vec();
    sorted.sort_by_key(|instance| places.get(&instance.name).copied().unwrap_or(usize::MAX));
    sorted
}
