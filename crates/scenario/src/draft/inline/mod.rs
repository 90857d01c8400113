//! Parameters written inline in the command: `minisat '-rinc={1.1..4.0 = 2}' {instance}`.
//!
//! | between braces | meaning |
//! |---|---|
//! | `1..9 = 3` | a range of whole numbers, and its default |
//! | `0.1..0.9 = 0.5` | a range of real numbers: one of the three has a decimal point or an exponent |
//! | `1..1000 log = 10` | the same on a logarithmic scale |
//! | `a\|b\|c = b` | one of several words; one of them may be empty |
//! | `name: 1..9 = 3` | the same with a name of its own |
//!
//! If a parameter has no name of its own, its context determines the name: `rinc` in `-rinc={…}` and in
//! `--rinc {…}`, `luby` in `{-luby|-no-luby}`. Everything else between braces is a placeholder. A word that
//! ends inside braces is joined with the next one, because shells split at spaces.

mod options;
mod parameter;

use std::path::Path;

use space::{Diagnostic, Diagnostics, Span};

use super::{Draft, value};
use parameter::{Domain, Inline};

/// Text shown instead of a file name in messages about the command.
const SOURCE: &str = "the command";

/// The other settings of a scenario, as given by command-line options.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Wishes {
    /// Paths and patterns of the inputs.
    pub instances: Vec<String>,
    /// Inputs held out for validation: paths and patterns, or a share such as `25%`.
    pub test: Vec<String>,
    /// The objective; CPU time if not given.
    pub minimise: Option<String>,
    /// The output to maximise, if the objective is maximised.
    pub maximise: Option<String>,
    /// Numbers that the command prints: names and patterns.
    pub outputs: Vec<(String, String)>,
    /// Constraints: names, and bounds such as `<= 0.05`.
    pub constraints: Vec<(String, String)>,
    /// Pattern that the output of a successful run matches.
    pub success_pattern: Option<String>,
    /// The cutoff as text, in the unit of the objective.
    pub cutoff: Option<String>,
    /// A file with the parameters, if they are not in the command.
    pub space: Option<String>,
    /// Exit codes that count as success.
    pub success_exit: Vec<u8>,
    /// Wall-clock budget in seconds.
    pub wall: Option<f64>,
    /// CPU budget in seconds.
    pub cpu: Option<f64>,
    /// Budget in trials.
    pub trials: Option<u64>,
    /// Number of parallel trials.
    pub workers: Option<u32>,
    /// Random seed.
    pub seed: Option<u64>,
}

/// Drafts a scenario from a command with inline parameters, or returns every mistake in the command and the
/// options. File paths are relative to `folder`. The files need not exist yet.
pub fn draft(words: &[String], wishes: &Wishes, folder: &Path) -> Result<Draft, Diagnostics> {
    let text = words.join(" ");
    let command = Command::read(&text, words, wishes, folder);
    command.check(Vec::new())?;
    Ok(command.draft(wishes))
}

/// Drafts a scenario that will run at once. Unlike [`draft`], this function also checks the values of
/// options.
pub fn draft_to_run(words: &[String], wishes: &Wishes, folder: &Path) -> Result<Draft, Diagnostics> {
    let text = words.join(" ");
    let command = Command::read(&text, words, wishes, folder);
    let draft = command.draft(wishes);
    let mut checked = draft.clone();
    if command.parameters.is_empty() && wishes.space.is_none() {
        checked.space_lines(vec!["any = { integer = [1, 2] }".to_owned()]);
    }
    command.check(options::mistakes(&checked, folder))?;
    Ok(draft)
}

/// Joins words that a shell has split inside braces.
fn joined(words: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut open = false;
    for word in words {
        match out.last_mut().filter(|_| open) {
            Some(last) => {
                last.push(' ');
                last.push_str(word);
            }
            None => out.push(word.clone()),
        }
        open = out.last().is_some_and(|word| is_open(word));
    }
    out
}

/// Returns whether a brace is open at the end of a word. Doubled braces do not count.
fn is_open(word: &str) -> bool {
    let plain = word.replace("{{", "").replace("}}", "");
    plain.rfind('{') > plain.rfind('}')
}

#[derive(Default)]
struct Command<'t> {
    text: &'t str,
    /// The words of the command as they will be written in the scenario.
    words: Vec<String>,
    parameters: Vec<Inline>,
    mistakes: Vec<Diagnostic>,
    /// Whether the command ends inside braces. If so, the shell may have interpreted the rest.
    is_cut: bool,
}

impl<'t> Command<'t> {
    fn read(text: &'t str, words: &[String], wishes: &Wishes, folder: &Path) -> Self {
        let mut command = Self { text, ..Self::default() };
        let mut start = 0;
        for word in joined(words) {
            command.word(&word, start, folder);
            start += word.len() + 1;
        }
        command.missing(wishes);
        command
    }

