//! Searches a space for the configuration with the largest utility. The search evaluates random
//! configurations first. Then it starts local searches from the best of these and from the best
//! configurations already tried. Each step of a local search goes to the best neighbour. If the utility has a
//! gradient, a final gradient ascent adjusts the float parameters. If all parameters are floats, this
//! gradient ascent replaces the steps to neighbours. The result is the best of all evaluated configurations
//! that are not in the history.

use math::Rng;
use math::{Lbfgs, StoppingRule};
use space::{Configuration, INACTIVE, Kind, Neighbourhood, ParameterId, Space};
use surrogate::Points;

use super::ModelSettings;
use crate::history::History;
use crate::trial::ConfigId;

/// A judge that evaluates the utility of configurations.
pub(super) trait Judge {
    /// Computes the log utility of each row (see [`Space::encode_many`]).
    fn judge(&self, rows: Points<'_>, out: &mut Vec<f64>);

    /// Computes the log utility of each row and its gradient, row by row; `None` if there is no gradient.
    fn judge_with_gradient(&self, _rows: Points<'_>, _gradients: &mut [f64]) -> Option<Vec<f64>> {
        None
    }
}

/// Returns the new configuration with the largest utility; `None` if no new configuration was found.
pub(super) fn search(
    space: &Space,
    history: &History,
    tried: &[ConfigId],
    judge: &dyn Judge,
    settings: &ModelSettings,
    rng: &mut Rng,
) -> Option<Configuration> {
    let width = space.row_length();
    let variable: Vec<ParameterId> = space.ids().filter(|&id| space.parameter(id).is_variable()).collect();
    let mut best = Best { space, history, found: None };
    let mut look = Look { space, judge, rows: Vec::new(), utilities: Vec::new() };
    let mut random = vec![f64::NAN; settings.candidates * width];
    // If nearly all configurations are forbidden, this fails, and the caller falls back to random search.
    space.sample_many(rng, &mut random).ok()?;
    let known: Vec<f64> = tried.iter().flat_map(|&id| history.configuration(id).codes().to_vec()).collect();
    let mut starts = Vec::new();
    for codes in [&known, &random] {
        let utilities = look.at(codes);
        best.offer_all(codes, utilities);
        starts.extend(
            highest(utilities, settings.starts.div_ceil(2))
                .map(|i| (utilities[i], codes[i * width..(i + 1) * width].to_vec())),
        );
    }
    let how = Neighbourhood::default();
    let is_number = |id: ParameterId| space.parameter(id).kind() == Kind::Float;
    let differentiable = has_gradient(space, judge, &starts);
    let steps = if differentiable && variable.iter().all(|&id| is_number(id)) { 0 } else { settings.steps };
    for (utility, codes) in &mut starts {
        for _ in 0..steps {
            let mut near = Vec::new();
            for &id in &variable {
                space.vary(id, codes, &how, rng, &mut |found| near.extend_from_slice(found));
            }
            let utilities = look.at(&near);
            best.offer_all(&near, utilities);
            let Some(next) = highest(utilities, 1).next().filter(|&i| utilities[i] > *utility) else { break };
            *utility = utilities[next];
            codes.copy_from_slice(&near[next * width..(next + 1) * width]);
        }
    }
    if differentiable {
        let numbers: Vec<usize> =
            variable.iter().copied().filter(|&id| is_number(id)).map(ParameterId::index).collect();
        for (utility, codes) in ascend(space, judge, &starts, &numbers) {
            best.offer_all(&codes, &[utility]);
        }
    }
    best.found.map(|(_, configuration)| configuration)
}

fn has_gradient(space: &Space, judge: &dyn Judge, starts: &[(f64, Vec<f64>)]) -> bool {
    let mut row = vec![0.0; space.row_length()];
    let mut gradient = row.clone();
    starts.first().is_some_and(|(_, codes)| {
        space.encode_codes(codes, &mut row);
        judge.judge_with_gradient(Points::new(&row, row.len()), &mut gradient).is_some()
    })
}

/// A gradient ascent from one configuration.
struct Climb {
    row: Vec<f64>,
    /// The columns that move: active float parameters.
    moving: Vec<usize>,
    search: Lbfgs,
}

impl Climb {
    /// Sets the moving columns to these values.
    fn go_to(&mut self, at: &[f64]) {
        self.moving.iter().zip(at).for_each(|(&index, &x)| self.row[index] = x);
    }
}

/// Follows the gradient from each configuration, changing the given float parameters. Returns the end point
/// of each ascent with its utility. All ascents run side by side, since a model evaluates several rows in
/// little more time than one.
fn ascend(
    space: &Space,
    judge: &dyn Judge,
    starts: &[(f64, Vec<f64>)],
    numbers: &[usize],
) -> Vec<(f64, Vec<f64>)> {
    const RULE: StoppingRule = StoppingRule { evaluations: 25, decrease: 1e-4, gradient: 1e-6 };
    let width = space.row_length();
    let climb = |(_, codes): &(f64, Vec<f64>)| {
        let mut row = vec![0.0; width];
        space.encode_codes(codes, &mut row);
        let moving: Vec<usize> = numbers.iter().copied().filter(|&index| row[index] != INACTIVE).collect();
        let start: Vec<f64> = moving.iter().map(|&index| row[index]).collect();
        let search = Lbfgs::new(&start, &vec![(0.0, 1.0); start.len()], RULE);
        Climb { row, moving, search }
    };
    let mut climbs: Vec<Climb> = starts.iter().map(climb).collect();
    loop {
        let mut going = Vec::new();
        for climb in &mut climbs {
            if let Some(at) = climb.search.asked().map(<[f64]>::to_vec) {
                climb.go_to(&at);
                going.push(climb);
            }
        }
        if going.is_empty() {
            break;
        }
        let rows: Vec<f64> = going.iter().flat_map(|climb| climb.row.iter().copied()).collect();
        let mut gradients = vec![0.0; rows.len()];
        let Some(utilities) = judge.judge_with_gradient(Points::new(&rows, width), &mut gradients) else {
            break;
        };
        let results = utilities.into_iter().zip(gradients.chunks_exact(width));
        for (climb, (utility, gradient)) in going.into_iter().zip(results) {
            let negative: Vec<f64> = climb.moving.iter().map(|&index| -gradient[index]).collect();
            climb.search.tell(-utility, &negative);
        }
    }
    let reached = |mut climb: Climb| {
        let found = climb.search.found()?;
        climb.go_to(&found.at);
        let mut codes = vec![f64::NAN; width];
        space.decode_into(&climb.row, &mut codes).ok()?;
        Some((-found.value, codes))
    };
    climbs.into_iter().filter_map(reached).collect()
}

/// Returns the indices of the largest utilities, in descending order. Equal utilities keep their order.
fn highest(utilities: &[f64], count: usize) -> impl Iterator<Item = usize> + use<> {
    let mut places: Vec<usize> = (0..utilities.len()).collect();
    if count == 1 {
        places = places
            .into_iter()
            .reduce(|a, b| if utilities[b] > utilities[a] { b } else { a })
            .into_iter()
            .collect();
    } else {
        places.sort_by(|&a, &b| utilities[b].total_cmp(&utilities[a]));
    }
    places.into_iter().take(count)
}

/// An evaluator that encodes configurations and computes their utilities.
struct Look<'a> {
    space: &'a Space,
    judge: &'a dyn Judge,
    rows: Vec<f64>,
    utilities: Vec<f64>,
}

