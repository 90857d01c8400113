//! One dimension of a space.
//!
//! Inside a configuration every value is a code: a number is itself, a choice is its index, and an
//! inactive parameter is NaN.

use super::choices::Choices;
use super::literal::Literal;
use super::range::{Extent, Range};

/// Which parameter of its space, counted in the order of definition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ParameterId(pub(crate) u32);

impl ParameterId {
    /// Position in [`Space::parameters`](super::Space::parameters).
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What sort of parameter it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A real number of a range.
    Float,
    /// A whole number of a range.
    Integer,
    /// One of several values without an order.
    Categorical,
    /// One of several values that are ordered.
    Ordinal,
    /// False or true.
    Boolean,
    /// Always the same value.
    Constant,
}

impl Kind {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Integer => "integer",
            Self::Categorical => "categorical",
            Self::Ordinal => "ordinal",
            Self::Boolean => "boolean",
            Self::Constant => "constant",
        }
    }
}

/// The values of a parameter.
#[derive(Clone, PartialEq, Debug)]
pub enum Domain {
    /// Of a float or integer parameter.
    Range(Range),
    /// Of all others; a boolean has `false` and `true`, a constant has one value.
    Choices(Choices),
}

/// A checked parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub(crate) name: Box<str>,
    pub(crate) kind: Kind,
    pub(crate) domain: Domain,
    /// Absent only where bounds depend on other parameters and the file names no default.
    pub(crate) default: Option<f64>,
    pub(crate) default_given: bool,
    pub(crate) fixed: Option<f64>,
    pub(crate) switch: Option<Box<str>>,
    pub(crate) note: Option<Box<str>>,
    /// Stable hash of the name.
    pub(crate) name_hash: u64,
    /// Stable hashes of the choices' spellings.
    pub(crate) choice_hashes: Box<[u64]>,
}

impl Parameter {
    /// The name, of any characters.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What sort it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its values.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Its range, if it is a number.
    pub fn range(&self) -> Option<&Range> {
        match &self.domain {
            Domain::Range(range) => Some(range),
            Domain::Choices(_) => None,
        }
    }

    /// Its list of values, if it is not a number.
    pub fn choices(&self) -> Option<&Choices> {
        match &self.domain {
            Domain::Range(_) => None,
            Domain::Choices(choices) => Some(choices),
        }
    }

    /// The default: the one given, else the middle of a range or the first (most likely) choice, or
    /// one drawn once and for all where these are forbidden.
    /// `None` if it depends on the values of other parameters.
    pub fn default(&self) -> Option<Literal> {
        self.default.map(|code| self.literal(code))
    }

    /// Whether the default was given rather than derived.
    pub fn default_is_given(&self) -> bool {
        self.default_given
    }

    /// The value it is pinned to, if it is.
    pub fn fixed(&self) -> Option<Literal> {
        self.fixed.map(|code| self.literal(code))
    }

    /// The text that precedes the value on the target's command line, spaces included.
    pub fn switch(&self) -> Option<&str> {
        self.switch.as_deref()
    }

    /// A remark for readers of the space.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Whether it can take a second value, its bounds permitting.
    pub fn is_variable(&self) -> bool {
        self.fixed.is_none()
            && match &self.domain {
                Domain::Range(range) => range.scale.is_none_or(|scale| !scale.is_single()),
                Domain::Choices(choices) => choices.count() > 1,
            }
    }

    /// The value behind a code that is not NaN.
    pub fn literal(&self, code: f64) -> Literal {
        match &self.domain {
            Domain::Range(range) if range.integer => Literal::Integer(code as i64),
            Domain::Range(_) => Literal::Float(code),
            Domain::Choices(choices) => choices.values[code as usize].clone(),
        }
    }

    /// The code of a value, without regard to bounds that depend on other parameters.
    pub fn code(&self, literal: &Literal) -> Result<f64, ValueError> {
        let refuse = |why| ValueError { parameter: self.name.to_string(), value: literal.to_string(), why };
        let range = match &self.domain {
            Domain::Choices(choices) => {
                let index = choices.index_of(literal).ok_or_else(|| refuse(Misfit::NotAChoice))?;
                return Ok(index as f64);
            }
            Domain::Range(range) => range,
        };
        let number = literal.number().ok_or_else(|| refuse(Misfit::NotANumber))? + 0.0;
        if range.integer && number != libm::trunc(number) {
            return Err(refuse(Misfit::NotWhole));
        }
        match range.scale {
            Some(scale) if number < scale.lower || number > scale.upper => {
                let text = |number| self.literal(number).to_string();
                Err(refuse(Misfit::Outside(text(scale.lower), text(scale.upper))))
            }
            Some(scale) if !scale.contains(number) => Err(refuse(Misfit::OffGrid)),
            Some(scale) if range.step.is_some() => Ok(scale.snap(number)),
            _ => Ok(number),
        }
    }

    /// Whether a code is one of this parameter's, given the others it may depend on.
    pub(crate) fn allows(&self, code: f64, codes: &[f64]) -> bool {
        match &self.domain {
            Domain::Range(range) => {
                let whole = !range.integer || code == libm::trunc(code);
                matches!(range.extent(codes), Extent::Is(scale) if whole && scale.contains(code))
            }
            Domain::Choices(choices) => {
                code >= 0.0 && code < choices.count() as f64 && code == libm::trunc(code)
            }
        }
    }
}

/// Two parameters are equal if they mean the same; whether a default was spelled out is no matter.
impl PartialEq for Parameter {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.kind == other.kind
            && self.domain == other.domain
            && self.default == other.default
            && self.fixed == other.fixed
            && self.switch == other.switch
            && self.note == other.note
    }
}

/// A value that a parameter cannot take.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{value}` is not a value of `{parameter}`: {why}")]
pub struct ValueError {
    /// The parameter's name.
    pub parameter: String,
    /// The refused value.
    pub value: String,
    /// The reason.
    pub why: Misfit,
}

/// Why a value does not fit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Misfit {
    #[error("it is not among the choices")]
    NotAChoice,
    #[error("it is not a number")]
    NotANumber,
    #[error("it is not a whole number")]
    NotWhole,
    #[error("it is outside the range {0} to {1}")]
    Outside(String, String),
    #[error("it is not a whole number of steps above the lower bound")]
    OffGrid,
}
