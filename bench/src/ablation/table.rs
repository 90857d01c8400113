//! Compares each variant with the first, scenario by scenario.
//!
//! For the first variant, the table shows geometric means of costs over seeds. For every other variant, it
//! shows the geometric mean over seeds of the ratio to the first variant with the same seed. It also shows
//! the p-value of the paired test at the last checkpoint, corrected for the number of scenarios.

use super::row::{CHECKPOINTS, Row};
use crate::statistics::{geometric_mean, holm, sign_flip_test};

/// Returns one table per variant. Each table covers the seeds for which both its variant and the first
/// variant have rows.
pub(super) fn text(rows: &[Row], scenarios: &[&str], variants: &[String]) -> String {
    let mut text = String::new();
    let Some(first) = variants.first() else { return text };
    for variant in variants {
        let head = CHECKPOINTS.map(|trials| format!("{trials} trials")).join(" | ");
        text += &format!(
            "\n{variant}\n\n| scenario | seeds | {head} | best tried | tried | pairs | CPU s | p |\n"
        );
        text += &format!("|---|{}\n", "---|".repeat(CHECKPOINTS.len() + 6));
        let compared: Vec<Compared> =
            scenarios.iter().filter_map(|name| Compared::of(rows, name, first, variant)).collect();
        let p = holm(&compared.iter().map(|one| one.p).collect::<Vec<f64>>());
        for (one, p) in compared.iter().zip(p) {
            let means = one.means.map(figure).join(" | ");
            let p = if variant == first { String::new() } else { format!("{p:.3}") };
            text += &format!(
                "| {} | {} | {means} | {:.0} | {:.1} | {:.2} | {p} |\n",
                one.scenario, one.seeds, one.tried, one.pairs, one.own_cpu
            );
        }
        if variant != first && !compared.is_empty() {
            let all: Vec<String> = (0..=CHECKPOINTS.len())
                .map(|at| {
                    let known: Vec<f64> =
                        compared.iter().map(|one| one.means[at]).filter(|mean| mean.is_finite()).collect();
                    figure(geometric_mean(&known))
                })
                .collect();
            text += &format!("| all | | {} | | | | |\n", all.join(" | "));
        }
    }
    text
}

/// A variant compared with the first on one scenario.
struct Compared<'a> {
    scenario: &'a str,
    seeds: usize,
    /// Geometric means at each checkpoint; the last one is for the best configuration tried.
    means: [f64; 5],
    tried: f64,
    pairs: f64,
    own_cpu: f64,
    p: f64,
}

impl<'a> Compared<'a> {
    fn of(rows: &[Row], scenario: &'a str, first: &str, variant: &str) -> Option<Self> {
        let of = |name: &str, seed: u64| {
            rows.iter().find(|row| row.scenario == scenario && row.variant == name && row.seed == seed)
        };
        let own = rows.iter().filter(|row| row.scenario == scenario && row.variant == variant);
        let pairs: Vec<(&Row, &Row)> = own.filter_map(|row| Some((row, of(first, row.seed)?))).collect();
        if pairs.is_empty() {
            return None;
        }
        let value = |row: &Row, at: usize| row.costs.get(at).copied().unwrap_or(row.best_tried);
        let ratios = |at: usize| -> Vec<f64> {
            let ratio = |(row, first): &(&Row, &Row)| value(row, at) / value(first, at);
            if variant == first {
                pairs.iter().map(|(row, _)| value(row, at)).collect()
            } else {
                pairs.iter().map(ratio).collect()
            }
        };
        let last: Vec<f64> = ratios(CHECKPOINTS.len() - 1).iter().map(|ratio| ratio.ln()).collect();
        let mean =
            |of: fn(&Row) -> f64| pairs.iter().map(|(row, _)| of(row)).sum::<f64>() / pairs.len() as f64;
        Some(Self {
            scenario,
            seeds: pairs.len(),
            means: std::array::from_fn(|at| geometric_mean(&ratios(at))),
            tried: mean(|row| row.tried),
            pairs: mean(|row| row.pairs),
            own_cpu: mean(|row| row.own_cpu),
            p: if variant == first { 1.0 } else { sign_flip_test(&last) },
        })
    }
}

fn figure(value: f64) -> String {
    match value {
        value if value.is_nan() => "-".to_owned(),
        value if value < 100.0 => format!("{value:.3}"),
        value => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(variant: &str, seed: u64, cost: f64) -> Row {
        Row {
            scenario: "a".to_owned(),
            variant: variant.to_owned(),
            seed,
            tried: 10.0,
            pairs: 5.0,
            own_cpu: 0.5,
            best_tried: f64::NAN,
            costs: [cost; 4],
        }
    }

    #[test]
    fn ratios_compare_the_same_seeds() {
        let rows =
            [row("usual", 1, 2.0), row("usual", 2, 8.0), row("late=1", 2, 4.0), row("late=1", 3, 99.0)];
        let text = text(&rows, &["a", "b"], &["usual".to_owned(), "late=1".to_owned()]);
        assert!(
            text.contains("| a | 2 | 4.000 | 4.000 | 4.000 | 4.000 | - | 10 | 5.0 | 0.50 |  |"),
            "{text}"
        );
        assert!(text.contains("| a | 1 | 0.500 |"), "{text}");
        assert!(!text.contains("| b |"), "{text}");
    }
}
