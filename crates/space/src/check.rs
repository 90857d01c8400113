//! Turns definitions into a checked [`Space`], collecting every mistake.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use math::Rng;

use super::builder::{BoundDefinition, Clause, DomainDefinition, ParameterDefinition, SpaceBuilder};
use super::choices::Choices;
use super::condition::{self, Group};
use super::configuration::text_hash;
use super::diagnostic::{Diagnostic, Diagnostics, Span, Spanned};
use super::expression::{self, Expr, ExprKind, Formula, Names, resolve_formula, resolve_quantity};
use super::literal::{Literal, float_text};
use super::parameter::{Domain, Kind, Misfit, Parameter, ParameterId};
use super::range::{Bound, LARGEST_INTEGER, Range, Scale};
use super::sample::MAX_ATTEMPTS;
use super::settle::Violation;
use super::{Space, SpaceData};

impl SpaceBuilder {
    /// Returns the space, or every mistake found.
    pub fn finish(self) -> Result<Space, Diagnostics> {
        let mut checker = Checker { names: Names::default(), mistakes: self.mistakes, first: HashMap::new() };
        if self.parameters.is_empty() && checker.mistakes.is_empty() {
            let start = if self.file.is_empty() { Span::NONE } else { Span::new(0, 0) };
            checker.mistake_with_hint(
                start,
                "no parameters are defined",
                "check that this is the right file and format",
            );
        }
        let mut accepted = Vec::new();
        for definition in self.parameters {
            checker.parameter(definition, &self.text, &mut accepted);
        }
        checker.bounds_and_values(accepted);
        let conditions = checker.conditions(self.conditions);
        let mut forbidden = Vec::new();
        let mut forbidden_spans = Vec::new();
        for clause in &self.forbidden {
            if let Some(formula) = checker.formula(clause) {
                let mut mentions = false;
                formula.parameters(&mut |_| mentions = true);
                if !mentions {
                    checker.mistake(clause.span(), "the forbidden clause mentions no parameter");
                }
                forbidden.push(formula);
                forbidden_spans.push(clause.span());
            }
        }
        let space = checker.assemble(conditions, forbidden, &forbidden_spans);
        match space {
            Some(space) if checker.mistakes.is_empty() => Ok(space),
            _ => Err(Diagnostics::new(self.file, self.text, checker.mistakes)),
        }
    }
}

struct Checker {
    names: Names,
    mistakes: Vec<Diagnostic>,
    /// Position of the first definition of each name.
    first: HashMap<Box<str>, Span>,
}

impl Checker {
    fn mistake(&mut self, span: Span, message: impl Into<String>) {
        self.mistakes.push(Diagnostic::new(span, message));
    }

    fn mistake_with_hint(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        self.mistakes.push(Diagnostic::new(span, message).hint(hint));
    }

