//! Settings that are out of range.

/// The error for a setting that is out of range.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[error("`{setting}` is {value}, but must be {expected}")]
pub struct OutOfRange {
    /// Name of the setting.
    pub setting: &'static str,
    /// Its value.
    pub value: f64,
    /// The values that are allowed.
    pub expected: &'static str,
}

impl OutOfRange {
    /// Returns an error unless a real number satisfies a condition. NaN never does.
    pub fn unless(
        holds: impl FnOnce(f64) -> bool,
        setting: &'static str,
        value: f64,
        expected: &'static str,
    ) -> Result<(), Self> {
        if !value.is_nan() && holds(value) { Ok(()) } else { Err(Self { setting, value, expected }) }
    }

    /// Returns an error if a count is 0.
    pub fn if_zero(setting: &'static str, count: usize) -> Result<(), Self> {
        Self::unless(|value| value >= 1.0, setting, count as f64, "at least 1")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_names_the_setting_its_value_and_what_is_allowed() {
        let error = OutOfRange::if_zero("trees", 0).unwrap_err();
        assert_eq!(error.to_string(), "`trees` is 0, but must be at least 1");
        assert!(OutOfRange::unless(|x| x < 9.0, "rate", f64::NAN, "below 9").is_err());
        assert_eq!(OutOfRange::unless(|x| x < 9.0, "rate", 1.0, "below 9"), Ok(()));
    }
}
