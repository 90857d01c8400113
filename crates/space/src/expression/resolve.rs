//! Resolves an expression as written into a typed one: names become parameters, literals become choices.
//!
//! Expressions with the same meaning get the same result where that is cheap, so that spaces read from
//! different formats compare equal: `a in {x}` becomes `a == x`, sets are sorted, nested conjunctions
//! are flattened, and literals move to the right side.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use super::super::choices::Choices;
use super::super::diagnostic::{Diagnostic, Span};
use super::super::literal::Literal;
use super::super::nearest::suggestion;
use super::super::parameter::{Kind, Parameter, ParameterId};
use super::{Comparison, Expr, ExprKind, Formula, Quantity};

/// Maximum depth of a tree. Only trees built by hand, or operator chains within chains, can be deeper.
const MAX_TREE_DEPTH: usize = 256;
/// Maximum number of hints with a similar name. The search is slow in large spaces, and nobody reads the
/// hundredth hint.
const MAX_SUGGESTIONS: usize = 10;

/// The mistake, or `None` if it has already been reported.
pub(crate) type Failure = Option<Diagnostic>;

/// The parameters that expressions may mention.
#[derive(Default)]
pub(crate) struct Names {
    pub(crate) parameters: Vec<Parameter>,
    /// `None` for a parameter that was rejected: mentioning it is not another mistake.
    pub(crate) by_name: HashMap<Box<str>, Option<ParameterId>>,
    pub(crate) in_order: Vec<Box<str>>,
    suggestions: Cell<usize>,
}

impl Names {
    pub(crate) fn find(&self, name: &str, span: Span) -> Result<ParameterId, Failure> {
        match self.by_name.get(name) {
            Some(Some(id)) => Ok(*id),
            Some(None) => Err(None),
            None => {
                let hint = self.suggest(name, self.in_order.iter().map(|n| &**n));
                Err(Some(Diagnostic::new(span, format!("unknown parameter `{name}`")).maybe_hint(hint)))
            }
        }
    }

    pub(crate) fn suggest<'a>(&self, word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
        self.suggestions.set(self.suggestions.get() + 1);
        if self.suggestions.get() > MAX_SUGGESTIONS { None } else { suggestion(word, names) }
    }

    fn get(&self, id: ParameterId) -> &Parameter {
        &self.parameters[id.index()]
    }
}

pub(crate) fn resolve_formula(expr: &Expr, names: &Names) -> Result<Formula, Failure> {
    Resolver { names, depth: 0 }.truth(expr)
}

pub(crate) fn resolve_quantity(expr: &Expr, names: &Names) -> Result<Quantity, Failure> {
    let mut resolver = Resolver { names, depth: 0 };
    let operand = resolver.operand(expr)?;
    resolver.number(operand, expr.span)
}

/// One side of a comparison.
enum Operand {
    Literal(Literal),
    Word(String),
    Choice(ParameterId),
    Number(Quantity),
    Truth(Formula),
}

struct Resolver<'a> {
    names: &'a Names,
    depth: usize,
}

impl<'a> Resolver<'a> {
    fn operand(&mut self, expr: &Expr) -> Result<Operand, Failure> {
        self.depth += 1;
        if self.depth > MAX_TREE_DEPTH {
            return Err(Some(Diagnostic::new(expr.span, "the expression is nested too deeply")));
        }
        let operand = self.operand_within(expr);
        self.depth -= 1;
        operand
    }

    fn operand_within(&mut self, expr: &Expr) -> Result<Operand, Failure> {
        Ok(match &expr.kind {
            ExprKind::Literal(literal) => Operand::Literal(literal.clone()),
            ExprKind::Name(name) => self.parameter(name, expr.span)?,
            ExprKind::Word(word) if self.names.by_name.contains_key(word.as_str()) => {
                self.parameter(word, expr.span)?
            }
            ExprKind::Word(word) => Operand::Word(word.clone()),
            ExprKind::Not(inner) => Operand::Truth(Formula::Not(Box::new(self.truth(inner)?))),
            ExprKind::All(parts) => Operand::Truth(Formula::all(self.truths(parts)?)),
            ExprKind::Any(parts) => Operand::Truth(Formula::any(self.truths(parts)?)),
            ExprKind::Compare(comparison, left, right) => {
                Operand::Truth(self.compare(*comparison, left, right, expr.span)?)
            }
            ExprKind::In(left, values) => Operand::Truth(self.member(left, values)?),
            ExprKind::Negate(inner) => match self.quantity(inner)? {
                Quantity::Constant(number) => Operand::Literal(Literal::Float(-number)),
                quantity => Operand::Number(Quantity::Negate(Box::new(quantity))),
            },
            ExprKind::Arithmetic(how, left, right) => {
                let (left, right) = (self.quantity(left)?, self.quantity(right)?);
                Operand::Number(Quantity::Arithmetic(*how, Box::new(left), Box::new(right)))
            }
            ExprKind::Call(function, arguments) => {
                let arguments = arguments.iter().map(|a| self.quantity(a)).collect::<Result<_, _>>()?;
                Operand::Number(Quantity::Call(*function, arguments))
            }
        })
    }

