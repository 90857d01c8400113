//! Pictures of results, as SVG that reads on light and on dark ground.

mod boxes;
mod lines;
mod panels;
mod svg;

pub(crate) use boxes::{Group, Panel, boxes};
pub(crate) use lines::{Chart, Series, charts};
pub(crate) use panels::{Field, Frame, Mark, panels};
