//! Checks of settings, before a search begins. Each error names the setting.

use space::SampleError;
use surrogate::OutOfRange;

use crate::problem::{Constraint, Objective, Problem};
use crate::propose::{Learner, ModelSettings, Utility};
use crate::racing::Racing;

/// An invalid setting.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// A number is out of range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// A configuration belongs to another space.
    #[error("`{setting}` has a configuration of another space; build it with the space of the search")]
    OtherSpace {
        /// Name of the setting.
        setting: &'static str,
    },
    /// The table of features does not match the instances.
    #[error(
        "`features` has {rows} rows, but there are {instances} instances; give one row for each instance"
    )]
    Features {
        /// Number of rows.
        rows: usize,
        /// Number of instances.
        instances: u32,
    },
    /// Two settings exclude each other.
    #[error("`{setting}` excludes `{other}`: {why}")]
    Excluded {
        /// Name of the setting.
        setting: &'static str,
        /// Name of the setting that it excludes.
        other: &'static str,
        /// The reason.
        why: &'static str,
    },
    /// A setting that another one needs is missing.
    #[error("`{setting}` needs `{other}`")]
    Missing {
        /// Name of the setting.
        setting: &'static str,
        /// Name of the missing setting.
        other: &'static str,
    },
    /// An output has two bounds on the same side, or a name is empty.
    #[error("`{setting}` is given twice for `{name}`; keep one of them")]
    Twice {
        /// Name of the setting.
        setting: &'static str,
        /// The name given twice.
        name: String,
    },
    /// The space has too few valid configurations to start from.
    #[error("`space` cannot be sampled: {0}")]
    Space(#[from] SampleError),
}

impl SettingError {
    /// Returns the name of the setting.
    pub fn setting(&self) -> &'static str {
        match self {
            Self::OutOfRange(error) => error.setting,
            Self::OtherSpace { setting }
            | Self::Excluded { setting, .. }
            | Self::Missing { setting, .. }
            | Self::Twice { setting, .. } => setting,
            Self::Features { .. } => "features",
            Self::Space(_) => "space",
        }
    }
}

impl Problem {
    /// Checks the objective, the constraints, the baseline and the number of instances.
    pub fn check(&self) -> Result<(), SettingError> {
        OutOfRange::if_zero("instances", self.instances as usize)?;
        self.objective.check()?;
        if *self.default.space() == self.space {
            Ok(())
        } else {
            Err(SettingError::OtherSpace { setting: "baseline" })
        }
    }
}

impl Objective {
    /// Checks that every number is in its range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        self.cutoff
            .map_or(Ok(()), |cutoff| OutOfRange::unless(positive, "cutoff", cutoff, "finite and above 0"))?;
        OutOfRange::unless(|x| x >= 1.0 && x.is_finite(), "par", self.par, "finite and at least 1")?;
        OutOfRange::unless(|x| x >= 0.0 && x.is_finite(), "grain", self.grain, "finite and not negative")?;
        self.constraints.iter().try_for_each(Constraint::check)
    }
}

impl Constraint {
    /// Checks that the bound and the confidence are in their ranges.
    pub fn check(&self) -> Result<(), OutOfRange> {
        OutOfRange::unless(f64::is_finite, "bound", self.bound, "finite")?;
        if self.relative {
            OutOfRange::unless(|x| x != 0.0, "bound", self.bound, "other than 0 if it is relative")?;
        }
        OutOfRange::unless(|x| x > 0.5 && x < 1.0, "confidence", self.confidence, "above 0.5 and below 1")
    }
}

impl Racing {
    /// Checks that every number is in its range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        OutOfRange::unless(|x| x >= 1.0, "slack", self.slack, "at least 1")?;
        OutOfRange::if_zero("min_pairs", self.min_pairs)?;
        let least = self.min_pairs as f64;
        OutOfRange::unless(|x| x >= least, "max_pairs", self.max_pairs as f64, "at least `min_pairs`")?;
        OutOfRange::if_zero("schedule.early", self.schedule.early)?;
        OutOfRange::if_zero("schedule.late", self.schedule.late)
    }
}

impl ModelSettings {
    /// Checks that every number is in its range, and that a custom surrogate is given if one is asked for.
    pub fn check(&self) -> Result<(), SettingError> {
        self.forest.check()?;
        self.neural.check()?;
        self.gaussian.check()?;
        OutOfRange::if_zero("first_fit", self.first_fit)?;
        OutOfRange::unless(|x| x >= 0.0 && x.is_finite(), "refit", self.refit, "finite and not negative")?;
        let counts = [
            ("random_every", self.random_every),
            ("points", self.points),
            ("candidates", self.candidates),
            ("thompson_candidates", self.thompson_candidates),
            ("training_steps", self.training_steps),
        ];
        counts.into_iter().try_for_each(|(name, count)| OutOfRange::if_zero(name, count))?;
        if let Utility::LowerBound(deviations) = self.utility {
            OutOfRange::unless(
                |x| x >= 0.0 && x.is_finite(),
                "utility",
                deviations,
                "finite and not negative",
            )?;
        }
        let asked = [Some(self.learner)].into_iter().chain(self.constraints.iter().copied());
        if self.own.is_none() && asked.into_iter().any(|learner| learner == Some(Learner::Own)) {
            return Err(SettingError::Missing { setting: "learner", other: "own" });
        }
        let compared = [Learner::Forest, Learner::Neural, Learner::Gaussian];
        if self.learner == Learner::Auto && !compared.contains(&self.first) {
            let why = "`auto` begins with one of the learners that it compares: forest, neural or gaussian";
            return Err(SettingError::Excluded { setting: "learner", other: "first", why });
        }
        Ok(())
    }
}
