//! Definitions of parameters, conditions and forbidden clauses, from which a [`Space`] is built.
//!
//! The file-format readers add every definition they find, with its position. Only [`SpaceBuilder::finish`]
//! checks them, so that all mistakes are reported at once.
//!
//! ```
//! use space::{ParameterDefinition, SpaceBuilder};
//!
//! let mut builder = SpaceBuilder::default();
//! builder.parameter(ParameterDefinition::categorical("mode", ["sat", "unsat"]));
//! builder.parameter(ParameterDefinition::float("alpha", 1.0, 1.4).log().default(1.3));
//! builder.when("alpha", "mode == 'sat'");
//! let space = builder.finish().unwrap();
//! assert_eq!(space.default_configuration().to_string(), "mode=sat alpha=1.3");
//! ```

use super::diagnostic::{Diagnostic, Span, Spanned};
use super::expression::{Dialect, Expr};
use super::literal::Literal;

/// A parameter as a file defines it.
#[derive(Clone, Debug)]
pub struct ParameterDefinition {
    /// Name of the parameter.
    pub name: Spanned<String>,
    /// Values that the parameter may take.
    pub domain: DomainDefinition,
    /// Position of the values, for reporting mistakes that concern all of them.
    pub span: Span,
    /// Default, if the file gives one.
    pub default: Option<Spanned<Literal>>,
    /// Value that the parameter is pinned to.
    pub fixed: Option<Spanned<Literal>>,
    /// Text before the value on the target's command line.
    pub switch: Option<String>,
    /// Comment for people who read the space.
    pub note: Option<String>,
}

/// The values of a parameter as a file defines them.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum DomainDefinition {
    Float {
        lower: Spanned<BoundDefinition>,
        upper: Spanned<BoundDefinition>,
        log: bool,
        step: Option<Spanned<f64>>,
    },
    Integer {
        lower: Spanned<BoundDefinition>,
        upper: Spanned<BoundDefinition>,
        log: bool,
        step: Option<Spanned<f64>>,
    },
    Categorical {
        choices: Vec<Spanned<Literal>>,
        weights: Option<Spanned<Vec<f64>>>,
    },
    Ordinal {
        values: Vec<Spanned<Literal>>,
    },
    Boolean,
    Constant {
        value: Spanned<Literal>,
    },
}

/// A bound as a file defines it.
#[derive(Clone, Debug)]
pub enum BoundDefinition {
    /// A number.
    Number(f64),
    /// An expression over other parameters.
    Expression(Clause),
}

/// An expression in a file: text that is parsed once all names are known, or a syntax tree.
#[derive(Clone, Debug)]
pub enum Clause {
    /// Text whose first byte is at the span's start. If `exact` is false, the file does not contain the
    /// text literally (for example, because it has escapes), and mistakes point to the whole span.
    Text {
        /// The expression.
        text: Spanned<String>,
        /// Variant of the language in which the text is written.
        dialect: Dialect,
        /// Whether the file contains the text byte for byte from the span's start.
        exact: bool,
    },
    /// A syntax tree.
    Tree(Expr),
}

impl Clause {
    /// Creates a clause from text that the file contains literally at byte `start`.
    pub fn text(text: impl Into<String>, start: usize, dialect: Dialect) -> Self {
        let text = text.into();
        let span = Span::new(start, start + text.len());
        Self::Text { text: Spanned::new(text, span), dialect, exact: true }
    }

    /// Returns the position of the clause.
    pub fn span(&self) -> Span {
        match self {
            Self::Text { text, .. } => text.span,
            Self::Tree(expr) => expr.span,
        }
    }
}

impl From<&str> for Clause {
    fn from(text: &str) -> Self {
        Self::Text { text: text.into(), dialect: Dialect::Captune, exact: false }
    }
}

impl From<Expr> for Clause {
    fn from(expr: Expr) -> Self {
        Self::Tree(expr)
    }
}

impl ParameterDefinition {
    /// Creates a parameter without a default, fixed value, switch or note.
    pub fn new(name: impl Into<Spanned<String>>, domain: DomainDefinition) -> Self {
        let name = name.into();
        let span = name.span;
        Self { name, domain, span, default: None, fixed: None, switch: None, note: None }
    }

