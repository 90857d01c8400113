//! The points that each tree has drawn, and how often it has drawn them.
//!
//! Every tree draws as many points as the training set has, with replacement. When a campaign has gained
//! points, new draws are added. Each earlier draw moves to one of the new points with the probability that a
//! fresh draw would select a new point. The distribution is the same as if all draws were made from scratch,
//! but most draws stay the same.

use math::Rng;

/// The draws of all trees.
#[derive(Clone, Debug)]
pub(super) struct Bootstrap {
    seed: u64,
    points: usize,
    /// The points that each tree has drawn.
    draws: Vec<Vec<u32>>,
    /// The number of times that each tree has drawn each point.
    pub(super) counts: Vec<Vec<u32>>,
}

impl Bootstrap {
    pub(super) fn new(trees: usize, seed: u64) -> Self {
        Self { seed, points: 0, draws: vec![Vec::new(); trees], counts: vec![Vec::new(); trees] }
    }

    /// Extends the draws to `points` points, which must be no fewer than before.
    pub(super) fn extend(&mut self, points: usize) {
        let (before, new) = (self.points, points - self.points);
        if new == 0 {
            return;
        }
        let moves = new as f64 / points as f64;
        for (tree, (draws, counts)) in self.draws.iter_mut().zip(&mut self.counts).enumerate() {
            let mut rng = Rng::new(self.seed, "bootstrap", (tree as u64) << 40 | before as u64);
            for draw in draws.iter_mut() {
                if rng.unit() < moves {
                    *draw = (before + rng.below(new)) as u32;
                }
            }
            draws.extend((0..new).map(|_| rng.below(points) as u32));
            counts.clear();
            counts.resize(points, 0);
            draws.iter().for_each(|&draw| counts[draw as usize] += 1);
        }
        self.points = points;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_mostly_stay_and_cover_all_points_evenly() {
        let mut bootstrap = Bootstrap::new(400, 1);
        bootstrap.extend(100);
        let before = bootstrap.draws.clone();
        bootstrap.extend(110);
        let kept: usize = bootstrap
            .draws
            .iter()
            .zip(&before)
            .map(|(a, b)| a.iter().zip(b).filter(|(a, b)| a == b).count())
            .sum();
        assert!((36_000..36_800).contains(&kept), "{kept} of 40000 draws stayed; expected ten in eleven");
        let total = |from: usize, to: usize| -> u32 {
            bootstrap.counts.iter().map(|c| c[from..to].iter().sum::<u32>()).sum()
        };
        assert_eq!(total(0, 110), 400 * 110);
        // With 400 trees and 110 draws each, ten given points are expected to be drawn 4000 times, with a
        // standard deviation of 60.
        assert!((3700..4300).contains(&total(100, 110)), "{}", total(100, 110));
        assert!((3700..4300).contains(&total(0, 10)), "{}", total(0, 10));
    }
}
