//! Builds a proposal, using this rule for ranges:
//!
//! | the program's range, with default d | proposed range |
//! |---|---|
//! | l to h, h/l < 1000 | the same |
//! | l to h, wide, l > 0 | the same, logarithmic |
//! | l to h, h > 10^4 d > 0 | as in the other rows, but to review |
//! | l to h, wide, l <= 0 < d | from d/100, logarithmic, to review |
//! | no upper bound, d > 0 | d/100 to 100 d, logarithmic, to review |
//! | no lower bound, d > 0 | from d/100, to review |
//! | l to h, wide, d <= 0 | the same, to review |
//! | a bound missing, d <= 0 | from d, 100 times its size (100 if d = 0) towards the open side, to review |
//! | an end that is excluded | an end slightly inside, to review |
//!
//! A bound of 10^9 or more counts as no bound, because it comes from the data type. A proposal never exceeds
//! the program's bounds.

use std::collections::{BTreeMap, HashSet};

use super::super::range::LARGEST_INTEGER;
use super::super::{Literal, ParameterDefinition, SpaceBuilder};
use super::{DiscoverError, Proposal, Source};

/// Smallest ratio of upper to lower bound at which a range counts as wide.
const WIDE: f64 = 1000.0;
/// Smallest bound that is taken to come from the data type, not from the program.
const UNBOUNDED: f64 = 1e9;
/// Factor between the default and the proposed bound if the program gives no bound.
const REACH: f64 = 100.0;

/// The options collected so far, in the order of the text.
#[derive(Default)]
pub(crate) struct Draft {
    names: HashSet<String>,
    parameters: Vec<ParameterDefinition>,
    left_out: BTreeMap<&'static str, Vec<String>>,
    order: Vec<&'static str>,
    to_review: usize,
    folded: usize,
}

/// An option, without its values.
#[derive(Clone, Default)]
pub(crate) struct Opt<'a> {
    pub(crate) name: &'a str,
    /// Text before the value on the command line.
    pub(crate) switch: Option<String>,
    /// The program's description of the option.
    pub(crate) about: &'a str,
    /// A point for review, in addition to those from the rule for ranges.
    pub(crate) review: Option<&'static str>,
}

/// A numeric range as a program gives it; an infinite bound means unbounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) lower_open: bool,
    pub(crate) upper_open: bool,
    pub(crate) default: f64,
    pub(crate) integer: bool,
}

impl Numbers {
    pub(crate) fn closed(lower: f64, upper: f64, default: f64, integer: bool) -> Self {
        Self { lower, upper, lower_open: false, upper_open: false, default, integer }
    }
}

impl Draft {
    /// Records an option that is not proposed.
    pub(crate) fn leave_out(&mut self, name: &str, why: &'static str) {
        if !self.is_new(name) {
            return;
        }
        if !self.left_out.contains_key(why) {
            self.order.push(why);
        }
        self.left_out.entry(why).or_default().push(name.to_owned());
    }

    /// Counts an option that has become a choice of another option.
    pub(crate) fn fold(&mut self, name: &str) {
        if self.is_new(name) {
            self.folded += 1;
        }
    }

    /// Returns whether an option has a name and has not been seen before. Some programs list an option twice
    /// with the same content, and damaged text may have options without a name.
    fn is_new(&mut self, name: &str) -> bool {
        !name.is_empty() && self.names.insert(name.to_owned())
    }

    /// Adds a boolean option.
    pub(crate) fn boolean(&mut self, option: &Opt<'_>, default: bool) {
        let definition = ParameterDefinition::boolean(option.name).default(default);
        self.push(option, definition, Vec::new());
    }

    /// Adds an option with several choices, which must include the default.
    pub(crate) fn choices<T: Into<Literal>>(
        &mut self,
        option: &Opt<'_>,
        choices: impl IntoIterator<Item = T>,
        default: &str,
    ) {
        let mut distinct: Vec<Literal> = Vec::new();
        for choice in choices.into_iter().map(Into::into) {
            if !distinct.contains(&choice) {
                distinct.push(choice);
            }
        }
        if !distinct.iter().any(|choice| choice.is_spelled(default)) {
            return self.leave_out(option.name, "the default is not among the choices");
        }
        if distinct.len() < 2 {
            return self.leave_out(option.name, "only one value");
        }
        let definition = ParameterDefinition::categorical(option.name, distinct).default(default);
        self.push(option, definition, Vec::new());
    }

