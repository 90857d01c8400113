//! The store: nothing acknowledged is lost or doubled, and what cannot be used is refused in words.

mod lookup;
mod refusal;
mod stage;
mod writing;
