//! Pictures of results, as SVG that reads on light and on dark ground.

mod boxes;
mod svg;

pub(crate) use boxes::{Group, Panel, boxes};