    /// Adds a numeric option; the rule in the module documentation determines its range.
    pub(crate) fn number(&mut self, option: &Opt<'_>, numbers: Numbers) {
        let (lower, upper, log, notes) = match numbers.proposed() {
            Ok(proposed) => proposed,
            Err(why) => return self.leave_out(option.name, why),
        };
        let default = numbers.default;
        let definition = if numbers.integer {
            ParameterDefinition::integer(option.name, lower as i64, upper as i64).default(default as i64)
        } else {
            ParameterDefinition::float(option.name, lower, upper).default(default)
        };
        self.push(option, if log { definition.log() } else { definition }, notes);
    }

    fn push(&mut self, option: &Opt<'_>, mut definition: ParameterDefinition, mut reviews: Vec<String>) {
        if !self.is_new(option.name) {
            return;
        }
        reviews.extend(option.review.map(str::to_owned));
        self.to_review += usize::from(!reviews.is_empty());
        let about = option.about.split_whitespace().collect::<Vec<_>>().join(" ");
        let note = match (reviews.is_empty(), about.is_empty()) {
            (true, true) => None,
            (true, false) => Some(about),
            (false, true) => Some(format!("review: {}", reviews.join(", "))),
            (false, false) => Some(format!("review: {}; {about}", reviews.join(", "))),
        };
        definition.note = note;
        definition.switch.clone_from(&option.switch);
        self.parameters.push(definition);
    }

    /// Builds and checks the proposal.
    pub(crate) fn finish(self, source: Source) -> Result<Proposal, DiscoverError> {
        let mut left_out = self.left_out;
        let left_out: Vec<(String, Vec<String>)> = self
            .order
            .into_iter()
            .map(|why| (why.to_owned(), left_out.remove(why).unwrap_or_default()))
            .collect();
        let dropped: usize = left_out.iter().map(|(_, names)| names.len()).sum();
        let options = self.parameters.len() + self.folded + dropped;
        if options == 0 {
            return Err(DiscoverError::Nothing(source));
        }
        if self.parameters.is_empty() {
            return Err(DiscoverError::NothingToTune(source, options));
        }
        let mut builder = SpaceBuilder::default();
        for definition in self.parameters {
            builder.parameter(definition);
        }
        let space = builder.finish().map_err(|mistakes| {
            let first = mistakes.list().first().map(|mistake| mistake.message.clone());
            DiscoverError::Invalid(first.unwrap_or_default())
        })?;
        Ok(Proposal { source, space, options, to_review: self.to_review, left_out })
    }
}

type Proposed = (f64, f64, bool, Vec<String>);

impl Numbers {
    /// Returns the bounds, whether the range is logarithmic, and points for review; or why the option
    /// cannot be proposed.
    fn proposed(mut self) -> Result<Proposed, &'static str> {
        if !self.default.is_finite() || self.default.abs() > LARGEST_INTEGER {
            return Err("the default means no limit");
        }
        if self.integer && self.default != libm::trunc(self.default) {
            return Err("the default is not a whole number");
        }
        let mut notes = Vec::new();
        self.close(&mut notes);
        if self.integer {
            self.lower = self.lower.max(-LARGEST_INTEGER);
            self.upper = self.upper.min(LARGEST_INTEGER);
        }
        if self.default < self.lower || self.default > self.upper {
            return Err("the default is outside the range");
        }
        if self.lower == self.upper {
            return Err("only one value");
        }
        let d = self.default;
        let (bounded_below, bounded_above) = (self.lower > -UNBOUNDED, self.upper < UNBOUNDED);
        let size = if d == 0.0 { 1.0 } else { d.abs() };
        let (mut lower, mut upper) = (self.lower, self.upper);
        if !bounded_above {
            upper = (if d > 0.0 { d * REACH } else { d + size * REACH }).min(self.upper);
            notes.push(if d >= UNBOUNDED { "the default means no limit" } else { "no upper bound" }.into());
        }
        if !bounded_below {
            lower = (if d > 0.0 { d / REACH } else { d - size * REACH }).max(self.lower);
            notes.push("no lower bound".into());
        }
        let wide = if lower > 0.0 { upper >= WIDE * lower } else { upper >= WIDE * d.min(1.0) };
        let log = d > 0.0 && (wide || !bounded_above);
        // Zero has no logarithm, and values at or below it are often special cases such as "off".
        let raised = log && lower <= 0.0;
        if raised {
            lower = d / REACH;
        } else if log && !bounded_above {
            lower = lower.max(d / REACH);
        }
        (lower, upper) = (plain(lower), plain(upper));
        if self.integer {
            lower = if log { libm::ceil(lower).max(1.0) } else { libm::ceil(lower) };
            upper = libm::floor(upper);
        }
        // Rounding must neither exclude the default nor exceed the given bounds.
        lower = lower.min(d).max(self.lower);
        upper = upper.max(d).min(self.upper);
        if d <= 0.0 && bounded_above && bounded_below && upper - lower >= WIDE * size {
            notes.push(format!("wide for a default of {}", text(d)));
        }
        if d > 0.0 && bounded_above && upper > REACH * REACH * d {
            notes.push("extends far above the default".into());
        }
        if raised {
            notes.push(format!(
                "starts at {} for the log scale (the program allows {})",
                text(lower),
                text(self.lower)
            ));
        }
        if lower == upper {
            return Err("only one value");
        }
        Ok((lower, upper, log, notes))
    }

    /// Moves excluded ends slightly inwards, never past the default.
    fn close(&mut self, notes: &mut Vec<String>) {
        let width = self.upper - self.lower;
        let inset = |room: f64| {
            let share = if width < UNBOUNDED { width / 1000.0 } else { 0.001 };
            if self.integer { 1.0 } else { share.min(room / 2.0) }
        };
        let (mut lower, mut upper) = (self.lower, self.upper);
        if self.lower_open && lower > -UNBOUNDED {
            lower = plain(lower + inset(self.default - lower));
            notes.push(format!("must be above {}", text(self.lower)));
        }
        if self.upper_open && upper < UNBOUNDED {
            upper = plain(upper - inset(upper - self.default));
            notes.push(format!("must be below {}", text(self.upper)));
        }
        (self.lower, self.upper) = (lower, upper);
    }
}

