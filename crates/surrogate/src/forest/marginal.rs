//! The cost of a configuration over all instances, without a row for each instance.
//!
//! ```text
//! g_t(θ) = log10( 1/m Σ_leaves n_leaf · p_leaf )          Σ over the leaves that θ can reach
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | m | number of instances |
//! | n_leaf | number of instances that the splits on features send to a leaf |
//! | p_leaf | the leaf's mean of 10^y |
//!
//! A node has one path from the root, so the number of instances that can reach it does not depend on the
//! configuration: it is counted once per tree. On the way down, the configuration decides the splits on
//! parameters, and both children are visited at splits on features.

use math::elementary;

use super::Marginal;
use super::coded::tree_value;
use super::fitted::{BLOCK, Forest, summarise};
use super::tree::{Leaf, Tree};
use crate::{Points, Prediction, Scale};

impl Forest {
    /// Counts the instances that can reach each node of a tree.
    pub(super) fn count_instances(&self, tree: &Tree) -> Vec<u32> {
        let mut reach = vec![0; tree.nodes.len()];
        let first = self.configuration_width as u16;
        let columns = &self.columns[self.configuration_width..];
        let row = |instance: usize| -> Vec<f32> {
            let values = self.instances.row(instance);
            columns.iter().zip(values).map(|(&column, &value)| tree_value(column, value)).collect()
        };
        let rows: Vec<Vec<f32>> = (0..self.instances.count()).map(row).collect();
        let all: Vec<u32> = (0..self.instances.count() as u32).collect();
        let mut pending = vec![(0, all)];
        while let Some((at, inside)) = pending.pop() {
            reach[at as usize] = inside.len() as u32;
            let node = tree.nodes[at as usize];
            if tree.is_leaf(at) {
                continue;
            }
            if node.column < first {
                pending.push((node.left, inside.clone()));
                pending.push((node.left + 1, inside));
            } else {
                let (right, left) =
                    inside.into_iter().partition(|&i| tree.goes_right(at, &rows[i as usize], first));
                pending.push((node.left, left));
                pending.push((node.left + 1, right));
            }
        }
        reach
    }

    pub(super) fn marginals(&self, configurations: Points<'_>, out: &mut [Prediction]) {
        let width = self.configuration_width;
        let columns = &self.columns[..width];
        let mut rows = Vec::new();
        let mut open = Vec::new();
        let mut leaves = [0; BLOCK];
        let mut values = vec![0.0; BLOCK * self.trees.len()];
        for (block, out) in configurations.rows.chunks(BLOCK * width).zip(out.chunks_mut(BLOCK)) {
            self.write_rows(columns, Points::new(block, width), &mut rows);
            for (number, values) in (0..self.trees.len()).zip(values.chunks_exact_mut(BLOCK)) {
                if self.columns.len() == width {
                    let leaves = &mut leaves[..out.len()];
                    self.trees[number].leaves_of(&rows, width, leaves);
                    for (value, &leaf) in values.iter_mut().zip(&*leaves) {
                        let leaf = &self.trees[number].leaves[leaf as usize];
                        *value = self.average(self.contribution(leaf), 1.0);
                    }
                } else {
                    for (value, row) in values.iter_mut().zip(rows.chunks_exact(width)) {
                        *value = self.over_instances(number, row, &mut open);
                    }
                }
            }
            summarise(&values, self.trees.len(), out);
        }
    }

    /// Returns what a leaf adds to the sum for each instance that reaches it.
    fn contribution(&self, leaf: &Leaf) -> f64 {
        match (self.scale, self.marginal) {
            (Scale::Log10 { .. }, Marginal::Arithmetic) => leaf.power,
            _ => leaf.mean,
        }
    }

    /// Returns the average over instances, on the model's scale, given the sum of their contributions.
    fn average(&self, sum: f64, instances: f64) -> f64 {
        match (self.scale, self.marginal) {
            (Scale::Log10 { .. }, Marginal::Arithmetic) => {
                self.reference + elementary::ln(sum / instances) * std::f64::consts::LOG10_E
            }
            _ => sum / instances,
        }
    }

    /// Predicts a configuration over all instances with one tree.
    fn over_instances(&self, number: usize, row: &[f32], open: &mut Vec<u32>) -> f64 {
        let mut sum = 0.0;
        self.visit(number, row, open, |leaf, instances| {
            sum += f64::from(instances) * self.contribution(&self.trees[number].leaves[leaf as usize]);
        });
        self.average(sum, self.instances.count() as f64)
    }

    /// Visits the leaves that a configuration can reach, with the number of instances that reach each.
    fn visit(&self, number: usize, row: &[f32], open: &mut Vec<u32>, mut at_leaf: impl FnMut(u32, u32)) {
        let (tree, reach) = (&self.trees[number], &self.reach[number]);
        let first = self.configuration_width as u16;
        open.clear();
        open.push(0);
        while let Some(mut at) = open.pop() {
            loop {
                let node = &tree.nodes[at as usize];
                if node.left == at {
                    at_leaf(at, reach[at as usize]);
                    break;
                }
                if node.column < first {
                    at = node.left + u32::from(tree.goes_right(at, row, 0));
                } else {
                    // A branch that no instance reaches adds nothing.
                    let (left, right) = (reach[node.left as usize], reach[node.left as usize + 1]);
                    if left > 0 && right > 0 {
                        open.push(node.left + 1);
                    }
                    at = if left > 0 { node.left } else { node.left + 1 };
                }
            }
        }
    }

    /// Returns the forest as it would be if a trial of each of these configurations had cost what the forest
    /// expects. The trees then agree more about these configurations, so the next proposal looks elsewhere.
    ///
    /// # Panics
    /// If the rows do not have the configuration columns of the training set.
    #[must_use]
    pub fn believing(&self, configurations: Points<'_>) -> Self {
        let mut forest = self.clone();
        let mut rows = Vec::new();
        self.write_rows(&self.columns[..self.configuration_width], configurations, &mut rows);
        let mut open = Vec::new();
        for row in rows.chunks_exact(self.configuration_width) {
            let predicted: Vec<f64> =
                (0..self.trees.len()).map(|tree| forest.over_instances(tree, row, &mut open)).collect();
            let mean = predicted.iter().sum::<f64>() / predicted.len() as f64;
            for (number, predicted) in predicted.into_iter().enumerate() {
                let mut reached = Vec::new();
                forest.visit(number, row, &mut open, |leaf, _| reached.push(leaf));
                for leaf in reached {
                    let leaf = &mut forest.trees[number].leaves[leaf as usize];
                    leaf.weight += 1.0;
                    let shift = (mean - predicted) / leaf.weight;
                    leaf.mean += shift;
                    leaf.power *= libm::exp(shift * std::f64::consts::LN_10);
                }
            }
        }
        forest
    }
}