    fn parameter(&self, name: &str, span: Span) -> Result<Operand, Failure> {
        let id = self.names.find(name, span)?;
        Ok(match self.names.get(id).choices() {
            Some(_) => Operand::Choice(id),
            None => Operand::Number(Quantity::Parameter(id)),
        })
    }

    fn truths(&mut self, parts: &[Expr]) -> Result<Vec<Formula>, Failure> {
        parts.iter().map(|part| self.truth(part)).collect()
    }

    fn truth(&mut self, expr: &Expr) -> Result<Formula, Failure> {
        match self.operand(expr)? {
            Operand::Truth(formula) => Ok(formula),
            Operand::Literal(Literal::Boolean(value)) => Ok(Formula::Constant(value)),
            Operand::Choice(parameter) if self.names.get(parameter).kind() == Kind::Boolean => {
                Ok(Formula::member(parameter, vec![1], false))
            }
            Operand::Word(word) => Err(self.names.find(&word, expr.span).err().flatten()),
            _ => Err(Some(
                Diagnostic::new(expr.span, "expected an expression that is true or false, found a value")
                    .hint("compare it with something, as in `a == 1`"),
            )),
        }
    }

    fn quantity(&mut self, expr: &Expr) -> Result<Quantity, Failure> {
        let operand = self.operand(expr)?;
        self.number(operand, expr.span)
    }

    fn number(&self, operand: Operand, span: Span) -> Result<Quantity, Failure> {
        let reject = |message: String| Err(Some(Diagnostic::new(span, message)));
        match operand {
            Operand::Number(quantity) => Ok(quantity),
            Operand::Literal(literal) => match literal.number() {
                Some(number) => Ok(Quantity::Constant(number)),
                None => reject(format!("`{literal}` is not a number")),
            },
            Operand::Choice(id) => {
                let parameter = self.names.get(id);
                match parameter.choices().and_then(|choices| choices.numbers.clone()) {
                    Some(numbers) => Ok(Quantity::Choice(id, numbers)),
                    None => reject(format!("not all choices of `{}` are numbers", parameter.name())),
                }
            }
            Operand::Word(word) => Err(self.names.find(&word, span).err().flatten()),
            Operand::Truth(_) => {
                reject("expected a number, found an expression that is true or false".into())
            }
        }
    }

