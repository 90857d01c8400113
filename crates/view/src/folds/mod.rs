//! The folds stored in a folder, and their joint result.

mod joint;

use std::path::{Path, PathBuf};

use campaign::conduct::folder_of;
use campaign::folds::{FoldPlan, fold_folder};
use campaign::validation;
use serde::Serialize;
use space::Values;
use store::StoreError;

use crate::costs::Costs;
use crate::error::ViewError;
use crate::kept::Kept;
use crate::picture::Picture;
use crate::records::Records;
use crate::state::{Session, hosts};
use crate::verdict::Verdict;
use joint::Fold;

/// The folds stored in a folder.
#[derive(Debug)]
pub struct KeptFolds {
    /// The folder that contains all folds.
    pub folder: PathBuf,
    /// The plan that all folds share.
    pub plan: FoldPlan,
    /// The campaign of each fold; `None` if it has not started.
    pub folds: Vec<Option<Kept>>,
}

/// The joint state of all folds.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Joint {
    /// The name that all campaigns share.
    pub name: String,
    /// The path of the folder that contains them.
    pub folder: String,
    /// The state of each fold; `None` if it has not started.
    pub folds: Vec<Option<Picture>>,
    /// Number of pairs planned for all validations.
    pub planned: usize,
    /// The verdict on the procedure; `None` until every fold has been validated at least in part.
    pub verdict: Option<Verdict>,
    /// The configuration to use; `None` if every fold keeps the baseline.
    pub chosen: Option<Chosen>,
    /// The machines that ran trials.
    pub hosts: Vec<String>,
    /// The meaning of the costs; `None` before any fold has started.
    #[serde(skip)]
    pub costs: Option<Costs>,
    /// The progress of each fold's validation; `None` if the fold has not started.
    #[serde(skip)]
    pub validated: Vec<Option<Validated>>,
}

/// The best configuration of the chosen fold.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Chosen {
    /// The fold's number, counted from 1.
    pub fold: usize,
    /// The configuration's number.
    pub configuration: u32,
    /// Its values.
    pub values: Values,
}

/// The result of a fold's search, and the progress of its validation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Validated {
    /// Whether the fold keeps the baseline because its search found nothing feasible.
    pub is_infeasible: bool,
    /// Number of pairs measured with both configurations.
    pub pairs: usize,
    /// Number of pairs planned.
    pub planned: usize,
}

impl KeptFolds {
    /// Finds the folds in a folder, or in the default folder of a scenario file. Returns `None` if there are
    /// no folds.
    pub fn find(path: &Path) -> Result<Option<Self>, ViewError> {
        let folder = folder_of(path);
        let Some(plan) = FoldPlan::read(&folder)? else { return Ok(None) };
        let open = |number: usize| match Kept::open(&fold_folder(&folder, number)) {
            Ok(kept) => Ok(Some(kept)),
            Err(ViewError::Store(StoreError::Missing { .. })) => Ok(None),
            Err(error) => Err(error),
        };
        let folds = (1..=plan.folds.len()).map(open).collect::<Result<_, ViewError>>()?;
        Ok(Some(Self { folder, plan, folds }))
    }

    /// Reads the state of each fold and their joint result.
    pub fn joint(&self) -> Result<Joint, ViewError> {
        let read = |kept: &Option<Kept>| kept.as_ref().map(One::of).transpose();
        let all: Vec<Option<One>> = self.folds.iter().map(read).collect::<Result<_, ViewError>>()?;
        let begun = all.iter().enumerate().filter_map(|(place, one)| Some((place, one.as_ref()?)));
        let (places, begun): (Vec<usize>, Vec<&One>) = begun.unzip();
        let folds: Vec<&Fold> = begun.iter().map(|one| &one.fold).collect();
        let sessions: Vec<Session> = begun.iter().flat_map(|one| one.picture.sessions.clone()).collect();
        let hosts = hosts(sessions.iter().map(|session| &session.host));
        let first = self.folds.iter().flatten().next();
        let costs = first.map(|kept| kept.scenario().map(Costs::of)).transpose()?;
        let chosen = joint::chosen(&folds).map(|place| Chosen {
            fold: places[place] + 1,
            configuration: folds[place].best.0,
            values: begun[place].values.clone(),
        });
        Ok(Joint {
            name: self.plan.name.clone(),
            folder: self.folder.to_string_lossy().into_owned(),
            planned: folds.iter().map(|fold| fold.planned).sum(),
            verdict: self.verdict(&begun, costs.as_ref())?,
            chosen,
            hosts,
            costs,
            validated: all.iter().map(|one| one.as_ref().map(One::validated)).collect(),
            folds: all.into_iter().map(|one| one.map(|one| one.picture)).collect(),
        })
    }

    /// Returns the verdict on the procedure, once every fold has been validated at least in part.
    fn verdict(&self, begun: &[&One], costs: Option<&Costs>) -> Result<Option<Verdict>, ViewError> {
        let is_validated = |one: &&One| one.fold.planned == 0 || !one.fold.names.is_empty();
        if begun.len() < self.folds.len() || !begun.iter().all(is_validated) {
            return Ok(None);
        }
        let (Some(first), Some(costs)) = (self.folds.iter().flatten().next(), costs) else { return Ok(None) };
        let (settings, folds) = (first.settings()?, begun.iter().map(|one| &one.fold).collect::<Vec<_>>());
        let judged = joint::verdict(&folds, &validation::objective(&settings), settings.problem.seed);
        Ok(judged.map(|judged| Verdict::of(&judged, costs)))
    }

    /// Returns the fold whose best configuration should be used, and the joint state. If all folds kept the
    /// baseline, returns the first fold that was started.
    pub fn best(mut self) -> Result<(Kept, Joint), ViewError> {
        let joint = self.joint()?;
        let begun = self.folds.iter().position(Option::is_some).unwrap_or_default();
        let place = joint.chosen.as_ref().map_or(begun, |chosen| chosen.fold - 1);
        match self.folds[place].take() {
            Some(kept) => Ok((kept, joint)),
            None => Err(StoreError::Missing { folder: fold_folder(&self.folder, place + 1) }.into()),
        }
    }
}

/// A fold that has started.
struct One {
    fold: Fold,
    values: Values,
    picture: Picture,
}

impl One {
    fn of(kept: &Kept) -> Result<Self, ViewError> {
        let records = Records::of(kept)?;
        let fold = Fold::of(&records, &kept.settings()?)?;
        let values = Values::from(records.best_configuration());
        Ok(Self { fold, values, picture: Picture::of_records(&records)? })
    }

    fn validated(&self) -> Validated {
        let is_infeasible = self.fold.is_infeasible;
        Validated { is_infeasible, pairs: self.fold.names.len(), planned: self.fold.planned }
    }
}

impl Joint {
    /// Returns the number of folds that have started.
    pub fn begun(&self) -> usize {
        self.folds.iter().flatten().count()
    }
}
