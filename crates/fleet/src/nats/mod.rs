//! A client for the protocol of NATS: connect, subscribe, publish, and nothing else.
//!
//! Messages are sent at most once. The client reconnects for as long as it lives, and drops messages that are
//! published while it is not connected. So its users must repeat what matters.

mod address;
mod client;
mod link;
mod login;
#[cfg(feature = "tls")]
mod nkey;
#[cfg(feature = "tls")]
mod tls;
mod wire;

pub use address::{Address, Login, Trust, UrlError};
pub use client::{Client, Delivery, Options, Outbox};
pub use link::{ConnectError, OLDEST_SERVER};
pub use login::{LoginError, Logins, read_logins};
#[cfg(feature = "tls")]
pub(crate) use tls::OWN_NAME;
pub use wire::{Frame, WireError, next_frame};
