//! Formats TOML values.

pub use space::format::{toml_key as key, toml_text as text};

use space::float_text;

/// Formats a list of strings.
pub fn texts<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| text(item.as_ref())).collect();
    format!("[{}]", items.join(", "))
}

/// Formats a list of strings. In a long list, each string is on its own line.
pub fn list<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| text(item.as_ref())).collect();
    let short = items.iter().map(String::len).sum::<usize>() < 90;
    if short { format!("[{}]", items.join(", ")) } else { format!("[\n  {},\n]", items.join(",\n  ")) }
}

/// Formats a single string, or a list if there are several.
pub fn one_or_more<T: AsRef<str>>(items: &[T]) -> String {
    match items {
        [one] => text(one.as_ref()),
        several => texts(several),
    }
}

/// Formats a number. Whole numbers have no decimal point.
pub fn number(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 { format!("{number}") } else { float_text(number) }
}

/// Formats a duration in quotes. The unit is the largest one in which the duration is a whole number.
pub fn duration(seconds: f64) -> String {
    let whole = |unit: f64| seconds >= unit && seconds % unit == 0.0;
    text(&match seconds {
        s if whole(3600.0) => format!("{}h", number(s / 3600.0)),
        s if whole(60.0) && s >= 120.0 => format!("{}m", number(s / 60.0)),
        s => format!("{}s", number(s)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_back_unchanged() {
        let odd = "a \"b\" \\ \n\t\u{1} é";
        let line = format!("{} = {}", key("a.b c"), text(odd));
        let table = toml::de::DeTable::parse(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(table.get_ref()["a.b c"].get_ref().as_str(), Some(odd));
        assert_eq!(
            [3600.0, 600.0, 5.0, 0.25, 100.125, 1e9].map(duration),
            ["\"1h\"", "\"10m\"", "\"5s\"", "\"0.25s\"", "\"100.125s\"", "\"1000000000s\""]
        );
        assert_eq!([3.0, 0.5, 1e300].map(number), ["3", "0.5", "1e300"]);
        assert_eq!(
            (one_or_more(&["a"]), one_or_more(&["a", "b"])),
            ("\"a\"".into(), "[\"a\", \"b\"]".into())
        );
    }
}
