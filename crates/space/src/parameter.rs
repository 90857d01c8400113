//! One dimension of a space.
//!
//! A configuration stores every value as a code: the number itself for a range, the index for a choice,
//! and NaN for an inactive parameter.

use super::choices::Choices;
use super::literal::Literal;
use super::range::{Extent, Range};

/// Identifier of a parameter within its space: its position in the order of definition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ParameterId(pub(crate) u32);

impl ParameterId {
    /// Returns the position in [`Space::parameters`](super::Space::parameters).
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A real number in a range.
    Float,
    /// A whole number in a range.
    Integer,
    /// One of several values without an order.
    Categorical,
    /// One of several ordered values.
    Ordinal,
    /// False or true.
    Boolean,
    /// Always the same value.
    Constant,
}

impl Kind {
    /// Returns the name of the kind.
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
    /// The values of a float or integer parameter.
    Range(Range),
    /// The values of all other kinds: `false` and `true` for a boolean, one value for a constant.
    Choices(Choices),
}

/// A checked parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub(crate) name: Box<str>,
    pub(crate) kind: Kind,
    pub(crate) domain: Domain,
    /// `None` only if a bound depends on other parameters and the file gives no default.
    pub(crate) default: Option<f64>,
    pub(crate) default_given: bool,
    pub(crate) fixed: Option<f64>,
    pub(crate) switch: Option<Box<str>>,
    pub(crate) note: Option<Box<str>>,
    /// Stable hash of the name.
    pub(crate) name_hash: u64,
    /// Stable hashes of the choices as text.
    pub(crate) choice_hashes: Box<[u64]>,
}

impl Parameter {
    /// Returns the name, which may contain any characters.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the values that the parameter may take.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Returns the range if this is a float or an integer.
    pub fn range(&self) -> Option<&Range> {
        match &self.domain {
            Domain::Range(range) => Some(range),
            Domain::Choices(_) => None,
        }
    }

    /// Returns the list of values if this is neither a float nor an integer.
    pub fn choices(&self) -> Option<&Choices> {
        match &self.domain {
            Domain::Range(_) => None,
            Domain::Choices(choices) => Some(choices),
        }
    }

    /// Returns the default: the one given, else the middle of the range or the most likely choice (the
    /// first among equals). If those are forbidden, a default is drawn when the space is built.
    /// `None` if the default depends on the values of other parameters.
    pub fn default(&self) -> Option<Literal> {
        self.default.map(|code| self.literal(code))
    }

    /// Returns whether the default was given rather than derived.
    pub fn default_is_given(&self) -> bool {
        self.default_given
    }

    /// Returns the value that the parameter is pinned to, if any.
    pub fn fixed(&self) -> Option<Literal> {
        self.fixed.map(|code| self.literal(code))
    }

    /// Returns the text before the value on the target's command line, including spaces.
    pub fn switch(&self) -> Option<&str> {
        self.switch.as_deref()
    }

    /// Returns the comment for people who read the space.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Returns whether the parameter can take more than one value; always true if a bound depends on other
    /// parameters and no value is fixed.
    pub fn is_variable(&self) -> bool {
        self.fixed.is_none()
            && match &self.domain {
                Domain::Range(range) => range.scale.is_none_or(|scale| !scale.is_single()),
                Domain::Choices(choices) => choices.count() > 1,
            }
    }

    /// Returns the value for a code that is not NaN.
    pub fn literal(&self, code: f64) -> Literal {
        match &self.domain {
            Domain::Range(range) if range.integer => Literal::Integer(code as i64),
            Domain::Range(_) => Literal::Float(code),
            Domain::Choices(choices) => choices.values[code as usize].clone(),
        }
    }

    /// Returns the code for a value. Bounds that depend on other parameters are not checked.
    pub fn code(&self, literal: &Literal) -> Result<f64, ValueError> {
        let reject = |why| ValueError { parameter: self.name.to_string(), value: literal.to_string(), why };
        let range = match &self.domain {
            Domain::Choices(choices) => {
                let index = choices.index_of(literal).ok_or_else(|| reject(Misfit::NotAChoice))?;
                return Ok(index as f64);
            }
            Domain::Range(range) => range,
        };
        let number = literal.number().ok_or_else(|| reject(Misfit::NotANumber))? + 0.0;
        if range.integer && number != libm::trunc(number) {
            return Err(reject(Misfit::NotWhole));
        }
        match range.scale {
            Some(scale) if number < scale.lower || number > scale.upper => {
                let text = |number| self.literal(number).to_string();
                Err(reject(Misfit::Outside(text(scale.lower), text(scale.upper))))
            }
            Some(scale) if !scale.contains(number) => Err(reject(Misfit::OffGrid)),
            Some(scale) if range.step.is_some() => Ok(scale.snap(number)),
            _ => Ok(number),
        }
    }

    /// Returns whether a code is valid for this parameter, given the codes it may depend on.
    pub(crate) fn allows(&self, code: f64, codes: &[f64]) -> bool {
        match &self.domain {
            Domain::Range(range) => {
                let whole = !range.integer || code == libm::trunc(code);
                matches!(range.extent(codes), Extent::Scale(scale) if whole && scale.contains(code))
            }
            Domain::Choices(choices) => {
                code >= 0.0 && code < choices.count() as f64 && code == libm::trunc(code)
            }
        }
    }
}

/// Two parameters are equal if they mean the same, regardless of whether the default was given or derived.
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
    /// The rejected value.
    pub value: String,
    /// The reason.
    pub why: Misfit,
}

/// Reason why a value is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages are self-explanatory")]
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
