//! Turns a space into the document, or reports everything that the format cannot express.

use super::super::super::expression::{Comparison, Formula, Quantity};
use super::super::super::{Choices, Kind, Literal, Parameter, ParameterId, Space};
use super::json;
use super::node::{Node, Value};
use super::read::Values;
use super::write::compact;

/// Version of the layout, the same one that ConfigSpace 1.x writes.
const FORMAT_VERSION: f64 = 0.4;

/// Returns the document, or everything that cannot be expressed.
pub(super) fn document(space: &Space) -> Result<Node, Vec<String>> {
    let mut rejected = Vec::new();
    let mut keep = |part: Result<Node, String>| part.map_err(|what| rejected.push(what)).ok();
    let parameters: Vec<Node> = space.parameters().iter().filter_map(|p| keep(parameter(p))).collect();
    let mut conditions = Vec::new();
    for id in space.ids() {
        if let Some(condition) = space.condition(id) {
            let name = space.parameter(id).name();
            let part = ClauseWriter { space, child: Some(name) }.formula(condition, false);
            conditions.extend(keep(part.map_err(|what| format!("{what} in the condition of `{name}`"))));
        }
    }
    let mut forbidden = Vec::new();
    for (number, clause) in space.forbidden().iter().enumerate() {
        let part = ClauseWriter { space, child: None }.formula(clause, false);
        let named =
            part.map_err(|what| format!("{what} in the forbidden clause `{}`", space.clause_text(number)));
        forbidden.extend(keep(named));
    }
    if !rejected.is_empty() {
        return Err(rejected);
    }
    Ok(Node::map([
        ("name", Node::null()),
        ("hyperparameters", Node::list(parameters)),
        ("conditions", Node::list(conditions)),
        ("forbiddens", Node::list(forbidden)),
        ("format_version", Node::scalar(FORMAT_VERSION)),
    ]))
}

fn parameter(parameter: &Parameter) -> Result<Node, String> {
    let name = parameter.name();
    let reject = |what: &str| Err(format!("{what} of `{name}`"));
    if parameter.fixed().is_some() {
        return reject("the fixed value");
    }
    let default = || parameter.default().map_or_else(Node::null, Node::scalar);
    let list = |choices: &Choices| Node::list(choices.values().iter().cloned().map(Node::scalar));
    let mut entries = vec![("type", Node::null()), ("name", Node::scalar(name))];
    let kind = match (parameter.kind(), parameter.choices(), parameter.range()) {
        (kind, _, Some(range)) => {
            let Some((lower, upper)) = range.fixed_bounds() else { return reject("the dependent bounds") };
            if range.step().is_some() {
                return reject("the step");
            }
            if lower >= upper {
                return reject("the single-number range");
            }
            let bound = |number: f64| Node::scalar(parameter.literal(number));
            entries.extend([("lower", bound(lower)), ("upper", bound(upper))]);
            entries.extend([("default_value", default()), ("log", Node::scalar(range.log()))]);
            if kind == Kind::Integer { "uniform_int" } else { "uniform_float" }
        }
        (Kind::Constant, ..) => {
            entries.push(("value", default()));
            "constant"
        }
        (kind, Some(choices), None) => {
            if equal_in_python(choices.values()) {
                return reject("choices that are equal in Python, such as 1 and true,");
            }
            let weights = |weights: &[f64]| Node::list(weights.iter().map(|&weight| Node::scalar(weight)));
            match kind {
                Kind::Ordinal => entries.push(("sequence", list(choices))),
                _ => entries.extend([
                    ("choices", list(choices)),
                    ("weights", choices.weights().map_or_else(Node::null, weights)),
                ]),
            }
            entries.push(("default_value", default()));
            if kind == Kind::Ordinal { "ordinal" } else { "categorical" }
        }
        (_, None, None) => return reject("the values"),
    };
    entries[0].1 = Node::scalar(kind);
    entries.push(("meta", meta(parameter)));
    Ok(Node::map(entries))
}

/// Returns whether any two of these values are equal in Python, where `1 == 1.0 == True`.
fn equal_in_python(values: &[Literal]) -> bool {
    let mut numbers: Vec<f64> = values
        .iter()
        .filter_map(|value| match value {
            Literal::Text(_) => None,
            Literal::Boolean(truth) => Some(f64::from(u8::from(*truth))),
            number => number.number(),
        })
        .collect();
    numbers.sort_by(f64::total_cmp);
    numbers.windows(2).any(|pair| pair[0] == pair[1])
}

