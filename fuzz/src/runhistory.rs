//! Runs as SMAC3 writes them. What must hold of them is in [`runs`](crate::runs).

use crate::{ground, runs};

pub fn put(bytes: &[u8]) {
    runs::put(&ground::file("runhistory.json", bytes), bytes.len() % 16 == 0);
}
