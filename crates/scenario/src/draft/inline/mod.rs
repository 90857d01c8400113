//! Parameters written into the command itself: `minisat '-rinc={1.1..4.0 = 2}' {instance}`.
//!
//! | between braces | is |
//! |---|---|
//! | `1..9 = 3` | a whole number of a range, and its default |
//! | `0.1..0.9 = 0.5` | a number of a range: one of the three has a point or an exponent |
//! | `1..1000 log = 10` | the same on a logarithmic scale |
//! | `a\|b\|c = b` | one of several words; one of them may be empty |
//! | `name: 1..9 = 3` | the same with a name of its own |
//!
//! Without a name of its own a parameter is called after its place: `rinc` in `-rinc={…}` and in
//! `--rinc {…}`, `luby` if it is `{-luby|-no-luby}`. Everything else between braces is a placeholder of
//! scenarios. A word that ends within braces goes on with the next one, as shells split at spaces.

mod options;
mod parameter;

use std::path::Path;

use space::{Diagnostic, Diagnostics, Span};

use super::{Draft, value};
use parameter::{Domain, Inline};

/// How a file is called in messages that is none.
const SOURCE: &str = "the command";

/// What else a scenario needs, as given on a command line.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Wishes {
    /// Paths and patterns of the inputs.
    pub instances: Vec<String>,
    /// Inputs kept for the validation: paths and patterns, or a share such as `25%`.
    pub test: Vec<String>,
    /// What is minimised; CPU time without it.
    pub minimise: Option<String>,
    /// The cutoff as text: its unit is that of what is minimised.
    pub cutoff: Option<String>,
    /// A file with the parameters, if they are not in the command.
    pub space: Option<String>,
    /// Exit codes of a success.
    pub success_exit: Vec<u8>,
    /// Seconds on the clock in all.
    pub wall: Option<f64>,
    /// CPU seconds in all.
    pub cpu: Option<f64>,
    /// How many trials.
    pub trials: Option<u64>,
    /// Trials at one time.
    pub workers: Option<u32>,
    /// Where random numbers begin.
    pub seed: Option<u64>,
}

/// A scenario of a command with parameters in it, or every mistake of both. Files that it names count
/// from `folder`; they need not exist yet.
pub fn draft(words: &[String], wishes: &Wishes, folder: &Path) -> Result<Draft, Diagnostics> {
    let text = words.join(" ");
    let command = Command::read(&text, words, wishes, folder);
    command.sound(Vec::new())?;
    Ok(command.draft(wishes))
}

/// The same for a scenario that is to be run at once: values that options gave must be of use, too.
pub fn draft_to_run(words: &[String], wishes: &Wishes, folder: &Path) -> Result<Draft, Diagnostics> {
    let text = words.join(" ");
    let command = Command::read(&text, words, wishes, folder);
    let draft = command.draft(wishes);
    let mut of_options = draft.clone();
    if command.parameters.is_empty() && wishes.space.is_none() {
        of_options.space_lines(vec!["any = { integer = [1, 2] }".to_owned()]);
    }
    command.sound(options::mistakes(&of_options, folder))?;
    Ok(draft)
}

/// The words with those put together that a shell has split between braces.
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

/// Whether a brace is open at the end: doubled ones are no braces.
fn is_open(word: &str) -> bool {
    let plain = word.replace("{{", "").replace("}}", "");
    plain.rfind('{') > plain.rfind('}')
}

