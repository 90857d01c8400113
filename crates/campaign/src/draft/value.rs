//! Values in TOML.

use std::time::Duration;

use confine::quantity::{parse_duration, show_duration};
use engine::space::float_text;

/// Text in quotes.
pub fn text(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out += &format!("\\u{:04X}", c as u32),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A list of texts.
pub fn texts<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| text(item.as_ref())).collect();
    format!("[{}]", items.join(", "))
}

/// One text, or a list of several.
pub fn one_or_more<T: AsRef<str>>(items: &[T]) -> String {
    match items {
        [one] => text(one.as_ref()),
        several => texts(several),
    }
}

/// A number: whole ones without a point.
pub fn number(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 { format!("{number}") } else { float_text(number) }
}

/// A duration in quotes, in the unit that fits if that loses nothing.
pub fn duration(seconds: f64) -> String {
    let exact = |time: &Duration| {
        let shown = show_duration(*time).to_string();
        (parse_duration(&shown).ok().as_ref() == Some(time)).then_some(shown)
    };
    let shown = Duration::try_from_secs_f64(seconds).ok().as_ref().and_then(exact);
    text(&shown.unwrap_or_else(|| format!("{}s", number(seconds))))
}

/// A key, in quotes where it must be.
pub fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if bare { name.to_owned() } else { text(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_back_as_what_they_were() {
        let odd = "a \"b\" \\ \n\t\u{1} é";
        let line = format!("{} = {}", key("a.b c"), text(odd));
        let table = toml::de::DeTable::parse(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(table.get_ref()["a.b c"].get_ref().as_str(), Some(odd));
        assert_eq!(
            [600.0, 5.0, 0.25, 100.123_456, 1e9].map(duration),
            ["\"10m\"", "\"5s\"", "\"250ms\"", "\"100.123456s\"", "\"1000000000s\""]
        );
        assert_eq!([3.0, 0.5, 1e300].map(number), ["3", "0.5", "1e300"]);
        assert_eq!(
            (one_or_more(&["a"]), one_or_more(&["a", "b"])),
            ("\"a\"".into(), "[\"a\", \"b\"]".into())
        );
    }
}
