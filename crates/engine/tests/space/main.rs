//! Parameter spaces from text to configurations.

mod configurations;
mod mistakes;
mod properties;
mod spaces;
