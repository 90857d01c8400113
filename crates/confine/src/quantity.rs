//! Durations, sizes and core lists as people write them: `2.5s`, `1GiB`, `0,2-3`.
//!
//! | quantity | units | number without a unit |
//! |---|---|---|
//! | duration | `us` `ms` `s` `m` `h` `d` | seconds |
//! | size | `B` `kB` `MB` `GB` `TB` (powers of 1000), `KiB` `MiB` `GiB` `TiB` (of 1024) | bytes; below 1 MiB an error, because rarely bytes are meant |

use std::fmt;
use std::time::Duration;

use thiserror::Error;

use crate::limits::Cores;

/// Text that is not a valid quantity.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is not {wanted}: {why}")]
pub struct QuantityError {
    /// The text.
    pub text: String,
    /// The expected form, with an example.
    pub wanted: &'static str,
    /// The reason why the text is invalid.
    pub why: String,
}

const DURATION: &str = "a duration such as `250ms`, `2.5s` or `1h`";
const SIZE: &str = "a size such as `512MiB` or `2GB`";
const CORES: &str = "a list of cores such as `0` or `0,2-3`";

/// Parses a positive, finite duration.
pub fn parse_duration(text: &str) -> Result<Duration, QuantityError> {
    let fail = |why: String| QuantityError { text: text.into(), wanted: DURATION, why };
    let (number, unit) = split_unit(text).map_err(fail)?;
    let seconds = number
        * match unit {
            "us" | "µs" => 1e-6,
            "ms" => 1e-3,
            "" | "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            other => return Err(fail(unknown_unit(other, "us, ms, s, m, h, d"))),
        };
    if seconds <= 0.0 {
        return Err(fail("it must be more than zero".into()));
    }
    let duration = Duration::try_from_secs_f64(seconds).map_err(|_| fail("it is too long".into()))?;
    if duration.is_zero() { Err(fail("it is less than a nanosecond".into())) } else { Ok(duration) }
}

/// Parses a positive size in bytes.
pub fn parse_size(text: &str) -> Result<u64, QuantityError> {
    let fail = |why: String| QuantityError { text: text.into(), wanted: SIZE, why };
    let (number, unit) = split_unit(text).map_err(fail)?;
    let factor: u64 = match unit {
        "" if number < f64::from(1 << 20) => {
            return Err(fail(format!("add a unit, as in `{text}MB` or `{text}B`")));
        }
        "" | "B" => 1,
        "k" | "kB" | "KB" => 1000,
        "M" | "MB" => 1000_u64.pow(2),
        "G" | "GB" => 1000_u64.pow(3),
        "T" | "TB" => 1000_u64.pow(4),
        "Ki" | "KiB" => 1 << 10,
        "Mi" | "MiB" => 1 << 20,
        "Gi" | "GiB" => 1 << 30,
        "Ti" | "TiB" => 1 << 40,
        other => return Err(fail(unknown_unit(other, "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB"))),
    };
    let bytes = number * factor as f64;
    if bytes < 1.0 {
        return Err(fail("it must be at least one byte".into()));
    }
    if bytes > i64::MAX as f64 {
        return Err(fail("it is too large".into()));
    }
    Ok(bytes as u64)
}

/// Parses a list of core numbers and ranges.
pub fn parse_cores(text: &str) -> Result<Cores, QuantityError> {
    let fail = |why: String| QuantityError { text: text.into(), wanted: CORES, why };
    let number = |digits: &str| {
        let core: usize =
            digits.trim().parse().map_err(|_| fail(format!("`{digits}` is not a core number")))?;
        if core < Cores::CEILING {
            Ok(core)
        } else {
            Err(fail(format!("the largest core number is {}", Cores::CEILING - 1)))
        }
    };
    let mut cores = Cores::default();
    for part in text.split(',') {
        let (first, last) = match part.split_once('-') {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(part)?, number(part)?),
        };
        if first > last {
            return Err(fail(format!("the range `{part}` is backwards")));
        }
        (first..=last).for_each(|core| cores.insert(core));
    }
    Ok(cores)
}