/// Removes rounding noise: 0.002 instead of 0.0020000000000000005.
fn plain(number: f64) -> f64 {
    format!("{number:.11e}").parse().unwrap_or(number)
}

fn text(number: f64) -> String {
    if number == libm::trunc(number) && number.abs() < 1e15 {
        format!("{number}")
    } else {
        format!("{number:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lower: f64, upper: f64, default: f64, integer: bool) -> String {
        match Numbers::closed(lower, upper, default, integer).proposed() {
            Ok((lower, upper, log, notes)) => {
                format!("{lower} to {upper}{} [{}]", if log { " log" } else { "" }, notes.join(", "))
            }
            Err(why) => why.to_owned(),
        }
    }

    #[test]
    fn ranges_follow_the_rule() {
        let none = f64::INFINITY;
        assert_eq!(shown(0.0, 2.0, 1.0, true), "0 to 2 []");
        assert_eq!(shown(0.0, 1.0, 0.5, false), "0 to 1 []");
        assert_eq!(
            shown(0.12345678901234, 0.98765432109876, 0.5, false),
            "0.12345678901234 to 0.98765432109876 []"
        );
        assert_eq!(shown(1.0, 1e5, 20.0, true), "1 to 100000 log []");
        assert_eq!(
            shown(0.0, 1e7, 1e5, true),
            "1000 to 10000000 log [starts at 1000 for the log scale (the program allows 0)]"
        );
        assert_eq!(shown(1.0, 2e9, 300.0, true), "3 to 30000 log [no upper bound]");
        assert_eq!(shown(1.0, 2147483647.0, 1.0, true), "1 to 100 log [no upper bound]");
        assert_eq!(
            shown(-1.0, none, 1000.0, true),
            "10 to 100000 log [no upper bound, starts at 10 for the log scale (the program allows -1)]"
        );
        assert_eq!(
            shown(0.0, none, 0.2, false),
            "0.002 to 20 log [no upper bound, starts at 0.002 for the log scale (the program allows 0)]"
        );
        assert_eq!(shown(0.0, none, 0.0, true), "0 to 100 [no upper bound]");
        assert_eq!(shown(-none, none, 0.0, true), "-100 to 100 [no upper bound, no lower bound]");
        assert_eq!(shown(-none, none, 7.0, false), "0.07 to 700 log [no upper bound, no lower bound]");
        assert_eq!(
            shown(0.0, 2e9, 2e9, true),
            "20000000 to 2000000000 log [the default means no limit, starts at 20000000 for the log scale (the program allows 0)]"
        );
        assert_eq!(shown(1.0, 262143.0, 3.0, true), "1 to 262143 log [extends far above the default]");
        assert_eq!(shown(-1.0, 2e6, 0.0, true), "-1 to 2000000 [wide for a default of 0]");
        assert_eq!(shown(0.0, none, none, false), "the default means no limit");
        assert_eq!(shown(0.0, 1.0, -1.0, true), "the default is outside the range");
        assert_eq!(shown(3.0, 3.0, 3.0, true), "only one value");
    }

    #[test]
    fn excluded_ends_are_not_proposed() {
        let numbers = Numbers {
            lower: 0.0,
            upper: 1.0,
            lower_open: true,
            upper_open: true,
            default: 0.999,
            integer: false,
        };
        let (lower, upper, log, notes) = numbers.proposed().unwrap();
        assert_eq!((lower, upper, log), (0.001, 0.9995, false));
        assert_eq!(notes, ["must be above 0", "must be below 1"]);
    }
}
