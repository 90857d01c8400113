//! Several folds as their folder keeps them, for the verbs that look at all of them.

mod said;
pub(crate) mod status;

pub(crate) use said::said;

use std::path::{Path, PathBuf};

use campaign::folds::joint::{chosen, verdict};
use campaign::folds::{Fold, FoldPlan, fold_folder};
use campaign::store::StoreError;
use campaign::validation::{self, Judged};

use crate::kept::{Kept, folder_of};
use crate::words::{Costs, times};

/// The folds of a folder.
pub(crate) struct KeptFolds {
    pub(crate) folder: PathBuf,
    pub(crate) plan: FoldPlan,
    /// The campaign of each, once it has begun.
    pub(crate) folds: Vec<Option<Kept>>,
}

/// What all folds together have found.
pub(crate) struct Joint {
    /// What each has found, as far as it has begun.
    pub(crate) folds: Vec<Option<Fold>>,
    /// What may be said of the procedure; none until every fold has been validated at least in part.
    pub(crate) verdict: Option<Judged>,
    /// Pairs that the validations have when they are complete.
    pub(crate) planned: usize,
    /// The fold whose best is to be used, counted from 0.
    pub(crate) chosen: Option<usize>,
    pub(crate) costs: Option<Costs>,
}

impl KeptFolds {
    /// The folds in a folder, or in that of a scenario; none if it has none.
    pub(crate) fn find(path: &Path) -> anyhow::Result<Option<Self>> {
        let folder = folder_of(path);
        let Some(plan) = FoldPlan::read(&folder)? else { return Ok(None) };
        let open = |number: usize| match Kept::open(&fold_folder(&folder, number)) {
            Ok(kept) => Ok(Some(kept)),
            Err(error) => match error.downcast_ref::<StoreError>() {
                Some(StoreError::Missing { .. }) => Ok(None),
                _ => Err(error),
            },
        };
        let folds = (1..=plan.folds.len()).map(open).collect::<anyhow::Result<_>>()?;
        Ok(Some(Self { folder, plan, folds }))
    }

    /// What they have found together.
    pub(crate) fn joint(&self) -> anyhow::Result<Joint> {
        let fold = |kept: &Option<Kept>| kept.as_ref().map(Kept::fold).transpose();
        let folds: Vec<Option<Fold>> = self.folds.iter().map(fold).collect::<anyhow::Result<_>>()?;
        let (numbers, begun): (Vec<usize>, Vec<Fold>) =
            folds.iter().cloned().enumerate().filter_map(|(number, fold)| Some((number, fold?))).unzip();
        let all = begun.len() == folds.len()
            && begun.iter().all(|fold| fold.planned == 0 || !fold.names.is_empty());
        let first = self.folds.iter().flatten().next();
        let settings = first.filter(|_| all).map(|kept| kept.settings()).transpose()?;
        Ok(Joint {
            verdict: settings.and_then(|settings| {
                verdict(&begun, &validation::objective(&settings), settings.problem.seed)
            }),
            planned: begun.iter().map(|fold| fold.planned).sum(),
            chosen: chosen(&begun).map(|place| numbers[place]),
            costs: first.map(|kept| kept.scenario().map(Costs::of)).transpose()?,
            folds,
        })
    }

    /// The fold whose best is to be used, and what all have found; if all have kept the baseline, any will do.
    pub(crate) fn best(mut self) -> anyhow::Result<(Kept, Joint)> {
        let joint = self.joint()?;
        let begun = self.folds.iter().position(Option::is_some).unwrap_or_default();
        let place = joint.chosen.unwrap_or(begun);
        match self.folds[place].take() {
            Some(kept) => Ok((kept, joint)),
            None => Err(StoreError::Missing { folder: fold_folder(&self.folder, place + 1) }.into()),
        }
    }
}

impl Joint {
    /// How many folds have begun.
    pub(crate) fn begun(&self) -> usize {
        self.folds.iter().flatten().count()
    }

    /// Which fold's best is to be used, and why.
    pub(crate) fn why_chosen(&self) -> Option<String> {
        let (place, costs) = (self.chosen?, self.costs.as_ref()?);
        let gain = self.folds[place].as_ref().and_then(|fold| fold.training?.telling_ratio());
        let gain = gain.map_or_else(String::new, |ratio| format!(" ({})", times(ratio)));
        let of = match (self.begun(), self.folds.len()) {
            (begun, all) if begun == all => format!("all {all} folds"),
            (begun, all) => format!("{begun} of {all} folds so far"),
        };
        let number = place + 1;
        Some(format!(
            "fold {number}: of {of}, its best gained most over the {} in training{gain}",
            costs.against
        ))
    }
}
