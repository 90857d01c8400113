//! Rounds proposed numbers to what a person would write: 0.163 instead of 0.16255011592855573.
//!
//! ```text
//! decimals = 3 - floor(log10(h - l))                    range [l, h]
//!            the larger of this and 2 - floor(log10 |v|)  logarithmic range, value v
//! ```
//!
//! So a range keeps at least a thousand different values, and a number in a logarithmic range has at
//! least three significant digits. A negative number of decimals rounds to tens, hundreds and so on;
//! for integers it is at most 0. Ranges with a step or with bounds that depend on other parameters are
//! left alone.

use super::configuration::Configuration;
use super::parameter::Domain;
use super::range::Range;

impl Configuration {
    /// Returns the configuration with rounded numbers, or the same configuration if the rounded one is
    /// forbidden or has other active parameters.
    #[must_use]
    pub fn rounded(&self) -> Self {
        let parameters = self.space().parameters().iter();
        let code = |(parameter, &code): (&super::Parameter, &f64)| match &parameter.domain {
            Domain::Range(range) if !code.is_nan() && parameter.fixed().is_none() => rounded(range, code),
            _ => code,
        };
        let codes: Vec<f64> = parameters.zip(self.codes()).map(code).collect();
        self.space().configuration_of_codes(codes).unwrap_or_else(|_| self.clone())
    }
}

fn rounded(range: &Range, value: f64) -> f64 {
    let Some((lower, upper)) = range.fixed_bounds().filter(|_| range.step().is_none()) else { return value };
    let width = upper - lower;
    if width <= 0.0 || !width.is_finite() {
        return value;
    }
    let magnitude = |number: f64| libm::floor(libm::log10(number)) as i32;
    let mut decimals = 3 - magnitude(width);
    if range.log() && value != 0.0 {
        decimals = decimals.max(2 - magnitude(value.abs()));
    }
    if range.integer() {
        decimals = decimals.min(0);
    }
    let near = if decimals >= 0 {
        // The decimal digits that are printed are those of the number itself.
        format!("{value:.*}", decimals.unsigned_abs() as usize).parse().unwrap_or(value)
    } else {
        let unit = libm::pow(10.0, f64::from(-decimals));
        libm::round(value / unit) * unit
    };
    near.clamp(lower, upper)
}

#[cfg(test)]
mod tests {
    use crate::format::{Format, read};
    use crate::{Literal, Space};

    fn space(text: &str) -> Space {
        read(text, "space.toml", Format::Toml).unwrap()
    }

    fn rounded(definition: &str, value: impl Into<Literal>) -> String {
        let space = space(&format!("x = {definition}\n"));
        let configuration = space.configuration([("x", value.into())]).unwrap().rounded();
        configuration.get("x").unwrap().to_string()
    }

    #[test]
    fn numbers_keep_a_thousandth_of_their_range_or_three_digits() {
        assert_eq!(rounded("{ float = [0, 1] }", 0.162_550_115_928), "0.163");
        assert_eq!(rounded("{ float = [1, 1.4] }", 1.292_127_027_9), "1.2921");
        assert_eq!(rounded("{ float = [1, 1.4], log = true }", 1.292_127_027_9), "1.2921");
        assert_eq!(rounded("{ float = [1e-9, 1], log = true }", 3.217_43e-8), "3.22e-8");
        assert_eq!(rounded("{ float = [-5e5, 5e5] }", 123_456.789), "123000.0");
        assert_eq!(rounded("{ float = [0, 0.9996] }", 0.99959), "0.9996");
        assert_eq!(rounded("{ integer = [1, 1000000], log = true }", 483_927), "483900");
        assert_eq!(rounded("{ integer = [1, 1000000], log = true }", 4_839), "4840");
        assert_eq!(rounded("{ integer = [1, 9000] }", 4_839), "4839");
        assert_eq!(rounded("{ float = [0, 1], step = 0.0625 }", 0.0625), "0.0625");
    }

    #[test]
    fn rounding_twice_changes_nothing_and_no_rounded_number_is_outside_its_range() {
        let space = space(
            "a = { float = [0.00123456, 0.0765432] }\nb = { float = [1e-7, 123.456], log = true }\n\
             c = { integer = [17, 7654321] }\nd = { float = [-3.3333, 4.4444] }\n",
        );
        let mut rng = math::Rng::new(7, "rounding", 0);
        for _ in 0..2000 {
            let once = space.sample(&mut rng).unwrap().rounded();
            assert_eq!(once.rounded(), once);
            assert!(space.check(once.codes()).is_ok());
        }
    }

    #[test]
    fn a_rounded_configuration_that_is_not_valid_is_not_used() {
        let space = space(
            "a = { float = [0, 1] }\nb = { float = [0, 1], when = \"a > 0.5\" }\nforbidden = [\"a >= 0.7\"]\n",
        );
        let of = |a: f64, b: Option<f64>| {
            let b = b.map(|b| ("b", Literal::Float(b)));
            space.configuration([("a", Literal::Float(a))].into_iter().chain(b)).unwrap()
        };
        let inactive = of(0.500_01, Some(0.25));
        assert_eq!(inactive.rounded(), inactive, "0.500 would make b inactive");
        let forbidden = of(0.699_99, Some(0.25));
        assert_eq!(forbidden.rounded(), forbidden, "0.700 is forbidden");
        assert_eq!(of(0.600_01, Some(0.250_01)).rounded(), of(0.6, Some(0.25)));
    }
}
