//! How far apart two configurations are.
//!
//! The mean over the n parameters of d(a, b), each in [0, 1]:
//!
//! | parameter | d |
//! |---|---|
//! | number or ordinal | distance of the places on the unit scale |
//! | categorical, boolean | 0 if equal, 1 if not |
//! | active in one only | 1 |
//! | active in neither | 0 |

use super::parameter::Kind;
use super::{Configuration, Space};

impl Space {
    /// The distance of two configurations of this space, in [0, 1].
    pub fn distance(&self, a: &Configuration, b: &Configuration) -> f64 {
        self.distance_of_codes(a.codes(), b.codes())
    }

    /// The distance of two configurations given by their codes.
    pub fn distance_of_codes(&self, a: &[f64], b: &[f64]) -> f64 {
        let one = |index: usize| match (self.unit(index, a), self.unit(index, b)) {
            (None, None) => 0.0,
            (Some(x), Some(y)) => match self.data.parameters[index].kind {
                Kind::Float | Kind::Integer | Kind::Ordinal => (x - y).abs(),
                _ => f64::from(u8::from(x != y)),
            },
            _ => 1.0,
        };
        let count = self.parameters().len();
        (0..count).map(one).sum::<f64>() / count.max(1) as f64
    }
}
