//! Sums of both configurations' costs over the same pairs, where some costs may be infinite.
//!
//! An infinite cost is treated as the limit of a growing cost. If any cost is infinite, the ratio becomes the
//! ratio of the numbers of infinite costs. In a difference, one more infinite cost outweighs all finite
//! costs.

/// A sum of costs, some of which may be infinite.
#[derive(Clone, Copy, Default)]
pub(super) struct Total {
    finite: f64,
    infinite: f64,
}

impl Total {
    fn of(cost: f64, scale: f64) -> Self {
        if cost.is_finite() {
            Self { finite: cost / scale, infinite: 0.0 }
        } else {
            Self { finite: 0.0, infinite: 1.0 }
        }
    }

    fn add(&mut self, other: Self) {
        self.finite += other.finite;
        self.infinite += other.infinite;
    }

    pub(super) fn mean(self, pairs: usize, scale: f64) -> f64 {
        if self.infinite > 0.0 { f64::INFINITY } else { self.finite / pairs as f64 * scale }
    }
}

/// The sums of both configurations' costs over the same pairs.
#[derive(Clone, Copy, Default)]
pub(super) struct Contrast {
    pub(super) default: Total,
    pub(super) tuned: Total,
}

impl Contrast {
    /// Returns the two costs of one pair, in units of `scale`.
    pub(super) fn of(default: f64, tuned: f64, scale: f64) -> Self {
        Self { default: Total::of(default, scale), tuned: Total::of(tuned, scale) }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.default.add(other.default);
        self.tuned.add(other.tuned);
    }

    pub(super) fn sum(contrasts: &[Self]) -> Self {
        let mut total = Self::default();
        for &contrast in contrasts {
            total.add(contrast);
        }
        total
    }

    pub(super) fn ratio(self) -> f64 {
        let Self { default, tuned } = self;
        let (above, below) = if default.infinite > 0.0 || tuned.infinite > 0.0 {
            (default.infinite, tuned.infinite)
        } else if default.finite < 0.0 || tuned.finite < 0.0 {
            (tuned.finite.abs(), default.finite.abs())
        } else {
            (default.finite, tuned.finite)
        };
        // Zero divided by zero counts as 1.
        if above == below { 1.0 } else { above / below }
    }

    pub(super) fn difference(self, infinity: f64) -> f64 {
        let Self { default, tuned } = self;
        (default.infinite - tuned.infinite) * infinity + (default.finite - tuned.finite)
    }
}