#[derive(Default)]
struct Command<'t> {
    text: &'t str,
    /// As the scenario has it.
    words: Vec<String>,
    parameters: Vec<Inline>,
    mistakes: Vec<Diagnostic>,
    /// Whether `{params}` is among the words, for flags that may be written as nothing.
    gathers_flags: bool,
    /// Whether it ends within braces, so that the shell may have kept the rest.
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

    /// An error if there are mistakes, in the command or besides.
    fn sound(&self, besides: Vec<Diagnostic>) -> Result<(), Diagnostics> {
        let mistakes: Vec<Diagnostic> = self.mistakes.iter().cloned().chain(besides).collect();
        if mistakes.is_empty() { Ok(()) } else { Err(Diagnostics::new(SOURCE, self.text, mistakes)) }
    }

    /// Takes in a word that begins at this place of the text.
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
                    if parameter::is_one(body) {
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
                    let message = format!("`{c}` has no partner");
                    let hint = "quote the word, or the shell takes `|` for itself: '-m={a|b}'; \
                                `{{` and `}}` are braces themselves";
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
            // The target does not run in this folder.
            out = format!("{{folder}}/{out}");
        }
        // What flags leave behind is no argument.
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
                    let message = format!("`{}` is the name of `{first}`, too", inline.name);
                    let hint = format!("give it another: `{{other: {}}}`", body.trim());
                    self.mistakes.push(Diagnostic::new(span, message).hint(hint));
                    return;
                }
                match inline.domain {
                    Domain::Flag { .. } if self.gathers_flags => {}
                    Domain::Flag { .. } => {
                        out.push_str("{params}");
                        self.gathers_flags = true;
                    }
                    _ => *out += &format!("{{param:{}}}", inline.name),
                }
                self.parameters.push(inline);
            }
            Err(mistakes) => self.mistakes.extend(mistakes),
        }
    }

    /// What a scenario cannot do without.
    fn missing(&mut self, wishes: &Wishes) {
        let sound = self.mistakes.is_empty();
        let says = |placeholder: &str| self.text.contains(placeholder);
        let mut missing = |message: &str, hint: &str| {
            self.mistakes.push(Diagnostic::new(Span::NONE, message).hint(hint));
        };
        if self.text.is_empty() {
            missing("there is no command", "write it after `--`: `captune run … -- minisat {instance}`");
            return;
        }
        if let (Some(space), Some(inline)) = (&wishes.space, self.parameters.first()) {
            let message = format!("a parameter in the command, but there is a space in `{space}`, too");
            let mistake = Diagnostic::new(inline.span, message);
            self.mistakes.push(mistake.hint("write it `{param:NAME}` and define it there"));
            return;
        }
        if self.parameters.is_empty() && wishes.space.is_none() && sound {
            let hint = "write its range in place of a value, in quotes: '-rinc={1.1..4.0 = 2}'";
            missing("the command has no parameter to tune", hint);
        }
        let measure = wishes.minimise.as_deref().unwrap_or("cpu_time");
        if wishes.cutoff.is_none() && measure.ends_with("_time") {
            missing("no `--cutoff`: how long may one trial take at most?", "such as `--cutoff 30s`");
        }
        if wishes.wall.is_none() && wishes.cpu.is_none() && wishes.trials.is_none() {
            missing(
                "no `--budget`: how long may all of it take?",
                "such as `--budget 1h`, or `--trials 500`",
            );
        }
        match (says("{instance}"), wishes.instances.is_empty()) {
            (true, true) => {
                let hint = "such as `--instances 'cnf/*.cnf'`";
                missing("the command has `{instance}`, but there are no `--instances`", hint);
            }
            (false, false) if !self.is_cut => {
                let hint = "put it where the target expects its input";
                missing("there are `--instances`, but the command has no `{instance}`", hint);
            }
            _ => {}
        }
    }

    fn draft(&self, wishes: &Wishes) -> Draft {
        let mut draft = Draft::default();
        let mut words = self.words.clone();
        let names_parameters = words.iter().any(|word| word.contains("{param"));
        if wishes.space.is_some() && !names_parameters {
            // A command that is refused for its braces may have no word left.
            words.insert(words.len().min(1), "{params}".to_owned());
        }
        draft.set("target.command", value::texts(words));
        for Inline { name, domain, .. } in &self.parameters {
            if let Domain::Flag { word, .. } = domain {
                let form = format!("{{ on = {}, off = \"\" }}", value::text(word));
                draft.set(&format!("target.parameter.{}", value::key(name)), form);
            }
        }
        if !wishes.success_exit.is_empty() {
            draft.set("target.success.exit", format!("{:?}", wishes.success_exit));
        }
        let measure = wishes.minimise.as_deref().unwrap_or("cpu_time");
        draft.set("objective.minimise", value::text(measure));
        if let Some(cutoff) = &wishes.cutoff {
            // Times and sizes are texts with units; the cutoff of an output is a number.
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
                "The command has no {seed}: it does the same each time, if not in the same time.",
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
