//! Pictures of results, as SVG that reads on light and on dark ground.

mod boxes;
mod lines;
mod svg;

pub(crate) use boxes::{Group, Panel, boxes};
pub(crate) use lines::{Chart, Series, charts};
