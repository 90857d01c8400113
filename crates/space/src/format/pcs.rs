//! The lines of both PCS formats.
//!
//! | line | in | means |
//! |---|---|---|
//! | `name {a, b} [a]` | both | a categorical parameter and its default |
//! | `name [lo, hi] [default]il` | both | a range: `i` whole numbers, `l` logarithmic |
//! | `name kind {...} [...]`, `name kind [...] [...] log` | new | kind: categorical, ordinal, integer, real |
//! | `child \| parent in {a, b}` | both | a condition, see [`super::pcs_condition`] |
//! | `{a=1, b=2}` | both | a forbidden combination |
//! | `{a * b > 10}` | new | a forbidden expression |
//! | `Conditionals:`, `Forbidden:` | both | nothing |
//!
//! A name ends at white space or at one of `{ [ |`. All values are text. SMAC 2.10 converts lines of
//! the old format when it reads the new one, so a file in the new format may contain both.

use std::collections::HashSet;

use super::super::expression::{Comparison, Dialect, Expr};
use super::super::nearest::suggestion;
use super::super::{
    BoundDefinition, Clause, Diagnostic, Diagnostics, DomainDefinition, ParameterDefinition, Space,
    SpaceBuilder, Spanned, parse_number,
};
use super::pcs_condition;
use super::scan::{Line, Piece, lines};

pub(super) const KINDS: [&str; 4] = ["categorical", "ordinal", "integer", "real"];

const SECTIONS: [&str; 2] = ["Conditionals:", "Forbidden:"];

/// One of the two PCS formats.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    Old,
    New,
}

pub(super) fn read(text: &str, file_name: &str, version: Version) -> Result<Space, Diagnostics> {
    let mut reader = Reader { version, builder: SpaceBuilder::new(file_name, text), names: HashSet::new() };
    // Where a name ends in a condition or clause depends on which names exist.
    let mut later = Vec::new();
    for line in lines(text) {
        if SECTIONS.iter().any(|section| section.eq_ignore_ascii_case(line.content.text)) {
            continue;
        }
        let (name, rest) = line.content.until(|c| c.is_whitespace() || matches!(c, '{' | '[' | '|'));
        let rest = rest.trim();
        if line.content.text.starts_with('{') || rest.text.starts_with('|') {
            later.push((name, rest));
            continue;
        }
        reader.names.insert(name.text);
        match reader.parameter(name, rest, &line) {
            Ok(definition) => reader.builder.parameter(definition),
            Err(mistake) => reader.builder.mistake(mistake),
        };
    }
    for (name, rest) in later {
        let result = match rest.after("|") {
            Some(condition) => reader.condition(name, condition.trim()),
            None => reader.forbidden(rest),
        };
        if let Err(mistake) = result {
            reader.builder.mistake(mistake);
        }
    }
    reader.builder.finish()
}

struct Reader<'t> {
    version: Version,
    builder: SpaceBuilder,
    /// All names, including those of rejected parameters.
    names: HashSet<&'t str>,
}

type Read<T> = Result<T, Diagnostic>;

impl<'t> Reader<'t> {
    fn parameter(&self, name: Piece<'t>, rest: Piece<'t>, line: &Line<'t>) -> Read<ParameterDefinition> {
        if name.is_empty() {
            let mistake = Diagnostic::new(
                line.content.span(),
                "expected the name of a parameter at the start of the line",
            );
            return Err(mistake.hint(self.example("name")));
        }
        let (kind, values) = rest.until(|c| c.is_whitespace() || matches!(c, '{' | '['));
        let values = values.trim();
        self.check_kind(name, kind)?;
        let lists = match kind.text {
            "" => values.text.starts_with('{'),
            kind => matches!(kind, "categorical" | "ordinal"),
        };
        let (open, close) = if lists { ('{', '}') } else { ('[', ']') };
        let Some((inside, after)) = values.enclosed(open, close) else {
            let missing = if values.text.starts_with(open) { close } else { open };
            return Err(self.missing(name, missing, line));
        };
        let Some((default, after)) = after.trim().enclosed('[', ']') else {
            let opened = after.trim().text.starts_with('[');
            let missing = if opened { ']' } else { '[' };
            return Err(self.missing(name, missing, line));
        };
        let default = default.trim();
        if default.is_empty() {
            return Err(Diagnostic::new(
                default.span(),
                format!("the default of `{}` is missing", name.shown()),
            )
            .hint("put it between the brackets"));
        }
        let after = after.trim();
        let domain = match lists {
            true => self.values(name, kind, inside, after)?,
            false => self.range(name, kind, inside, after)?,
        };
        let mut definition = ParameterDefinition::new(name.owned(), domain);
        definition.span = inside.span();
        definition.default = Some(default.literal());
        definition.note = line.note.map(str::to_owned);
        Ok(definition)
    }

