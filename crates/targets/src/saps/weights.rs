//! The weights of the clauses, smoothed in constant time.
//!
//! Smoothing is the same linear map for all clauses, so only its product is kept:
//!
//! ```text
//! w(c) = scale part(c) + base
//! smoothing:  scale := rho scale     base := rho base + (1 - rho) mean     (the mean stays)
//! growing:    part(c) += (alpha - 1) w(c) / scale                         (c unsatisfied)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | part(c) | what the clause has beyond others; at first 0 |
//! | scale, base | common to all clauses; at first 1 |
//! | unit | how much of the published weight is 1 here; at first 1 |
//!
//! Numbers are brought back to ordinary size when scale gets too small or the weights too large.

/// Improvements up to this much of the published weight are none.
const THRESHOLD: f64 = 0.1;
/// The same, as a share of the mean weight: above what rounding can feign.
const ROUNDING: f64 = 1e-9;
const LARGE: f64 = 1e100;

#[derive(Debug)]
pub(super) struct Weights {
    pub(super) parts: Vec<f64>,
    pub(super) scale: f64,
    pub(super) base: f64,
    total: f64,
    unit: f64,
    /// What an improvement must exceed.
    pub(super) threshold: f64,
}

impl Weights {
    pub(super) fn ones(clauses: usize) -> Self {
        let parts = vec![0.0; clauses];
        Self { parts, scale: 1.0, base: 1.0, total: clauses as f64, unit: 1.0, threshold: THRESHOLD }
    }

    /// Multiplies a weight; returns what its part has gained.
    #[inline]
    pub(super) fn grow(&mut self, clause: usize, alpha: f64) -> f64 {
        let gain = (alpha - 1.0) * (self.scale * self.parts[clause] + self.base);
        self.total += gain;
        let gain = gain / self.scale;
        self.parts[clause] += gain;
        gain
    }

    fn mean(&self) -> f64 {
        self.total / self.parts.len() as f64
    }

    /// To be called when weights have grown.
    #[inline]
    pub(super) fn settle_threshold(&mut self) {
        self.threshold = (THRESHOLD / self.unit).max(ROUNDING * self.mean());
    }

    pub(super) fn smooth(&mut self, rho: f64) {
        self.base = rho * self.base + (1.0 - rho) * self.mean();
        self.scale *= rho;
    }

    /// Whether the numbers have become so small or large that they should be renewed.
    #[inline]
    pub(super) fn are_extreme(&self) -> bool {
        self.scale < 1.0 / LARGE || self.total > LARGE
    }

    /// The same weights in units of their mean.
    pub(super) fn renew(&mut self) {
        let mean = self.mean();
        for part in &mut self.parts {
            *part = *part * self.scale / mean;
        }
        self.scale = 1.0;
        self.base /= mean;
        self.total = self.parts.len() as f64;
        self.unit *= mean;
        self.settle_threshold();
    }
}
