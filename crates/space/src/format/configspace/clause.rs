//! Turns the conditions and forbidden clauses of the document into expressions.
//!
//! | condition | forbidden | 0.6 and 0.7 | means |
//! |---|---|---|---|
//! | `EQ` | `EQUALS` | the same | `p == v` |
//! | `NEQ` | | the same | `p != v` |
//! | `LT`, `GT` | `CLAUSE_LT`, `_LE`, `_GT`, `_GE` | conditions only | `p < v` and so on |
//! | `IN` | `IN` | the same | `p in {v, ...}` |
//! | `AND`, `OR` of `conditions` | `AND`, `OR` of `clauses` | no forbidden `OR` | `&&`, `\|\|` |
//! | | `RELATION_LT`, `_LE`, `_EQ`, `_GE`, `_GT` | `RELATION` with a `lambda` | `p < q` and so on |
//!
//! Where the format has no `<=`, the writer uses an `OR` of "less" and "equal" for the same value; the
//! reader turns this back into `<=`.

use super::super::super::expression::{Comparison, Expr, ExprKind};
use super::super::super::nearest::suggestion;
use super::super::super::{Clause, Diagnostic, Span, Spanned};
use super::node::Node;
use super::read::{Reader, Values, literals};

const CONDITIONS: [&str; 7] = ["EQ", "NEQ", "LT", "GT", "IN", "AND", "OR"];
const FORBIDDENS: [&str; 14] = [
    "EQUALS",
    "IN",
    "AND",
    "OR",
    "CLAUSE_LT",
    "CLAUSE_LE",
    "CLAUSE_GT",
    "CLAUSE_GE",
    "RELATION_LT",
    "RELATION_LE",
    "RELATION_EQ",
    "RELATION_GE",
    "RELATION_GT",
    "RELATION",
];

/// Role of a clause: a condition or a forbidden clause.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Condition,
    Forbidden,
}

impl Role {
    const fn name(self) -> &'static str {
        match self {
            Self::Condition => "condition",
            Self::Forbidden => "forbidden clause",
        }
    }
}

type Outcome<T> = Result<T, Diagnostic>;

impl Reader {
    pub(super) fn condition(&mut self, node: &Node) -> Outcome<()> {
        let child = child(node)?;
        let child = child.ok_or_else(|| Diagnostic::new(node.span, "the condition has no `child`"))?;
        let expr = self.clause(node, Role::Condition, Some(&child.value))?;
        self.builder.when(child, Clause::Tree(expr));
        Ok(())
    }

    pub(super) fn forbidden(&mut self, node: &Node) -> Outcome<()> {
        let expr = self.clause(node, Role::Forbidden, None)?;
        self.builder.forbid(Clause::Tree(expr));
        Ok(())
    }

    /// Reads a clause and its parts. The recursion is bounded by the maximum depth of a document.
    fn clause(&mut self, node: &Node, role: Role, of: Option<&str>) -> Outcome<Expr> {
        let word = role.name();
        let entries = node.entries(&format!("a {word}"))?;
        let kind = entries.iter().find(|(key, _)| key.value == "type").map(|(_, value)| value);
        let kind = kind.ok_or_else(|| Diagnostic::new(node.span, format!("the {word} has no `type`")))?;
        let kind = kind.text("type")?;
        let known = if role == Role::Condition { &CONDITIONS[..] } else { &FORBIDDENS[..] };
        if !known.contains(&kind.value) {
            let hint = suggestion(kind.value, known.iter().copied());
            let hint = hint.unwrap_or_else(|| format!("known types: {}", known.join(", ")));
            return Err(
                Diagnostic::new(kind.span, format!("unknown type `{}` for a {word}", kind.value)).hint(hint)
            );
        }
        if let (Some(of), Some(child)) = (of, child(node)?)
            && child.value != of
        {
            let message =
                format!("the parts of one condition name two children, `{of}` and `{}`", child.value);
            return Err(Diagnostic::new(child.span, message));
        }
        let mut expr = match kind.value {
            "AND" | "OR" => self.joined(node, kind.value, role, of)?,
            relation if relation.starts_with("RELATION") => self.relation(node, relation)?,
            single => self.single(node, single, role)?,
        };
        // A mistake about the whole clause is shown at its type instead of at all its keys.
        expr.span = kind.span;
        Ok(expr)
    }

    fn joined(&mut self, node: &Node, kind: &str, role: Role, of: Option<&str>) -> Outcome<Expr> {
        let (list, known) = match role {
            Role::Condition => ("conditions", ["type", "child", "conditions"]),
            // Versions before 1.0 repeat the name of the first part here.
            Role::Forbidden => ("clauses", ["type", "name", "clauses"]),
        };
        let title = format!("the {} `{kind}`", role.name());
        let fields = self.fields(node, &title, &known)?;
        let list = fields.need(list)?;
        let parts = list.items("its parts")?.iter().map(|part| self.clause(part, role, of));
        let parts = parts.collect::<Outcome<Vec<_>>>()?;
        if parts.is_empty() {
            return Err(Diagnostic::new(list.span, format!("{title} has no parts")));
        }
        Ok(match (kind, or_equal(&parts)) {
            ("OR", Some(either)) => either,
            ("OR", None) => Expr::any(parts),
            _ => Expr::all(parts),
        })
    }

