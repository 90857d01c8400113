//! Fuzzes the parser for CSV tables of runs. [`runs`](crate::runs) checks the runs.

use crate::{fixtures, runs};

pub fn check(bytes: &[u8]) {
    runs::check(&fixtures::file("runs.csv", bytes), bytes.len() % 16 == 0);
}
