//! An inline parameter: the text between braces.

use space::format::{Format, read as read_space};
use space::{Diagnostic, Span, parse_number};

use crate::draft::value;

/// Names that the TOML form of a space reserves.
const RESERVED: [&str; 3] = ["forbidden", "parameters", "from"];

/// An inline parameter in a command.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Inline {
    pub(super) name: String,
    pub(super) domain: Domain,
    /// Place of the parameter in the command.
    pub(super) span: Span,
}

/// Values of a parameter, as the user wrote them.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Domain {
    Range {
        lower: String,
        upper: String,
        log: bool,
        float: bool,
        default: Option<String>,
    },
    Choices {
        words: Vec<String>,
        default: Option<String>,
    },
    /// An argument that is present or absent.
    Flag {
        word: String,
        default: bool,
    },
}

/// The context of a parameter in the command.
pub(super) struct Place<'a> {
    /// The text before the parameter in the same word.
    pub(super) before: &'a str,
    /// The argument before the parameter's word.
    pub(super) previous: Option<&'a str>,
    /// Whether the parameter is the whole word.
    pub(super) whole: bool,
}

/// Returns whether the text between braces is a parameter; otherwise it is a placeholder.
pub(super) fn is_parameter(body: &str) -> bool {
    body.contains("..") || body.contains('|') || body.contains('=') || body.contains(": ")
}

/// Reads the text between the braces at `span`.
pub(super) fn read(body: &str, place: &Place<'_>, span: Span) -> Result<Inline, Vec<Diagnostic>> {
    let mut mistakes = Vec::new();
    let (own, rest) = split_name(body);
    let offset = body.len() - rest.len();
    // Returns the place of a part within the braces.
    let at = |part: &str| {
        let start = span.start + 1 + rest.find(part).unwrap_or(0) + offset;
        Span::new(start, start + part.len().max(1))
    };
    let domain = match rest.contains("..") && !rest.contains('|') {
        true => range(rest, &at, &mut mistakes),
        false => choices(rest, place, span, &mut mistakes),
    };
    let words: &[String] = match &domain {
        Some(Domain::Choices { words, .. }) => words,
        Some(Domain::Flag { word, .. }) => std::slice::from_ref(word),
        _ => &[],
    };
    let name = own.map(str::to_owned).or_else(|| name_from_context(place, words));
    match &name {
        None => {
            let hint = format!("write a name before the values: `{{name: {}}}`", rest.trim());
            mistakes.push(Diagnostic::new(span, "the parameter has no name").hint(hint));
        }
        Some(name) if RESERVED.contains(&name.as_str()) => {
            let hint = format!("give it another name: `{{my-{name}: {}}}`", rest.trim());
            let message = format!("a parameter cannot be named `{name}`");
            mistakes.push(Diagnostic::new(span, message).hint(hint));
        }
        Some(_) => {}
    }
    match (name, domain) {
        (Some(name), Some(domain)) if mistakes.is_empty() => Inline { name, domain, span }.checked(),
        _ => Err(mistakes),
    }
}

/// Splits `name: values`.
pub(super) fn split_name(body: &str) -> (Option<&str>, &str) {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
    };
    match body.split_once(':') {
        // Words may contain colons. The colon after a name is followed by a space or by a range.
        Some((name, rest)) if is_name(name.trim()) && (rest.starts_with(' ') || rest.contains("..")) => {
            (Some(name.trim()), rest)
        }
        _ => (None, body),
    }
}

/// Derives a parameter's name from its context.
fn name_from_context(place: &Place<'_>, words: &[String]) -> Option<String> {
    let switch = |text: &str| {
        let name = text.trim_start_matches('-').trim_end_matches(['=', ':']);
        let name = name.rsplit(['=', ',', ' ']).next().unwrap_or(name);
        let valid = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        valid.then(|| name.to_owned())
    };
    if !place.before.is_empty() {
        return switch(place.before);
    }
    match words.iter().find(|word| word.starts_with('-')) {
        Some(word) if place.whole => switch(word.split('=').next().unwrap_or(word)),
        _ => place.previous.filter(|word| word.starts_with('-') && !word.contains('{')).and_then(switch),
    }
}

