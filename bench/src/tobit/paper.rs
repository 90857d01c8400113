//! Table 1 of the paper: RMSE of ensembles of 5 networks after 10 000 epochs.

/// The errors of ignore, drop, mean and tobit for each function, with thresholds at the 10th, 20th, 40th and
/// 80th percentiles.
const TABLE: [(&str, [[f64; 4]; 4]); 4] = [
    (
        "branin",
        [
            [62.6, 33.6, 31.5, 28.6],
            [57.1, 21.4, 22.7, 22.8],
            [53.3, 22.2, 22.4, 19.2],
            [24.6, 15.1, 14.0, 8.2],
        ],
    ),
    (
        "camelback",
        [
            [31.9, 25.5, 24.2, 23.6],
            [31.4, 25.2, 23.9, 22.6],
            [29.6, 25.8, 22.7, 20.4],
            [15.3, 18.0, 11.7, 8.7],
        ],
    ),
    ("hartmann3", [[1.6, 0.2, 0.3, 0.3], [1.2, 0.2, 0.3, 0.2], [0.5, 0.2, 0.2, 0.2], [0.2, 0.2, 0.2, 0.2]]),
    ("hartmann6", [[0.5, 0.2, 0.2, 0.3], [0.3, 0.2, 0.2, 0.2], [0.3, 0.2, 0.2, 0.2], [0.2, 0.2, 0.2, 0.2]]),
];

/// The thresholds, in percentiles.
pub(super) const THRESHOLDS: [u32; 4] = [10, 20, 40, 80];

/// Returns the paper's errors for a function and a threshold, in the order of treatments.
pub(super) fn errors(function: &str, threshold: u32) -> Option<[f64; 4]> {
    let (_, all) = TABLE.iter().find(|(name, _)| *name == function)?;
    let at = THRESHOLDS.iter().position(|&it| it == threshold)?;
    Some(all[at])
}