    fn example(&self, name: &str) -> String {
        match self.version {
            Version::Old => format!("write `{name} {{a, b}} [a]` or `{name} [0, 1] [0.5]`"),
            Version::New => format!("write `{name} categorical {{a, b}} [a]` or `{name} real [0, 1] [0.5]`"),
        }
    }

    fn missing(&self, name: Piece<'_>, mark: char, line: &Line<'_>) -> Diagnostic {
        let end = line.content.split_at(line.content.text.len()).1;
        Diagnostic::new(end.span(), format!("`{mark}` is missing from the definition of `{}`", name.shown()))
            .hint(self.example(&name.shown()))
    }

    fn check_kind(&self, name: Piece<'_>, kind: Piece<'_>) -> Read<()> {
        let known = KINDS.contains(&kind.text);
        if kind.is_empty() || (known && self.version == Version::New) {
            return Ok(());
        }
        Err(match (known, self.version) {
            (true, _) => {
                Diagnostic::new(kind.span(), format!("unexpected `{}` after the name", kind.shown()))
                    .hint("this line is in the new PCS format")
            }
            (false, Version::Old) => {
                Diagnostic::new(kind.span(), format!("unexpected `{}` after the name", kind.shown()))
                    .hint(self.example(&name.shown()))
            }
            (false, Version::New) => {
                let hint = suggestion(kind.text, KINDS)
                    .unwrap_or_else(|| format!("the kinds are {}", KINDS.join(", ")));
                Diagnostic::new(
                    kind.span(),
                    format!("unknown kind `{}` for `{}`", kind.shown(), name.shown()),
                )
                .hint(hint)
            }
        })
    }

    fn values(
        &self,
        name: Piece<'_>,
        kind: Piece<'_>,
        inside: Piece<'_>,
        after: Piece<'_>,
    ) -> Read<DomainDefinition> {
        if !after.is_empty() {
            return Err(Diagnostic::new(
                after.span(),
                format!("unexpected `{}` after the default", after.shown()),
            )
            .hint("nothing may follow the default of a list of values"));
        }
        let values = inside.list();
        if let Some(empty) = values.iter().find(|value| value.is_empty()) {
            return Err(Diagnostic::new(empty.span(), format!("a value of `{}` is empty", name.shown()))
                .hint("separate values with one comma"));
        }
        let values = values.into_iter().map(Piece::literal).collect();
        Ok(match kind.text {
            "ordinal" => DomainDefinition::Ordinal { values },
            _ => DomainDefinition::Categorical { choices: values, weights: None },
        })
    }

