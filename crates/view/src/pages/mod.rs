//! The pages of a report as plain data. `crates/report` draws them; `captune report --json` writes them.
//!
//! | page | question |
//! |---|---|
//! | [`Overview`] | What was tuned, what was found, and where did the budget go? |
//! | [`Trajectory`] | When did the search find what it found? |
//! | [`Duel`] | On which instances is the best configuration better than the default? |
//! | [`Search`] | Which values were tried, and how good were they? |
//! | [`Matrix`] | Which configuration was tried on which instance? |
//! | [`Races`] | Who was dropped, when and why? |
//! | [`Bounded`] | Which configurations satisfy the constraints, and at what cost? |
//! | [`Mattered`] | Which changes and which parameters matter? |
//! | [`Forecasts`] | Were the model's predictions right? |
//! | [`Inputs`] | Which instances are hard, and do they agree on what is good? |
//! | [`Trials`] | What happened in each trial? |
//!
//! Lists that may be long are [`Thinned`]: they contain a part and the number of all.

mod axis;
mod bounded;
mod duel;
mod forecasts;
mod inputs;
mod material;
mod matrix;
mod mattered;
mod optimizer;
mod overview;
mod predicted;
mod races;
mod redact;
mod relative;
mod search;
mod survival;
mod thinned;
mod trajectory;
mod trials;

use serde::Serialize;

use crate::error::ViewError;
use crate::model::Model;
use crate::records::Records;

pub use bounded::{Bounded, Feasibility};
pub use duel::{Duel, DuelPair, Side, Solving};
pub use forecasts::{Calibrated, Forecasts, Foretold};
pub use inputs::{Input, Inputs};
pub use material::{Material, TimedTrial};
pub use matrix::{Cell, Matrix, MatrixRow};
pub use mattered::Mattered;
pub use overview::{Overview, Spending, Tuned};
pub use predicted::{Curve, Predicted, PredictedAt, PredictedCell, Surface};
pub use races::{Race, Races};
pub use search::{Bin, Dimension, Grid, Search, SearchTrial, Tried};
pub use survival::{Lifetime, SurvivalStep, kaplan_meier};
pub use thinned::Thinned;
pub use trajectory::{Takeover, Trajectory, UnseenMean};
pub use trials::{TrialRow, Trials};

/// Largest number of trials that the model learns from: fewer than for `captune importance`, because a live
/// page is drawn again and again.
const TRIALS: usize = 2000;

/// The pages of one campaign.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Pages {
    /// What was tuned, the result, and where the budget went.
    pub overview: Overview,
    /// The incumbents over time.
    pub trajectory: Trajectory,
    /// The default against the best configuration, pair by pair.
    pub duel: Duel,
    /// The configurations and trials of the search.
    pub search: Search,
    /// Configurations by instances.
    pub matrix: Matrix,
    /// What mattered.
    pub mattered: Mattered,
    /// The races.
    pub races: Races,
    /// The constraints; `None` if there are none.
    pub bounded: Option<Bounded>,
    /// The model's predictions.
    pub forecasts: Forecasts,
    /// The instances.
    pub inputs: Inputs,
    /// The trials.
    pub trials: Trials,
}

impl Pages {
    /// Computes all pages. Returns an error if the scenario can no longer be read.
    pub fn of(records: &Records<'_>) -> Result<Self, ViewError> {
        let material = Material::of(records)?;
        let model = Model::fit(records, TRIALS)?;
        let mattered = Mattered::of(records, model.as_ref())?;
        let matrix = Matrix::of(&material);
        Ok(Self {
            overview: Overview::of(&material)?,
            trajectory: Trajectory::of(&material),
            duel: Duel::of(&material),
            search: Search::of(&material, model.as_ref().zip(mattered.importance.as_ref())),
            mattered,
            races: Races::of(&material),
            bounded: Bounded::of(&material),
            forecasts: Forecasts::of(&material),
            inputs: Inputs::of(&material),
            trials: Trials::of(&material),
            matrix,
        })
    }
}
