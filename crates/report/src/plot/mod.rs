//! Charts as SVG that needs no script.
//!
//! Everywhere, a filled dot is an exact value and an open arrow is a bound: the value lies in the direction of
//! the arrow. Colours are classes, so that the page's style decides them for light and dark backgrounds.

mod chart;
mod scale;

pub use chart::{Chart, Direction, Size};
pub(crate) use chart::{clipped, number};
pub use scale::Scale;