    /// Registers a definition under its name and checks everything that does not depend on other parameters.
    fn parameter(
        &mut self,
        mut definition: ParameterDefinition,
        text: &str,
        accepted: &mut Vec<ParameterDefinition>,
    ) {
        let Spanned { value: name, span } = std::mem::replace(&mut definition.name, String::new().into());
        if name.is_empty() {
            return self.mistake(span, "a parameter needs a name");
        }
        if let Some(&first) = self.first.get(name.as_str()) {
            // Counting lines is slow, and nobody reads the hundredth hint.
            let first = if self.mistakes.len() < 100 { first } else { Span::NONE };
            let line = text.get(..first.start).map_or(1, |before| before.matches('\n').count() + 1);
            let hint = if first.is_known() { format!("first defined on line {line}") } else { String::new() };
            let mistake = Diagnostic::new(span, format!("duplicate parameter `{name}`"));
            self.mistakes.push(mistake.maybe_hint(Some(hint).filter(|hint| !hint.is_empty())));
            return;
        }
        self.first.insert(name.as_str().into(), span);
        self.names.in_order.push(name.as_str().into());
        let (kind, domain) = match &mut definition.domain {
            DomainDefinition::Float { lower, upper, log, step } => {
                let range = self.range(&name, definition.span, (lower, upper), *log, *step, false);
                (Kind::Float, range.map(Domain::Range))
            }
            DomainDefinition::Integer { lower, upper, log, step } => {
                let range = self.range(&name, definition.span, (lower, upper), *log, *step, true);
                (Kind::Integer, range.map(Domain::Range))
            }
            DomainDefinition::Categorical { choices, weights } => {
                let choices = std::mem::take(choices);
                (Kind::Categorical, self.choices(&name, definition.span, choices, weights.take()))
            }
            DomainDefinition::Ordinal { values } => {
                let values = std::mem::take(values);
                (Kind::Ordinal, self.choices(&name, definition.span, values, None))
            }
            DomainDefinition::Boolean => {
                let values = vec![Literal::Boolean(false), Literal::Boolean(true)];
                (Kind::Boolean, Some(Domain::Choices(Choices::new(values, None))))
            }
            DomainDefinition::Constant { value } => {
                let value = std::mem::replace(&mut value.value, Literal::Boolean(false));
                (Kind::Constant, Some(Domain::Choices(Choices::new(vec![value], None))))
            }
        };
        let id = domain.is_some().then_some(ParameterId(self.names.parameters.len() as u32));
        self.names.by_name.insert(name.as_str().into(), id);
        let Some(domain) = domain else { return };
        let choice_hashes = match &domain {
            Domain::Choices(choices) => {
                choices.values.iter().map(|value| text_hash(&value.to_string())).collect()
            }
            Domain::Range(_) => Box::default(),
        };
        self.names.parameters.push(Parameter {
            name_hash: text_hash(&name),
            name: name.into(),
            kind,
            domain,
            default: None,
            default_given: definition.default.is_some(),
            fixed: None,
            switch: definition.switch.take().map(Into::into),
            note: definition.note.take().map(Into::into),
            choice_hashes,
        });
        accepted.push(definition);
    }

    /// Returns a range without its dependent bounds, which are resolved later.
    fn range(
        &mut self,
        name: &str,
        span: Span,
        (lower, upper): (&Spanned<BoundDefinition>, &Spanned<BoundDefinition>),
        log: bool,
        step: Option<Spanned<f64>>,
        integer: bool,
    ) -> Option<Range> {
        let number = |bound: &Spanned<BoundDefinition>| match bound.value {
            BoundDefinition::Number(number) => Some(number),
            BoundDefinition::Expression(_) => None,
        };
        let before = self.mistakes.len();
        for bound in [lower, upper] {
            let Some(value) = number(bound) else { continue };
            if !value.is_finite() {
                self.mistake(bound.span, format!("the bounds of `{name}` must be finite numbers"));
            } else if integer && value != libm::trunc(value) {
                let message = format!("`{}` is not a whole number", float_text(value));
                self.mistake_with_hint(
                    bound.span,
                    message,
                    format!("make `{name}` a float, or round its bounds"),
                );
            } else if integer && value.abs() > LARGEST_INTEGER {
                let message = format!("the bounds of `{name}` are too large for an integer");
                self.mistake_with_hint(
                    bound.span,
                    message,
                    format!("the largest integer is {LARGEST_INTEGER}; use a float"),
                );
            }
        }
        if let Some(low) = number(lower).filter(|low| log && *low <= 0.0) {
            let message =
                format!("the logarithmic range of `{name}` starts at {low:?}, which has no logarithm");
            self.mistake_with_hint(lower.span, message, "start above zero, or make the range linear");
        }
        if let (Some(low), Some(high)) = (number(lower), number(upper))
            && low > high
        {
            let message = format!("the upper bound {high:?} of `{name}` is below its lower bound {low:?}");
            self.mistake_with_hint(span, message, "put the lower bound first");
        }
        if let Some(step) = step {
            let width = number(upper).zip(number(lower)).map(|(high, low)| high - low);
            if !(step.value > 0.0 && step.value.is_finite()) {
                self.mistake(step.span, format!("the step of `{name}` must be above zero"));
            } else if integer && step.value != libm::trunc(step.value) {
                self.mistake(step.span, format!("the step of the integer `{name}` must be a whole number"));
            } else if width.is_some_and(|width| width / step.value > LARGEST_INTEGER) {
                self.mistake(step.span, format!("the step of `{name}` is too small for its range"));
            }
        }
        if self.mistakes.len() > before {
            return None;
        }
        let step = step.map(|step| step.value).filter(|step| !(integer && *step == 1.0));
        let fixed = number(lower).zip(number(upper));
        let scale = fixed.and_then(|(low, high)| Scale::new(low + 0.0, high + 0.0, log, step, integer));
        if fixed.is_some() && scale.is_none() {
            self.mistake(span, format!("the range of `{name}` is too wide"));
            return None;
        }
        let bound = |bound| Bound::Number(number(bound).unwrap_or(f64::NAN) + 0.0);
        Some(Range { lower: bound(lower), upper: bound(upper), log, step, integer, scale })
    }

