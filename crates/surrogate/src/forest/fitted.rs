//! A fitted forest and its predictions.
//!
//! ```text
//! mean = average over trees of the leaf's mean
//! variance = variance over trees of the leaf's mean  [+ average of the leaf's variance, if total]
//! ```

use super::tree::Tree;
use super::{ForestSettings, Marginal};
use crate::{Column, InstanceTable, Points, Prediction, Predictor, Scale, TrainingSet};

use super::coded::tree_value;

/// Number of rows predicted together.
pub(super) const BLOCK: usize = 64;

/// A fitted forest.
#[derive(Clone, Debug)]
pub struct Forest {
    pub(super) trees: Vec<Tree>,
    /// The reference value in the powers 10^(y - reference) that leaves store.
    pub(super) reference: f64,
    pub(super) columns: Vec<Column>,
    pub(super) configuration_width: usize,
    pub(super) scale: Scale,
    pub(super) marginal: Marginal,
    pub(super) instances: InstanceTable,
    /// For every tree, the number of instances that can reach each node.
    pub(super) reach: Vec<Vec<u32>>,
}

impl Forest {
    pub(super) fn new(
        data: &TrainingSet<'_>,
        settings: &ForestSettings,
        trees: Vec<Tree>,
        reference: f64,
    ) -> Self {
        let mut forest = Self {
            trees,
            reference,
            columns: data.columns().to_vec(),
            configuration_width: data.configuration_width(),
            scale: data.scale(),
            marginal: settings.marginal,
            instances: data.instances().clone(),
            reach: Vec::new(),
        };
        forest.reach = forest.trees.iter().map(|tree| forest.count_instances(tree)).collect();
        forest
    }

    /// Returns whether a training set has the same columns, instances and scale.
    pub(super) fn fits(&self, data: &TrainingSet<'_>) -> bool {
        self.columns == data.columns() && self.scale == data.scale() && self.instances == *data.instances()
    }

    /// Returns the number of trees.
    pub fn trees(&self) -> usize {
        self.trees.len()
    }

    /// Returns the total number of nodes in all trees, including leaves.
    pub fn nodes(&self) -> usize {
        self.trees.iter().map(|tree| tree.nodes.len()).sum()
    }

    /// Predicts every point with every tree separately. `out` holds the predictions tree by tree.
    ///
    /// # Panics
    /// As [`predict`](Predictor::predict), except that `out` must have one entry for each combination of a
    /// point and a tree.
    pub fn predict_each(&self, points: Points<'_>, out: &mut [f64]) {
        assert_eq!(
            out.len(),
            points.len() * self.trees.len(),
            "`out` must have one entry per point and tree"
        );
        let rows = self.rows_of(points);
        let mut leaves = vec![0; points.len()];
        for (tree, out) in self.trees.iter().zip(out.chunks_exact_mut(points.len().max(1))) {
            tree.leaves_of(&rows, self.columns.len(), &mut leaves);
            for (out, &leaf) in out.iter_mut().zip(&leaves) {
                *out = tree.leaves[leaf as usize].mean;
            }
        }
    }

    fn rows_of(&self, points: Points<'_>) -> Vec<f32> {
        let mut rows = Vec::new();
        self.write_rows(&self.columns, points, &mut rows);
        rows
    }

    /// Writes rows in the form that trees compare.
    pub(super) fn write_rows(&self, columns: &[Column], points: Points<'_>, rows: &mut Vec<f32>) {
        assert_eq!(points.width(), columns.len(), "the rows must have the columns of the training set");
        rows.clear();
        for row in points.iter() {
            rows.extend(row.iter().zip(columns).map(|(&value, &column)| tree_value(column, value)));
        }
    }

    fn predict_points(&self, points: Points<'_>, total: bool, out: &mut [Prediction]) {
        assert_eq!(out.len(), points.len(), "`out` must have one entry per point");
        let mut rows = Vec::new();
        for (block, out) in points.rows.chunks(BLOCK * points.width).zip(out.chunks_mut(BLOCK)) {
            self.write_rows(&self.columns, Points::new(block, points.width), &mut rows);
            self.predict_rows(&rows, total, out);
        }
    }

    pub(super) fn predict_rows(&self, rows: &[f32], total: bool, out: &mut [Prediction]) {
        let width = self.columns.len();
        let mut values = vec![0.0; BLOCK * self.trees.len()];
        for (rows, out) in rows.chunks(BLOCK * width).zip(out.chunks_mut(BLOCK)) {
            let mut leaves = [0; BLOCK];
            let leaves = &mut leaves[..out.len()];
            let mut within = [0.0; BLOCK];
            for (tree, values) in self.trees.iter().zip(values.chunks_exact_mut(BLOCK)) {
                tree.leaves_of(rows, width, leaves);
                for ((&leaf, value), within) in leaves.iter().zip(values).zip(&mut within) {
                    let leaf = &tree.leaves[leaf as usize];
                    *value = leaf.mean;
                    *within += leaf.variance;
                }
            }
            summarise(&values, self.trees.len(), out);
            if total {
                let trees = self.trees.len() as f64;
                out.iter_mut().zip(&within).for_each(|(out, within)| out.variance += within / trees);
            }
        }
    }
}

/// Computes mean and variance over trees. `values` holds one block for each tree.
pub(super) fn summarise(values: &[f64], trees: usize, out: &mut [Prediction]) {
    let count = trees as f64;
    for (point, out) in out.iter_mut().enumerate() {
        let own = || values.iter().skip(point).step_by(BLOCK).take(trees);
        let mean = own().sum::<f64>() / count;
        let variance = own().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
        *out = Prediction { mean, variance };
    }
}

impl Predictor for Forest {
    fn predict(&self, points: Points<'_>, out: &mut [Prediction]) {
        self.predict_points(points, false, out);
    }

    fn predict_total(&self, points: Points<'_>, out: &mut [Prediction]) {
        self.predict_points(points, true, out);
    }

    fn predict_marginal(&self, configurations: Points<'_>, out: &mut [Prediction]) {
        assert_eq!(out.len(), configurations.len(), "`out` must have one entry per configuration");
        self.marginals(configurations, out);
    }
}
