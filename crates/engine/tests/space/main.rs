//! Parameter spaces from text to configurations.

mod agreement;
mod carried;
mod configspace;
mod configurations;
mod discover;
mod files;
mod foreign;
mod mistakes;
mod mistakes_irace;
mod mistakes_pcs;
mod mistakes_pcs_clauses;
mod properties;
mod spaces;
