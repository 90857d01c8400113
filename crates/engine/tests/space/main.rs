//! Parameter spaces from text to configurations.

mod configurations;
mod files;
mod mistakes;
mod properties;
mod spaces;
