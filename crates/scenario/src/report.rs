//! Collects the mistakes in a scenario, and reads each kind of value that keys can have.
//!
//! A function that cannot read a value reports a mistake and returns `None`. Reading then continues, so that
//! all mistakes are shown at once.

use std::time::Duration;

use confine::quantity::{parse_duration, parse_size};
use space::{Diagnostic, Span, Spanned, nearest, suggestion};
use toml::de::{DeTable, DeValue};

use super::keys::{self, Place};

pub(super) type Value<'t> = toml::Spanned<DeValue<'t>>;

/// A value and the full name of its key.
#[derive(Clone)]
pub(super) struct Found<'a, 't> {
    pub(super) key: String,
    pub(super) key_span: Span,
    pub(super) value: &'a Value<'t>,
}

impl Found<'_, '_> {
    pub(super) fn span(&self) -> Span {
        place_of(self.value)
    }
}

pub(super) fn place_of<T>(item: &toml::Spanned<T>) -> Span {
    Span::new(item.span().start, item.span().end)
}

/// A table of the scenario, which may be absent.
#[derive(Clone)]
pub(super) struct Section<'a, 't> {
    path: String,
    table: Option<&'a DeTable<'t>>,
    /// Place of the table's name in the file.
    pub(super) span: Span,
}

impl<'a, 't> Section<'a, 't> {
    pub(super) fn root(table: &'a DeTable<'t>) -> Self {
        Self { path: String::new(), table: Some(table), span: Span::NONE }
    }

    pub(super) fn is_present(&self) -> bool {
        self.table.is_some()
    }

    /// Returns the value of a key.
    pub(super) fn get(&self, name: &str) -> Option<Found<'a, 't>> {
        let (key, value) = self.table?.get_key_value(name)?;
        Some(Found { key: self.path_of(name), key_span: place_of(key), value })
    }

    /// Returns a table inside this one. A value that is not a table counts as absent;
    /// [`Report::unknown_keys`] reports it.
    pub(super) fn section(&self, name: &str) -> Self {
        let entry = self.table.and_then(|table| table.get_key_value(name));
        let span = entry.map_or(self.span, |(key, _)| place_of(key));
        let table = entry.and_then(|(_, value)| value.get_ref().as_table());
        Self { path: self.path_of(name), table, span }
    }

    /// Returns all entries, in the order of the file.
    pub(super) fn entries(&self) -> Vec<(String, Found<'a, 't>)> {
        let mut entries: Vec<_> = self.table.into_iter().flat_map(|table| table.iter()).collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let found = |(key, value): (&'a toml::Spanned<_>, &'a Value<'t>)| {
            let name: &std::borrow::Cow<'_, str> = key.get_ref();
            (name.to_string(), Found { key: self.path_of(name), key_span: place_of(key), value })
        };
        entries.into_iter().map(found).collect()
    }

    /// Returns whether some unknown key is probably a misspelling of this one. [`Report::unknown_keys`]
    /// reports such a key.
    fn is_misspelt(&self, name: &str) -> bool {
        let own: Vec<&str> = self.path.split('.').filter(|part| !part.is_empty()).collect();
        let known = keys::names(&own);
        let entries = self.entries();
        let mut unknown = entries.iter().map(|(key, _)| key.as_str()).filter(|key| !known.contains(key));
        unknown.any(|key| nearest(key, known.iter().copied()) == Some(name))
    }

    fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }
}

/// The mistakes and warnings collected so far.
pub(super) struct Report<'t> {
    pub(super) text: &'t str,
    pub(super) mistakes: Vec<Diagnostic>,
    pub(super) warnings: Vec<Diagnostic>,
}

