//! The leaves of a tree as regions of the space, for analyses that integrate over the space exactly.
//!
//! A tree cuts the space into boxes and predicts one value in each. A [`Region`] is such a box: a side for
//! every configuration column that the path to the leaf tests. The columns of instances do not appear as
//! sides; instead, a region lists the instances that reach it.

use super::coded::tree_value;
use super::fitted::Forest;
use super::tree::Test;
use crate::{Column, Scale};

/// The part of one column that belongs to a region.
#[derive(Clone, PartialEq, Debug)]
pub enum Side {
    /// Numbers above the first bound, up to and including the second.
    Interval(f64, f64),
    /// Categories, by index; the last entry is the inactive category.
    Categories(Vec<bool>),
}

/// The part of the space that one leaf covers.
#[derive(Clone, PartialEq, Debug)]
pub struct Region {
    /// The value that the leaf predicts, on the model's scale.
    pub value: f64,
    /// Rows of the instance table that reach the leaf, in ascending order.
    pub instances: Vec<u32>,
    /// The columns that are restricted, in ascending order. All other columns are free.
    pub sides: Vec<(usize, Side)>,
}

impl Side {
    fn split(&self, right: bool, test: &Split<'_>) -> Self {
        match (self, test) {
            (&Self::Interval(above, up_to), Split::At(threshold)) => {
                if right {
                    Self::Interval(above.max(*threshold), up_to)
                } else {
                    Self::Interval(above, up_to.min(*threshold))
                }
            }
            (Self::Categories(own), Split::Left(left)) => {
                let kept = own.iter().enumerate().map(|(index, &own)| own && left(index) != right);
                Self::Categories(kept.collect())
            }
            // A column is tested either by thresholds or by categories.
            (side, _) => side.clone(),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Interval(above, up_to) => above >= up_to,
            Self::Categories(own) => !own.contains(&true),
        }
    }
}

/// The test of an inner node.
enum Split<'a> {
    At(f64),
    Left(&'a dyn Fn(usize) -> bool),
}

impl Forest {
    /// Returns the scale of the predictions.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Returns the number of instances that the forest distinguishes; 1 if all are alike.
    pub fn instance_count(&self) -> usize {
        self.instances.count()
    }

    /// Returns the regions of a tree. For each instance, the regions that it reaches cover the space exactly
    /// once.
    ///
    /// # Panics
    /// If there is no tree with this number.
    pub fn regions(&self, number: usize) -> Vec<Region> {
        let tree = &self.trees[number];
        let own = self.configuration_width;
        let rows: Vec<Vec<f32>> = (0..self.instances.count())
            .map(|instance| {
                let values = self.instances.row(instance).iter();
                values.zip(&self.columns[own..]).map(|(&value, &column)| tree_value(column, value)).collect()
            })
            .collect();
        let mut regions = Vec::new();
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let mut pending = vec![(0_u32, all, Vec::<(usize, Side)>::new())];
        while let Some((at, instances, sides)) = pending.pop() {
            if tree.is_leaf(at) {
                regions.push(Region { value: tree.leaves[at as usize].mean, instances, sides });
                continue;
            }
            let node = tree.nodes[at as usize];
            let column = usize::from(node.column);
            if column >= own {
                let goes_right = |&one: &u32| tree.goes_right(at, &rows[one as usize], own as u16);
                let (right, left): (Vec<u32>, Vec<u32>) = instances.into_iter().partition(goes_right);
                let halves = [(node.left + 1, right), (node.left, left)];
                let reached = halves.into_iter().filter(|(_, instances)| !instances.is_empty());
                pending.extend(reached.map(|(child, instances)| (child, instances, sides.clone())));
                continue;
            }
            let few = |index: usize| (node.payload >> (index & 63)) & 1 == 1;
            let many =
                |index: usize| (tree.sets[node.payload as usize + index / 64] >> (index % 64)) & 1 == 1;
            let split = match node.test {
                Test::Number => Split::At(f64::from_bits(node.payload)),
                Test::Few => Split::Left(&few),
                Test::Many => Split::Left(&many),
            };
            for right in [true, false] {
                let place = sides.binary_search_by_key(&column, |&(column, _)| column);
                let whole = || match self.columns[column] {
                    Column::Number => Side::Interval(f64::NEG_INFINITY, f64::INFINITY),
                    Column::Category(count) => Side::Categories(vec![true; count + 1]),
                };
                let side = match place {
                    Ok(place) => sides[place].1.split(right, &split),
                    Err(_) => whole().split(right, &split),
                };
                if side.is_empty() {
                    continue;
                }
                let mut sides = sides.clone();
                match place {
                    Ok(place) => sides[place].1 = side,
                    Err(place) => sides.insert(place, (column, side)),
                }
                pending.push((node.left + u32::from(right), instances.clone(), sides));
            }
        }
        regions
    }
}

#[cfg(test)]
mod tests {
    use math::Rng;

    use super::*;
    use crate::forest::{ForestSettings, ForestTrainer};
    use crate::{InstanceTable, Points, Reading, TrainingSet};

    impl Region {
        fn contains(&self, row: &[f64], columns: &[Column]) -> bool {
            self.sides.iter().all(|(column, side)| {
                let value = f64::from(tree_value(columns[*column], row[*column]));
                match side {
                    Side::Interval(above, up_to) => *above < value && value <= *up_to,
                    Side::Categories(own) => own[value as usize],
                }
            })
        }
    }

    #[test]
    fn every_row_is_in_one_region_and_the_region_has_its_prediction() {
        let columns = [Column::Number, Column::Category(3), Column::Category(70)];
        let instances = InstanceTable::named(4);
        let mut rng = Rng::new(1, "regions", 0);
        let mut row = || {
            let first = if rng.below(4) == 0 { -1.0 } else { rng.unit() };
            let mut category = |count: usize| {
                let index = rng.below(count + 1);
                if index == count { -1.0 } else { (index as f64 + 0.5) / count as f64 }
            };
            vec![first, category(3), category(70)]
        };
        let mut data = TrainingSet::new(&columns, &instances, Scale::Linear, None);
        for number in 0..400 {
            let row = row();
            let cost = row[0] * 3.0 + row[1] - row[2] + f64::from(number % 4);
            let index = data.push_configuration(&row);
            data.push(index, number as usize % 4, Reading::Exact(cost));
        }
        let (forest, _) = ForestTrainer::new(ForestSettings::default(), 3).fit(&data).unwrap();
        for tree in 0..forest.trees() {
            let regions = forest.regions(tree);
            assert!(regions.len() > 20);
            for _ in 0..50 {
                let row = row();
                for instance in 0..4 {
                    let inside: Vec<&Region> = regions
                        .iter()
                        .filter(|one| one.instances.contains(&instance) && one.contains(&row, &columns))
                        .collect();
                    assert_eq!(inside.len(), 1, "{row:?}");
                    let point: Vec<f64> =
                        row.iter().chain(instances.row(instance as usize)).copied().collect();
                    let mut each = vec![0.0; forest.trees()];
                    forest.predict_each(Points::new(&point, 4), &mut each);
                    assert_eq!(inside[0].value, each[tree]);
                }
            }
        }
    }
}
