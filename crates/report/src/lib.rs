//! A campaign as one HTML file ([`html`]), as tables ([`tables`]), as a paragraph for a paper ([`methods`]),
//! or as a page that follows a running campaign ([`serve`]).
//!
//! Everything is drawn from [`view::pages`]; this crate computes no figures. The pictures are SVG that needs
//! no script ([`plot`]). The text of other programs cannot become markup ([`Markup`]).

mod document;
mod markup;
mod methods;
mod page;
pub mod plot;
pub mod serve;
mod tables;

pub use document::{content_policy, html};
pub use markup::Markup;
pub use methods::methods;
pub use tables::{Table, tables};
