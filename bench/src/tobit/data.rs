//! Noisy readings of a function, censored above a threshold.
//!
//! ```text
//! y = f(x) + N(0, (0.1 (max f - min f))²)         100 D places x, 10 readings of each
//! p(y) = (y - γ) / (q_Q - γ), within 0 and 1      the probability that y is censored
//! reading: at least γ if censored, else y
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | γ | the threshold: a percentile of all y |
//! | q_Q | the Q-th percentile of all y, from which on everything is censored |
//! | D | dimensions |
//!
//! The paper says no more than that readings above γ are censored "with a probability increasing from 0 to 1".
//! With Q = 80 hartmann6 has the shares of censored readings that it prints, with Q = 95 treatment `ignore` has the
//! errors that it prints. Where γ reaches q_Q, all above γ is censored.
//!
//! Readings of one place are in one fold, so that no place is learned from and asked for.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use engine::{Reading, Rng};
use targets::Function;

use super::FOLDS;

const PLACES: usize = 100;
const COPIES: usize = 10;
const NOISE: f64 = 0.1;

/// Readings at places, which are parted into folds.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Data {
    pub(super) width: usize,
    /// The places within [0, 1], one after the other.
    pub(super) rows: Vec<f64>,
    /// The function there.
    pub(super) truth: Vec<f64>,
    /// The fold of each place.
    pub(super) folds: Vec<usize>,
    /// Readings, each with the number of its place.
    pub(super) readings: Vec<(usize, Reading)>,
}

/// The smallest value that is not below this share of all, between two of them by the line through both.
fn percentile(sorted: &[f64], percent: f64) -> f64 {
    let at = percent / 100.0 * (sorted.len() - 1) as f64;
    let (low, rest) = (at.floor() as usize, at.fract());
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] + rest * (sorted[high] - sorted[low])
}

