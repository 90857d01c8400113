//! Parameter spaces from text to configurations.

mod agreement;
mod configspace;
mod configurations;
mod mistakes;
mod properties;
mod spaces;
