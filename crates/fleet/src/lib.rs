//! Runs the trials of one campaign on many machines.
//!
//! The [coordinator](Coordinator) is the campaign's own process: it searches, and its store is the only
//! record. [Workers](worker) run trials. Both connect to a NATS server, which only passes messages on and
//! keeps nothing. A worker asks for a trial, gets a lease on it, and renews the lease with heartbeats. It keeps
//! the result until the coordinator confirms that the result is on disk. So any of the three may be killed, and
//! any message may be lost, repeated or late.
//!
//! | module | |
//! |---|---|
//! | [`nats`] | a client for the protocol of NATS |
//! | [`message`] | the messages between coordinator and workers |
//! | [`coordinator`] | hands out trials: the executor |
//! | [`worker`] | runs trials |
//! | [`invitation`] | the file that tells workers where the coordinator is |
//! | [`private`] | files that only their owner may read |
//! | [`server`] | starts `nats-server` |
//! | [`ssh`] | keeps workers running on a list of hosts |
//! | [`lifeline`] | ends a worker with the process that started it |

pub mod coordinator;
pub mod invitation;
pub mod lifeline;
pub mod message;
pub mod nats;
pub mod private;
mod random;
pub mod server;
mod speed;
pub mod ssh;
pub mod worker;

pub use coordinator::{Coordinator, Fleet};
pub use speed::speed;
