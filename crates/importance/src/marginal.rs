//! Marginals of a forest: its prediction for values of some columns, averaged over everything else. Exact on
//! the leaves of its trees.
//!
//! ```text
//! a_U(u) = Σ_l ρ_l y_l P(box_l) / P_U(box_l) 1[u ∈ box_l]        one tree
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | U, u | one or more columns, and their values |
//! | box_l, y_l | the region of leaf l, and its prediction on the model's scale |
//! | ρ_l | share of the instances that reach the leaf |
//! | P, P_U | probability of the whole box, and of its sides in U |
//!
//! Numbers are uniform on [0, 1], and categories are equally likely, as in [`fanova`](crate::fanova()). The
//! spread over trees shows how sure the forest is. It is the spread of a_U(u) - E f: that one tree is higher
//! than another everywhere says nothing about the values of U.

use surrogate::forest::{Forest, Region, Side};

/// A predicted cost on the model's scale.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Level {
    /// The mean over trees.
    pub mean: f64,
    /// The standard deviation of the difference from each tree's own mean over the space.
    pub spread: f64,
}

/// The leaves of a forest, ready to be averaged.
#[derive(Debug)]
pub struct Marginals {
    trees: Vec<Vec<Leaf>>,
}

#[derive(Debug)]
struct Leaf {
    /// ρ_l y_l P(box_l).
    weight: f64,
    /// The restricted columns in ascending order, each with the probability of its side.
    sides: Vec<(usize, Side, f64)>,
}

impl Marginals {
    /// Prepares a forest that was fitted to [completed](crate::completed()) rows.
    pub fn of(forest: &Forest) -> Self {
        let count = forest.instance_count();
        Self { trees: (0..forest.trees()).map(|number| leaves(forest.regions(number), count)).collect() }
    }

    /// Returns the prediction at some values of these columns.
    pub fn at<const N: usize>(&self, columns: [usize; N], points: &[[f64; N]]) -> Vec<Level> {
        let count = self.trees.len() as f64;
        let own_mean = |leaves: &Vec<Leaf>| leaves.iter().map(|leaf| leaf.weight).sum::<f64>();
        let means: Vec<f64> = self.trees.iter().map(own_mean).collect();
        let trees: Vec<Vec<f64>> = self.trees.iter().map(|leaves| tree(leaves, columns, points)).collect();
        let overall = means.iter().sum::<f64>() / count;
        let level = |place: usize| {
            let effects = || trees.iter().zip(&means).map(|(tree, mean)| tree[place] - mean);
            let effect = effects().sum::<f64>() / count;
            let squares: f64 = effects().map(|one| (one - effect) * (one - effect)).sum();
            Level { mean: overall + effect, spread: (squares / count).sqrt() }
        };
        (0..points.len()).map(level).collect()
    }
}

fn leaves(regions: Vec<Region>, instances: usize) -> Vec<Leaf> {
    let leaf = |region: Region| {
        let sides: Vec<(usize, Side, f64)> = region
            .sides
            .into_iter()
            .map(|(column, side)| {
                let probability = probability(&side);
                (column, side, probability)
            })
            .collect();
        let volume: f64 = sides.iter().map(|(_, _, probability)| probability).product();
        let reached = region.instances.len() as f64 / instances as f64;
        Leaf { weight: reached * region.value * volume, sides }
    };
    // A leaf that only inactive values reach has the weight 0.
    regions.into_iter().map(leaf).collect()
}

/// Returns the prediction of one tree.
fn tree<const N: usize>(leaves: &[Leaf], columns: [usize; N], points: &[[f64; N]]) -> Vec<f64> {
    let (mut everywhere, mut values) = (0.0, vec![0.0; points.len()]);
    for leaf in leaves {
        let side = |column: usize| {
            let place = leaf.sides.binary_search_by_key(&column, |side| side.0).ok()?;
            Some((&leaf.sides[place].1, leaf.sides[place].2))
        };
        let sides = columns.map(side);
        let of_sides: f64 = sides.iter().flatten().map(|(_, probability)| probability).product();
        if sides.iter().all(Option::is_none) {
            everywhere += leaf.weight;
            continue;
        }
        for (value, point) in values.iter_mut().zip(points) {
            let is_inside =
                sides.iter().zip(point).all(|(side, &at)| side.is_none_or(|(side, _)| contains(side, at)));
            if is_inside {
                *value += leaf.weight / of_sides;
            }
        }
    }
    values.iter().map(|value| value + everywhere).collect()
}

fn probability(side: &Side) -> f64 {
    match side {
        Side::Interval(above, up_to) => (up_to.min(1.0) - above.max(0.0)).max(0.0),
        Side::Categories(all) => {
            // The last category is the inactive one.
            let active = &all[..all.len() - 1];
            active.iter().filter(|&&is_in| is_in).count() as f64 / active.len() as f64
        }
    }
}