    /// Returns an error if there are mistakes in the command or in `others`.
    fn check(&self, others: Vec<Diagnostic>) -> Result<(), Diagnostics> {
        let mistakes: Vec<Diagnostic> = self.mistakes.iter().cloned().chain(others).collect();
        if mistakes.is_empty() { Ok(()) } else { Err(Diagnostics::new(SOURCE, self.text, mistakes)) }
    }

    /// Adds a word that starts at the offset `start` of the text.
    fn word(&mut self, word: &str, start: usize, folder: &Path) {
        let is_program = self.words.is_empty();
        let mut out = String::new();
        let mut at = 0;
        while let Some(c) = word[at..].chars().next() {
            let rest = &word[at..];
            if let Some(double) = ["{{", "}}"].into_iter().find(|double| rest.starts_with(double)) {
                out.push_str(double);
                at += 2;
                continue;
            }
            let end = rest.match_indices(['{', '}']).map(|(end, _)| end).find(|end| *end > 0);
            match (c, end) {
                ('{', Some(end)) if rest[end..].starts_with('}') => {
                    let body = &rest[1..end];
                    if parameter::is_parameter(body) {
                        let whole = at == 0 && end + 1 == word.len();
                        let span = Span::new(start + at, start + at + end + 1);
                        self.parameter(body, &word[..at], whole, span, &mut out);
                    } else {
                        out.push_str(&rest[..=end]);
                    }
                    at += end + 1;
                }
                ('{' | '}', _) => {
                    let span = Span::new(start + at, start + at + 1);
                    let message = format!("`{c}` has no matching brace");
                    let hint = "quote the word, or the shell interprets `|`: '-m={a|b}'; \
                                                    write `{{` and `}}` for literal braces";
                    self.mistakes.push(Diagnostic::new(span, message).hint(hint));
                    self.is_cut |= c == '{' && start + word.len() == self.text.len();
                    at += 1;
                }
                (c, _) => {
                    out.push(c);
                    at += c.len_utf8();
                }
            }
        }
        let plain = !out.is_empty() && !out.contains(['{', '}']) && !out.starts_with(['-', '/']);
        if plain && !is_program && folder.join(&out).is_file() {
            // The target does not run in this folder, so the path needs `{folder}`.
            out = format!("{{folder}}/{out}");
        }
        // A word whose parameter has a mistake is left out.
        if !(out.is_empty() && word.starts_with('{')) {
            self.words.push(out);
        }
    }

    fn parameter(&mut self, body: &str, before: &str, whole: bool, span: Span, out: &mut String) {
        let previous = self.words.last().map(String::as_str).filter(|_| self.words.len() > 1);
        let place = parameter::Place { before, previous, whole };
        match parameter::read(body, &place, span) {
            Ok(inline) => {
                if let Some(other) = self.parameters.iter().find(|other| other.name == inline.name) {
                    let first = self.text.get(other.span.start..other.span.end).unwrap_or_default();
                    let message = format!("`{}` is already the name of `{first}`", inline.name);
                    let values = parameter::split_name(body).1.trim();
                    let hint = format!("give it another name: `{{other: {values}}}`");
                    self.mistakes.push(Diagnostic::new(span, message).hint(hint));
                    return;
                }
                match inline.domain {
                    Domain::Flag { .. } => *out += &format!("{{params:{}}}", inline.name),
                    _ => *out += &format!("{{param:{}}}", inline.name),
                }
                self.parameters.push(inline);
            }
            Err(mistakes) => self.mistakes.extend(mistakes),
        }
    }