    fn single(&mut self, node: &Node, kind: &str, role: Role) -> Outcome<Expr> {
        let value = if kind == "IN" { "values" } else { "value" };
        let (name, known) = match role {
            Role::Condition => ("parent", &["type", "child", "parent", value][..]),
            Role::Forbidden => ("name", &["type", "name", value][..]),
        };
        let fields = self.fields(node, &format!("the {} `{kind}`", role.name()), known)?;
        let name = fields.name(name)?;
        let name = Expr::name(name.value, name.span);
        if kind == "IN" {
            let values = fields.need("values")?;
            let items = literals(values, "values")?;
            if items.is_empty() {
                return Err(Diagnostic::new(values.span, "an empty list of values never matches"));
            }
            let items = items.into_iter().map(|item| Expr::literal(item.value, item.span)).collect();
            return Ok(Expr::member(name, items));
        }
        let comparison = match kind {
            "NEQ" => Comparison::NotEqual,
            "LT" | "CLAUSE_LT" => Comparison::Less,
            "CLAUSE_LE" => Comparison::LessOrEqual,
            "GT" | "CLAUSE_GT" => Comparison::Greater,
            "CLAUSE_GE" => Comparison::GreaterOrEqual,
            _ => Comparison::Equal,
        };
        let value = fields.need("value")?.literal("value")?;
        Ok(Expr::compare(comparison, name, Expr::literal(value.value, value.span)))
    }

    fn relation(&mut self, node: &Node, kind: &str) -> Outcome<Expr> {
        let old = kind == "RELATION";
        let known =
            if old { &["type", "left", "right", "lambda"][..] } else { &["type", "left", "right"][..] };
        let fields = self.fields(node, "the forbidden relation", known)?;
        let word = if old {
            fields.name("lambda")?
        } else {
            Spanned::new(kind.replace("RELATION_", ""), Span::NONE)
        };
        let comparison = match word.value.as_str() {
            "LT" | "LESS" => Comparison::Less,
            "LE" | "LESSEQUAL" => Comparison::LessOrEqual,
            "EQ" | "EQUALS" => Comparison::Equal,
            "GE" | "GREATEREQUAL" => Comparison::GreaterOrEqual,
            "GT" | "GREATER" => Comparison::Greater,
            other => {
                let mistake = Diagnostic::new(word.span, format!("unknown relation `{other}`"));
                return Err(mistake.hint("known relations: LESS, EQUALS, GREATER"));
            }
        };
        let (left, right) = (fields.name("left")?, fields.name("right")?);
        let sides = (self.values.get(&left.value).copied(), self.values.get(&right.value).copied());
        let valid = match sides {
            (Some(Values::Numbers), Some(Values::Numbers)) => true,
            (Some(Values::Texts), Some(Values::Texts)) => comparison == Comparison::Equal,
            // An unknown name is reported later.
            (None, _) | (_, None) => true,
            _ => false,
        };
        if !valid {
            let message = format!("`{}` and `{}` are not both numbers", left.value, right.value);
            let hint = "ConfigSpace would compare them as text; forbid the pairs of values instead";
            return Err(Diagnostic::new(left.span, message).hint(hint));
        }
        Ok(Expr::compare(comparison, Expr::name(left.value, left.span), Expr::name(right.value, right.span)))
    }
}

fn child(node: &Node) -> Outcome<Option<Spanned<String>>> {
    let found = node.entries("a condition")?.iter().find(|(key, _)| key.value == "child");
    let text = found.map(|(_, value)| value.text("child")).transpose()?;
    Ok(text.map(|text| Spanned::new(text.value.to_owned(), text.span)))
}

/// Merges `p < v` and `p == v` into `p <= v`, and likewise for `>`.
fn or_equal(parts: &[Expr]) -> Option<Expr> {
    let [first, second] = parts else { return None };
    let ExprKind::Compare(order, parameter, value) = &first.kind else { return None };
    let ExprKind::Compare(Comparison::Equal, again, same) = &second.kind else { return None };
    let joined = match order {
        Comparison::Less => Comparison::LessOrEqual,
        Comparison::Greater => Comparison::GreaterOrEqual,
        _ => return None,
    };
    let names = matches!((&parameter.kind, &again.kind), (ExprKind::Name(a), ExprKind::Name(b)) if a == b);
    let values = matches!((&value.kind, &same.kind), (ExprKind::Literal(a), ExprKind::Literal(b)) if a == b);
    (names && values).then(|| Expr::compare(joined, parameter.as_ref().clone(), value.as_ref().clone()))
}