impl<'t> Report<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, mistakes: Vec::new(), warnings: Vec::new() }
    }

    pub(super) fn mistake(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        self.mistakes.push(Diagnostic::new(span, message).hint(hint));
    }

    pub(super) fn warn(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        self.warnings.push(Diagnostic::new(span, message).hint(hint));
    }

    /// Reports a value that has the wrong type.
    fn expected<T>(&mut self, found: &Found<'_, '_>, wanted: &str) -> Option<T> {
        let is = match found.value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.mistakes
            .push(Diagnostic::new(found.span(), format!("`{}` must be {wanted}, not {is}", found.key)));
        None
    }

    /// Returns a required key, or reports that it is missing.
    pub(super) fn required<'a, 'v>(
        &mut self,
        section: &Section<'a, 'v>,
        name: &str,
        hint: &str,
    ) -> Option<Found<'a, 'v>> {
        let found = section.get(name);
        if found.is_none() && !section.is_misspelt(name) {
            self.mistake(section.span, format!("`{}` is missing", section.path_of(name)), hint);
        }
        found
    }

    pub(super) fn text(&mut self, found: &Found<'_, '_>) -> Option<String> {
        match found.value.get_ref() {
            DeValue::String(text) if text.contains('\0') => {
                self.mistake(found.span(), format!("`{}` contains a NUL character", found.key), "remove it");
                None
            }
            DeValue::String(text) => Some(text.to_string()),
            _ => self.expected(found, "a string"),
        }
    }

    /// Reads a non-empty list of strings. A single string counts as a list of one.
    pub(super) fn texts(&mut self, found: &Found<'_, '_>) -> Option<Vec<Spanned<String>>> {
        let before = self.mistakes.len();
        let texts = self.valid_texts(found);
        texts.filter(|_| self.mistakes.len() == before)
    }

    /// Reads a list of strings. Invalid items are reported and left out, so that the others can still be
    /// checked.
    pub(super) fn valid_texts(&mut self, found: &Found<'_, '_>) -> Option<Vec<Spanned<String>>> {
        let DeValue::Array(list) = found.value.get_ref() else {
            return match found.value.get_ref() {
                DeValue::String(_) => Some(vec![Spanned::new(self.text(found)?, found.span())]),
                _ => self.expected(found, "a string or a list of strings"),
            };
        };
        if list.is_empty() {
            self.mistake(
                found.span(),
                format!("`{}` is empty", found.key),
                "add an entry, or remove the key",
            );
            return None;
        }
        let items = list.iter().enumerate().filter_map(|(index, value)| {
            let item = Found { key: format!("{}[{index}]", found.key), key_span: found.key_span, value };
            self.text(&item).map(|text| Spanned::new(text, item.span()))
        });
        Some(items.collect())
    }

    pub(super) fn truth(&mut self, found: &Found<'_, '_>) -> Option<bool> {
        match found.value.get_ref() {
            DeValue::Boolean(truth) => Some(*truth),
            _ => self.expected(found, "true or false"),
        }
    }

    /// Reads an integer within a range.
    pub(super) fn integer(&mut self, found: &Found<'_, '_>, least: i64, most: i64) -> Option<i64> {
        let DeValue::Integer(digits) = found.value.get_ref() else {
            return self.expected(found, "an integer");
        };
        let number = i64::from_str_radix(digits.as_str(), digits.radix()).ok();
        let fits = number.filter(|number| (least..=most).contains(number));
        if fits.is_none() {
            let range = match most {
                i64::MAX => format!("must be at least {least}"),
                _ => format!("must be between {least} and {most}"),
            };
            let message = format!("`{}` is {}, but {range}", found.key, digits.as_str());
            self.mistakes.push(Diagnostic::new(found.span(), message));
        }
        fits
    }

    /// Reads an integer, or a non-empty list of integers.
    pub(super) fn integers(&mut self, found: &Found<'_, '_>, least: i64, most: i64) -> Option<Vec<i64>> {
        match found.value.get_ref() {
            DeValue::Integer(_) => Some(vec![self.integer(found, least, most)?]),
            DeValue::Array(list) if list.is_empty() => {
                self.mistake(
                    found.span(),
                    format!("`{}` is empty", found.key),
                    "add an entry, or remove the key",
                );
                None
            }
            DeValue::Array(list) => {
                let items = list.iter().enumerate().map(|(index, value)| {
                    let key = format!("{}[{index}]", found.key);
                    self.integer(&Found { key, key_span: found.key_span, value }, least, most)
                });
                items.collect::<Vec<_>>().into_iter().collect()
            }
            _ => self.expected(found, "an integer or a list of integers"),
        }
    }

    /// Reads a finite number.
    pub(super) fn number(&mut self, found: &Found<'_, '_>) -> Option<f64> {
        let digits = match found.value.get_ref() {
            DeValue::Integer(digits) => {
                i64::from_str_radix(digits.as_str(), digits.radix()).ok().map(|number| number as f64)
            }
            DeValue::Float(digits) => digits.as_str().parse().ok(),
            _ => return self.expected(found, "a number"),
        };
        let number = digits.filter(|number| number.is_finite());
        if number.is_none() {
            let message = format!("`{}` is not a finite number", found.key);
            self.mistakes.push(Diagnostic::new(found.span(), message));
        }
        number
    }

    pub(super) fn duration(&mut self, found: &Found<'_, '_>) -> Option<Duration> {
        self.quantity(found, "a duration in quotes such as \"30s\"", parse_duration)
    }

    pub(super) fn size(&mut self, found: &Found<'_, '_>) -> Option<u64> {
        self.quantity(found, "a size in quotes such as \"2GiB\"", parse_size)
    }

    fn quantity<T>(
        &mut self,
        found: &Found<'_, '_>,
        wanted: &str,
        parse: impl Fn(&str) -> Result<T, confine::quantity::QuantityError>,
    ) -> Option<T> {
        let DeValue::String(text) = found.value.get_ref() else {
            return self.expected(found, wanted);
        };
        match parse(text) {
            Ok(quantity) => Some(quantity),
            Err(error) => {
                let message = format!("`{}` is not {wanted}: {}", found.key, error.why);
                self.mistakes.push(Diagnostic::new(found.span(), message));
                None
            }
        }
    }

    /// Reads one of several words.
    pub(super) fn word<'w>(&mut self, found: &Found<'_, '_>, words: &[&'w str]) -> Option<&'w str> {
        let text = self.text(found)?;
        let word = words.iter().copied().find(|&word| word == text);
        if word.is_none() {
            let known = format!("expected one of {}", words.join(", "));
            let hint = suggestion(&text, words.iter().copied()).unwrap_or(known);
            self.mistake(found.span(), format!("`{}` cannot be `{text}`", found.key), hint);
        }
        word
    }

    /// Reports every unknown key, and every value that should be a table.
    pub(super) fn unknown_keys(&mut self, table: &DeTable<'_>) {
        self.unknown_keys_in(&Section::root(table), &[]);
    }

    fn unknown_keys_in(&mut self, section: &Section<'_, '_>, parts: &[&str]) {
        for (name, found) in section.entries() {
            let parts: Vec<&str> = parts.iter().copied().chain([name.as_str()]).collect();
            match keys::place(&parts) {
                Place::Key(_) => {}
                Place::Table if found.value.get_ref().is_table() => {
                    self.unknown_keys_in(&section.section(&name), &parts);
                }
                Place::Table => {
                    let any = [parts.join(".").as_str(), "NAME"].join(".");
                    let any = keys::KEYS.iter().any(|key| key.path == any).then_some("any name");
                    let names: Vec<&str> = keys::names(&parts).into_iter().chain(any).collect();
                    self.expected::<()>(&found, &format!("a table with {}", names.join(", ")));
                }
                Place::Unknown => self.unknown_key(&parts, &found),
            }
        }
    }

    fn unknown_key(&mut self, parts: &[&str], found: &Found<'_, '_>) {
        let Some((name, table)) = parts.split_last() else { return };
        let siblings = keys::names(table);
        let elsewhere = keys::KEYS.iter().find(|key| key.path.rsplit('.').next() == Some(name));
        let hint = suggestion(name, siblings.iter().copied())
            .or_else(|| elsewhere.map(|key| format!("did you mean `{}`?", key.path)))
            .unwrap_or_else(|| format!("known keys: {}", siblings.join(", ")));
        self.mistake(found.key_span, format!("unknown key `{}`", found.key), hint);
    }
}
