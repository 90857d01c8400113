//! Long lists that are shown in part.

use serde::Serialize;

/// A part of a list, and the length of the whole list.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Thinned<T> {
    /// The part that is shown.
    pub shown: Vec<T>,
    /// Length of the whole list.
    pub of: usize,
}

impl<T> Thinned<T> {
    /// Keeps at most `most` elements at regular distances, always including the first and the last.
    pub fn evenly(all: Vec<T>, most: usize) -> Self {
        let of = all.len();
        if of <= most {
            return Self { shown: all, of };
        }
        let mut next = 0;
        let wanted = |number: usize| number * (of - 1) / (most - 1).max(1);
        let keep = |(place, one)| {
            (next < most && place == wanted(next)).then(|| {
                next += 1;
                one
            })
        };
        Self { shown: all.into_iter().enumerate().filter_map(keep).collect(), of }
    }

    /// Returns whether some elements are left out.
    pub fn is_partial(&self) -> bool {
        self.shown.len() < self.of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_list_keeps_both_ends_and_its_length() {
        let thin = Thinned::evenly((0..1000).collect(), 7);
        assert_eq!((thin.shown, thin.of), (vec![0, 166, 333, 499, 666, 832, 999], 1000));
        let whole = Thinned::evenly(vec![1, 2], 7);
        assert!(!whole.is_partial() && whole.shown == [1, 2]);
    }
}
