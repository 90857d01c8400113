//! Drafts scenarios from a command with inline parameters, from a user's answers, or from the files of
//! another program.
//!
//! A [`Draft`] collects keys. Its comments list the settings that could not be converted.
//! [`scenario::read`](crate::read) reads its text like any other scenario, and users can edit it.

pub mod foreign;
pub mod inline;
mod save;
pub mod value;
mod words;

pub use save::{SaveError, Saved};
pub use words::words;

use std::fmt::Write as _;

use engine::Space;
use space::format::{CannotExpress, Format, write};

/// The tables of a scenario, in the order that is easiest to read. Keys outside any table come first.
const TABLES: [&str; 12] = [
    "",
    "target",
    "objective",
    "outputs",
    "constraints",
    "instances",
    "budget",
    "limits",
    "racing",
    "parallel",
    "validation",
    "surrogate",
];

/// A scenario that is being written.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Comment lines at the top of the file.
    pub about: Vec<String>,
    keys: Vec<Entry>,
    space: Vec<String>,
    /// Settings of the source that could not be converted.
    pub lost: Vec<String>,
    /// Settings that the user must fill in before the scenario can run.
    pub to_do: Vec<String>,
    /// Names and contents of other files that belong to the scenario.
    pub files: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
struct Entry {
    path: String,
    value: String,
    note: Option<String>,
}

impl Draft {
    /// Sets a key, such as `objective.cutoff`, to a value in TOML (see [`value`]).
    pub fn set(&mut self, path: &str, value: impl Into<String>) -> &mut Self {
        let entry = Entry { path: path.to_owned(), value: value.into(), note: None };
        match self.keys.iter_mut().find(|known| known.path == path) {
            Some(known) => *known = entry,
            None => self.keys.push(entry),
        }
        self
    }

    /// Sets a key if there is a value.
    pub fn set_some(&mut self, path: &str, value: Option<String>) -> &mut Self {
        match value {
            Some(value) => self.set(path, value),
            None => self,
        }
    }

    /// Adds a comment above a key that has been set.
    pub fn note(&mut self, path: &str, note: impl Into<String>) -> &mut Self {
        if let Some(entry) = self.keys.iter_mut().find(|entry| entry.path == path) {
            entry.note = Some(note.into());
        }
        self
    }

    /// Returns the value of a key, in TOML.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.keys.iter().find(|entry| entry.path == path).map(|entry| entry.value.as_str())
    }

    /// Records a setting that could not be converted because a scenario cannot express it.
    pub fn lose(&mut self, what: impl Into<String>) -> &mut Self {
        self.lost.push(what.into());
        self
    }

    /// Sets the path of the file that contains the space.
    pub fn space_from(&mut self, path: &str) -> &mut Self {
        self.space = vec![format!("from = {}", value::text(path))];
        self
    }

    /// Sets the space. The space is written into the scenario or, if its text contains tables, into a
    /// separate file called `file`.
    pub fn space(&mut self, space: &Space, file: &str) -> Result<&mut Self, CannotExpress> {
        let text = write(space, Format::Toml)?;
        if text.lines().any(|line| line.starts_with('[')) {
            self.files.push((file.to_owned(), text));
            return Ok(self.space_from(file));
        }
        self.space = text.lines().map(str::to_owned).collect();
        Ok(self)
    }

    /// Sets the space, given as lines of its TOML form.
    pub fn space_lines(&mut self, lines: Vec<String>) -> &mut Self {
        self.space = lines;
        self
    }

    /// Returns the scenario's text.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        for line in &self.about {
            comment(&mut out, "", line);
        }
        self.list(&mut out, "To do before the scenario can run:", &self.to_do);
        self.list(&mut out, "Not carried over:", &self.lost);
        for table in TABLES {
            self.table(&mut out, table);
        }
        if !self.space.is_empty() {
            heading(&mut out, "space");
            for line in &self.space {
                out += line;
                out.push('\n');
            }
        }
        out
    }

    fn list(&self, out: &mut String, title: &str, items: &[String]) {
        if items.is_empty() {
            return;
        }
        if !out.is_empty() {
            out.push_str("#\n");
        }
        comment(out, "", title);
        items.iter().for_each(|item| comment(out, "- ", item));
    }

    fn table(&self, out: &mut String, table: &str) {
        let within = |entry: &'_ Entry| {
            let (first, rest) = entry.path.split_once('.').unwrap_or(("", &entry.path));
            (first == table).then(|| rest.to_owned())
        };
        let keys: Vec<(String, &Entry)> =
            self.keys.iter().filter_map(|entry| Some((within(entry)?, entry))).collect();
        let Some(width) = keys.iter().map(|(key, _)| key.chars().count()).max() else { return };
        heading(out, table);
        for (key, entry) in keys {
            if let Some(note) = &entry.note {
                comment(out, "", note);
            }
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{key:<width$} = {}", entry.value);
        }
    }
}

fn heading(out: &mut String, table: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    if !table.is_empty() {
        let _ = writeln!(out, "[{table}]");
    }
}

/// Writes a comment of one or more lines. The text may come from another program, so a line break in it must
/// not end the comment.
fn comment(out: &mut String, mark: &str, text: &str) {
    for (number, line) in text.lines().enumerate() {
        let mark = if number == 0 { mark } else { "  " };
        let line: String = line.chars().map(|c| if c.is_control() && c != '\t' { '?' } else { c }).collect();
        let _ = writeln!(out, "{}", format!("# {mark}{line}").trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_in_the_order_of_tables_with_lost_settings_on_top() {
        let mut draft = Draft { about: vec!["From somewhere.".to_owned()], ..Draft::default() };
        draft.set("budget.wall", value::text("1h")).set("target.command", value::texts(["a", "{params}"]));
        draft.set("seed", "3").set("target.success.exit", "[10, 20]").note("seed", "as it was");
        draft.lose("`x = 1`: nothing like it\nhere");
        draft.set("seed", "4").note("seed", "as it was").space_from("a b.pcs");
        assert_eq!(
            draft.to_toml(),
            "# From somewhere.\n#\n# Not carried over:\n# - `x = 1`: nothing like it\n#   here\n\n\
             # as it was\nseed = 4\n\n\
             [target]\ncommand      = [\"a\", \"{params}\"]\nsuccess.exit = [10, 20]\n\n\
             [budget]\nwall = \"1h\"\n\n[space]\nfrom = \"a b.pcs\"\n"
        );
    }
}
