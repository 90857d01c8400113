//! Importance around one configuration, as a model predicts it.
//!
//! ```text
//! share_j = Var_v m(θ[j = v]) / Σ_j' Var_v m(θ[j' = v])       v: the values of parameter j
//! back_j  = m(θ[j = value in the baseline]) - m(θ)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | m | the predicted cost over all instances, on the model's scale |
//! | θ[j = v] | the configuration with one value changed; parameters that become active take their defaults |
//!
//! A. Biedenkapp, J. Marben, M. Lindauer, F. Hutter, CAVE: Configuration Assessment, Visualization and
//! Evaluation, 2018.

use space::{Configuration, ParameterId, Space};
use surrogate::{Points, Prediction, Predictor};

use crate::completed::completed_row;

/// Number of values tried for a parameter with more values than that.
const VALUES: usize = 40;

/// The importance of one parameter around a configuration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LocalShare {
    /// The parameter.
    pub id: ParameterId,
    /// Its share of the variance; 0 if no parameter has any.
    pub share: f64,
    /// Change of the predicted cost if the parameter alone went back to its value in the baseline. `None` if
    /// the value is the same, or if the result would be forbidden.
    pub back: Option<f64>,
}

/// Returns the importance of every active parameter that has more than one value. The model must have been
/// fitted to [completed](crate::completed()) rows.
pub fn local(
    space: &Space,
    model: &dyn Predictor,
    configuration: &Configuration,
    baseline: &Configuration,
) -> Vec<LocalShare> {
    let own = space.encode(configuration);
    let predict = |rows: &[f64]| -> Vec<f64> {
        let points = Points::new(rows, own.len());
        let mut found = vec![Prediction::default(); points.len()];
        model.predict_marginal(points, &mut found);
        found.into_iter().map(|one| one.mean).collect()
    };
    let ids: Vec<ParameterId> =
        space.ids().filter(|&id| configuration.is_active(id) && space.parameter(id).is_variable()).collect();
    if ids.is_empty() {
        return Vec::new();
    }
    let here = predict(&completed_row(space, configuration))[0];
    let found: Vec<(f64, Option<f64>)> = ids
        .iter()
        .map(|&id| {
            let mut others: Vec<Configuration> = Vec::new();
            let values = space.parameter(id).choices().map_or(VALUES, |choices| choices.count().min(VALUES));
            for number in 0..values {
                let mut row = own.clone();
                row[id.index()] = (number as f64 + 0.5) / values as f64;
                others.extend(space.decode(&row));
            }
            others.sort_unstable();
            others.dedup();
            let rows: Vec<f64> = others.iter().flat_map(|one| completed_row(space, one)).collect();
            let costs = if rows.is_empty() { Vec::new() } else { predict(&rows) };
            let count = costs.len().max(1) as f64;
            let mean = costs.iter().sum::<f64>() / count;
            let variance = costs.iter().map(|cost| (cost - mean) * (cost - mean)).sum::<f64>() / count;
            let is_changed = configuration.value(id) != baseline.value(id);
            let back = is_changed.then(|| space.adopt(configuration, baseline, &[id]).ok()).flatten();
            (variance, back.map(|back| predict(&completed_row(space, &back))[0] - here))
        })
        .collect();
    let all: f64 = found.iter().map(|(variance, _)| variance).sum();
    let share = |variance: f64| if all > 0.0 { variance / all } else { 0.0 };
    let both = ids.into_iter().zip(found);
    both.map(|(id, (variance, back))| LocalShare { id, share: share(variance), back }).collect()
}
