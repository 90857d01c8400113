//! The values of a parameter that is neither float nor integer: a list of distinct literals.
//!
//! Configurations store a choice as its index in this list.

use std::collections::HashMap;
use std::sync::Arc;

use super::literal::Literal;

/// Maximum length of a list that is searched linearly, which is faster than hashing for short lists.
const MAX_LINEAR: usize = 12;

/// A non-empty list of distinct values.
#[derive(Clone, Debug)]
pub struct Choices {
    pub(crate) values: Vec<Literal>,
    pub(crate) weights: Option<Box<[f64]>>,
    /// The values as numbers, if each is a number or text that spells one.
    pub(crate) numbers: Option<Arc<[f64]>>,
    /// Cumulative sums of the weights, scaled so that the last one is 1.
    cumulative: Option<Box<[f64]>>,
    /// Index for finding a value; only long lists have one.
    lookup: Option<Box<Lookup>>,
}

#[derive(Clone, Default, Debug)]
struct Lookup {
    by_text: HashMap<String, u32>,
    by_number: HashMap<u64, u32>,
}

impl Choices {
    /// Indexes the values. The caller must ensure that the values are distinct and the weights are valid.
    pub(crate) fn new(values: Vec<Literal>, weights: Option<Vec<f64>>) -> Self {
        let numbers: Option<Arc<[f64]>> = values.iter().map(Literal::number).collect();
        let lookup = (values.len() > MAX_LINEAR).then(|| {
            let mut lookup = Box::<Lookup>::default();
            for (index, value) in (0u32..).zip(&values) {
                lookup.by_text.insert(value.to_string(), index);
                if let Some(number) = value.number() {
                    lookup.by_number.entry(key(number)).or_insert(index);
                }
            }
            lookup
        });
        let cumulative = weights.as_ref().map(|weights| {
            let total: f64 = weights.iter().sum();
            let mut sum = 0.0;
            let add = |weight: &f64| {
                sum += weight / total;
                sum
            };
            weights.iter().map(add).collect()
        });
        let weights = weights.map(Vec::into_boxed_slice);
        Self { values, weights, numbers, cumulative, lookup }
    }

    /// Returns the values in order.
    pub fn values(&self) -> &[Literal] {
        &self.values
    }

    /// Returns the number of values.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// Returns the relative weights with which the values are drawn; `None` if all are equal.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// Returns the values as numbers, if each is a number or text that spells one.
    pub fn numbers(&self) -> Option<&[f64]> {
        self.numbers.as_deref()
    }

    /// Returns the index of the value with the same text or, if there is none, of the value with the same
    /// number.
    pub fn index_of(&self, literal: &Literal) -> Option<usize> {
        let number = || literal.number();
        let Some(lookup) = &self.lookup else {
            let text = literal.to_string();
            let spelled = self.values.iter().position(|value| value.is_spelled(&text));
            let equal = |number: f64| self.values.iter().position(|value| value.number() == Some(number));
            return spelled.or_else(|| number().and_then(equal));
        };
        let spelled = lookup.by_text.get(&literal.to_string());
        let found = spelled.or_else(|| number().and_then(|number| lookup.by_number.get(&key(number))));
        found.map(|&index| index as usize)
    }

    /// Maps a uniform number to an index, respecting the weights.
    #[inline]
    pub(crate) fn draw(&self, unit: f64) -> usize {
        match &self.cumulative {
            None => self.decode(unit),
            Some(sums) => {
                let index = sums.partition_point(|&sum| sum <= unit).min(sums.len() - 1);
                // Rounding must not select a value with weight zero at the end of the list.
                let weights = self.weights.as_deref().unwrap_or_default();
                (0..=index).rev().find(|&i| weights[i] > 0.0).unwrap_or(index)
            }
        }
    }

    /// [Draws](Self::draw) one choice for each uniform number and replaces the number with the choice's code.
    pub(crate) fn draw_all(&self, units: &mut [f64]) {
        if self.cumulative.is_some() {
            return units.iter_mut().for_each(|x| *x = self.draw(*x) as f64);
        }
        let count = self.values.len() as f64;
        // A cast to 32 bits can be vectorised.
        units.iter_mut().for_each(|x| *x = f64::from((*x * count) as i32).min(count - 1.0));
    }

    /// Splits [0, 1] into one equal interval per value and returns the index of the interval that contains
    /// `unit`.
    pub(crate) fn decode(&self, unit: f64) -> usize {
        let count = self.values.len();
        ((unit.clamp(0.0, 1.0) * count as f64) as usize).min(count - 1)
    }

    /// Returns the middle of the interval of [0, 1] that belongs to an index.
    pub(crate) fn encode(&self, index: f64) -> f64 {
        (index + 0.5) / self.values.len() as f64
    }
}

impl PartialEq for Choices {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values && self.weights == other.weights
    }
}

fn key(number: f64) -> u64 {
    // Adding zero turns -0 into 0.
    (number + 0.0).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str], weights: Option<Vec<f64>>) -> Choices {
        Choices::new(texts.iter().map(|&t| t.into()).collect(), weights)
    }

    #[test]
    fn values_are_found_by_spelling_then_by_number() {
        let short = of(&["0", "1e-4", "x"], None);
        let texts: Vec<String> = (0..40).map(|i| format!("{}.0", i)).collect();
        let long = of(&texts.iter().map(String::as_str).collect::<Vec<_>>(), None);
        assert_eq!(short.index_of(&Literal::Float(0.0001)), Some(1));
        assert_eq!(short.index_of(&"x".into()), Some(2));
        assert_eq!(short.index_of(&"y".into()), None);
        assert_eq!(long.index_of(&Literal::Integer(17)), Some(17));
        assert_eq!(long.index_of(&"17.0".into()), Some(17));
        assert!(short.numbers().is_none() && long.numbers().is_some());
    }

    #[test]
    fn values_are_drawn_by_weight() {
        let c = of(&["a", "b", "c"], Some(vec![1.0, 3.0, 0.0]));
        assert_eq!([0.0, 0.24, 0.26, 0.99, 1.0].map(|u| c.draw(u)), [0, 0, 1, 1, 1]);
    }
}
