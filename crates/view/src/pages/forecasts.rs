//! The model's predictions, made before each race, compared with what was measured.
//!
//! A forecast is for the cost over all instances, but a challenger is tried on only a few pairs. So its
//! measured cost is its cost relative to the default's on the same pairs, times the default's mean:
//!
//! ```text
//! measured = sum of own costs / sum of the default's costs on the same pairs * the default's mean
//! z        = (ln measured - ln median) / s,   s = (ln high - ln low) / 2
//! ```
//!
//! If the forecasts are calibrated, z has a standard normal distribution. The distribution of z is estimated
//! by Kaplan and Meier's estimator, because z is only a lower bound if trials were stopped.

use campaign::event::What;
use math::normal;
use serde::Serialize;

use super::material::Material;
use super::relative::Default;
use super::survival::{Lifetime, kaplan_meier};
use super::thinned::Thinned;

/// Largest number of forecasts in the picture.
const FORECASTS: usize = 2000;

/// The model's predictions.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Forecasts {
    /// Predictions with what was measured later.
    pub foretold: Thinned<Foretold>,
    /// Expected and observed shares.
    pub calibration: Vec<Calibrated>,
}

/// A prediction and the measured cost.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Foretold {
    /// The number of the configuration.
    pub configuration: u32,
    /// The predicted median.
    pub median: f64,
    /// One standard deviation below the median.
    pub low: f64,
    /// One standard deviation above the median.
    pub high: f64,
    /// The measured cost.
    pub measured: f64,
    /// Whether the measured cost is a lower bound.
    pub censored: bool,
    /// Number of pairs that it was measured on.
    pub pairs: usize,
}

/// A point of the calibration curve.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Calibrated {
    /// The share of costs that the model expected below this point.
    pub expected: f64,
    /// The share that was measured below it.
    pub observed: f64,
}

impl Forecasts {
    pub(super) fn of(material: &Material<'_>) -> Self {
        let default = Default::of(material, false);
        let mut foretold = Vec::new();
        for event in &material.events {
            let What::RaceOpened { config, foretold: Some(told) } = &event.what else { continue };
            if !material.records.is_known(*config) {
                continue;
            }
            let Some(relative) = default.relate(material, *config, false) else { continue };
            let number = |cost| material.costs.number(cost);
            foretold.push(Foretold {
                configuration: config.0,
                median: number(told.cost),
                low: number(told.low).min(number(told.high)),
                high: number(told.high).max(number(told.low)),
                measured: number(relative.ratio * default.mean),
                censored: relative.censored,
                pairs: relative.pairs,
            });
        }
        let calibration = calibration(&foretold);
        Self { foretold: Thinned::evenly(foretold, FORECASTS), calibration }
    }
}

fn calibration(foretold: &[Foretold]) -> Vec<Calibrated> {
    let z = |one: &Foretold| {
        let are_positive = one.low > 0.0 && one.measured > 0.0;
        let scale = |cost: f64| if are_positive { cost.ln() } else { cost };
        let deviation = (scale(one.high) - scale(one.low)) / 2.0;
        let time = (scale(one.measured) - scale(one.median)) / deviation;
        time.is_finite().then_some(Lifetime { time, censored: one.censored })
    };
    let all: Vec<Lifetime> = foretold.iter().filter_map(z).collect();
    let curve = kaplan_meier(&all).into_iter();
    curve.map(|step| Calibrated { expected: normal::cdf(step.time), observed: 1.0 - step.share }).collect()
}
