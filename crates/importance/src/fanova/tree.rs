//! The variances of one tree.
//!
//! ```text
//! w_l      = ρ_l r_l P(box_l)
//! a_j(s)   = Σ_l w_l / P_j(box_l) 1[s ∈ box_l]
//! b_jk(s,t) = Σ_{l that restricts j and k} w_l / (P_j P_k)(box_l) 1[s, t ∈ box_l]
//! f_jk     = b_jk - (mean over t) - (mean over s) + (mean over both)
//! V        = Σ_l Σ_l' ρ_l r_l ρ_l' r_l' P(box_l ∩ box_l') - (Σ_l w_l)²
//! ```
//!
//! s and t are atoms. A leaf that restricts only one of two columns contributes a sum of separate effects, so
//! it drops out of f_jk. Two leaves can overlap only if different instances reach them.

use std::collections::BTreeMap;

use surrogate::Column;
use surrogate::forest::Region;

use super::atoms::{Atoms, Runs, common};

/// The variances of one tree's prediction.
pub(super) struct TreeVariances {
    /// The variance over the whole space.
    pub(super) total: f64,
    /// The variance of each column's own effect.
    pub(super) columns: Vec<f64>,
    /// The variance of each pair's interaction; pairs that are not listed have none.
    pub(super) pairs: BTreeMap<[usize; 2], f64>,
    /// The level at which values are capped.
    pub(super) cap: f64,
    /// The largest capped value without its sign; a measure of rounding errors.
    pub(super) scale: f64,
}

/// A leaf in terms of atoms.
struct Leaf {
    /// ρ_l r_l.
    value: f64,
    /// P(box_l).
    volume: f64,
    /// The restricted columns with their atoms and the probability of these.
    sides: Vec<(usize, Runs, f64)>,
    instances: Vec<u32>,
}

impl TreeVariances {
    pub(super) fn of(regions: &[Region], instances: usize, columns: &[Column], quantile: f64) -> Self {
        let atoms: Vec<Atoms> =
            columns.iter().enumerate().map(|(column, &kind)| Atoms::of(kind, column, regions)).collect();
        let mut leaves: Vec<Leaf> = regions.iter().map(|region| leaf(region, &atoms)).collect();
        leaves.retain(|leaf| leaf.volume > 0.0);
        let cap = cap_residuals(&mut leaves, instances, quantile);
        let scale = leaves.iter().map(|leaf| leaf.value.abs()).fold(0.0, f64::max);
        for leaf in &mut leaves {
            leaf.value *= leaf.instances.len() as f64 / instances as f64;
        }
        let columns =
            (0..atoms.len()).map(|column| column_variance(column, &atoms[column], &leaves)).collect();
        Self {
            total: total_variance(&leaves, &atoms),
            columns,
            pairs: pair_variances(&leaves, &atoms),
            cap,
            scale,
        }
    }
}

fn leaf(region: &Region, atoms: &[Atoms]) -> Leaf {
    let sides: Vec<(usize, Runs, f64)> = region
        .sides
        .iter()
        .map(|(column, side)| {
            let runs = atoms[*column].runs(side);
            let probability = atoms[*column].probability(&runs);
            (*column, runs, probability)
        })
        .collect();
    let volume = sides.iter().map(|(_, _, probability)| probability).product();
    Leaf { value: region.value, volume, sides, instances: region.instances.clone() }
}

