//! Configurations: one value for every active parameter of a space.
//!
//! The fingerprint has 128 bits. It is computed from the names and values of the active parameters in
//! the order of the space, so it is the same on every platform and in every version, and does not
//! change when inactive parameters are added. Each parameter updates the two halves h0 and h1:
//!
//! ```text
//! h0 <- mix(mix(h0 ^ name) ^ value)          h1 <- mix(mix(h1 + name) + rotated value)
//! ```
//!
//! where `name` is the hash of the name's bytes, and `value` is the hash of a choice's bytes or the bits
//! of a number.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use math::mix;

use super::Space;
use super::literal::Literal;
use super::nearest::suggestion;
use super::parameter::{Domain, Parameter, ParameterId, ValueError};
use super::settle::Violation;

/// A checked configuration; cheap to clone.
#[derive(Clone)]
pub struct Configuration {
    space: Space,
    codes: Arc<[f64]>,
}

impl Configuration {
    /// Creates a configuration from codes, which must be valid.
    pub(crate) fn new(space: Space, codes: impl Into<Arc<[f64]>>) -> Self {
        Self { space, codes: codes.into() }
    }

    /// Returns the space that the configuration belongs to.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Returns the value of a parameter; `None` if it is inactive or unknown.
    pub fn get(&self, name: &str) -> Option<Literal> {
        self.value(self.space.find(name)?)
    }

    /// Returns the value of a parameter as a number; `None` if it is inactive, unknown or not a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.number()
    }

    /// Returns the value of a parameter; `None` if it is inactive.
    pub fn value(&self, id: ParameterId) -> Option<Literal> {
        let code = self.codes[id.index()];
        (!code.is_nan()).then(|| self.space.parameter(id).literal(code))
    }

    /// Returns whether a parameter is active and so has a value.
    pub fn is_active(&self, id: ParameterId) -> bool {
        !self.codes[id.index()].is_nan()
    }

    /// Returns the values as codes: numbers as they are, choices as indices, NaN if inactive.
    pub fn codes(&self) -> &[f64] {
        &self.codes
    }

    /// Iterates over the names and values of the active parameters, in the order of the space.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Literal)> {
        let active = self.space.parameters().iter().zip(&*self.codes).filter(|(_, code)| !code.is_nan());
        active.map(|(parameter, &code)| (parameter.name(), parameter.literal(code)))
    }

    /// Returns a stable hash, the same on every platform and in every version.
    pub fn fingerprint(&self) -> u128 {
        let (mut h0, mut h1) = (0x243f_6a88_85a3_08d3_u64, 0x1319_8a2e_0370_7344_u64);
        for (parameter, &code) in self.space.parameters().iter().zip(&*self.codes) {
            if code.is_nan() {
                continue;
            }
            let value = match &parameter.domain {
                Domain::Range(_) => (code + 0.0).to_bits(),
                Domain::Choices(_) => parameter.choice_hashes[code as usize],
            };
            h0 = mix(mix(h0 ^ parameter.name_hash) ^ value);
            h1 = mix(mix(h1.wrapping_add(parameter.name_hash)).wrapping_add(value.rotate_left(32)));
        }
        u128::from(h0) << 64 | u128::from(h1)
    }
}

/// Returns a stable hash of text, for names and choices.
pub(crate) fn text_hash(text: &str) -> u64 {
    let mut hash = 0x4528_21e6_38d0_1377 ^ text.len() as u64;
    for part in text.as_bytes().chunks(8) {
        let mut bytes = [0; 8];
        bytes[..part.len()].copy_from_slice(part);
        hash = mix(hash.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ u64::from_le_bytes(bytes));
    }
    hash
}

/// Compares two configurations of the same space, one value after the other, in the order of the space. An
/// inactive parameter sorts before every value.
impl Ord for Configuration {
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |code: &f64| if code.is_nan() { f64::NEG_INFINITY } else { *code + 0.0 };
        let pairs = self.codes.iter().zip(&*other.codes);
        pairs
            .map(|(a, b)| rank(a).total_cmp(&rank(b)))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| self.codes.len().cmp(&other.codes.len()))
    }
}

impl PartialOrd for Configuration {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Configuration {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Configuration {}

impl Hash for Configuration {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64((self.fingerprint() >> 64) as u64);
    }
}

/// Writes `name=value` for each active parameter, separated by spaces.
impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.iter().enumerate() {
            let space = if i > 0 { " " } else { "" };
            write!(f, "{space}{}={}", word(name), word(&value.to_string()))?;
        }
        Ok(())
    }
}

/// Quotes text that would not be read as one word.
fn word(text: &str) -> String {
    let plain = !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '=' || c == '"');
    if plain { text.to_owned() } else { format!("{text:?}") }
}

