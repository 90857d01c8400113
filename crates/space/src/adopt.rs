//! Configurations between two others: one configuration takes over some values of another.
//!
//! | parameter | value in the result |
//! |---|---|
//! | one of those taken over | the other configuration's |
//! | active before and after | its own |
//! | active only after | the other configuration's; its default if it is inactive there too |
//! | inactive after | none |

use super::parameter::ParameterId;
use super::settle::{Slot, Violation};
use super::{Configuration, ConfigurationError, Space};

impl Space {
    /// Returns `own` with the values that `other` has for some parameters. Parameters that become active
    /// take their values from `other` too.
    ///
    /// Returns an error if the result is forbidden, or if it violates bounds that depend on other parameters.
    pub fn adopt(
        &self,
        own: &Configuration,
        other: &Configuration,
        taken: &[ParameterId],
    ) -> Result<Configuration, ConfigurationError> {
        let (own, other) = (own.codes(), other.codes());
        let mut codes = own.to_vec();
        let mut outside = None;
        for group in &self.data.batches {
            let outcome = self.data.settle(group, &mut codes, |index, slot: Slot<'_>, _| {
                let is_taken = taken.iter().any(|id| id.index() == index);
                let code = if is_taken || own[index].is_nan() { other[index] } else { own[index] };
                match &slot {
                    _ if code.is_nan() => slot.default(&self.data.parameters[index]),
                    Slot::Range(scale) if !scale.contains(code) => {
                        outside.get_or_insert(index);
                        code
                    }
                    _ => code,
                }
            });
            let named =
                |index: usize| ConfigurationError::Outside(self.parameters()[index].name().to_owned());
            if let Some(index) = outside {
                return Err(named(index));
            }
            outcome.map_err(|violation| match violation {
                Violation::Forbidden(clause) => {
                    ConfigurationError::Forbidden(self.clause_text(clause as usize))
                }
                Violation::Empty(id) | Violation::Outside(id) => named(id.index()),
            })?;
        }
        Ok(Configuration::new(self.clone(), codes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Literal;
    use crate::format::{Format, read};

    fn space() -> Space {
        let text = "mode = { choices = [\"a\", \"b\"], default = \"a\" }\n\
                    x = { float = [0, 1], default = 0.1 }\n\
                    depth = { integer = [1, 9], default = 3, when = \"mode == 'b'\" }\n\
                    forbidden = [\"mode == 'b' && x < 0.2\"]\n";
        read(text, "space.toml", Format::Toml).unwrap()
    }

    fn taken(space: &Space, names: &[&str]) -> Vec<ParameterId> {
        names.iter().map(|name| space.find(name).unwrap()).collect()
    }

    #[test]
    fn activated_parameters_come_along_and_forbidden_results_are_errors() {
        let space = space();
        let default = space.default_configuration();
        let best = [
            ("mode", Literal::Text("b".into())),
            ("x", Literal::Float(0.123_456_789_012_345_68)),
            ("depth", Literal::Integer(7)),
        ];
        let forbidden = space.configuration(best.clone()).unwrap_err();
        assert!(matches!(forbidden, ConfigurationError::Forbidden(_)), "{forbidden}");
        let mut best = best;
        best[1].1 = Literal::Float(0.623_456_789_012_345_7);
        let best = space.configuration(best).unwrap();
        let change = |own: &Configuration, names: &[&str]| space.adopt(own, &best, &taken(&space, names));
        assert!(matches!(change(&default, &["mode"]), Err(ConfigurationError::Forbidden(_))));
        let with_x = change(&default, &["x"]).unwrap();
        assert_eq!(with_x.to_string(), "mode=a x=0.6234567890123457");
        let with_both = change(&with_x, &["mode"]).unwrap();
        assert_eq!(with_both, best, "the depth comes with the mode, and no value is rounded");
        let back = space.adopt(&best, &default, &taken(&space, &["mode"])).unwrap();
        assert_eq!(back.to_string(), "mode=a x=0.6234567890123457");
    }
}