    fn choices(
        &mut self,
        name: &str,
        span: Span,
        values: Vec<Spanned<Literal>>,
        weights: Option<Spanned<Vec<f64>>>,
    ) -> Option<Domain> {
        let before = self.mistakes.len();
        if values.is_empty() {
            self.mistake(span, format!("`{name}` has no values"));
        }
        let mut seen = HashSet::new();
        for Spanned { value, span } in &values {
            if !seen.insert(value.to_string()) {
                self.mistake(*span, format!("duplicate value `{value}` for `{name}`"));
            }
        }
        if let Some(weights) = &weights {
            let valid = weights.value.iter().all(|w| *w >= 0.0 && w.is_finite());
            let total: f64 = weights.value.iter().sum();
            if weights.value.len() != values.len() {
                let (given, wanted) = (weights.value.len(), values.len());
                self.mistake(weights.span, format!("`{name}` has {given} weights for {wanted} choices"));
            } else if !(valid && total > 0.0 && total.is_finite()) {
                self.mistake_with_hint(
                    weights.span,
                    format!("the weights of `{name}` are invalid"),
                    "weights must not be negative, and at least one must be above zero",
                );
            }
        }
        if self.mistakes.len() > before {
            return None;
        }
        let values = values.into_iter().map(|value| value.value).collect();
        Some(Domain::Choices(Choices::new(values, weights.map(|weights| weights.value))))
    }

    /// Resolves bounds, which may mention other parameters. Also resolves the default and the fixed value,
    /// which need the domain.
    fn bounds_and_values(&mut self, definitions: Vec<ParameterDefinition>) {
        for (index, definition) in definitions.into_iter().enumerate() {
            if let DomainDefinition::Float { lower, upper, .. }
            | DomainDefinition::Integer { lower, upper, .. } = &definition.domain
            {
                let (lower, upper) = (self.dependent(lower), self.dependent(upper));
                if let Domain::Range(range) = &mut self.names.parameters[index].domain {
                    range.lower = lower.unwrap_or_else(|| range.lower.clone());
                    range.upper = upper.unwrap_or_else(|| range.upper.clone());
                }
            }
            let fixed = definition.fixed.and_then(|value| self.value(index, &value, "the fixed value"));
            let default = definition.default.and_then(|value| self.value(index, &value, "the default"));
            let parameter = &mut self.names.parameters[index];
            parameter.fixed = fixed;
            parameter.default = default.or_else(|| match &parameter.domain {
                Domain::Range(range) => range.scale.map(|scale| scale.middle()),
                Domain::Choices(choices) => Some(heaviest(choices) as f64),
            });
        }
    }

    fn dependent(&mut self, bound: &Spanned<BoundDefinition>) -> Option<Bound> {
        let BoundDefinition::Expression(clause) = &bound.value else { return None };
        let expr = self.expr(clause)?;
        let quantity = resolve_quantity(&expr, &self.names);
        quantity.map(Bound::Dependent).map_err(|mistake| self.mistakes.extend(mistake)).ok()
    }