impl Data {
    /// Draws places and readings; these are the same for all thresholds.
    pub(super) fn draw(function: Function, threshold: u32, full: u32, seed: u64) -> Self {
        let mut rng = Rng::new(seed, "readings", function as u64);
        let domain = function.domain();
        let width = domain.len();
        let count = PLACES * width;
        let rows: Vec<f64> = (0..count * width).map(|_| rng.unit()).collect();
        let value = |row: &[f64]| {
            let x = row.iter().zip(domain).map(|(u, (low, high))| low + u * (high - low));
            function.raw(&x.collect::<Vec<f64>>())
        };
        let truth: Vec<f64> = rows.chunks_exact(width).map(value).collect();
        let (least, most) =
            truth.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &f| (a.min(f), b.max(f)));
        let noisy = |truth: f64, rng: &mut Rng| truth + NOISE * (most - least) * rng.normal();
        let mut values = Vec::with_capacity(count * COPIES);
        for &truth in &truth {
            values.extend((0..COPIES).map(|_| noisy(truth, &mut rng)));
        }
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let (gamma, all) = (percentile(&sorted, f64::from(threshold)), percentile(&sorted, f64::from(full)));
        let read = |(number, y): (usize, f64)| {
            let chance =
                if all > gamma { (y - gamma) / (all - gamma) } else { f64::from(u8::from(y > gamma)) };
            // One lot for each, whatever the threshold.
            let lot = rng.unit();
            let reading = if lot < chance && y > gamma { Reading::AtLeast(gamma) } else { Reading::Exact(y) };
            (number / COPIES, reading)
        };
        let readings = values.into_iter().enumerate().map(read).collect();
        let mut folds: Vec<usize> = (0..count).map(|place| place % FOLDS).collect();
        Rng::new(seed, "folds", function as u64).shuffle(&mut folds);
        Self { width, rows, truth, folds, readings }
    }

    /// Reads a table: fold, location, x1 .., true, recorded, censored.
    pub(super) fn of_file(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::of_text(&text).with_context(|| format!("{} is no table of readings", path.display()))
    }

    fn of_text(text: &str) -> Result<Self> {
        let mut lines = text.lines();
        let width = lines.next().context("it has no head")?.split(',').count();
        ensure!(width > 5, "columns are fold, location, x1 .., true, recorded, censored");
        let mut data = Self { width: width - 5, ..Self::default() };
        for line in lines {
            let cells: Vec<&str> = line.split(',').collect();
            ensure!(cells.len() == width, "`{line}` has not {width} cells");
            let number =
                |at: usize| cells[at].parse::<f64>().with_context(|| format!("`{}` is no number", cells[at]));
            let (fold, place) = (cells[0].parse::<usize>()?, cells[1].parse::<usize>()?);
            ensure!(fold < FOLDS, "folds are numbered from 0 to {}", FOLDS - 1);
            match place.cmp(&data.truth.len()) {
                std::cmp::Ordering::Greater => bail!("location {place} comes before {}", data.truth.len()),
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => {
                    data.folds.push(fold);
                    data.truth.push(number(width - 3)?);
                    for at in 2..width - 3 {
                        data.rows.push(number(at)?);
                    }
                }
            }
            let recorded = number(width - 2)?;
            let censored = cells[width - 1] == "1";
            let reading = if censored { Reading::AtLeast(recorded) } else { Reading::Exact(recorded) };
            data.readings.push((place, reading));
        }
        ensure!(!data.readings.is_empty(), "it has no readings");
        Ok(data)
    }

    /// The place of a number.
    pub(super) fn place(&self, number: usize) -> &[f64] {
        &self.rows[number * self.width..(number + 1) * self.width]
    }

    /// The share of censored readings.
    pub(super) fn censored(&self) -> f64 {
        let count = self.readings.iter().filter(|(_, reading)| reading.is_censored()).count();
        count as f64 / self.readings.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_lie_on_lines_between_values() {
        let sorted = [1.0, 2.0, 4.0, 8.0, 16.0];
        assert_eq!([0.0, 12.5, 50.0, 100.0].map(|p| percentile(&sorted, p)), [1.0, 1.5, 4.0, 16.0]);
    }

    #[test]
    fn censored_shares_are_those_of_the_paper_and_thresholds_change_nothing_else() {
        let share = |threshold| Data::draw(Function::Hartmann6, threshold, 80, 1).censored();
        // 52 % and 19.5 % are printed.
        assert!((share(20) - 0.52).abs() < 0.03 && (share(80) - 0.195).abs() < 0.01, "{}", share(20));
        let (low, high) = (Data::draw(Function::Branin, 10, 95, 1), Data::draw(Function::Branin, 80, 95, 1));
        assert_eq!((&low.rows, &low.truth, &low.folds), (&high.rows, &high.truth, &high.folds));
        assert_eq!(low.readings.len(), 2000);
        assert_eq!(low.folds.iter().filter(|&&fold| fold == 3).count(), 40);
        for ((place, low), (_, high)) in low.readings.iter().zip(&high.readings) {
            assert!(*place < 200);
            if let (Reading::Exact(low), Reading::Exact(high)) = (low, high) {
                assert_eq!(low, high);
            }
            assert!(low.lower_bound() <= high.lower_bound());
        }
    }

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let head = "fold,location,x1,x2,true,recorded,censored\n";
        let rows = "0,0,0.25,0.5,3,3.5,0\n0,0,0.25,0.5,3,2,1\n4,1,0.75,1,7,6,0\n";
        let data = Data::of_text(&format!("{head}{rows}")).unwrap();
        assert_eq!((data.width, data.place(1), data.truth[1]), (2, &[0.75, 1.0][..], 7.0));
        assert_eq!(data.folds, [0, 4]);
        let readings = [(0, Reading::Exact(3.5)), (0, Reading::AtLeast(2.0)), (1, Reading::Exact(6.0))];
        assert_eq!(data.readings, readings);
        for wrong in ["", "a,b\n", head, &format!("{head}0,1,0,0,1,1,0\n"), &format!("{head}0,0,1\n")] {
            assert!(Data::of_text(wrong).is_err(), "{wrong}");
        }
    }
}
