//! Charts as SVG that needs no script.
//!
//! Everywhere, a filled dot is an exact value and an open arrow is a bound: the value lies in the direction of
//! the arrow. Colours are classes, so that the page's style decides them for light and dark backgrounds.
//!
//! | module | what it draws |
//! |---|---|
//! | `chart` | one chart with axes and marks, on a page |
//! | `scale` | nothing: from values to positions, with round ticks |
//! | `sheet` | several charts as one file with its own style |
//! | `panels`, `series`, `boxes` | such files with a common form |

mod boxes;
mod chart;
mod panels;
mod scale;
mod series;
mod sheet;

pub use boxes::{BoxGroup, BoxedValues, boxes};
pub use chart::{Chart, Direction, Size};
pub(crate) use chart::{clipped, number};
pub use panels::{Field, Frame, Mark, panels};
pub use scale::Scale;
pub use series::{Series, SeriesChart, series_charts};
pub use sheet::{colour, sheet};