/// Splits `2.5s` into 2.5 and `s`; the number must be finite and not negative.
fn split_unit(text: &str) -> Result<(f64, &str), String> {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|&(at, c)| {
            let exponent_sign = (c == '+' || c == '-') && at > 0 && text[..at].ends_with(['e', 'E']);
            let exponent = (c == 'e' || c == 'E')
                && text[at + 1..].starts_with(|d: char| d.is_ascii_digit() || d == '-' || d == '+');
            !(c.is_ascii_digit()
                || c == '.'
                || exponent
                || exponent_sign
                || (at == 0 && (c == '-' || c == '+')))
        })
        .map_or(text.len(), |(at, _)| at);
    let (number, unit) = (&text[..end], text[end..].trim());
    let number: f64 = number.parse().map_err(|_| "it does not begin with a number".to_owned())?;
    if !number.is_finite() {
        return Err("it is not a finite number".into());
    }
    if number < 0.0 {
        return Err("it is negative".into());
    }
    Ok((number, unit))
}

fn unknown_unit(unit: &str, known: &str) -> String {
    format!("`{unit}` is not one of the units {known}")
}

/// Formats a duration in a suitable unit: `250ms`, `2.5s`, `5m`.
pub fn show_duration(duration: Duration) -> impl fmt::Display {
    let seconds = duration.as_secs_f64();
    let (number, unit) = match seconds {
        s if s < 1e-3 => (s * 1e6, "us"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s if s < 120.0 => (s, "s"),
        s if s < 7200.0 && is_short(s / 60.0) => (s / 60.0, "m"),
        s if s >= 7200.0 && is_short(s / 3600.0) => (s / 3600.0, "h"),
        s if is_short(s / 60.0) => (s / 60.0, "m"),
        s => (s, "s"),
    };
    format!("{}{unit}", short(number))
}

/// Formats a size in a suitable binary unit: `512MiB`.
pub fn show_size(bytes: u64) -> impl fmt::Display {
    let (number, unit) = match bytes {
        b if b < 1 << 10 => (b as f64, "B"),
        b if b < 1 << 20 => (b as f64 / f64::from(1 << 10), "KiB"),
        b if b < 1 << 30 => (b as f64 / f64::from(1 << 20), "MiB"),
        b => (b as f64 / f64::from(1 << 30), "GiB"),
    };
    format!("{}{unit}", short(number))
}

/// Returns whether a number needs at most one decimal.
fn is_short(number: f64) -> bool {
    (number * 10.0 - (number * 10.0).round()).abs() < 1e-9
}

/// Formats a number with at most three decimals and no trailing zeros.
fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_numbers_with_units() {
        for (text, nanos) in [
            ("2.5s", 2_500_000_000),
            ("250ms", 250_000_000),
            ("7us", 7_000),
            ("3", 3_000_000_000),
            ("1e-3", 1_000_000),
            ("1.5e2ms", 150_000_000),
            ("2m", 120_000_000_000),
            ("1 h", 3_600_000_000_000),
        ] {
            assert_eq!(parse_duration(text).map(|d| d.as_nanos()), Ok(nanos), "{text}");
        }
    }

    #[test]
    fn invalid_durations_are_rejected_with_a_reason() {
        for (text, why) in [
            ("0", "more than zero"),
            ("-1s", "negative"),
            ("nan", "begin with a number"),
            ("inf", "begin with a number"),
            ("1e999", "finite"),
            ("1e300", "too long"),
            ("1e-12", "less than a nanosecond"),
            ("5 parsecs", "`parsecs` is not one of the units"),
            ("", "begin with a number"),
            ("é", "begin with a number"),
        ] {
            let error = parse_duration(text).expect_err(text);
            assert!(error.why.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn sizes_distinguish_decimal_and_binary_units() {
        assert_eq!(parse_size("1GiB"), Ok(1 << 30));
        assert_eq!(parse_size("1GB"), Ok(1_000_000_000));
        assert_eq!(parse_size("0.5KiB"), Ok(512));
        assert!(parse_size("0B").is_err());
        assert!(parse_size("1e30B").is_err());
        assert_eq!(parse_size("512").unwrap_err().why, "add a unit, as in `512MB` or `512B`");
        assert_eq!(parse_size("2000000000"), Ok(2_000_000_000));
        assert!(parse_size("5furlongs").is_err());
    }

    #[test]
    fn core_lists_contain_single_cores_and_ranges() {
        let cores = parse_cores("0,2-3").expect("a list");
        assert_eq!(cores.iter().collect::<Vec<_>>(), [0, 2, 3]);
        for bad in ["", "x", "3-1", "99999", "1,,2", "-1"] {
            assert!(parse_cores(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn formatted_durations_can_be_parsed_again() {
        for text in ["250ms", "2.5s", "90s", "5m", "7us"] {
            let duration = parse_duration(text).expect(text);
            assert_eq!(parse_duration(&show_duration(duration).to_string()), Ok(duration));
        }
        assert_eq!(show_size(1 << 29).to_string(), "512MiB");
    }
}
