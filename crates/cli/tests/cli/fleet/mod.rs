//! Campaigns whose trials run on workers that join, with a real `nats-server`. These tests are skipped where
//! there is none, unless EXPECT_NATS is set.

mod chaos;
#[cfg(feature = "tls")]
mod netns;
mod proxy;
mod slurm;
mod ssh;
mod stage;
mod verbs;
