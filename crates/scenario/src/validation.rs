//! The table `[validation]`: how the best is compared with the baseline in the end.

use std::time::Duration;

use super::objective::{self, CappedBy, cost};
use super::report::{Report, Section};
use super::settings::Racing;

/// How the end is validated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Validation {
    /// Where trials are stopped, if not at the objective's cutoff.
    pub cutoff: Option<f64>,
    /// Measurements of each instance.
    pub seeds: Option<u32>,
    /// Time on the clock.
    pub budget: Option<Duration>,
    /// Whether it is done when the campaign ends.
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
        // Its unit is that of the objective, whose mistakes have been reported.
        (Some(_), None) => None,
        (Some(found), Some(read)) => {
            let given = cost(report, &found, read.objective.minimise);
            let least = read.objective.cutoff.filter(|_| read.objective.capped_by != CappedBy::Nobody);
            match (given, least) {
                (Some(_), None) => {
                    let message = format!("`{}` is given, but nothing is capped", found.key);
                    report.mistake(found.key_span, message, "leave it out, or give `objective.cutoff`");
                    None
                }
                (Some(given), Some(least)) if given < least => {
                    let message = format!("`{}` is below `objective.cutoff`", found.key);
                    let hint = "what was tuned for longer trials is not proved by shorter ones";
                    report.mistake(found.span(), message, hint);
                    None
                }
                (Some(given), _)
                    if read.objective.minimise.is_time()
                        && limit.is_some_and(|limit| limit.as_secs_f64() < given) =>
                {
                    let message = format!("`{}` is above `limits.wall`", found.key);
                    report.mistake(found.span(), message, "no trial could reach it: raise the limit");
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
                let message = format!("`{}` is {seeds}, but one trial says all of an instance", found.key);
                report.mistake(
                    found.span(),
                    message,
                    "leave it out: the target is deterministic and tells its cost",
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
