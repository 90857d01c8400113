//! Ranges of numbers and their unit scale.
//!
//! Every number v in a range has a position u in [0, 1], and every u maps to a number v. If u is uniform, v
//! is uniform on the range (uniform in log v for logarithmic ranges).
//!
//! | range | v from u | u from v |
//! |---|---|---|
//! | float | l + u (h - l) | (v - l) / (h - l) |
//! | float, log | exp(ln l + u ln(h / l)) | ln(v / l) / ln(h / l) |
//! | n grid points | l + s floor(u n) | ((v - l) / s + 1/2) / n |
//! | grid points, log | nearest to exp(ln e + u ln(g / e)) | ln(v / e) / ln(g / e) |
//!
//! l, h: lower and upper bound; s: step (1 for integers); e = max(l - s/2, l/2) and g = h + s/2:
//! the outer edges, which give the end points as much width as their neighbours.

use math::elementary;

use super::expression::Quantity;

/// Largest whole number in a range: up to this size, sums, differences and halves are exact in a float.
pub const LARGEST_INTEGER: f64 = 4_503_599_627_370_496.0;

/// One end of a range.
#[derive(Clone, PartialEq, Debug)]
pub enum Bound {
    /// A number that is the same for every configuration.
    Number(f64),
    /// A number computed from the values of other parameters.
    Dependent(Quantity),
}

impl Bound {
    /// Returns the number if it does not depend on other parameters.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Dependent(_) => None,
        }
    }

    fn value(&self, codes: &[f64]) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Dependent(quantity) => quantity.value(codes),
        }
    }
}

/// The values of a float or integer parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Range {
    pub(crate) lower: Bound,
    pub(crate) upper: Bound,
    pub(crate) log: bool,
    pub(crate) step: Option<f64>,
    pub(crate) integer: bool,
    /// `Some` if neither bound depends on other parameters.
    pub(crate) scale: Option<Scale>,
}

/// A range whose bounds have been evaluated for one configuration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Extent {
    Scale(Scale),
    /// A bound mentions an inactive parameter, so this parameter is inactive too.
    Inactive,
    /// The lower bound is above the upper one, or the bounds are invalid for this range.
    Empty,
}

impl Range {
    /// Returns the lower bound.
    pub fn lower(&self) -> &Bound {
        &self.lower
    }

    /// Returns the upper bound.
    pub fn upper(&self) -> &Bound {
        &self.upper
    }

    /// Returns whether the range is logarithmic: uniform in the logarithm of the value.
    pub fn log(&self) -> bool {
        self.log
    }

    /// Returns the distance between neighbouring values, counted from the lower bound, if one is set.
    pub fn step(&self) -> Option<f64> {
        self.step
    }

    /// Returns whether the range contains only whole numbers.
    pub fn integer(&self) -> bool {
        self.integer
    }

    /// Returns the lower and upper bound if neither depends on other parameters.
    pub fn fixed_bounds(&self) -> Option<(f64, f64)> {
        self.lower.number().zip(self.upper.number())
    }

    /// Returns the grid points; `None` if the range is continuous or a bound depends on other parameters.
    pub fn grid(&self) -> Option<Grid> {
        self.scale.filter(|scale| scale.step > 0.0).map(Grid)
    }

    pub(crate) fn extent(&self, codes: &[f64]) -> Extent {
        if let Some(scale) = self.scale {
            return Extent::Scale(scale);
        }
        let (mut lower, mut upper) = (self.lower.value(codes), self.upper.value(codes));
        if lower.is_nan() || upper.is_nan() {
            return Extent::Inactive;
        }
        if self.integer {
            (lower, upper) = (libm::ceil(lower), libm::floor(upper));
        }
        match Scale::new(lower, upper, self.log, self.step, self.integer) {
            Some(scale) => Extent::Scale(scale),
            None => Extent::Empty,
        }
    }
}

/// The grid points of a range, numbered from 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Grid(Scale);

impl Grid {
    /// Returns the number of grid points, which is at least 1.
    pub fn count(&self) -> u64 {
        self.0.count as u64
    }

    /// Returns the value of a grid point.
    pub fn value(&self, index: u64) -> f64 {
        self.0.point(index as f64)
    }

    /// Returns the position of a grid point on the unit scale.
    pub fn position(&self, index: u64) -> f64 {
        self.0.encode(self.value(index))
    }
}

/// The map between the numbers of a range and [0, 1].
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Scale {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    /// Distance between grid points; 0 for a continuous range.
    step: f64,
    /// Number of grid points.
    count: f64,
    /// Grid points per unit, if this number and its product with the lower bound are whole; else 0. With the
    /// density, a grid with step 0.1 contains 0.3 instead of 0.30000000000000004.
    density: f64,
    /// The lower bound in grid points, if the density is not 0.
    first: f64,
    log: bool,
    /// Logarithm of the lower edge, and difference between the edges' logarithms.
    origin: f64,
    width: f64,
    /// Whether an edge is too close to zero or infinity for [`elementary::ln`].
    extreme: bool,
}