/// Replaces each leaf's value by its capped difference from the mean on the leaf's instances. Returns the
/// level of the cap.
fn cap_residuals(leaves: &mut [Leaf], instances: usize, quantile: f64) -> f64 {
    let mut means = vec![0.0; instances];
    for leaf in leaves.iter() {
        for &instance in &leaf.instances {
            means[instance as usize] += leaf.volume * leaf.value;
        }
    }
    let overall = means.iter().sum::<f64>() / instances as f64;
    for leaf in leaves.iter_mut() {
        let own: f64 = leaf.instances.iter().map(|&instance| means[instance as usize]).sum();
        leaf.value -= own / leaf.instances.len() as f64;
    }
    let mut order: Vec<(f64, f64)> =
        leaves.iter().map(|leaf| (leaf.value, leaf.volume * leaf.instances.len() as f64)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: f64 = order.iter().map(|(_, weight)| weight).sum();
    let mut below = 0.0;
    let reached = order.iter().find(|(_, weight)| {
        below += weight;
        below >= quantile * all
    });
    let largest = order.last().map_or(0.0, |&(value, _)| value);
    let cap = if quantile < 1.0 { reached.map_or(largest, |&(value, _)| value) } else { largest };
    leaves.iter_mut().for_each(|leaf| leaf.value = leaf.value.min(cap));
    overall + cap
}

/// Returns V_j. Leaves that do not restrict the column add a constant, which does not matter.
fn column_variance(column: usize, atoms: &Atoms, leaves: &[Leaf]) -> f64 {
    let mut steps = vec![0.0; atoms.mass.len() + 1];
    for leaf in leaves {
        let Ok(place) = leaf.sides.binary_search_by_key(&column, |side| side.0) else { continue };
        let (_, runs, probability) = &leaf.sides[place];
        let value = leaf.value * leaf.volume / probability;
        for &(start, end) in runs {
            steps[start as usize] += value;
            steps[end as usize] -= value;
        }
    }
    let mut level = 0.0;
    let marginal: Vec<f64> = steps[..atoms.mass.len()]
        .iter()
        .map(|step| {
            level += step;
            level
        })
        .collect();
    let mean: f64 = marginal.iter().zip(&atoms.mass).map(|(value, mass)| value * mass).sum();
    marginal.iter().zip(&atoms.mass).map(|(value, mass)| mass * (value - mean) * (value - mean)).sum()
}

/// Returns V_jk for all pairs that some leaf restricts together.
fn pair_variances(leaves: &[Leaf], atoms: &[Atoms]) -> BTreeMap<[usize; 2], f64> {
    let mut together: BTreeMap<[usize; 2], Vec<(u32, u8, u8)>> = BTreeMap::new();
    for (number, leaf) in leaves.iter().enumerate() {
        for (place, one) in leaf.sides.iter().enumerate() {
            for (later, other) in leaf.sides.iter().enumerate().skip(place + 1) {
                together.entry([one.0, other.0]).or_default().push((number as u32, place as u8, later as u8));
            }
        }
    }
    let mut grid = Vec::new();
    let variance = |([one, other], members): ([usize; 2], Vec<(u32, u8, u8)>)| {
        let (rows, columns) = (&atoms[one].mass, &atoms[other].mass);
        let width = columns.len() + 1;
        grid.clear();
        grid.resize((rows.len() + 1) * width, 0.0);
        for (number, place, later) in members {
            let leaf = &leaves[number as usize];
            let (own, others) = (&leaf.sides[usize::from(place)], &leaf.sides[usize::from(later)]);
            let value = leaf.value * leaf.volume / (own.2 * others.2);
            for &(top, bottom) in &own.1 {
                for &(left, right) in &others.1 {
                    let at = |row: u32, column: u32| row as usize * width + column as usize;
                    grid[at(top, left)] += value;
                    grid[at(top, right)] -= value;
                    grid[at(bottom, left)] -= value;
                    grid[at(bottom, right)] += value;
                }
            }
        }
        // Sums along rows and columns turn the corners into the values.
        for row in 0..rows.len() {
            for column in 1..columns.len() {
                grid[row * width + column] += grid[row * width + column - 1];
            }
            if row > 0 {
                for column in 0..columns.len() {
                    grid[row * width + column] += grid[(row - 1) * width + column];
                }
            }
        }
        ([one, other], interaction_variance(&grid, width, rows, columns))
    };
    together.into_iter().map(variance).collect()
}

fn interaction_variance(grid: &[f64], width: usize, rows: &[f64], columns: &[f64]) -> f64 {
    let line = |row: usize| &grid[row * width..row * width + columns.len()];
    let of_rows: Vec<f64> = (0..rows.len())
        .map(|row| line(row).iter().zip(columns).map(|(value, mass)| value * mass).sum())
        .collect();
    let mut of_columns = vec![0.0; columns.len()];
    for (row, mass) in rows.iter().enumerate() {
        of_columns.iter_mut().zip(line(row)).for_each(|(sum, value)| *sum += mass * value);
    }
    let mean: f64 = of_rows.iter().zip(rows).map(|(value, mass)| value * mass).sum();
    let mut variance = 0.0;
    for (row, (own, mass)) in of_rows.iter().zip(rows).enumerate() {
        let cells = line(row).iter().zip(&of_columns).zip(columns);
        variance += mass
            * cells
                .map(|((value, other), mass)| {
                    let rest = value - own - other + mean;
                    mass * rest * rest
                })
                .sum::<f64>();
    }
    variance
}

/// Returns V.
fn total_variance(leaves: &[Leaf], atoms: &[Atoms]) -> f64 {
    let mean: f64 = leaves.iter().map(|leaf| leaf.value * leaf.volume).sum();
    let mut squares = 0.0;
    for (number, leaf) in leaves.iter().enumerate() {
        squares += leaf.value * leaf.value * leaf.volume;
        for other in &leaves[number + 1..] {
            // Leaves that share an instance are disjoint.
            if leaf.instances[0] != other.instances[0] && leaf.value != 0.0 {
                squares += 2.0 * leaf.value * other.value * overlap(leaf, other, atoms);
            }
        }
    }
    (squares - mean * mean).max(0.0)
}

/// Returns the probability of the intersection of two leaves' boxes.
fn overlap(one: &Leaf, other: &Leaf, atoms: &[Atoms]) -> f64 {
    let (mut own, mut others) = (one.sides.iter().peekable(), other.sides.iter().peekable());
    let mut volume = 1.0;
    while let Some(&(column, runs, probability)) = own.peek() {
        match others.peek() {
            Some(&(other_column, _, other_probability)) if other_column < column => {
                volume *= other_probability;
                others.next();
            }
            Some((other_column, other_runs, _)) if other_column == column => {
                let common = common(runs, other_runs);
                if common.is_empty() {
                    return 0.0;
                }
                volume *= atoms[*column].probability(&common);
                own.next();
                others.next();
            }
            _ => {
                volume *= probability;
                own.next();
            }
        }
    }
    others.fold(volume, |volume, (_, _, probability)| volume * probability)
}
