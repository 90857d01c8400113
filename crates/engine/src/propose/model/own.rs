//! Somebody's own surrogate among the learners.
//!
//! It is fitted after the same numbers of trials as the others, from nothing each time, and where its fit fails
//! proposals are random until the next one. It learns the outputs of constraints as well, as every learner of the
//! cost does where [nothing else](super::ModelSettings::constraints) was said; which trials fail is learned by a forest.
//!
//! A surrogate cannot say how one reading more would change it, and a fit for each proposal would take long. So
//! configurations that it has not seen a trial of are believed to cost what it expects in a way that suits any
//! model: means stay, and variances vanish near them.
//!
//! ```text
//! σ'²(θ) = σ²(θ) (1 - exp(-d² / (r² n)))
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | σ² | the variance over all instances |
//! | d | the distance to the nearest configuration that is believed: d² is the sum over all columns of the squared differences of numbers, and of 1 for different names or for what is active in one alone |
//! | n | how many columns there are |
//! | r | how far a belief reaches along each of them |

use std::fmt;
use std::sync::Arc;

use math::Rng;
use space::INACTIVE;
use surrogate::{Column, Points, Prediction, Predictor, Slopes, Surrogate, TrainingSet};

use super::learned::{Learned, Trainer};

/// How far a belief reaches along each column. With six workers the mean of near points found clearly more so on three
/// functions than where what is being tried was only excluded, and a Gaussian process on the one it was tried on; a forest, whose
/// neighbours cost the same, found neither more nor less. Two and four times this reach found less, or no more.
const REACH: f64 = 0.03;

/// A surrogate of somebody else, and the word for what it proposes. Clones share it, and are equal; no others are.
#[derive(Clone)]
pub struct OwnSurrogate {
    name: &'static str,
    surrogate: Arc<dyn Surrogate>,
}

impl OwnSurrogate {
    /// By this name.
    pub fn new(name: &'static str, surrogate: impl Surrogate + 'static) -> Self {
        Self { name, surrogate: Arc::new(surrogate) }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

impl fmt::Debug for OwnSurrogate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnSurrogate").field(&self.name).finish()
    }
}

impl PartialEq for OwnSurrogate {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.surrogate, &other.surrogate)
    }
}

/// Fits it with random numbers that depend on the size of the set, and not on earlier fits.
#[derive(Clone)]
pub(super) struct OwnTrainer {
    pub(super) own: OwnSurrogate,
    pub(super) seed: u64,
}

impl Trainer for OwnTrainer {
    fn fit(&mut self, data: &TrainingSet<'_>) -> Option<Box<dyn Learned>> {
        if data.is_empty() {
            return None;
        }
        let mut rng = Rng::new(self.seed, "own", data.len() as u64);
        let fitted = self.own.surrogate.fit(data, &mut rng).ok()?;
        let columns = &data.columns()[..data.configuration_width()];
        Some(Box::new(Own { fitted: fitted.into(), columns: columns.into(), believed: Vec::new() }))
    }

    fn copy(&self) -> Box<dyn Trainer> {
        Box::new(self.clone())
    }
}

/// What it has learned, and what is believed beside that.
#[derive(Clone)]
struct Own {
    fitted: Arc<dyn Predictor>,
    /// Those of configurations.
    columns: Arc<[Column]>,
    /// The rows of the configurations that are believed.
    believed: Vec<f64>,
}

impl Learned for Own {
    fn believing(&self, configurations: Points<'_>) -> Box<dyn Learned> {
        let mut believing = self.clone();
        configurations.iter().for_each(|row| believing.believed.extend_from_slice(row));
        Box::new(believing)
    }

    fn predictor(&self) -> &dyn Predictor {
        self
    }
}

impl Own {
    /// The nearest configuration that is believed, and the share of the variance that is left; `None` if nothing is believed.
    fn left(&self, row: &[f64]) -> Option<(&[f64], f64)> {
        let square = |other: &[f64]| {
            let both = row.iter().zip(other).zip(&*self.columns);
            both.map(|((&here, &there), column)| match column {
                Column::Number if here != INACTIVE && there != INACTIVE => (here - there) * (here - there),
                _ => f64::from(u8::from(here != there)),
            })
            .sum::<f64>()
        };
        let all = self.believed.chunks_exact(self.columns.len()).map(|other| (square(other), other));
        let (square, nearest) = all.min_by(|one, other| one.0.total_cmp(&other.0))?;
        Some((nearest, -libm::expm1(-square / self.square_reach())))
    }

    /// r² n.
    fn square_reach(&self) -> f64 {
        REACH * REACH * self.columns.len() as f64
    }
}

/// What is believed counts where configurations are judged, over all instances.
impl Predictor for Own {
    fn predict(&self, points: Points<'_>, out: &mut [Prediction]) {
        self.fitted.predict(points, out);
    }

    fn predict_total(&self, points: Points<'_>, out: &mut [Prediction]) {
        self.fitted.predict_total(points, out);
    }

    fn predict_marginal(&self, configurations: Points<'_>, out: &mut [Prediction]) {
        self.fitted.predict_marginal(configurations, out);
        for (row, out) in configurations.iter().zip(out) {
            if let Some((_, share)) = self.left(row) {
                out.variance *= share;
            }
        }
    }

    fn expect_marginal(&self, configurations: Points<'_>, out: &mut [f64]) {
        self.fitted.expect_marginal(configurations, out);
    }

    fn predict_with_slopes(&self, configurations: Points<'_>) -> Option<Vec<(Prediction, Slopes)>> {
        let mut found = self.fitted.predict_with_slopes(configurations)?;
        for (row, (cost, slopes)) in configurations.iter().zip(&mut found) {
            let Some((nearest, share)) = self.left(row) else { continue };
            for (at, slope) in slopes.variance.iter_mut().enumerate() {
                let (here, there) = (row[at], nearest[at]);
                let moves = self.columns[at] == Column::Number && here != INACTIVE && there != INACTIVE;
                let of_share = 2.0 * (here - there) / self.square_reach() * (1.0 - share);
                *slope = *slope * share + if moves { cost.variance * of_share } else { 0.0 };
            }
            cost.variance *= share;
        }
        Some(found)
    }
}