impl Scale {
    /// Creates the scale. `None` if the bounds are invalid, or if the range is logarithmic and does not start
    /// above zero.
    pub(crate) fn new(lower: f64, upper: f64, log: bool, step: Option<f64>, integer: bool) -> Option<Self> {
        let sensible = lower.is_finite() && upper.is_finite() && (upper - lower).is_finite();
        let exact = !integer || lower.abs().max(upper.abs()) <= LARGEST_INTEGER;
        if !sensible || !exact || lower > upper || (log && lower <= 0.0) {
            return None;
        }
        let step = step.unwrap_or(f64::from(u8::from(integer)));
        let count = if step > 0.0 { libm::floor((upper - lower) / step + 1e-9) + 1.0 } else { 0.0 };
        if count > 2.0 * LARGEST_INTEGER + 1.0 {
            return None;
        }
        let density = if step > 0.0 { libm::round(1.0 / step) } else { 0.0 };
        let whole =
            |x: f64| (x - libm::round(x)).abs() <= 1e-9 * x.abs().max(1.0) && x.abs() < LARGEST_INTEGER;
        let density = if whole(1.0 / step) && whole(lower * density) { density } else { 0.0 };
        let first = libm::round(lower * density);
        let (low, high) = if step > 0.0 {
            ((lower - step / 2.0).max(lower / 2.0), upper + step / 2.0)
        } else {
            (lower, upper)
        };
        let extreme = log && ![low, high].map(libm::log).into_iter().all(elementary::is_ordinary_exponent);
        let ln = if extreme { libm::log } else { elementary::ln };
        let (origin, width) = if log { (ln(low), ln(high) - ln(low)) } else { (lower, upper - lower) };
        Some(Self { lower, upper, step, count, density, first, log, origin, width, extreme })
    }

    /// Returns the number at a position on the unit scale; positions outside [0, 1] are clamped.
    #[inline]
    pub(crate) fn decode(&self, unit: f64) -> f64 {
        let unit = unit.clamp(0.0, 1.0);
        if self.log {
            // Rounding in the exponential would miss the end points.
            let value = match unit {
                0.0 => self.lower,
                1.0 => self.upper,
                _ => self.exp(self.origin + unit * self.width),
            };
            return self.snap(value);
        }
        if self.step > 0.0 {
            return self.point(whole_part(unit * self.count));
        }
        (self.lower + unit * self.width).clamp(self.lower, self.upper)
    }

    /// [Decodes](Self::decode) many positions in [0, 1), up to rounding at the ends. Every case is a
    /// loop without branches, so the compiler can vectorise it.
    pub(crate) fn decode_all(&self, units: &mut [f64]) {
        let Self { lower, upper, step, count, log, origin, width, extreme, .. } = *self;
        if extreme || count > f64::from(i32::MAX) {
            units.iter_mut().for_each(|x| *x = self.decode(*x));
        } else if log {
            units.iter_mut().for_each(|x| *x = elementary::exp(origin + *x * width));
            if step > 0.0 {
                // Adding 0.5 makes the cast round to the nearest integer.
                units.iter_mut().for_each(|x| *x = self.point(f64::from(((*x - lower) / step + 0.5) as i32)));
            } else {
                units.iter_mut().for_each(|x| *x = x.clamp(lower, upper));
            }
        } else if step > 0.0 {
            units.iter_mut().for_each(|x| *x = self.point(f64::from((*x * count) as i32)));
        } else {
            units.iter_mut().for_each(|x| *x = (lower + *x * width).clamp(lower, upper));
        }
    }

    /// [Encodes](Self::encode) many numbers; NaN stays NaN.
    pub(crate) fn encode_all(&self, numbers: &mut [f64]) {
        let Self { lower, step, count, log, origin, width, extreme, .. } = *self;
        if extreme || width == 0.0 {
            numbers.iter_mut().for_each(|x| *x = if x.is_nan() { *x } else { self.encode(*x) });
        } else if log {
            let unit = |x: f64| ((elementary::ln(x) - origin) / width).clamp(0.0, 1.0);
            numbers.iter_mut().for_each(|x| *x = if x.is_nan() { *x } else { unit(*x) });
        } else if step > 0.0 {
            numbers.iter_mut().for_each(|x| *x = (((*x - lower) / step + 0.5) / count).clamp(0.0, 1.0));
        } else {
            numbers.iter_mut().for_each(|x| *x = ((*x - lower) / width).clamp(0.0, 1.0));
        }
    }

    #[inline]
    fn exp(&self, x: f64) -> f64 {
        if self.extreme { libm::exp(x) } else { elementary::exp(x) }
    }

    #[inline]
    fn ln(&self, x: f64) -> f64 {
        if self.extreme { libm::log(x) } else { elementary::ln(x) }
    }

