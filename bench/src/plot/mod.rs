//! Plots of results, as SVG that is readable on light and dark backgrounds.

mod boxes;
mod lines;
mod panels;
mod svg;

pub(crate) use boxes::{Group, Panel, boxes};
pub(crate) use lines::{Chart, Series, charts};
pub(crate) use panels::{Field, Frame, Mark, panels};