    /// Reports the required settings that are missing.
    fn missing(&mut self, wishes: &Wishes) {
        let valid = self.mistakes.is_empty();
        let contains = |placeholder: &str| self.text.contains(placeholder);
        let mut missing = |message: &str, hint: &str| {
            self.mistakes.push(Diagnostic::new(Span::NONE, message).hint(hint));
        };
        if self.text.is_empty() {
            missing(
                "there is no command",
                "write the command after `--`: `captune run … -- minisat {instance}`",
            );
            return;
        }
        if let (Some(space), Some(inline)) = (&wishes.space, self.parameters.first()) {
            let message = format!("parameters are given both in the command and in the space `{space}`");
            let mistake = Diagnostic::new(inline.span, message);
            self.mistakes
                .push(mistake.hint("write `{param:NAME}` here and define the parameter in the space"));
            return;
        }
        if self.parameters.is_empty() && wishes.space.is_none() && valid {
            let hint = "write a range in place of a value, in quotes: '-rinc={1.1..4.0 = 2}'";
            missing("the command has no parameter to tune", hint);
        }
        let measure = wishes.minimise.as_deref().unwrap_or("cpu_time");
        if wishes.cutoff.is_none()
            && wishes.maximise.is_none()
            && ["cpu_time", "wall_time"].contains(&measure)
        {
            missing("`--cutoff` is missing", "limit the time of one trial, as in `--cutoff 30s`");
        }
        if wishes.wall.is_none() && wishes.cpu.is_none() && wishes.trials.is_none() {
            missing(
                "`--budget` is missing",
                "limit the whole campaign, as in `--budget 1h` or `--trials 500`",
            );
        }
        match (contains("{instance}"), wishes.instances.is_empty()) {
            (true, true) => {
                let hint = "name the inputs, as in `--instances 'cnf/*.cnf'`";
                missing("the command has `{instance}`, but there are no `--instances`", hint);
            }
            (false, false) if !self.is_cut => {
                let hint = "add `{instance}` where the target expects its input";
                missing("there are `--instances`, but the command has no `{instance}`", hint);
            }
            _ => {}
        }
    }

    fn draft(&self, wishes: &Wishes) -> Draft {
        let mut draft = Draft::default();
        let mut words = self.words.clone();
        let has = |part: &str| words.iter().any(|word| word.contains(part));
        let (names_parameters, has_file) = (has("{param"), has("{config_file}"));
        if wishes.space.is_some() && !names_parameters && !has_file {
            // Options usually come before the input. The first words may be an interpreter and its script.
            let place = words.iter().position(|word| word.contains("{instance}"));
            words.insert(place.unwrap_or(words.len()).max(1).min(words.len()), "{params}".to_owned());
        }
        draft.set("target.command", value::texts(words));
        if has_file {
            draft.set("target.config_file", value::text("{name} = {value}"));
            draft.note(
                "target.config_file",
                "One line for each parameter; change it to what the program reads.",
            );
        }
        for Inline { name, domain, .. } in &self.parameters {
            if let Domain::Flag { word, .. } = domain {
                let form = format!("{{ on = {}, off = \"\" }}", value::text(word));
                draft.set(&format!("target.parameter.{}", value::key(name)), form);
            }
        }
        if !wishes.success_exit.is_empty() {
            draft.set("target.success.exit", format!("{:?}", wishes.success_exit));
        }
        draft.set_some("target.success.pattern", wishes.success_pattern.as_deref().map(value::text));
        match &wishes.maximise {
            Some(output) => draft.set("objective.maximise", value::text(output)),
            None => {
                draft.set("objective.minimise", value::text(wishes.minimise.as_deref().unwrap_or("cpu_time")))
            }
        };
        for (name, pattern) in &wishes.outputs {
            let form = format!("{{ pattern = {} }}", value::text(pattern));
            draft.set(&format!("outputs.{}", value::key(name)), form);
        }
        for (name, bound) in &wishes.constraints {
            // `every size <= 5` bounds the worst value, `size <= 5` the mean.
            let (name, form) = match name.strip_prefix("every ") {
                Some(name) => (name.trim(), format!("{{ bound = {}, over = \"max\" }}", value::text(bound))),
                None => (name.as_str(), value::text(bound)),
            };
            draft.set(&format!("constraints.{}", value::key(name)), form);
        }
        if let Some(cutoff) = &wishes.cutoff {
            // Times and sizes are strings with units. The cutoff of an output is a plain number.
            let plain = space::parse_number(cutoff).map(value::number);
            draft.set("objective.cutoff", plain.unwrap_or_else(|| value::text(cutoff)));
        }
        if !wishes.instances.is_empty() {
            draft.set("instances.files", value::one_or_more(&wishes.instances));
        }
        if !wishes.test.is_empty() {
            draft.set("instances.test", value::one_or_more(&wishes.test));
        }
        draft.set_some("budget.wall", wishes.wall.map(value::duration));
        draft.set_some("budget.cpu", wishes.cpu.map(value::duration));
        draft.set_some("budget.trials", wishes.trials.map(|trials| trials.to_string()));
        draft.set_some("parallel.workers", wishes.workers.map(|workers| workers.to_string()));
        draft.set_some("seed", wishes.seed.map(|seed| seed.to_string()));
        if !self.text.contains("{seed}") && !wishes.instances.is_empty() {
            draft.set("racing.deterministic", "true");
            draft.note(
                "racing.deterministic",
                "The command has no {seed}, so captune assumes that it does the same work each time, even if run times vary.",
            );
        }
        if let Some(space) = &wishes.space {
            draft.space_from(space);
            return draft;
        }
        draft.space_lines(self.parameters.iter().map(Inline::to_toml).collect());
        draft
    }
}

#[cfg(test)]
mod tests;