impl fmt::Debug for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Configuration({self})")
    }
}

/// Reason why values do not form a valid configuration of a space.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages are self-explanatory")]
pub enum ConfigurationError {
    #[error("unknown parameter `{name}`{}", hint.as_ref().map(|h| format!("; {h}")).unwrap_or_default())]
    Unknown { name: String, hint: Option<String> },
    #[error("`{0}` is given twice")]
    Twice(String),
    #[error(transparent)]
    Value(#[from] ValueError),
    #[error("`{0}` is active but has no value")]
    Missing(String),
    #[error("`{0}` has a value but is not active")]
    NotActive(String),
    #[error("`{0}` is fixed to another value")]
    Fixed(String),
    #[error("`{0}` is outside the bounds that other parameters set")]
    Outside(String),
    #[error("forbidden by `{0}`")]
    Forbidden(String),
    #[error("found {0} values for {1} parameters")]
    Length(usize, usize),
}

impl Space {
    /// Creates a configuration from values: one for every active parameter, none for the others.
    pub fn configuration<'a>(
        &self,
        values: impl IntoIterator<Item = (&'a str, Literal)>,
    ) -> Result<Configuration, ConfigurationError> {
        let mut codes = vec![f64::NAN; self.parameters().len()];
        for (name, value) in values {
            let Some(id) = self.find(name) else {
                let hint = suggestion(name, self.parameters().iter().map(Parameter::name));
                return Err(ConfigurationError::Unknown { name: name.to_owned(), hint });
            };
            if !codes[id.index()].is_nan() {
                return Err(ConfigurationError::Twice(name.to_owned()));
            }
            codes[id.index()] = self.parameter(id).code(&value)?;
        }
        self.check(&codes)?;
        Ok(Configuration::new(self.clone(), codes))
    }

    /// Creates a configuration from codes (see [`Configuration::codes`]).
    pub fn configuration_of_codes(
        &self,
        codes: impl Into<Arc<[f64]>>,
    ) -> Result<Configuration, ConfigurationError> {
        let codes = codes.into();
        self.check(&codes)?;
        Ok(Configuration::new(self.clone(), codes))
    }

    /// Creates a configuration from codes that [`sample_many`](Self::sample_many) or [`vary`](Self::vary)
    /// produced. Such codes are known to be valid, so only debug builds check them.
    pub fn configuration_of_valid_codes(&self, codes: impl Into<Arc<[f64]>>) -> Configuration {
        let codes = codes.into();
        debug_assert!(self.check(&codes).is_ok(), "{:?}", self.check(&codes));
        Configuration::new(self.clone(), codes)
    }

    /// Checks that codes (see [`Configuration::codes`]) are a valid configuration.
    pub fn check(&self, codes: &[f64]) -> Result<(), ConfigurationError> {
        let count = self.parameters().len();
        if codes.len() != count {
            return Err(ConfigurationError::Length(codes.len(), count));
        }
        let name = |index: usize| self.parameters()[index].name().to_owned();
        for (index, (parameter, &code)) in self.parameters().iter().zip(codes).enumerate() {
            // This is checked before formulas are evaluated, because formulas index tables by the codes of
            // choices.
            let valid = code.is_nan() || parameter.range().is_some() || parameter.allows(code, codes);
            if !valid {
                return Err(ConfigurationError::Outside(name(index)));
            }
        }
        let mut settled = codes.to_vec();
        for group in &self.data.batches {
            let mut wrong = None;
            let outcome = self.data.settle(group, &mut settled, |index, _, _| {
                let code = codes[index];
                if code.is_nan() {
                    wrong.get_or_insert(ConfigurationError::Missing(name(index)));
                } else if !self.parameters()[index].allows(code, codes) {
                    wrong.get_or_insert(ConfigurationError::Outside(name(index)));
                }
                code
            });
            for &p in &group.parameters {
                let index = p as usize;
                let (given, expected) = (codes[index], settled[index]);
                if wrong.is_none() && outcome.is_ok() && given.is_nan() != expected.is_nan() {
                    let missing = given.is_nan();
                    let error =
                        if missing { ConfigurationError::Missing } else { ConfigurationError::NotActive };
                    wrong = Some(error(name(index)));
                } else if wrong.is_none() && outcome.is_ok() && !given.is_nan() && given != expected {
                    wrong = Some(ConfigurationError::Fixed(name(index)));
                }
            }
            if let Some(wrong) = wrong {
                return Err(wrong);
            }
            outcome.map_err(|violation| match violation {
                Violation::Forbidden(clause) => {
                    ConfigurationError::Forbidden(self.clause_text(clause as usize))
                }
                Violation::Empty(id) | Violation::Outside(id) => {
                    ConfigurationError::Outside(name(id.index()))
                }
            })?;
        }
        Ok(())
    }
}
