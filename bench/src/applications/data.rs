//! The data sets, in files that `bench/scripts/export-points.py` has written.

use std::path::Path;

use anyhow::{Context, Result};
use targets::points::{Points, libsvm};

/// Largest number of points for the search of neighbours. Tables of outcomes take a minute with as many.
const MOST_POINTS: usize = 2500;
/// Seed of the samples.
const SAMPLE: u64 = 1;

/// A data set.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataSet {
    pub(super) name: &'static str,
    /// Share of the points for the search of neighbours.
    share: f64,
    /// The smallest class of the second group when classes are divided into two groups.
    second_group: u32,
    /// Whether support vector machines are compressed on it.
    pub(super) with_machines: bool,
}

/// All data sets. As in the paper, adult and w8a are sampled to a tenth.
pub(super) const DATA_SETS: [DataSet; 6] = [
    DataSet { name: "usps", share: 1.0, second_group: 5, with_machines: true },
    DataSet { name: "letters", share: 1.0, second_group: 13, with_machines: true },
    DataSet { name: "adult", share: 0.1, second_group: 1, with_machines: true },
    DataSet { name: "w8a", share: 0.1, second_group: 1, with_machines: true },
    DataSet { name: "coil20", share: 1.0, second_group: 10, with_machines: false },
    DataSet { name: "isolet-2class", share: 1.0, second_group: 1, with_machines: false },
];

/// Data sets of the paper that are not among ours.
pub(super) const MISSING: &str = "YaleFaces, COIL (insurance), the full Isolet and MNIST for neighbours; Spam, Magic, \
    IJCNN1 and Forest for machines";

impl DataSet {
    /// Reads all points; `None` if the file does not exist.
    pub(super) fn read(&self, folder: &Path) -> Result<Option<Points>> {
        let path = folder.join(format!("{}.libsvm", self.name));
        if !path.is_file() {
            return Ok(None);
        }
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
        Ok(Some(libsvm::read(&text).with_context(|| path.display().to_string())?))
    }

    /// Returns the points for the search of neighbours.
    pub(super) fn for_neighbours(&self, points: &Points) -> Points {
        let count = (self.share * points.count() as f64) as usize;
        points.sample(count.min(MOST_POINTS), SAMPLE)
    }

    /// Returns training and validation points in two classes.
    pub(super) fn for_machines(&self, points: &Points, [training, validation]: [usize; 2]) -> [Points; 2] {
        let all =
            points.sample(training + validation, SAMPLE).in_two_classes(|label| label >= self.second_group);
        let places: Vec<usize> = (0..all.count()).collect();
        let (first, second) = places.split_at(training.min(places.len()));
        [all.select(first), all.select(second)]
    }
}
