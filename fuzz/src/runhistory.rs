//! Fuzzes the parser for SMAC3 run histories. [`runs`](crate::runs) checks the runs.

use crate::{fixtures, runs};

pub fn check(bytes: &[u8]) {
    runs::check(&fixtures::file("runhistory.json", bytes), bytes.len() % 16 == 0);
}
