//! Formats numbers for tables.

/// Formats a number with about three significant digits.
pub(crate) fn short(value: f64) -> String {
    match value {
        value if value >= 1e6 => format!("{:.2} M", value / 1e6),
        value if value >= 1e4 => format!("{:.0} k", value / 1e3),
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 1.0 => format!("{value:.2}"),
        value => format!("{value:.4}"),
    }
}