    /// Returns the position of a number on the unit scale.
    #[inline]
    pub(crate) fn encode(&self, value: f64) -> f64 {
        let unit = if self.log {
            (self.ln(value) - self.origin) / self.width
        } else if self.step > 0.0 {
            ((value - self.lower) / self.step + 0.5) / self.count
        } else {
            (value - self.lower) / self.width
        };
        if self.width == 0.0 { 0.5 } else { unit.clamp(0.0, 1.0) }
    }

    /// Returns the number in the range that is nearest to `value`.
    #[inline]
    pub(crate) fn snap(&self, value: f64) -> f64 {
        if self.step > 0.0 {
            return self.point(whole_part((value - self.lower) / self.step + 0.5));
        }
        value.clamp(self.lower, self.upper)
    }

    #[inline]
    fn point(&self, index: f64) -> f64 {
        let index = index.clamp(0.0, self.count - 1.0);
        if self.density > 0.0 {
            let value = (self.first + index) / self.density;
            return value.clamp(self.lower, self.upper);
        }
        (self.lower + index * self.step).min(self.upper)
    }

    /// Returns whether a number is within the bounds and, up to rounding, on the grid.
    pub(crate) fn contains(&self, value: f64) -> bool {
        let near = (1e-9 * self.step).max(1e-15 * value.abs());
        value >= self.lower
            && value <= self.upper
            && (self.step == 0.0 || (self.snap(value) - value).abs() <= near)
    }

    /// Returns the number of grid points; `None` for a continuous range.
    pub(crate) fn count(&self) -> Option<f64> {
        (self.step > 0.0).then_some(self.count)
    }

    /// Returns whether the range has only one number.
    pub(crate) fn is_single(&self) -> bool {
        self.count == 1.0 || self.lower == self.upper
    }

    /// Returns the midpoint of the bounds, or their geometric mean if the range is logarithmic.
    pub(crate) fn middle(&self) -> f64 {
        if self.log {
            return self.snap(self.exp((self.ln(self.lower) + self.ln(self.upper)) / 2.0));
        }
        self.decode(0.5)
    }
}

/// Truncates a number. A cast is one instruction; `floor` is a function call on older processors.
fn whole_part(x: f64) -> f64 {
    x as i64 as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(lower: f64, upper: f64, log: bool, step: Option<f64>, integer: bool) -> Scale {
        Scale::new(lower, upper, log, step, integer).unwrap()
    }

    #[test]
    fn every_grid_point_survives_encoding_and_decoding() {
        for s in [
            scale(-3.0, 7.0, false, None, true),
            scale(1.0, 200.0, true, None, true),
            scale(10.0, 100.0, true, Some(5.0), true),
            scale(0.0, 1.0, false, Some(0.1), false),
            scale(0.5, 4.0, true, Some(0.25), false),
        ] {
            for i in 0..s.count as usize {
                let value = s.point(i as f64);
                assert!(s.contains(value), "{s:?} {value}");
                assert_eq!(s.decode(s.encode(value)), value, "{s:?}");
            }
        }
    }

    #[test]
    fn decimal_grids_have_decimal_points() {
        let s = scale(-0.2, 1.0, false, Some(0.1), false);
        let points: Vec<f64> = (0..13).map(|i| s.point(f64::from(i))).collect();
        assert_eq!(points, [-0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]);
        assert_eq!(scale(1e-7, 1e-3, true, Some(1e-7), false).snap(1.23e-5), 1.23e-5);
    }

    #[test]
    fn integers_share_the_unit_interval_evenly() {
        let s = scale(0.0, 3.0, false, None, true);
        assert_eq!([0.0, 0.24, 0.26, 0.74, 0.76, 1.0].map(|u| s.decode(u)), [0.0, 0.0, 1.0, 2.0, 3.0, 3.0]);
        let log = scale(1.0, 8.0, true, None, true);
        assert_eq!((log.decode(0.0), log.decode(1.0)), (1.0, 8.0));
    }

    #[test]
    fn a_float_range_decodes_its_ends_exactly_and_has_a_midpoint() {
        let s = scale(1e-3, 1e3, true, None, false);
        assert_eq!((s.decode(0.0), s.decode(1.0)), (1e-3, 1e3));
        assert!((s.middle() - 1.0).abs() < 1e-12);
        assert!(!s.contains(1e3 + 1e-9) && !s.contains(f64::NAN));
        let point = scale(2.0, 2.0, false, None, false);
        assert_eq!((point.encode(2.0), point.decode(0.3)), (0.5, 2.0));
    }

    #[test]
    fn invalid_ranges_are_rejected() {
        assert!(Scale::new(2.0, 1.0, false, None, false).is_none());
        assert!(Scale::new(0.0, 1.0, true, None, false).is_none());
        assert!(Scale::new(0.0, f64::INFINITY, false, None, false).is_none());
        assert!(Scale::new(0.0, 1e300, false, None, true).is_none());
        assert!(Scale::new(f64::MIN, f64::MAX, false, None, false).is_none());
    }
}