    fn value(&mut self, index: usize, value: &Spanned<Literal>, what: &str) -> Option<f64> {
        let parameter = &self.names.parameters[index];
        let error = match parameter.code(&value.value) {
            Ok(code) => return Some(code),
            Err(error) => error,
        };
        let message = format!("{what} `{}` of `{}` is invalid: {}", value.value, parameter.name(), error.why);
        let hint = match (&error.why, parameter.choices()) {
            (Misfit::NotAChoice, Some(choices)) => {
                let texts: Vec<String> = choices.values().iter().map(ToString::to_string).collect();
                let near = self.names.suggest(&error.value, texts.iter().map(String::as_str));
                near.or_else(|| (texts.len() <= 10).then(|| format!("the choices are {}", texts.join(", "))))
            }
            (Misfit::NotAChoice, None) => None,
            (Misfit::NotANumber, _) => Some("write a number without quotes or units".to_owned()),
            (Misfit::NotWhole, _) => Some("round it, or make the parameter a float".to_owned()),
            (Misfit::Outside(..), _) => Some("change it, or widen the range".to_owned()),
            (Misfit::OffGrid, _) => {
                let nearest = parameter.range().and_then(|range| range.scale).zip(value.value.number());
                nearest.map(|(scale, number)| {
                    format!("the nearest value is {}", parameter.literal(scale.snap(number)))
                })
            }
        };
        self.mistakes.push(Diagnostic::new(value.span, message).maybe_hint(hint));
        None
    }

    fn expr(&mut self, clause: &Clause) -> Option<Expr> {
        let (text, dialect, exact) = match clause {
            Clause::Tree(expr) => return Some(expr.clone()),
            Clause::Text { text, dialect, exact } => (text, *dialect, *exact),
        };
        let known = |name: &str| self.names.by_name.contains_key(name);
        let place = |span: Span| match exact {
            true => Span::new(text.span.start + span.start, text.span.start + span.end),
            false => text.span,
        };
        match expression::parse(&text.value, dialect, &known) {
            Ok(mut expr) => {
                relocate(&mut expr, &place);
                Some(expr)
            }
            Err(mut mistake) => {
                mistake.span = place(mistake.span);
                self.mistakes.push(mistake);
                None
            }
        }
    }

    fn formula(&mut self, clause: &Clause) -> Option<Formula> {
        let expr = self.expr(clause)?;
        resolve_formula(&expr, &self.names).map_err(|mistake| self.mistakes.extend(mistake)).ok()
    }

    fn conditions(&mut self, list: Vec<(Spanned<String>, Clause)>) -> Vec<(Option<Formula>, Span)> {
        let mut parts: Vec<Vec<Formula>> = vec![Vec::new(); self.names.parameters.len()];
        let mut spans = vec![Span::NONE; self.names.parameters.len()];
        for (name, clause) in list {
            let child = self.names.find(&name.value, name.span);
            let formula = self.formula(&clause);
            match (child, formula) {
                (Ok(id), Some(formula)) => {
                    parts[id.index()].push(formula);
                    spans[id.index()] = clause.span();
                }
                (Err(mistake), _) => self.mistakes.extend(mistake),
                (Ok(_), None) => {}
            }
        }
        let conjoin = |parts: Vec<Formula>| (!parts.is_empty()).then(|| Formula::all(parts));
        parts.into_iter().map(conjoin).zip(spans).collect()
    }

    fn assemble(
        &mut self,
        conditions: Vec<(Option<Formula>, Span)>,
        forbidden: Vec<Formula>,
        forbidden_spans: &[Span],
    ) -> Option<Space> {
        let (conditions, spans): (Vec<_>, Vec<_>) = conditions.into_iter().unzip();
        let parameters = std::mem::take(&mut self.names.parameters);
        let order = match condition::order(&parameters, &conditions) {
            Ok(order) => order,
            Err(cycles) => {
                for cycle in cycles {
                    self.cycle(&cycle, &parameters, &spans);
                }
                return None;
            }
        };
        if !self.mistakes.is_empty() {
            return None;
        }
        let by_name = std::mem::take(&mut self.names.by_name);
        let by_name = by_name.into_iter().filter_map(|(name, id)| Some((name, id?))).collect();
        let (groups, group_of) = condition::groups(&parameters, &conditions, &forbidden, &order);
        let batches = condition::batches(&groups, &parameters);
        let default = vec![f64::NAN; parameters.len()];
        let mut data =
            SpaceData { parameters, conditions, forbidden, by_name, groups, batches, group_of, default };
        let mut default = std::mem::take(&mut data.default);
        let (mut outside, mut drawn) = (Vec::new(), Vec::new());
        for group in &data.batches {
            let outcome = data.settle(group, &mut default, |index, slot, _| {
                let parameter = &data.parameters[index];
                let code = slot.default(parameter);
                if parameter.default.is_some_and(|given| given != code) {
                    outside.push(Violation::Outside(ParameterId(index as u32)));
                }
                code
            });
            if outcome.is_err() && outside.is_empty() && draw_default(&data, group, &mut default) {
                drawn.extend_from_slice(&group.parameters);
                continue;
            }
            for violation in outcome.err().into_iter().chain(outside.drain(..)) {
                self.bad_default(violation, &data.parameters, forbidden_spans);
            }
        }
        for index in drawn.into_iter().map(|p| p as usize).filter(|&p| !default[p].is_nan()) {
            data.parameters[index].default = Some(default[index]);
        }
        data.default = default;
        Some(Space { data: Arc::new(data) })
    }