    /// Creates a real parameter between two bounds.
    pub fn float(name: impl Into<Spanned<String>>, lower: f64, upper: f64) -> Self {
        let (lower, upper) = (BoundDefinition::Number(lower).into(), BoundDefinition::Number(upper).into());
        Self::new(name, DomainDefinition::Float { lower, upper, log: false, step: None })
    }

    /// Creates an integer parameter between two bounds.
    pub fn integer(name: impl Into<Spanned<String>>, lower: i64, upper: i64) -> Self {
        let (lower, upper) = (lower as f64, upper as f64);
        let (lower, upper) = (BoundDefinition::Number(lower).into(), BoundDefinition::Number(upper).into());
        Self::new(name, DomainDefinition::Integer { lower, upper, log: false, step: None })
    }

    /// Creates a parameter with unordered choices.
    pub fn categorical<T: Into<Literal>>(
        name: impl Into<Spanned<String>>,
        choices: impl IntoIterator<Item = T>,
    ) -> Self {
        let choices = choices.into_iter().map(|choice| choice.into().into()).collect();
        Self::new(name, DomainDefinition::Categorical { choices, weights: None })
    }

    /// Creates a parameter with ordered values.
    pub fn ordinal<T: Into<Literal>>(
        name: impl Into<Spanned<String>>,
        values: impl IntoIterator<Item = T>,
    ) -> Self {
        let values = values.into_iter().map(|value| value.into().into()).collect();
        Self::new(name, DomainDefinition::Ordinal { values })
    }

    /// Creates a boolean parameter.
    pub fn boolean(name: impl Into<Spanned<String>>) -> Self {
        Self::new(name, DomainDefinition::Boolean)
    }

    /// Creates a parameter that always has the same value.
    pub fn constant(name: impl Into<Spanned<String>>, value: impl Into<Literal>) -> Self {
        Self::new(name, DomainDefinition::Constant { value: value.into().into() })
    }

    /// Makes a range logarithmic; has no effect on other kinds.
    #[must_use]
    pub fn log(mut self) -> Self {
        if let DomainDefinition::Float { log, .. } | DomainDefinition::Integer { log, .. } = &mut self.domain
        {
            *log = true;
        }
        self
    }

    /// Sets the distance between a range's values; has no effect on other kinds.
    #[must_use]
    pub fn step(mut self, size: f64) -> Self {
        if let DomainDefinition::Float { step, .. } | DomainDefinition::Integer { step, .. } =
            &mut self.domain
        {
            *step = Some(size.into());
        }
        self
    }

    /// Sets the default.
    #[must_use]
    pub fn default(mut self, value: impl Into<Literal>) -> Self {
        self.default = Some(value.into().into());
        self
    }

    /// Pins the value.
    #[must_use]
    pub fn fixed(mut self, value: impl Into<Literal>) -> Self {
        self.fixed = Some(value.into().into());
        self
    }
}

/// A builder that collects the definitions of a space and every mistake in them.
#[derive(Clone, Debug, Default)]
pub struct SpaceBuilder {
    pub(crate) file: String,
    pub(crate) text: String,
    pub(crate) parameters: Vec<ParameterDefinition>,
    pub(crate) conditions: Vec<(Spanned<String>, Clause)>,
    pub(crate) forbidden: Vec<Clause>,
    pub(crate) mistakes: Vec<Diagnostic>,
}

impl SpaceBuilder {
    /// Creates a builder that reports mistakes with the file's name and text.
    pub fn new(file: impl Into<String>, text: impl Into<String>) -> Self {
        Self { file: file.into(), text: text.into(), ..Self::default() }
    }

    /// Adds a parameter.
    pub fn parameter(&mut self, definition: ParameterDefinition) -> &mut Self {
        self.parameters.push(definition);
        self
    }

    /// Adds a condition to a parameter, which may be defined later. If a parameter has several conditions,
    /// all must hold.
    pub fn when(&mut self, name: impl Into<Spanned<String>>, clause: impl Into<Clause>) -> &mut Self {
        self.conditions.push((name.into(), clause.into()));
        self
    }

    /// Adds a clause that must not hold.
    pub fn forbid(&mut self, clause: impl Into<Clause>) -> &mut Self {
        self.forbidden.push(clause.into());
        self
    }

    /// Adds a mistake found by a reader.
    pub fn mistake(&mut self, diagnostic: Diagnostic) -> &mut Self {
        self.mistakes.push(diagnostic);
        self
    }
}
