//! Hands out trials to workers: the [executor](Fleet) and everything around it.
//!
//! `dispatch` decides which worker gets which trial, without clocks or sockets. [`fleet`](Fleet) connects
//! those decisions with the campaign and with NATS.

mod clock;
mod crew;
mod dispatch;
mod executor;
#[cfg(test)]
mod tests;

pub use dispatch::{Dispatch, Effect, Held, Terms};
pub use executor::{Coordinator, Fleet, Stock};
