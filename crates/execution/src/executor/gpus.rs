//! Distributes GPUs among the workers: those that the scenario names, or those in CUDA_VISIBLE_DEVICES.

use scenario::Parallel;

use super::SlotError;
use crate::GPUS;
use crate::Slot;

/// Returns the GPUs to distribute: those that the scenario names, or those in CUDA_VISIBLE_DEVICES.
pub fn available_gpus(parallel: &Parallel) -> Vec<String> {
    match &parallel.gpus {
        Some(numbers) => numbers.iter().map(u32::to_string).collect(),
        None => visible(&std::env::var(GPUS).unwrap_or_default()),
    }
}

/// Splits a list of GPU numbers or names. As in CUDA, a negative number ends the list.
fn visible(list: &str) -> Vec<String> {
    let entries = list.split(',').map(str::trim);
    entries.take_while(|entry| !entry.is_empty() && !entry.starts_with('-')).map(str::to_owned).collect()
}

/// Gives `each` GPUs to every slot.
pub fn share_gpus(slots: &mut [Slot], available: &[String], each: usize) -> Result<(), SlotError> {
    if each == 0 {
        return Ok(());
    }
    if slots.len() * each > available.len() {
        return Err(SlotError::TooFewGpus { workers: slots.len(), each, available: available.len() });
    }
    for (slot, gpus) in slots.iter_mut().zip(available.chunks(each)) {
        slot.gpus = gpus.to_vec();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_ends_at_the_first_negative_number() {
        assert_eq!(visible("0, 2,GPU-8f"), ["0", "2", "GPU-8f"]);
        assert_eq!(visible("1,-1,2"), ["1"]);
        assert!(visible("").is_empty() && visible("-1").is_empty());
    }

    #[test]
    fn no_two_slots_share_a_gpu() {
        let mut slots = vec![Slot::default(); 2];
        let gpus = visible("4,5,6,7,8");
        share_gpus(&mut slots, &gpus, 2).unwrap();
        assert_eq!((&slots[0].gpus[..], &slots[1].gpus[..]), (&gpus[0..2], &gpus[2..4]));
        let error = share_gpus(&mut slots, &gpus, 3).unwrap_err();
        let shown = "2 workers with 3 GPU(s) each need 6 GPUs, but only 5 are available";
        assert_eq!(error.to_string(), shown);
        share_gpus(&mut slots, &[], 0).unwrap();
    }
}
