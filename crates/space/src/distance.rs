//! Distance between two configurations.
//!
//! The distance is the mean of d(a, b) over all parameters, where d is in [0, 1]:
//!
//! | parameter | d |
//! |---|---|
//! | float, integer or ordinal | distance between the positions on the unit scale |
//! | categorical, boolean | 0 if equal, 1 if not |
//! | active in only one | 1 |
//! | active in neither | 0 |

use super::parameter::Kind;
use super::{Configuration, Space};

impl Space {
    /// Returns the distance between two configurations of this space, in [0, 1].
    pub fn distance(&self, a: &Configuration, b: &Configuration) -> f64 {
        self.distance_of_codes(a.codes(), b.codes())
    }

    /// Returns the distance between two configurations given by their codes.
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
