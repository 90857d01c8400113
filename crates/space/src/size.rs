//! The size of a space.

use super::{Domain, Parameter, Space};

/// The number of combinations of values that would exist if every parameter were active and nothing were
/// forbidden.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Size {
    /// Decimal logarithm of the number of combinations, over all parameters with finitely many values.
    pub log10: f64,
    /// Number of continuous parameters.
    pub continuous: usize,
    /// Number of parameters whose bounds depend on others; `log10` leaves them out.
    pub dependent: usize,
}

impl Space {
    /// Returns an upper bound on the size of the space.
    pub fn size(&self) -> Size {
        let mut size = Size { log10: 0.0, continuous: 0, dependent: 0 };
        for parameter in self.parameters().iter().filter(|parameter| parameter.is_variable()) {
            match (parameter.domain(), parameter.value_count()) {
                (_, Some(count)) => size.log10 += libm::log10(count),
                (Domain::Range(range), None) if range.fixed_bounds().is_none() => size.dependent += 1,
                _ => size.continuous += 1,
            }
        }
        size
    }
}

impl Parameter {
    /// Returns the number of values; `None` for a continuous range, or if it depends on other parameters.
    pub fn value_count(&self) -> Option<f64> {
        if self.fixed.is_some() {
            return Some(1.0);
        }
        match &self.domain {
            Domain::Range(range) => range.scale.and_then(|scale| scale.count()),
            Domain::Choices(choices) => Some(choices.count() as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::{Format, read};

    #[test]
    fn combinations_are_counted() {
        let text = "a = { integer = [1, 10] }\nb = { float = [0, 1], step = 0.25 }\nc = { choices = [\"x\", \"y\"] }\n\
                    d = { boolean = true, fixed = true }\ne = { constant = 1 }\nf = { float = [0, 1] }\n\
                    g = { integer = [0, \"a\"], default = 1 }\n";
        let space = read(text, "space.toml", Format::Toml).unwrap();
        let size = space.size();
        assert!((size.log10 - 2.0).abs() < 1e-12, "{size:?}");
        assert_eq!((size.continuous, size.dependent), (1, 1));
    }
}