    fn compare(
        &mut self,
        comparison: Comparison,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Result<Formula, Failure> {
        // The parser reads an unquoted value as a name; the choices of the parameter on the other side
        // resolve it.
        let sides = (self.side(left, right)?, self.side(right, left)?);
        let mirrored = comparison.mirrored();
        let (comparison, near, far, near_span, far_span) = match sides {
            (near @ Operand::Literal(_), far) if !matches!(far, Operand::Literal(_)) => {
                (mirrored, far, near, right.span, left.span)
            }
            (near, far) => (comparison, near, far, left.span, right.span),
        };
        match (near, far) {
            (Operand::Choice(id), Operand::Literal(literal)) => {
                self.compare_choice(comparison, id, &literal, far_span)
            }
            (Operand::Choice(a), Operand::Choice(b)) => self.compare_choices(comparison, a, b, span),
            (near, far) => {
                let (left, right) = (self.number(near, near_span)?, self.number(far, far_span)?);
                Ok(Formula::Compare { comparison, left, right })
            }
        }
    }

    /// Resolves one side of a comparison, where a bare word may be a choice of the parameter on the other
    /// side.
    fn side(&mut self, expr: &Expr, other: &Expr) -> Result<Operand, Failure> {
        let (ExprKind::Name(word) | ExprKind::Word(word)) = &expr.kind else { return self.operand(expr) };
        let (ExprKind::Name(name) | ExprKind::Word(name)) = &other.kind else { return self.operand(expr) };
        let Some(Some(id)) = self.names.by_name.get(name.as_str()) else { return self.operand(expr) };
        let Some(choices) = self.names.get(*id).choices() else { return self.operand(expr) };
        let is_choice = choices.index_of(&word.as_str().into()).is_some();
        match &expr.kind {
            ExprKind::Word(_) if is_choice => Ok(Operand::Literal(word.as_str().into())),
            _ if self.names.by_name.contains_key(word.as_str()) => self.operand(expr),
            ExprKind::Word(_) => Ok(Operand::Literal(word.as_str().into())),
            _ if is_choice => Err(Some(
                Diagnostic::new(expr.span, format!("unknown parameter `{word}`"))
                    .hint(format!("if you mean the choice, quote it: '{word}'")),
            )),
            _ => self.operand(expr),
        }
    }

    fn compare_choice(
        &self,
        comparison: Comparison,
        id: ParameterId,
        literal: &Literal,
        span: Span,
    ) -> Result<Formula, Failure> {
        let parameter = self.names.get(id);
        let Some(choices) = parameter.choices() else { return Err(None) };
        let negated = comparison == Comparison::NotEqual;
        if negated || comparison == Comparison::Equal {
            let choice = self.choice(parameter, choices, literal, span)?;
            return Ok(Formula::member(id, vec![choice], negated));
        }
        if let (Kind::Ordinal, Some(choice)) = (parameter.kind(), choices.index_of(literal)) {
            return Ok(Formula::Position { parameter: id, comparison, choice: choice as u32 });
        }
        match (&choices.numbers, literal.number()) {
            (Some(numbers), Some(number)) => Ok(Formula::Compare {
                comparison,
                left: Quantity::Choice(id, Arc::clone(numbers)),
                right: Quantity::Constant(number),
            }),
            _ if parameter.kind() == Kind::Ordinal => {
                Err(self.choice(parameter, choices, literal, span).err().flatten())
            }
            _ => Err(Some(unordered(parameter, span))),
        }
    }

    fn compare_choices(
        &self,
        comparison: Comparison,
        a: ParameterId,
        b: ParameterId,
        span: Span,
    ) -> Result<Formula, Failure> {
        let (left, right) = (self.names.get(a), self.names.get(b));
        let (Some(from), Some(to)) = (left.choices(), right.choices()) else { return Err(None) };
        if let Comparison::Equal | Comparison::NotEqual = comparison {
            let index = |value| to.index_of(value).map_or(u32::MAX, |index| index as u32);
            let map = from.values().iter().map(index).collect();
            return Ok(Formula::Same { left: a, right: b, map, negated: comparison == Comparison::NotEqual });
        }
        match (&from.numbers, &to.numbers) {
            (Some(x), Some(y)) => Ok(Formula::Compare {
                comparison,
                left: Quantity::Choice(a, Arc::clone(x)),
                right: Quantity::Choice(b, Arc::clone(y)),
            }),
            _ => Err(Some(unordered(if from.numbers.is_none() { left } else { right }, span))),
        }
    }

    fn choice(
        &self,
        parameter: &Parameter,
        choices: &Choices,
        literal: &Literal,
        span: Span,
    ) -> Result<u32, Failure> {
        if let Some(index) = choices.index_of(literal) {
            return Ok(index as u32);
        }
        let texts: Vec<String> = choices.values().iter().map(ToString::to_string).collect();
        let hint = self
            .names
            .suggest(&literal.to_string(), texts.iter().map(String::as_str))
            .or_else(|| (texts.len() <= 10).then(|| format!("the choices are {}", texts.join(", "))));
        let message = format!("`{literal}` is not among the choices of `{}`", parameter.name());
        Err(Some(Diagnostic::new(span, message).maybe_hint(hint)))
    }

    fn member(&mut self, left: &Expr, values: &[Expr]) -> Result<Formula, Failure> {
        let operand = self.operand(left)?;
        let literal = |resolver: &mut Self, value: &Expr| match &value.kind {
            ExprKind::Literal(literal) => Ok(literal.clone()),
            ExprKind::Word(word) => Ok(word.as_str().into()),
            _ => match resolver.operand(value)? {
                Operand::Literal(literal) => Ok(literal),
                _ => Err(Some(Diagnostic::new(value.span, "a set may only contain plain values"))),
            },
        };
        if let Operand::Choice(id) = operand {
            let parameter = self.names.get(id);
            let Some(choices) = parameter.choices() else { return Err(None) };
            let mut indices = Vec::with_capacity(values.len());
            for value in values {
                let literal = match &value.kind {
                    ExprKind::Name(word) if choices.index_of(&word.as_str().into()).is_some() => {
                        let hint = format!("if you mean the choice, quote it: '{word}'");
                        let message = format!("`{word}` in a set must be quoted");
                        return Err(Some(Diagnostic::new(value.span, message).hint(hint)));
                    }
                    _ => literal(self, value)?,
                };
                indices.push(self.choice(parameter, choices, &literal, value.span)?);
            }
            indices.sort_unstable();
            indices.dedup();
            return Ok(Formula::member(id, indices, false));
        }
        let quantity = self.number(operand, left.span)?;
        let mut numbers = Vec::with_capacity(values.len());
        for value in values {
            let literal = literal(self, value)?;
            let reject = || Some(Diagnostic::new(value.span, format!("`{literal}` is not a number")));
            numbers.push(literal.number().ok_or_else(reject)?);
        }
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        Ok(match numbers.as_slice() {
            [only] => {
                let right = Quantity::Constant(*only);
                Formula::Compare { comparison: Comparison::Equal, left: quantity, right }
            }
            _ => Formula::Among { quantity, numbers },
        })
    }
}

fn unordered(parameter: &Parameter, span: Span) -> Diagnostic {
    Diagnostic::new(span, format!("the choices of `{}` have no order", parameter.name()))
        .hint("use `==`, `!=` or `in`, or make it an ordinal parameter")
}
