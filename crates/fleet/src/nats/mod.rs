//! A client for the protocol of NATS: connect, subscribe, publish, and nothing else.
//!
//! Messages are sent at most once. The client reconnects for as long as it lives, and drops messages that are
//! published while it is not connected. So its users must repeat what matters.

mod client;
mod link;
mod wire;

pub use client::{Client, Delivery, Options, Outbox};
pub use link::{Address, ConnectError, OLDEST_SERVER};
pub use wire::{Frame, WireError, next_frame};