    fn cycle(&mut self, cycle: &[ParameterId], parameters: &[Parameter], spans: &[Span]) {
        let names: Vec<&str> =
            cycle.iter().chain(cycle.first()).map(|id| parameters[id.index()].name()).collect();
        let place = cycle.iter().map(|id| spans[id.index()]).find(|span| span.is_known());
        let place = place.or_else(|| self.first.get(names[0]).copied()).unwrap_or(Span::NONE);
        let message = format!("`{}` depends on itself: {}", names[0], names.join(" -> "));
        self.mistake_with_hint(
            place,
            message,
            "a parameter's condition and bounds may only mention parameters that do not depend on it",
        );
    }

    fn bad_default(&mut self, violation: Violation, parameters: &[Parameter], forbidden_spans: &[Span]) {
        match violation {
            Violation::Forbidden(clause) => self.mistake_with_hint(
                forbidden_spans[clause as usize],
                "the default configuration is forbidden by this clause",
                "change a default or the clause",
            ),
            Violation::Empty(id) | Violation::Outside(id) => {
                let name = parameters[id.index()].name();
                let span = self.first.get(name).copied().unwrap_or(Span::NONE);
                let message =
                    format!("`{name}` has no valid value when the other parameters are at their defaults");
                self.mistake_with_hint(
                    span,
                    message,
                    "its bounds depend on other parameters: change a default or a bound",
                );
            }
        }
    }
}

/// Draws a default for a group without given defaults (formats such as irace's have none) whose midpoints and
/// first choices do not form a valid configuration. Returns whether a valid default was found.
fn draw_default(data: &SpaceData, group: &Group, default: &mut [f64]) -> bool {
    let Some(&first) = group.parameters.first() else { return false };
    if group.parameters.iter().any(|&p| data.parameters[p as usize].default_given) {
        return false;
    }
    // A large file that forbids everything must still be rejected quickly.
    let attempts = MAX_ATTEMPTS.min(1 + 10_000_000 / group.parameters.len() as u32);
    let mut rng = Rng::new(0, "default", u64::from(first));
    (0..attempts).any(|_| data.settle(group, default, |_, slot, _| slot.draw(rng.unit())).is_ok())
}

/// Returns the index of the largest weight, or of the first one if several are equal.
fn heaviest(choices: &Choices) -> usize {
    let weights = choices.weights().unwrap_or_default();
    (1..weights.len()).fold(0, |best, i| if weights[i] > weights[best] { i } else { best })
}

fn relocate(expr: &mut Expr, place: &dyn Fn(Span) -> Span) {
    expr.span = place(expr.span);
    match &mut expr.kind {
        ExprKind::Literal(_) | ExprKind::Name(_) | ExprKind::Word(_) => {}
        ExprKind::Not(inner) | ExprKind::Negate(inner) => relocate(inner, place),
        ExprKind::All(parts) | ExprKind::Any(parts) | ExprKind::Call(_, parts) => {
            parts.iter_mut().for_each(|part| relocate(part, place));
        }
        ExprKind::Compare(_, left, right) | ExprKind::Arithmetic(_, left, right) => {
            relocate(left, place);
            relocate(right, place);
        }
        ExprKind::In(left, values) => {
            relocate(left, place);
            values.iter_mut().for_each(|value| relocate(value, place));
        }
    }
}