fn contains(side: &Side, at: f64) -> bool {
    match side {
        Side::Interval(above, up_to) => *above < at && at <= *up_to,
        Side::Categories(all) => {
            let count = all.len() - 1;
            all[((at * count as f64) as usize).min(count - 1)]
        }
    }
}

#[cfg(test)]
mod tests {
    use math::Rng;
    use surrogate::forest::{ForestSettings, ForestTrainer};
    use surrogate::{Column, InstanceTable, Points, Prediction, Predictor as _, Reading, Scale, TrainingSet};

    use super::*;

    fn close(levels: &[Level], means: &[f64]) {
        let pairs = levels.iter().zip(means);
        let is_close =
            levels.len() == means.len() && pairs.into_iter().all(|(a, b)| (a.mean - b).abs() < 1e-12);
        assert!(is_close, "{levels:?} instead of {means:?}");
    }

    /// A tree over one number, one category of three and two instances, computed by hand.
    #[test]
    fn leaves_are_averaged_by_their_probability() {
        let region = |value: f64, instances: &[u32], sides: &[(usize, Side)]| Region {
            value,
            instances: instances.to_vec(),
            sides: sides.to_vec(),
        };
        let first = Side::Categories(vec![true, false, false, false]);
        let others = Side::Categories(vec![false, true, true, true]);
        let low = Side::Interval(f64::NEG_INFINITY, 0.25);
        let high = Side::Interval(0.25, f64::INFINITY);
        let inactive = Side::Interval(f64::NEG_INFINITY, -0.5);
        let regions = vec![
            region(8.0, &[0], &[(0, low.clone()), (1, first)]),
            region(2.0, &[0], &[(0, low), (1, others)]),
            region(1.0, &[0], &[(0, high)]),
            region(5.0, &[1], &[]),
            region(99.0, &[0], &[(0, inactive)]),
        ];
        let higher = regions.iter().map(|one| Region { value: one.value + 10.0, ..one.clone() }).collect();
        let marginals = Marginals { trees: vec![leaves(regions.clone(), 2)] };
        // Half of 8/3 + 2·2/3 and half of 5; half of 1 and half of 5.
        close(&marginals.at([0], &[[0.1], [0.25], [0.9]]), &[4.5, 4.5, 3.0]);
        // Half of 8/4 + 3/4 and half of 5; half of 2/4 + 3/4 and half of 5.
        close(&marginals.at([1], &[[1.0 / 6.0], [0.5], [5.0 / 6.0]]), &[3.875, 3.125, 3.125]);
        close(&marginals.at([0, 1], &[[0.1, 0.1], [0.1, 0.9], [0.9, 0.1]]), &[6.5, 3.5, 3.0]);
        // A second tree that is higher everywhere agrees about the values.
        let both = Marginals { trees: vec![leaves(regions, 2), leaves(higher, 2)] };
        let levels = both.at([0], &[[0.1], [0.9]]);
        close(&levels, &[9.5, 8.0]);
        assert!(levels.iter().all(|level| level.spread < 1e-12), "{levels:?}");
    }

    /// The exact marginals of a fitted forest equal the mean of its predictions over many random points.
    #[test]
    fn marginals_are_means_of_the_forests_own_predictions() {
        let columns = [Column::Number, Column::Category(3), Column::Number];
        let instances = InstanceTable::named(4);
        let mut data = TrainingSet::new(&columns, &instances, Scale::Linear, None);
        let mut rng = Rng::new(3, "marginals", 0);
        let draw = |rng: &mut Rng| [rng.unit(), (rng.below(3) as f64 + 0.5) / 3.0, rng.unit()];
        for number in 0..400 {
            let row = draw(&mut rng);
            let own = data.push_configuration(&row);
            let cost = 3.0 * row[0] * row[2] + f64::from(row[1] > 0.6) + number as f64 % 4.0;
            data.push(own, number % 4, Reading::Exact(cost));
        }
        let (forest, _) = ForestTrainer::new(ForestSettings::default(), 1).fit(&data).unwrap();
        let points = [[0.1, 0.2], [0.9, 0.2], [0.9, 0.8]];
        let exact = Marginals::of(&forest).at([0, 2], &points);
        assert!(exact.iter().all(|level| level.spread > 0.0));
        for (point, exact) in points.iter().zip(exact) {
            let rows: Vec<f64> = (0..3000).flat_map(|_| [point[0], draw(&mut rng)[1], point[1]]).collect();
            let mut found = vec![Prediction::default(); 3000];
            forest.predict_marginal(Points::new(&rows, 3), &mut found);
            let mean = found.iter().map(|one| one.mean).sum::<f64>() / 3000.0;
            assert!((mean - exact.mean).abs() < 0.03, "{mean} instead of {exact:?}");
        }
    }
}