/// Writes the note and the switch. A note that the reader made from some other `meta` becomes that `meta`
/// again.
fn meta(parameter: &Parameter) -> Node {
    if let (Some(note), None) = (parameter.note(), parameter.switch())
        && let Ok(node) = json::parse(note)
        && let Value::Map(entries) = &node.value
        && entries.iter().any(|(key, value)| {
            !matches!(key.value.as_str(), "note" | "switch")
                || !matches!(value.value, Value::Scalar(Literal::Text(_)))
        })
        && compact(&node) == note
    {
        return node;
    }
    let note = parameter.note().map(|note| ("note", Node::scalar(note)));
    let switch = parameter.switch().map(|switch| ("switch", Node::scalar(switch)));
    let entries: Vec<_> = note.into_iter().chain(switch).collect();
    if entries.is_empty() { Node::null() } else { Node::map(entries) }
}

/// A writer that turns formulas into conditions (if there is a child) or forbidden clauses.
struct ClauseWriter<'a> {
    space: &'a Space,
    child: Option<&'a str>,
}

impl ClauseWriter<'_> {
    /// Writes a formula or its negation; the negation is exact in Kleene's three-valued logic.
    fn formula(&self, formula: &Formula, negated: bool) -> Result<Node, String> {
        match formula {
            Formula::Constant(_) => Err("an expression that is always true or false".to_owned()),
            Formula::Not(part) => self.formula(part, !negated),
            Formula::All(parts) | Formula::Any(parts) => {
                let all = matches!(formula, Formula::All(_)) != negated;
                let parts =
                    parts.iter().map(|part| self.formula(part, negated)).collect::<Result<Vec<_>, _>>()?;
                Ok(self.join(if all { "AND" } else { "OR" }, parts))
            }
            Formula::Member { parameter, choices, negated: not, .. } => {
                self.member(*parameter, choices, *not != negated)
            }
            Formula::Position { parameter, comparison, choice } => {
                let value = self.space.parameter(*parameter).literal(f64::from(*choice));
                Ok(self.ordered(*parameter, negated_if(*comparison, negated), &value))
            }
            Formula::Same { left, right, negated: not, .. } => {
                if *not != negated {
                    return Err("two parameters that must differ".to_owned());
                }
                self.relation(*left, *right, Comparison::Equal)
            }
            Formula::Among { quantity: Quantity::Parameter(id), numbers } => {
                let values = numbers.iter().map(|&number| self.valid_value(*id, number));
                let values = values.collect::<Result<Vec<_>, _>>()?;
                if negated {
                    let parts = values.iter().map(|value| self.ordered(*id, Comparison::NotEqual, value));
                    return Ok(self.join("AND", parts.collect()));
                }
                Ok(self.among(*id, values))
            }
            Formula::Among { quantity: Quantity::Choice(id, numbers), numbers: among } => {
                self.choices_where(*id, numbers, |number| among.contains(&number) != negated)
            }
            Formula::Among { .. } => Err("arithmetic".to_owned()),
            Formula::Compare { comparison, left, right } => {
                self.compare(negated_if(*comparison, negated), left, right)
            }
        }
    }

    fn compare(&self, comparison: Comparison, left: &Quantity, right: &Quantity) -> Result<Node, String> {
        match (left, right) {
            (Quantity::Constant(_), Quantity::Parameter(_) | Quantity::Choice(..)) => {
                self.compare(comparison.mirrored(), right, left)
            }
            (Quantity::Parameter(id), Quantity::Constant(number)) => {
                let value = self.valid_value(*id, *number)?;
                Ok(self.ordered(*id, comparison, &value))
            }
            (Quantity::Choice(id, numbers), Quantity::Constant(bound)) => {
                self.choices_where(*id, numbers, |number| comparison.accepts(number, *bound))
            }
            (
                Quantity::Parameter(left) | Quantity::Choice(left, _),
                Quantity::Parameter(right) | Quantity::Choice(right, _),
            ) => self.relation(*left, *right, comparison),
            _ => Err("arithmetic".to_owned()),
        }
    }

    /// Returns a number as a value of a parameter; ConfigSpace rejects clauses with other numbers.
    fn valid_value(&self, id: ParameterId, number: f64) -> Result<Literal, String> {
        let parameter = self.space.parameter(id);
        match parameter.code(&Literal::Float(number)) {
            Ok(code) => Ok(parameter.literal(code)),
            Err(_) => {
                let name = parameter.name();
                Err(format!("a comparison of `{name}` with {number}, which is not one of its values,"))
            }
        }
    }

    fn join(&self, how: &'static str, mut parts: Vec<Node>) -> Node {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let child = self.child.map(|child| ("child", Node::scalar(child)));
        let list = if self.child.is_some() { "conditions" } else { "clauses" };
        Node::map([("type", Node::scalar(how))].into_iter().chain(child).chain([(list, Node::list(parts))]))
    }

    fn single(&self, kind: &str, id: ParameterId, value: (&'static str, Node)) -> Node {
        let name = Node::scalar(self.space.parameter(id).name());
        let kind = ("type", Node::scalar(kind));
        match self.child {
            Some(child) => Node::map([kind, ("child", Node::scalar(child)), ("parent", name), value]),
            None => Node::map([kind, ("name", name), value]),
        }
    }

    fn among(&self, id: ParameterId, values: Vec<Literal>) -> Node {
        self.single("IN", id, ("values", Node::list(values.into_iter().map(Node::scalar))))
    }

    /// Writes a test for the choices whose numbers satisfy a predicate.
    fn choices_where(
        &self,
        id: ParameterId,
        numbers: &[f64],
        passes: impl Fn(f64) -> bool,
    ) -> Result<Node, String> {
        let chosen: Vec<u32> =
            (0u32..).zip(numbers).filter(|(_, number)| passes(**number)).map(|(i, _)| i).collect();
        self.member(id, &chosen, false)
    }

    fn member(&self, id: ParameterId, choices: &[u32], negated: bool) -> Result<Node, String> {
        let parameter = self.space.parameter(id);
        let value = |choice: u32| parameter.literal(f64::from(choice));
        match (choices, negated) {
            ([choice], false) => return Ok(self.ordered(id, Comparison::Equal, &value(*choice))),
            // In the vectors of ConfigSpace 1.x, an inactive parameter is unequal to everything.
            ([choice], true) if self.child.is_some() && !self.space.is_conditional(id) => {
                return Ok(self.ordered(id, Comparison::NotEqual, &value(*choice)));
            }
            _ => {}
        }
        let count = parameter.choices().map_or(0, Choices::count) as u32;
        let listed: Vec<Literal> =
            (0..count).filter(|choice| choices.contains(choice) != negated).map(value).collect();
        if listed.is_empty() {
            return Err(format!("an empty set of values of `{}`", parameter.name()));
        }
        Ok(self.among(id, listed))
    }

    /// Writes a comparison of a parameter with one of its values.
    fn ordered(&self, id: ParameterId, comparison: Comparison, value: &Literal) -> Node {
        let one = |word: &str| self.single(word, id, ("value", Node::scalar(value.clone())));
        let condition = self.child.is_some();
        let less = || one(if condition { "LT" } else { "CLAUSE_LT" });
        let equal = || one(if condition { "EQ" } else { "EQUALS" });
        let greater = || one(if condition { "GT" } else { "CLAUSE_GT" });
        match comparison {
            Comparison::Equal => equal(),
            Comparison::Less => less(),
            Comparison::Greater => greater(),
            Comparison::LessOrEqual => self.join("OR", vec![less(), equal()]),
            Comparison::GreaterOrEqual => self.join("OR", vec![greater(), equal()]),
            Comparison::NotEqual if condition && !self.space.is_conditional(id) => one("NEQ"),
            Comparison::NotEqual => self.join("OR", vec![less(), greater()]),
        }
    }

    fn relation(
        &self,
        left: ParameterId,
        right: ParameterId,
        comparison: Comparison,
    ) -> Result<Node, String> {
        let parameters = (self.space.parameter(left), self.space.parameter(right));
        let values = |parameter: &Parameter| match parameter.choices() {
            Some(choices) => Values::of(choices.values()),
            None => Values::Numbers,
        };
        if self.child.is_some() {
            return Err("a comparison of two parameters".to_owned());
        }
        match (values(parameters.0), values(parameters.1), comparison) {
            (Values::Numbers, Values::Numbers, _) | (Values::Texts, Values::Texts, Comparison::Equal) => {}
            _ => return Err("a comparison of values that are not both numbers".to_owned()),
        }
        let one = |word: &str| {
            let (left, right) = (Node::scalar(parameters.0.name()), Node::scalar(parameters.1.name()));
            Node::map([("type", Node::scalar(word)), ("left", left), ("right", right)])
        };
        Ok(match comparison {
            Comparison::Equal => one("RELATION_EQ"),
            Comparison::Less => one("RELATION_LT"),
            Comparison::LessOrEqual => one("RELATION_LE"),
            Comparison::Greater => one("RELATION_GT"),
            Comparison::GreaterOrEqual => one("RELATION_GE"),
            Comparison::NotEqual => self.join("OR", vec![one("RELATION_LT"), one("RELATION_GT")]),
        })
    }
}

/// Returns the comparison or, if `negated`, the one that holds exactly when this one does not.
fn negated_if(comparison: Comparison, negated: bool) -> Comparison {
    match comparison {
        same if !negated => same,
        Comparison::Equal => Comparison::NotEqual,
        Comparison::NotEqual => Comparison::Equal,
        Comparison::Less => Comparison::GreaterOrEqual,
        Comparison::LessOrEqual => Comparison::Greater,
        Comparison::Greater => Comparison::LessOrEqual,
        Comparison::GreaterOrEqual => Comparison::Less,
    }
}
