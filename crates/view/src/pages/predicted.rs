//! What the model predicts for values of one or two parameters, averaged over all others.

use importance::{Level, Marginals};
use serde::Serialize;
use space::{ParameterId, Space};

use super::axis::Axis;
use super::search::Dimension;
use crate::importance::Importance;
use crate::model::Model;

/// Largest number of parameters, and of pairs of them.
const PARAMETERS: usize = 12;
const PAIRS: usize = 3;
/// Number of values of a range, alone and with another parameter.
const VALUES: usize = 24;
const VALUES_OF_TWO: usize = 12;

/// The marginals of the model: predicted costs by the values of the most important parameters and pairs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Predicted {
    /// Number of trials that the model learned from.
    pub trials: usize,
    /// One parameter at a time, the most important first.
    pub one: Vec<Curve>,
    /// Two parameters at a time, the strongest interaction first.
    pub two: Vec<Surface>,
}

/// The predicted cost by the value of one parameter.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Curve {
    /// Index of the parameter among the dimensions.
    pub dimension: usize,
    /// The predictions, in ascending order of the positions in the range.
    pub points: Vec<PredictedAt>,
}

/// A prediction at one position in the range of a parameter.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PredictedAt {
    /// The position, from 0 to 1.
    pub at: f64,
    /// The mean over the trees of the model.
    pub mean: f64,
    /// The mean minus and plus one standard deviation of the difference from the average over trees, the
    /// smaller number first.
    pub band: [f64; 2],
}

/// The predicted cost by the values of two parameters.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Surface {
    /// Index of the horizontal parameter among the dimensions.
    pub across: usize,
    /// Index of the vertical parameter.
    pub up: usize,
    /// Number of columns and rows.
    pub size: (usize, usize),
    /// The predictions row by row, from the lowest values of both parameters.
    pub cells: Vec<PredictedCell>,
}

/// A prediction in one cell.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PredictedCell {
    /// The mean over the trees of the model.
    pub mean: f64,
    /// The mean minus and plus one standard deviation of the difference from the average over trees, the
    /// smaller number first.
    pub band: [f64; 2],
}

impl Predicted {
    /// Computes the marginals of the parameters that matter most.
    pub(super) fn of(model: &Model, found: &Importance, dimensions: &[Dimension]) -> Self {
        let space = &model.settings.problem.space;
        let marginals = Marginals::of(&model.forest);
        let place = |name: &str| {
            let dimension = dimensions.iter().position(|one| one.name == name)?;
            Some((dimension, space.find(name)?))
        };
        let important = found.parameters.iter().take(PARAMETERS).filter(|one| one.share > 0.0);
        let one = important.filter_map(|one| place(&one.name)).map(|(dimension, id)| {
            let values = samples(space, id, VALUES);
            let points: Vec<[f64; 1]> = values.iter().map(|&(_, encoded)| [encoded]).collect();
            let levels = marginals.at([id.index()], &points);
            let point = |(&(at, _), level)| {
                let (mean, band) = cost(model, level);
                PredictedAt { at, mean, band }
            };
            Curve { dimension, points: values.iter().zip(levels).map(point).collect() }
        });
        let two = found.pairs.iter().take(PAIRS).filter_map(|pair| {
            let ((across, one), (up, other)) = (place(&pair.names[0])?, place(&pair.names[1])?);
            let columns = samples(space, one, VALUES_OF_TWO);
            let rows = samples(space, other, VALUES_OF_TWO);
            let points: Vec<[f64; 2]> = rows
                .iter()
                .flat_map(|&(_, row)| columns.iter().map(move |&(_, column)| [column, row]))
                .collect();
            let levels = marginals.at([one.index(), other.index()], &points);
            let cell = |level| {
                let (mean, band) = cost(model, level);
                PredictedCell { mean, band }
            };
            let cells = levels.into_iter().map(cell).collect();
            Some(Surface { across, up, size: (columns.len(), rows.len()), cells })
        });
        Self { trials: model.trials, one: one.collect(), two: two.collect() }
    }
}

/// Returns positions on the axis of a parameter, with the encoded values there.
fn samples(space: &Space, id: ParameterId, most: usize) -> Vec<(f64, f64)> {
    let parameter = space.parameter(id);
    Axis::of(parameter).samples(parameter, most)
}

/// Returns a predicted cost and its band with the user's sign.
fn cost(model: &Model, Level { mean, spread }: Level) -> (f64, [f64; 2]) {
    let [one, other] = [mean - spread, mean + spread].map(|level| model.cost(level));
    (model.cost(mean), [one.min(other), one.max(other)])
}
