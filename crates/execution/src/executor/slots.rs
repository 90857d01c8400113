//! Assigns cores to workers. Each worker gets whole physical cores, as long as this process may use
//! enough of them.
//!
//! Two trials on the two threads of one physical core slow each other down. So the second thread of a core is
//! assigned only if there are more workers than physical cores.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use confine::Cores;

use crate::Slot;

/// The reason why the requested workers cannot get their cores or GPUs.
#[derive(Debug, thiserror::Error)]
pub enum SlotError {
    /// There are not enough cores.
    #[error(
        "{workers} workers with {each} core(s) each need {} cores, but only {allowed} may be used",
        workers * each
    )]
    TooFew {
        /// Number of parallel trials.
        workers: usize,
        /// Number of cores per trial.
        each: usize,
        /// Number of cores that may be used.
        allowed: usize,
    },
    /// There are not enough GPUs.
    #[error(
        "{workers} workers with {each} GPU(s) each need {} GPUs, but only {available} {} available",
                workers * each, if *available == 1 { "is" } else { "are" }
    )]
    TooFewGpus {
        /// Number of parallel trials.
        workers: usize,
        /// Number of GPUs per trial.
        each: usize,
        /// Number of GPUs that are available.
        available: usize,
    },
    /// The kernel did not report the cores.
    #[error("cannot determine which cores may be used: {0}")]
    Unknown(#[from] std::io::Error),
}

const TOPOLOGY: &str = "/sys/devices/system/cpu";

/// Returns a slot for each worker.
pub fn slots(workers: usize, each: usize) -> Result<Vec<Slot>, SlotError> {
    assign(&by_physical_core(&Cores::allowed()?, Path::new(TOPOLOGY)), workers, each)
}

/// Returns the number of trials that can run at once without sharing a physical core.
pub fn physical_cores() -> Result<usize, SlotError> {
    Ok(by_physical_core(&Cores::allowed()?, Path::new(TOPOLOGY)).len())
}

/// Returns the allowed threads of each physical core.
fn by_physical_core(allowed: &Cores, topology: &Path) -> Vec<Vec<usize>> {
    let mut cores: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for thread in allowed.iter() {
        let siblings = topology.join(format!("cpu{thread}/topology/thread_siblings_list"));
        // If this file does not exist, every thread counts as a separate core.
        let core = fs::read_to_string(siblings).unwrap_or_else(|_| thread.to_string());
        cores.entry(core.trim().to_owned()).or_default().push(thread);
    }
    let mut cores: Vec<Vec<usize>> = cores.into_values().collect();
    cores.sort_unstable();
    cores
}

fn assign(cores: &[Vec<usize>], workers: usize, each: usize) -> Result<Vec<Slot>, SlotError> {
    let most = cores.iter().map(Vec::len).max().unwrap_or(0);
    // Assign the first threads of all cores before any second threads.
    let order: Vec<usize> =
        (0..most).flat_map(|place| cores.iter().filter_map(move |core| core.get(place).copied())).collect();
    if workers * each > order.len() {
        return Err(SlotError::TooFew { workers, each, allowed: order.len() });
    }
    let slot = |(number, threads): (usize, &[usize])| Slot {
        number,
        cores: Some(threads.iter().copied().collect()),
        gpus: Vec::new(),
    };
    Ok(order.chunks(each.max(1)).take(workers).enumerate().map(slot).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_threads_come_last() {
        let cores = [vec![0, 4], vec![1, 5], vec![2, 6]];
        let chosen = |workers, each| -> Vec<String> {
            let slots = assign(&cores, workers, each).unwrap();
            slots.into_iter().map(|slot| slot.cores.unwrap().to_string()).collect()
        };
        assert_eq!(chosen(2, 1), ["0", "1"]);
        assert_eq!(chosen(4, 1), ["0", "1", "2", "4"]);
        assert_eq!(chosen(2, 3), ["0-2", "4-6"]);
        assert!(assign(&cores, 7, 1).is_err());
    }
}
