//! The outcome of a campaign that has just been run.

use campaign::conduct::Outcome;
use campaign::event::Stop;
use campaign::validation::GaveUp;
use engine::stats::Basis;
use serde::Serialize;

use crate::costs::Costs;
use crate::event;
use crate::progress::Progress;
use crate::verdict::Verdict;

/// The outcome of a campaign.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Ending {
    /// The reason why the search stopped.
    #[serde(serialize_with = "event::serialize_stop")]
    pub stop: Stop,
    /// The state of the campaign when the search stopped.
    pub progress: Progress,
    /// The result of the search.
    pub found: Found,
    /// The verdict on the best configuration.
    pub verdict: Option<Verdict>,
    /// The reason why the validation was cut short, unless it ran out of budget.
    pub cut_short: Option<CutShort>,
    /// Number of pairs planned for the validation; `None` if no validation was planned.
    pub planned: Option<usize>,
    /// Number of configurations that violate a constraint, as far as measured.
    pub violating: usize,
}

/// The result of a search, judged by its own trials alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// No trial has an informative result.
    NothingMeasured,
    /// No configuration satisfies all constraints.
    NothingFeasible,
    /// No configuration is better than the default.
    NothingBetter,
    /// A configuration looks better than the default.
    Better,
}

/// Reason why a validation was cut short.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CutShort {
    /// The user stopped the validation.
    Interrupted,
    /// The surrounding job leaves too little time to finish the validation.
    Deadline,
    /// Some trials could not be run, or were lost each time they were run.
    GaveUp(#[serde(serialize_with = "event::serialize_gave_up")] GaveUp),
}

/// Reason for the lack of a verdict on a configuration that looks better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unproven<'a> {
    /// The validation was cut short.
    CutShort(&'a CutShort),
    /// The scenario does not ask for a validation.
    NotWanted,
    /// The validation's budget was spent before the first pair was complete.
    TooShort,
    /// There are no pairs to validate on.
    NoPairs,
    /// The search has not ended.
    StillToCome,
}

impl Ending {
    /// Returns the outcome of a campaign. `wanted` means that a validation was planned; `interrupted` means
    /// that the user asked the campaign to stop.
    pub fn of(outcome: &Outcome, wanted: bool, interrupted: bool, costs: &Costs) -> Self {
        let cut_short = match outcome.stop {
            Stop::Interrupted | Stop::Deadline => None,
            _ if interrupted => Some(CutShort::Interrupted),
            _ if let Some(why) = &outcome.validation.gave_up => Some(CutShort::GaveUp(why.clone())),
            _ => outcome.deadline.and_then(|deadline| deadline.refused()).map(|_| CutShort::Deadline),
        };
        let verdict = outcome.validation.verdict.as_ref().map(|judged| Verdict::of(judged, costs));
        let progress = Progress::of(&outcome.progress, costs);
        let planned = wanted.then_some(outcome.planned);
        let ending = Self::new(outcome.stop.clone(), progress, verdict, cut_short, planned);
        Self { violating: outcome.violating, ..ending }
    }

    /// Creates an ending from its parts.
    pub fn new(
        stop: Stop,
        progress: Progress,
        verdict: Option<Verdict>,
        cut_short: Option<CutShort>,
        planned: Option<usize>,
    ) -> Self {
        let best = &progress.best;
        let found = match best.configuration {
            _ if best.pairs == 0 => Found::NothingMeasured,
            _ if !best.feasible => Found::NothingFeasible,
            0 => Found::NothingBetter,
            _ => Found::Better,
        };
        Self { stop, progress, found, verdict, cut_short, planned, violating: 0 }
    }

    /// Returns whether the search stopped early.
    pub fn is_unfinished(&self) -> bool {
        matches!(self.stop, Stop::Interrupted | Stop::Deadline | Stop::Aborted(_) | Stop::Lost { .. })
    }

    /// Returns whether the best configuration may be better than the default.
    pub fn is_usable(&self) -> bool {
        self.found == Found::Better && self.verdict.as_ref().is_none_or(|verdict| verdict.worth_using)
    }

    /// Returns the number of pairs measured with both configurations.
    pub fn pairs(&self) -> usize {
        self.verdict.as_ref().map_or(0, |verdict| verdict.pairs)
    }

    /// Returns the number of pairs planned, if the validation's budget was spent before all of them were
    /// measured.
    pub fn out_of_budget(&self) -> Option<usize> {
        let verdict = self.verdict.as_ref().filter(|verdict| verdict.basis != Basis::TrainingOnly)?;
        self.planned.filter(|&planned| self.cut_short.is_none() && verdict.pairs < planned)
    }

    /// Returns the reason for the lack of a verdict on a configuration that looks better.
    pub fn unproven(&self) -> Unproven<'_> {
        let has_ended = matches!(self.stop, Stop::Budget(_) | Stop::Exhausted);
        match (&self.cut_short, self.planned) {
            (Some(cut), _) => Unproven::CutShort(cut),
            _ if !has_ended => Unproven::StillToCome,
            (None, None) => Unproven::NotWanted,
            (None, Some(0)) => Unproven::NoPairs,
            (None, Some(_)) => Unproven::TooShort,
        }
    }
}
