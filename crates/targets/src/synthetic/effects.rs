//! The parameters that matter, with their effects on the logarithm of the cost.

/// The effect of a parameter.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// For a range: the best position from 0 to 1, and the effect at the end of the range that is farther
    /// from it.
    Best(f64, f64),
    /// For choices: the effect of each choice.
    Of(&'static [f64]),
}

use Shape::{Best, Of};

/// For each class of instances, the effects of the strategies newton, secant, bisection, anneal and tabu.
pub(super) const STRATEGIES: [[f64; 5]; 3] =
    [[0.0, 0.9, 1.6, 0.8, 0.3], [0.7, 1.0, 1.4, 0.9, 0.0], [0.4, 0.6, 0.5, 1.3, 0.2]];

/// Parameters with individual effects.
pub(super) const EFFECTS: &[(&str, Shape)] = &[
    ("tie-break", Of(&[0.6, 0.6, 0.0, 0.6, 0.5, 0.0, 0.6, 0.05])),
    ("phase", Of(&[0.3, 0.4, 0.2, 0.0])),
    ("restart", Of(&[0.7, 0.0])),
    ("preprocess", Of(&[0.5, 0.0])),
    ("deletion", Of(&[0.5, 0.3, 0.0, 0.2])),
    ("effort", Of(&[0.4, 0.2, 0.1, 0.0, 0.15])),
    ("step", Best(0.4, 1.2)),
    ("decay", Best(0.85, 0.9)),
    ("depth", Best(0.3, 0.6)),
    ("noise", Best(0.1, 0.7)),
    ("newton-damping", Best(0.55, 0.8)),
    ("newton-curvature", Of(&[0.5, 0.0, 0.1])),
    ("secant-relax", Best(0.7, 0.6)),
    ("bisection-order", Of(&[0.7, 0.9, 0.0])),
    ("anneal-cooling", Best(0.9, 1.0)),
    ("tabu-tenure", Best(0.35, 0.8)),
    ("tabu-sample", Best(0.4, 0.5)),
    ("restart-law", Of(&[0.5, 0.1, 0.0, 0.05])),
    ("restart-base", Best(0.35, 0.5)),
    ("restart-growth", Best(0.2, 0.6)),
    ("pre-elimination", Best(0.75, 0.5)),
    ("activity-decay", Best(0.9, 0.4)),
];

/// Interacting ranges: both names, the best difference between their positions, and the weight.
pub(super) const INTERACTIONS: &[(&str, &str, f64, f64)] = &[
    ("step", "decay", -0.4, 0.8),
    ("depth", "width", 0.1, 0.6),
    ("newton-damping", "step", 0.15, 0.5),
    ("tabu-tenure", "depth", 0.05, 0.5),
    ("pre-elimination", "pool", 0.1, 0.4),
];

/// The region where trials crash. A configuration is in it if each of these parameters lies in its interval
/// of positions.
pub(super) const CRASH: &[(&str, f64, f64)] = &[("pre-elimination", 0.7, 1.0), ("pool", 0.0, 0.27)];
