//! Finds the setting that failing configurations share and others lack.
//!
//! ```text
//! p = d ((c + 1) / (n + 1))^k
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | k | number of failing configurations, all of which have the setting |
//! | n, c | number of other configurations, and of those that have the setting |
//! | d | number of settings considered |
//! | p | about how likely it is that some setting is this well shared by chance |

use serde::Serialize;
use space::{Configuration, Kind, ParameterId, Space};

/// Largest p at which a setting is named.
const SIGNIFICANCE: f64 = 0.01;

/// A setting that all configurations of a group share.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CommonSetting {
    /// The setting, such as `mode=fast` or `size >= 6`.
    pub setting: String,
    /// Number of other configurations that have it, too.
    pub also: usize,
    /// Number of other configurations.
    pub others: usize,
}

/// Returns the setting that all `failing` configurations have and the fewest of the `others`; `None` if
/// chance could explain it.
pub(crate) fn common_setting(
    space: &Space,
    failing: &[&Configuration],
    others: &[&Configuration],
) -> Option<CommonSetting> {
    let variable = space.ids().filter(|&id| space.parameter(id).is_variable());
    let settings: Vec<Setting> = variable.flat_map(|id| shared(space, id, failing)).collect();
    let also = |setting: &Setting| others.iter().filter(|other| setting.holds(other)).count();
    let (setting, also) =
        settings.iter().map(|setting| (setting, also(setting))).min_by_key(|&(_, also)| also)?;
    let share = (also + 1) as f64 / (others.len() + 1) as f64;
    let p = settings.len() as f64 * share.powf(failing.len() as f64);
    (p <= SIGNIFICANCE).then(|| CommonSetting { setting: setting.text(space), also, others: others.len() })
}

/// The values of a parameter between two codes.
struct Setting {
    parameter: ParameterId,
    least: f64,
    greatest: f64,
}

impl Setting {
    fn holds(&self, configuration: &Configuration) -> bool {
        // An inactive parameter has the code NaN, which is in no range.
        (self.least..=self.greatest).contains(&configuration.codes()[self.parameter.index()])
    }

    fn text(&self, space: &Space) -> String {
        let parameter = space.parameter(self.parameter);
        let (name, least, greatest) = (parameter.name(), self.least, self.greatest);
        if least == greatest {
            format!("{name}={}", parameter.literal(least))
        } else if greatest.is_finite() {
            format!("{name} <= {}", parameter.literal(greatest))
        } else {
            format!("{name} >= {}", parameter.literal(least))
        }
    }
}

/// Returns the settings of a parameter that all these configurations share: a common value, or else a lower
/// and an upper bound, unless the parameter is categorical.
fn shared(space: &Space, parameter: ParameterId, failing: &[&Configuration]) -> Vec<Setting> {
    let codes = || failing.iter().map(|configuration| configuration.codes()[parameter.index()]);
    if failing.is_empty() || codes().any(f64::is_nan) {
        return Vec::new();
    }
    let (low, high) = (codes().fold(f64::INFINITY, f64::min), codes().fold(f64::NEG_INFINITY, f64::max));
    let between = |least, greatest| Setting { parameter, least, greatest };
    if low == high {
        vec![between(low, low)]
    } else if space.parameter(parameter).kind() == Kind::Categorical {
        Vec::new()
    } else {
        vec![between(low, f64::INFINITY), between(f64::NEG_INFINITY, high)]
    }
}

#[cfg(test)]
mod tests {
    use space::{Literal, ParameterDefinition, SpaceBuilder};

    use super::*;

    fn space() -> Space {
        let mut builder = SpaceBuilder::default();
        builder.parameter(ParameterDefinition::integer("size", 1, 20));
        builder.parameter(ParameterDefinition::categorical("mode", ["slow", "fast", "wild"]));
        builder.finish().unwrap()
    }

    /// Finds the common setting of the configurations that fail, out of all.
    fn found(fails: impl Fn(i64, &str) -> bool) -> Option<CommonSetting> {
        let space = space();
        let mut both = (Vec::new(), Vec::new());
        for size in 1..=20_i64 {
            let mode = ["slow", "fast", "wild"][size as usize % 3];
            let values = [("size", Literal::Integer(size)), ("mode", Literal::Text(mode.to_owned()))];
            let configuration = space.configuration(values).unwrap();
            if fails(size, mode) { both.0.push(configuration) } else { both.1.push(configuration) }
        }
        let (failing, others): (Vec<_>, Vec<_>) = (both.0.iter().collect(), both.1.iter().collect());
        common_setting(&space, &failing, &others)
    }

    fn common(setting: &str, also: usize, others: usize) -> Option<CommonSetting> {
        Some(CommonSetting { setting: setting.to_owned(), also, others })
    }

    #[test]
    fn values_and_bounds_are_found() {
        assert_eq!(found(|_, mode| mode == "wild"), common("mode=wild", 0, 13));
        assert_eq!(found(|size, _| size >= 17), common("size >= 17", 0, 16));
        assert_eq!(found(|size, _| size <= 4), common("size <= 4", 0, 16));
        assert_eq!(found(|size, _| size >= 15 && size != 18), common("size >= 15", 1, 15));
    }

    #[test]
    fn nothing_is_claimed_without_evidence() {
        assert_eq!(found(|_, _| false), None);
        assert_eq!(found(|size, _| size == 20), None, "one failure has every one of its settings");
        assert_eq!(found(|size, _| size % 2 == 0), None);
        assert_eq!(found(|_, _| true), None, "there is nothing to compare with");
    }
}