fn range(rest: &str, at: &impl Fn(&str) -> Span, mistakes: &mut Vec<Diagnostic>) -> Option<Domain> {
    let (values, default) = match rest.split_once('=') {
        Some((values, default)) => (values, Some(default.trim())),
        None => (rest, None),
    };
    let (lower, upper) = values.split_once("..")?;
    let (lower, upper) = (lower.trim(), upper.trim());
    let (upper, log) = match upper.strip_suffix("log") {
        Some(upper) if upper.is_empty() || upper.ends_with(char::is_whitespace) => (upper.trim(), true),
        _ => (upper, false),
    };
    let before = mistakes.len();
    let mut number = |text: &str| {
        let number = parse_number(text);
        if number.is_none() {
            let message = match text {
                "" => "a number is missing".to_owned(),
                _ => format!("`{text}` is not a number"),
            };
            let hint = "a range is `LOWEST..HIGHEST = DEFAULT`, or `LOWEST..HIGHEST log = DEFAULT`";
            let place = if text.is_empty() { ".." } else { text };
            mistakes.push(Diagnostic::new(at(place), message).hint(hint));
        }
        number
    };
    let (low, high, middle) = (number(lower), number(upper), default.map(&mut number));
    let mut mistake = |part: &str, message: String, hint: &str| {
        mistakes.push(Diagnostic::new(at(part), message).hint(hint));
    };
    if let (Some(low), Some(high)) = (low, high) {
        if low >= high {
            mistake(values.trim(), format!("{lower} is not below {upper}"), "the lowest value comes first");
        } else if let Some(Some(middle)) = middle
            && !(low..=high).contains(&middle)
        {
            let default = default.unwrap_or_default();
            let message = format!("the default {default} is outside {lower} to {upper}");
            mistake(default, message, "choose a default within the range");
        }
        if log && low <= 0.0 {
            let message = format!("a logarithmic range cannot start at {lower}");
            mistake(lower, message, "start above zero, or remove `log`");
        }
    }
    let float = [lower, upper, default.unwrap_or_default()].iter().any(|text| text.contains(['.', 'e', 'E']));
    (mistakes.len() == before).then(|| Domain::Range {
        lower: lower.to_owned(),
        upper: upper.to_owned(),
        log,
        float,
        default: default.map(str::to_owned),
    })
}

fn choices(rest: &str, place: &Place<'_>, span: Span, mistakes: &mut Vec<Diagnostic>) -> Option<Domain> {
    let split = |text: &str| -> Vec<String> { text.split('|').map(|word| word.trim().to_owned()).collect() };
    // Words may contain `=`. The `=` before the default is surrounded by spaces, or is followed by one of the
    // words.
    let (values, default) = match rest
        .rsplit_once(" = ")
        .or_else(|| rest.rsplit_once("| =").map(|(v, d)| (&rest[..v.len() + 1], d)))
    {
        Some((values, default)) => (values, Some(default.trim().to_owned())),
        None => match rest.rsplit_once('=') {
            Some((values, default)) if split(values).iter().any(|word| word == default.trim()) => {
                (values, Some(default.trim().to_owned()))
            }
            _ => (rest, None),
        },
    };
    let words = split(values);
    let mut valid = true;
    let mut mistake = |message: String, hint: &str| {
        mistakes.push(Diagnostic::new(span, message).hint(hint));
        valid = false;
    };
    if words.len() < 2 {
        mistake(
            format!("`{}` is neither a range nor a choice", rest.trim()),
            "write `{1..9 = 3}` or `{a|b|c = b}`",
        );
    }
    if let Some(twice) = words.iter().enumerate().find(|(n, word)| words[..*n].contains(word)) {
        mistake(format!("the choice `{}` is given twice", twice.1), "give each choice once");
    }
    if let Some(default) = default.as_ref().filter(|default| words.len() > 1 && !words.contains(default)) {
        mistake(format!("the default `{default}` is not among the choices"), "write one of them after `=`");
    }
    let empty = words.iter().any(String::is_empty);
    if empty && place.whole && words.len() > 2 {
        let hint =
            "write an optional argument as `{-x|}`, or several choices within one argument: `-x={|a|b}`";
        mistake("an empty choice would still be passed as an argument".to_owned(), hint);
    }
    if !valid {
        return None;
    }
    match (empty && place.whole, words.iter().find(|word| !word.is_empty())) {
        (true, Some(word)) => {
            // Without a default, the flag is off, as in the command without it.
            Some(Domain::Flag { word: word.clone(), default: default.is_some_and(|word| !word.is_empty()) })
        }
        _ => Some(Domain::Choices { words, default }),
    }
}

impl Inline {
    /// Checks the parameter with the space's reader, which may reject it, mainly because numbers are too
    /// large.
    fn checked(self) -> Result<Self, Vec<Diagnostic>> {
        let at = |mistake: &Diagnostic| Diagnostic { span: self.span, ..mistake.clone() };
        match read_space(&self.to_toml(), "", Format::Toml) {
            Ok(_) => Ok(self),
            Err(mistakes) => Err(mistakes.list().iter().map(at).collect()),
        }
    }

    /// Returns the parameter as a line in the TOML form of spaces.
    pub(super) fn to_toml(&self) -> String {
        let domain = match &self.domain {
            Domain::Range { lower, upper, log, float, default } => {
                let number = |text: &String| match float {
                    true => space::float_text(parse_number(text).unwrap_or_default()),
                    // TOML does not allow leading zeros.
                    false => text.parse().map_or_else(|_| text.clone(), |whole: i64| whole.to_string()),
                };
                let kind = if *float { "float" } else { "integer" };
                let log = if *log { ", log = true" } else { "" };
                let default = default.as_ref().map(|text| format!(", default = {}", number(text)));
                format!("{kind} = [{}, {}]{log}{}", number(lower), number(upper), default.unwrap_or_default())
            }
            Domain::Choices { words, default } => {
                let default = default.as_ref().map(|word| format!(", default = {}", value::text(word)));
                format!("choices = {}{}", value::texts(words), default.unwrap_or_default())
            }
            Domain::Flag { default, .. } => format!("boolean = {default}"),
        };
        format!("{} = {{ {domain} }}", value::key(&self.name))
    }
}
