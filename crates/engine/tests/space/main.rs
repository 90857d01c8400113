//! Parameter spaces from text to configurations.

mod configurations;
mod discover;
mod mistakes;
mod properties;
mod spaces;
