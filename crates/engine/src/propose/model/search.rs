//! Searching a space for the configuration of largest utility: random ones, then local searches from the
//! best of them and of those tried, each step to the best neighbour. Where utilities have slopes the numbers
//! follow them in the end; a space of nothing but numbers needs no steps to neighbours then. The best that
//! is not in the history is found, wherever on the way it was met.

use math::Rng;
use math::{Descent, Downhill};
use space::{Configuration, INACTIVE, Kind, Neighbourhood, ParameterId, Space};
use surrogate::Points;

use super::ModelSettings;
use crate::history::History;
use crate::trial::ConfigId;

/// Tells utilities.
pub(super) trait Judge {
    /// The log utility of each of some rows, see [`Space::encode_many`].
    fn judge(&self, rows: Points<'_>, out: &mut Vec<f64>);

    /// The log utility of each of some rows, and its slopes in all columns, row after row; `None` where there are
    /// no slopes.
    fn judge_with_slopes(&self, _rows: Points<'_>, _slopes: &mut [f64]) -> Option<Vec<f64>> {
        None
    }
}

/// The new configuration of largest utility; `None` if none has any.
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
    // A space of which nearly everything is forbidden is left to whoever proposes at random.
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
    let sloping = has_slopes(space, judge, &starts);
    let steps = if sloping && variable.iter().all(|&id| is_number(id)) { 0 } else { settings.steps };
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
    if sloping {
        let numbers: Vec<usize> =
            variable.iter().copied().filter(|&id| is_number(id)).map(ParameterId::index).collect();
        for (utility, codes) in follow_slopes(space, judge, &starts, &numbers) {
            best.offer_all(&codes, &[utility]);
        }
    }
    best.found.map(|(_, configuration)| configuration)
}

fn has_slopes(space: &Space, judge: &dyn Judge, starts: &[(f64, Vec<f64>)]) -> bool {
    let mut row = vec![0.0; space.row_length()];
    let mut slopes = row.clone();
    starts.first().is_some_and(|(_, codes)| {
        space.encode_codes(codes, &mut row);
        judge.judge_with_slopes(Points::new(&row, row.len()), &mut slopes).is_some()
    })
}

/// A configuration on its way up.
struct Climb {
    row: Vec<f64>,
    /// The columns that move: numbers that are active.
    moving: Vec<usize>,
    search: Downhill,
}

impl Climb {
    /// Puts the moving columns where they are said to be.
    fn go_to(&mut self, at: &[f64]) {
        self.moving.iter().zip(at).for_each(|(&index, &x)| self.row[index] = x);
    }
}

/// Where the slopes lead from each of some configurations, while some of their numbers move, and the
/// utilities there. All go side by side, since a model looks at several rows in little more time than at one.
fn follow_slopes(
    space: &Space,
    judge: &dyn Judge,
    starts: &[(f64, Vec<f64>)],
    numbers: &[usize],
) -> Vec<(f64, Vec<f64>)> {
    const DESCENT: Descent = Descent { evaluations: 25, gain: 1e-4, slope: 1e-6 };
    let width = space.row_length();
    let climb = |(_, codes): &(f64, Vec<f64>)| {
        let mut row = vec![0.0; width];
        space.encode_codes(codes, &mut row);
        let moving: Vec<usize> = numbers.iter().copied().filter(|&index| row[index] != INACTIVE).collect();
        let start: Vec<f64> = moving.iter().map(|&index| row[index]).collect();
        let search = Downhill::new(&start, &vec![(0.0, 1.0); start.len()], DESCENT);
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
        let mut slopes = vec![0.0; rows.len()];
        let Some(utilities) = judge.judge_with_slopes(Points::new(&rows, width), &mut slopes) else { break };
        for ((climb, utility), slopes) in going.into_iter().zip(utilities).zip(slopes.chunks_exact(width)) {
            let down: Vec<f64> = climb.moving.iter().map(|&index| -slopes[index]).collect();
            climb.search.tell(-utility, &down);
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

/// The places of the largest, in falling order; of equal ones the first comes first.
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

/// Encodes and judges.
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
            // Only what would win is looked up.
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

    /// Most at 0.31 and 0.72 for one name, and less for the other.
    struct Hill;

    impl Judge for Hill {
        fn judge(&self, rows: Points<'_>, out: &mut Vec<f64>) {
            let mut slopes = vec![0.0; rows.len() * rows.width()];
            *out = self.judge_with_slopes(rows, &mut slopes).unwrap();
        }

        fn judge_with_slopes(&self, rows: Points<'_>, slopes: &mut [f64]) -> Option<Vec<f64>> {
            let each = rows.iter().zip(slopes.chunks_exact_mut(rows.width()));
            Some(
                each.map(|(row, slopes)| {
                    let (a, b) = (row[0] - 0.31, row[1] - 0.72);
                    slopes[..2].copy_from_slice(&[-2.0 * a - b, -4.0 * b - a]);
                    -a * a - 2.0 * b * b - a * b - row.get(2).copied().unwrap_or(0.0)
                })
                .collect(),
            )
        }
    }

    #[test]
    fn slopes_lead_to_the_very_top() {
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