    fn range(
        &self,
        name: Piece<'_>,
        kind: Piece<'_>,
        inside: Piece<'_>,
        after: Piece<'_>,
    ) -> Read<DomainDefinition> {
        let bounds = inside.list();
        let &[lower, upper] = bounds.as_slice() else {
            let message = format!("the range of `{}` needs two bounds", name.shown());
            return Err(Diagnostic::new(inside.span(), message).hint("write `[lowest, highest]`"));
        };
        let bound = |piece: Piece<'_>| match parse_number(piece.text) {
            Some(number) => Ok(Spanned::new(BoundDefinition::Number(number), piece.span())),
            None => Err(Diagnostic::new(piece.span(), format!("`{}` is not a number", piece.shown()))
                .hint("put a list of values in braces: `{a, b}`")),
        };
        let (lower, upper) = (bound(lower)?, bound(upper)?);
        let (integer, log) = match kind.text {
            "" => suffix(after)?,
            kind => (kind == "integer", log_word(after)?),
        };
        Ok(match integer {
            true => DomainDefinition::Integer { lower, upper, log, step: None },
            false => DomainDefinition::Float { lower, upper, log, step: None },
        })
    }

    fn condition(&mut self, child: Piece<'t>, condition: Piece<'t>) -> Read<()> {
        let expr = pcs_condition::read(condition, self.version, &|name| self.names.contains(name))?;
        self.builder.when(child.owned(), expr);
        Ok(())
    }

    fn forbidden(&mut self, clause: Piece<'t>) -> Read<()> {
        let end = clause.text.rfind('}').ok_or_else(|| {
            Diagnostic::new(clause.span(), "`}` is missing after the forbidden clause")
                .hint("write `{a=1, b=2}`")
        })?;
        let (inside, after) = (clause.part(1, end).trim(), clause.part(end + 1, clause.text.len()).trim());
        if !after.is_empty() {
            return Err(Diagnostic::new(
                after.span(),
                format!("unexpected `{}` after the clause", after.shown()),
            )
            .hint("put each forbidden clause on its own line"));
        }
        if inside.is_empty() {
            return Err(
                Diagnostic::new(clause.span(), "the forbidden clause is empty").hint("write `{a=1, b=2}`")
            );
        }
        match self.combination(inside) {
            Some(expr) => self.builder.forbid(expr),
            None if self.version == Version::New => {
                self.builder.forbid(Clause::text(inside.text, inside.start, Dialect::Pcs))
            }
            None => {
                let message = format!("`{}` is not a list of `name=value` pairs", inside.shown());
                return Err(
                    Diagnostic::new(inside.span(), message).hint("other expressions need the new PCS format")
                );
            }
        };
        Ok(())
    }

    /// Reads the classic form: `name=value` pairs. A left side that looks like arithmetic is not
    /// classic, unless a parameter has that name.
    fn combination(&self, inside: Piece<'_>) -> Option<Expr> {
        let pair = |piece: Piece<'_>| {
            let (name, value) = piece.until(|c| c == '=');
            let value = value.after("=")?;
            let (name, value) = (name.trim(), value.trim());
            let joined = ["&&", "||"].iter().any(|sign| piece.text.contains(sign));
            // Names with a hyphen are common; differences compared with a single `=` are not.
            let calculated = name.text.contains(|c: char| c.is_whitespace() || "*/^()<>!".contains(c));
            let named = !name.is_empty() && (!calculated || self.names.contains(name.text));
            if joined || value.text.contains('=') || !named {
                return None;
            }
            let name = Expr::name(name.text, name.span());
            let value = value.literal();
            Some(Expr::compare(Comparison::Equal, name, Expr::literal(value.value, value.span)))
        };
        inside.list().into_iter().map(pair).collect::<Option<Vec<_>>>().map(Expr::all)
    }
}

/// Reads `i` and `l`, at most once each and in any order.
fn suffix(after: Piece<'_>) -> Read<(bool, bool)> {
    let (mut integer, mut log) = (false, false);
    for c in after.text.chars().filter(|c| !c.is_whitespace()) {
        let flag = match c {
            'i' => &mut integer,
            'l' => &mut log,
            _ => return Err(unknown_suffix(after)),
        };
        if std::mem::replace(flag, true) {
            return Err(unknown_suffix(after));
        }
    }
    Ok((integer, log))
}

fn unknown_suffix(after: Piece<'_>) -> Diagnostic {
    Diagnostic::new(after.span(), format!("unexpected `{}` after the default", after.shown()))
        .hint("`i` means whole numbers, `l` a logarithmic range, `il` both")
}

fn log_word(after: Piece<'_>) -> Read<bool> {
    match after.text {
        "" => Ok(false),
        "log" => Ok(true),
        _ => Err(Diagnostic::new(after.span(), format!("unexpected `{}` after the default", after.shown()))
            .hint("only `log` is allowed here")),
    }
}
