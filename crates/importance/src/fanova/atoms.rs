//! The atoms of a column: the smallest parts that the regions of one tree distinguish.
//!
//! | column | atoms, in order |
//! |---|---|
//! | number | the inactive value, then the intervals between the tree's thresholds |
//! | category | the categories, then the inactive one |
//!
//! Numbers are uniform on [0, 1], and categories are equally likely. The inactive value has probability 0: it
//! does not occur in [completed](crate::completed()) rows.

use surrogate::Column;
use surrogate::forest::{Region, Side};

/// The atoms of one column.
pub(super) struct Atoms {
    /// Probability of each atom.
    pub(super) mass: Vec<f64>,
    /// Thresholds of a number, in ascending order.
    cuts: Vec<f64>,
}

/// A side as runs of atoms, each from its first atom up to but not including the second.
pub(super) type Runs = Vec<(u32, u32)>;

impl Atoms {
    /// Finds the atoms of a column.
    pub(super) fn of(kind: Column, column: usize, regions: &[Region]) -> Self {
        if let Column::Category(count) = kind {
            let mut mass = vec![1.0 / count as f64; count];
            mass.push(0.0);
            return Self { mass, cuts: Vec::new() };
        }
        let mut cuts: Vec<f64> = Vec::new();
        for region in regions {
            let Ok(place) = region.sides.binary_search_by_key(&column, |&(column, _)| column) else {
                continue;
            };
            if let Side::Interval(above, up_to) = region.sides[place].1 {
                cuts.extend([above, up_to].into_iter().filter(|cut| cut.is_finite()));
            }
        }
        cuts.sort_by(f64::total_cmp);
        cuts.dedup();
        let starts = std::iter::once(f64::NEG_INFINITY).chain(cuts.iter().copied());
        let ends = cuts.iter().copied().chain([f64::INFINITY]);
        let active = starts.zip(ends).map(|(start, end)| (end.min(1.0) - start.max(0.0)).max(0.0));
        let mass = std::iter::once(0.0).chain(active).collect();
        Self { mass, cuts }
    }

    /// Returns the atoms of a side.
    pub(super) fn runs(&self, side: &Side) -> Runs {
        match side {
            Side::Interval(above, up_to) => {
                let place = |cut: f64| self.cuts.partition_point(|&one| one < cut) as u32;
                // Thresholds are positive or between the inactive value and 0. So only a side without a lower
                // bound includes the inactive value.
                let start = if above.is_finite() { place(*above) + 2 } else { 0 };
                let end = if up_to.is_finite() { place(*up_to) + 2 } else { self.mass.len() as u32 };
                vec![(start, end)]
            }
            Side::Categories(own) => {
                let mut runs: Runs = Vec::new();
                for (index, _) in own.iter().enumerate().filter(|&(_, &own)| own) {
                    let index = index as u32;
                    match runs.last_mut() {
                        Some((_, end)) if *end == index => *end += 1,
                        _ => runs.push((index, index + 1)),
                    }
                }
                runs
            }
        }
    }

    /// Returns the probability of some atoms.
    pub(super) fn probability(&self, runs: &Runs) -> f64 {
        let of_run =
            |&(start, end): &(u32, u32)| -> f64 { self.mass[start as usize..end as usize].iter().sum() };
        runs.iter().map(of_run).sum()
    }
}

/// Returns the atoms that two sides have in common.
pub(super) fn common(one: &Runs, other: &Runs) -> Runs {
    let mut common = Runs::new();
    for &(start, end) in one {
        for &(other_start, other_end) in other {
            let (start, end) = (start.max(other_start), end.min(other_end));
            if start < end {
                common.push((start, end));
            }
        }
    }
    common
}
