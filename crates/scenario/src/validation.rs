//! The table `[validation]`: how the final incumbent is compared with the baseline.

use std::time::Duration;

use super::objective::{self, CappedBy, cost};
use super::report::{Report, Section};
use super::settings::Racing;

/// Settings for validating the result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Validation {
    /// Cutoff for validation trials, if it differs from the objective's.
    pub cutoff: Option<f64>,
    /// Number of measurements per instance.
    pub seeds: Option<u32>,
    /// Wall-clock time that the validation may take.
    pub budget: Option<Duration>,
    /// Whether the validation runs when the campaign ends.
    pub at_the_end: bool,
}

pub(super) fn read(
    report: &mut Report<'_>,
    section: &Section<'_, '_>,
    objective: Option<&objective::Read>,
    racing: Option<&Racing>,
    limit: Option<Duration>,
) -> Option<Validation> {
    let cutoff = match (section.get("cutoff"), objective) {
        (None, _) => Some(None),
        // The cutoff needs the unit of the objective, whose mistakes were already reported.
        (Some(_), None) => None,
        (Some(found), Some(read)) => {
            let given = cost(report, &found, read.objective.minimise);
            let least = read.objective.cutoff.filter(|_| read.objective.capped_by != CappedBy::Nobody);
            match (given, least) {
                (Some(_), None) => {
                    let message = format!("`{}` is given, but trials are not capped", found.key);
                    report.mistake(found.key_span, message, "remove it, or give `objective.cutoff`");
                    None
                }
                (Some(given), Some(least)) if given < least => {
                    let message = format!("`{}` is below `objective.cutoff`", found.key);
                    let hint =
                        "raise it: shorter trials cannot validate a result that was tuned on longer ones";
                    report.mistake(found.span(), message, hint);
                    None
                }
                (Some(given), _)
                    if read.objective.minimise.is_time()
                        && limit.is_some_and(|limit| limit.as_secs_f64() < given) =>
                {
                    let message = format!("`{}` is above `limits.wall`", found.key);
                    report.mistake(
                        found.span(),
                        message,
                        "no trial could reach it: raise the limit or lower the cutoff",
                    );
                    None
                }
                (given, _) => given.map(Some),
            }
        }
    };
    let seeds = match section.get("seeds") {
        None => Some(None),
        Some(found) => report.integer(&found, 1, 100_000).and_then(|seeds| {
            if seeds > 1 && racing.is_some_and(|racing| racing.measured_once) {
                let message = format!("`{}` is {seeds}, but one trial per instance is enough", found.key);
                report.mistake(
                    found.span(),
                    message,
                    "remove it: the target is deterministic and reports its own cost",
                );
                return None;
            }
            Some(Some(seeds as u32))
        }),
    };
    let budget = match section.get("budget") {
        None => Some(None),
        Some(found) => report.duration(&found).map(Some),
    };
    let when = match section.get("when") {
        None => Some("end"),
        Some(found) => report.word(&found, &["end", "never"]),
    };
    Some(Validation { cutoff: cutoff?, seeds: seeds?, budget: budget?, at_the_end: when? == "end" })
}