impl Look<'_> {
    fn at(&mut self, codes: &[f64]) -> &[f64] {
        self.rows.clear();
        self.rows.resize(codes.len(), 0.0);
        self.space.encode_many(codes, &mut self.rows);
        self.judge.judge(Points::new(&self.rows, self.space.row_length()), &mut self.utilities);
        &self.utilities
    }
}

/// The best new configuration so far.
struct Best<'a> {
    space: &'a Space,
    history: &'a History,
    found: Option<(f64, Configuration)>,
}

impl Best<'_> {
    fn offer_all(&mut self, codes: &[f64], utilities: &[f64]) {
        for (codes, &utility) in codes.chunks_exact(self.space.row_length()).zip(utilities) {
            let least = self.found.as_ref().map_or(f64::NEG_INFINITY, |(utility, _)| *utility);
            // The history is searched only if the configuration would be the best so far.
            if utility > least {
                let configuration = self.space.configuration_of_valid_codes(codes);
                if self.history.find(&configuration).is_none() {
                    self.found = Some((utility, configuration));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use space::format::{Format, read};

    /// A utility with its maximum at (0.31, 0.72) for one category, and with lower values for the other.
    struct Hill;

    impl Judge for Hill {
        fn judge(&self, rows: Points<'_>, out: &mut Vec<f64>) {
            let mut gradients = vec![0.0; rows.len() * rows.width()];
            *out = self.judge_with_gradient(rows, &mut gradients).unwrap();
        }

        fn judge_with_gradient(&self, rows: Points<'_>, gradients: &mut [f64]) -> Option<Vec<f64>> {
            let each = rows.iter().zip(gradients.chunks_exact_mut(rows.width()));
            Some(
                each.map(|(row, gradient)| {
                    let (a, b) = (row[0] - 0.31, row[1] - 0.72);
                    gradient[..2].copy_from_slice(&[-2.0 * a - b, -4.0 * b - a]);
                    -a * a - 2.0 * b * b - a * b - row.get(2).copied().unwrap_or(0.0)
                })
                .collect(),
            )
        }
    }

    #[test]
    fn the_gradient_leads_to_the_maximum() {
        for name in ["", "name = { choices = [\"high\", \"low\"] }\n"] {
            let text = format!("x = {{ float = [0, 1] }}\ny = {{ float = [0, 1] }}\n{name}");
            let space = read(&text, "hill", Format::Toml).unwrap();
            let settings = ModelSettings { candidates: 50, ..ModelSettings::default() };
            let mut rng = Rng::new(1, "hill", 0);
            let found = search(&space, &History::new(), &[], &Hill, &settings, &mut rng).unwrap();
            let row = space.encode(&found);
            assert!((row[0] - 0.31).abs() < 1e-3 && (row[1] - 0.72).abs() < 1e-3, "{row:?}");
            assert!(row.get(2).is_none_or(|name| *name < 0.5), "{row:?}");
        }
    }
}
