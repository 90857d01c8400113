//! Functional analysis of variance of a forest, exact on the leaves of its trees.
//!
//! ```text
//! f(θ)    = Σ_l ρ_l r_l 1[θ ∈ box_l]                 one tree, averaged over instances
//! a_U(u)  = E[f(θ) | θ_U = u]                        the marginal of some parameters
//! f_U(u)  = a_U(u) - Σ_{W ⊂ U} f_W(u),  f_∅ = E f
//! V_U     = Var f_U(θ),   V = Var f(θ) = Σ_U V_U     share of U = V_U / V
//! r_l     = min(y_l - h_l, δ)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | box_l, y_l | the region of leaf l, and its prediction on the model's scale |
//! | ρ_l | share of the instances that reach the leaf |
//! | h_l | mean of f(θ, instance) over the space and over the instances that reach the leaf |
//! | δ | the quantile of y - h over the space, above which costs count as δ |
//!
//! The cap δ makes the shares explain the differences among the better part of the space. Without it, a few
//! disastrous values dominate. Subtracting h_l keeps the cap fair between easy and hard instances; since h
//! does not depend on θ, it changes no variance otherwise.
//!
//! f averages predictions on the model's scale. For run times these are logarithms, so the shares are about
//! ratios of costs. Shares are computed for each tree; their mean and standard deviation over trees are
//! returned.
//!
//! F. Hutter, H. Hoos, K. Leyton-Brown, An Efficient Approach for Assessing Hyperparameter Importance, 2014.

mod atoms;
mod tree;

use surrogate::Column;
use surrogate::forest::Forest;

use tree::TreeVariances;

/// A share of the variance: its mean and standard deviation over trees.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Share {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub spread: f64,
}

/// The share of the variance that is due to two columns together, beyond their separate shares.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PairShare {
    /// The two columns, in ascending order.
    pub columns: [usize; 2],
    /// The share.
    pub share: Share,
}

/// The shares of all columns and of the strongest pairs.
#[derive(Clone, PartialEq, Debug)]
pub struct Fanova {
    /// The share of each column on its own.
    pub columns: Vec<Share>,
    /// Pairs with a positive share, the largest first.
    pub pairs: Vec<PairShare>,
    /// The share of interactions among three or more columns.
    pub higher: f64,
    /// The level at which costs are capped, on the model's scale: mean over trees.
    pub cap: f64,
}

/// Analyses a forest that was fitted to [completed](crate::completed()) rows. Costs above the `quantile` of all predictions count as that quantile; 1 means no cap.
/// Returns `None` if no tree's prediction depends on any column.
///
/// # Panics
/// If `quantile` is not in (0, 1], or `columns` are not the configuration columns of the forest.
pub fn fanova(forest: &Forest, columns: &[Column], quantile: f64, threads: usize) -> Option<Fanova> {
    assert!(quantile > 0.0 && quantile <= 1.0, "the quantile must be in (0, 1], not {quantile}");
    let count = forest.trees();
    let analyse = |number: usize| {
        let regions = forest.regions(number);
        TreeVariances::of(&regions, forest.instance_count(), columns, quantile)
    };
    let share = count.div_ceil(threads.clamp(1, count));
    let trees: Vec<TreeVariances> = std::thread::scope(|scope| {
        let analyse = &analyse;
        let part =
            |first: usize| scope.spawn(move || (first..(first + share).min(count)).map(analyse).collect());
        let parts: Vec<std::thread::ScopedJoinHandle<'_, Vec<TreeVariances>>> =
            (0..count).step_by(share).map(part).collect();
        let join = |part: std::thread::ScopedJoinHandle<'_, Vec<TreeVariances>>| match part.join() {
            Ok(found) => found,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        parts.into_iter().flat_map(join).collect()
    });
    summarise(&trees, columns.len())
}

/// Averages the shares over the trees that depend on any column.
fn summarise(trees: &[TreeVariances], columns: usize) -> Option<Fanova> {
    // A variance that rounding alone can produce does not count.
    let usable: Vec<&TreeVariances> =
        trees.iter().filter(|tree| tree.total > 1e-12 * tree.scale * tree.scale).collect();
    if usable.is_empty() {
        return None;
    }
    let over_trees = |variance: &dyn Fn(&TreeVariances) -> f64| {
        let shares = usable.iter().map(|tree| (variance(tree) / tree.total).max(0.0));
        let mean = shares.clone().sum::<f64>() / usable.len() as f64;
        let squares = shares.map(|share| (share - mean) * (share - mean)).sum::<f64>();
        Share { mean, spread: (squares / usable.len() as f64).sqrt() }
    };
    let of_columns: Vec<Share> =
        (0..columns).map(|column| over_trees(&|tree: &TreeVariances| tree.columns[column])).collect();
    let mut keys: Vec<[usize; 2]> = usable.iter().flat_map(|tree| tree.pairs.keys().copied()).collect();
    keys.sort_unstable();
    keys.dedup();
    let mut pairs: Vec<PairShare> = keys
        .into_iter()
        .map(|columns| {
            let share = over_trees(&|tree: &TreeVariances| tree.pairs.get(&columns).copied().unwrap_or(0.0));
            PairShare { columns, share }
        })
        .filter(|pair| pair.share.mean > 0.0)
        .collect();
    pairs.sort_by(|a, b| b.share.mean.total_cmp(&a.share.mean).then(a.columns.cmp(&b.columns)));
    let explained: f64 =
        of_columns.iter().chain(pairs.iter().map(|pair| &pair.share)).map(|one| one.mean).sum();
    let cap = usable.iter().map(|tree| tree.cap).sum::<f64>() / usable.len() as f64;
    Some(Fanova { columns: of_columns, pairs, higher: (1.0 - explained).max(0.0), cap })
}

#[cfg(test)]
mod tests;
