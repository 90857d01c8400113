//! Campaigns as their stores keep them.

mod documented;
mod picture;
mod stage;
