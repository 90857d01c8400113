//! The verdict in words.

use campaign::validation::{Finding, GaveUp};
use engine::stats::{Basis, Claim, Unit};
use view::{UnseenTimeouts, Verdict};

use crate::bounds;
use crate::{Costs, ENOUGH_PAIRS, counted, harmless, probability, share, times};

/// Condition for naming the machine that measured the pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hosts {
    /// In every verdict.
    Always,
    /// Only if another machine measured them.
    IfOther,
}

/// Returns the whole verdict, one sentence per line: the costs, then the bounds, then remarks.
pub fn lines(verdict: &Verdict, costs: &Costs, hosts: Hosts) -> Vec<String> {
    let mut lines = vec![first_line(verdict, costs)];
    lines.extend(bounds::both(&verdict.constraints, costs.against));
    let unseen = verdict.unseen_timeouts.filter(|_| Outcome { verdict, costs }.failed().is_none());
    lines.extend(unseen.map(|unseen| unseen_timeouts(&unseen, verdict, costs)));
    lines.extend(remarks(verdict, costs));
    lines.extend(measured_on(verdict, hosts));
    lines
}

/// Returns the result in a sentence or two.
pub fn first_line(verdict: &Verdict, costs: &Costs) -> String {
    of_feasible(verdict, costs).unwrap_or_else(|| sentence(verdict, costs))
}

/// Explains how timeouts that are too rare to have been seen would change the result.
fn unseen_timeouts(unseen: &UnseenTimeouts, verdict: &Verdict, costs: &Costs) -> String {
    let unit = match verdict.unit {
        Unit::Instance => "instance",
        Unit::Pair => "pair",
    };
    let units = counted(unseen.units as u64, unit);
    let then = if unseen.ratio > 1.0 {
        let share = share(unseen.share);
        format!(
            "even with timeouts on {share} of other {unit}s, the best would be {}",
            costs.gain(unseen.ratio)
        )
    } else {
        // A smaller share would be shown as `<0.1 %`, which does not fit the sentence.
        let enough = share(unseen.break_even.max(0.001));
        format!("the gain would be lost if the best timed out on {enough} of other {unit}s")
    };
    format!("{units} without a timeout cannot rule out rare timeouts: {then}.")
}

/// Explains why a validation has fewer pairs than planned.
pub fn gave_up(why: &GaveUp, pairs: usize, planned: usize) -> String {
    let measured = format!("{pairs} of {planned} pairs were measured with both configurations");
    match why {
        GaveUp::Lost { times, reason } => format!(
            "{measured}; trials of the other pairs were lost {} ({}). The same command runs them again.",
            counted(*times, "time"),
            harmless(reason)
        ),
        GaveUp::Aborted(reason) => {
            format!("{measured}; then no trial could be run: {}", harmless(reason))
        }
    }
}

/// Returns the verdict if the bounds, not the costs, decide it; otherwise `None`.
fn of_feasible(verdict: &Verdict, costs: &Costs) -> Option<String> {
    let (on, against) = (on(verdict), costs.against);
    let training = if verdict.basis == Basis::TrainingOnly { "training only: " } else { "" };
    let outcome = Outcome { verdict, costs };
    let failed = outcome.failed();
    let than = |than: &str| {
        if let Some(failed) = &failed {
            format!("{}; {failed}{}", outcome.change(), outcome.certainty_without_ratio())
        } else if outcome.has_few_pairs() {
            format!("{} ({TOO_FEW})", outcome.change())
        } else if costs.are_maximised() {
            format!("{}{}", outcome.change_with_factor(), outcome.certainty())
        } else {
            format!("{}{than}: {}{}", costs.gain(verdict.ratio), outcome.change(), outcome.certainty())
        }
    };
    let has_figures_first = failed.is_some() || outcome.has_few_pairs() || costs.are_maximised();
    let is = if has_figures_first { "has" } else { "is" };
    match verdict.finding {
        Finding::Faster | Finding::NothingReliable | Finding::Slower | Finding::Wrong => None,
        Finding::OnlyFeasible => Some(format!(
            "{training}the best satisfies every bound on {on}; the {against} does not. The best {is} {}.",
            than(&format!(" than the {against} there"))
        )),
        Finding::Infeasible => Some(format!(
            "{training}the best configuration in training violates a bound on {on}, and the {against} does not. \
             Keep the {against}."
        )),
        Finding::NeitherFeasible => Some(format!(
            "{training}both the best and the {against} violate a bound on {on}. The best {is} {}.",
            than(" there")
        )),
    }
}

/// Returns the verdict on the costs: how much better the best configuration is, on which pairs, and how
/// certain this is.
pub fn sentence(verdict: &Verdict, costs: &Costs) -> String {
    let outcome = Outcome { verdict, costs };
    let (on, against) = (on(verdict), costs.against);
    let solved = if outcome.failed().is_none() { solved(verdict) } else { String::new() };
    let mut text = match (verdict.basis, verdict.of_costs) {
        (Basis::TrainingOnly, Claim::Faster | Claim::NothingReliable | Claim::Slower) => format!(
            "training only: {}. This proves nothing, because the configuration was chosen on these pairs; set \
             `instances.test` to validate on unseen instances",
            outcome.compared(&format!(" than the {against}"))
        ),
        (_, Claim::Faster) => format!("{}{solved}", outcome.compared(&format!(" than the {against}"))),
        (_, Claim::NothingReliable) => format!(
            "{} than the {against} was found. Best: {}. Keep the {against}",
            costs.nothing("reliably "),
            outcome.compared("")
        ),
        (_, Claim::Slower) => format!(
            "the best configuration in training is {}{}{solved}. Keep the {against}",
            if costs.are_maximised() || outcome.failed().is_some() { "worse: " } else { "" },
            outcome.compared(&format!(" than the {against}"))
        ),
        (_, Claim::Wrong) => format!(
            "the best configuration in training gives wrong answers on {} of {on}. Keep the {against}",
            verdict.wrong
        ),
    };
    text.push('.');
    text
}

/// Compares the best configuration with the default in a few words, for one fold.
pub fn compared(verdict: &Verdict, costs: &Costs) -> String {
    Outcome { verdict, costs }.compared("")
}

/// Formats the ratio as a gain or a loss, or both means if no ratio describes the difference.
pub fn gain(verdict: &Verdict, costs: &Costs) -> String {
    let outcome = Outcome { verdict, costs };
    if outcome.failed().is_some() { outcome.change() } else { costs.gain(verdict.ratio) }
}

/// Text that is shown instead of a ratio.
const TOO_FEW: &str = "too few pairs for a ratio";

/// The figures of a verdict in words.
struct Outcome<'a> {
    verdict: &'a Verdict,
    costs: &'a Costs,
}

impl Outcome<'_> {
    fn has_few_pairs(&self) -> bool {
        self.verdict.pairs < ENOUGH_PAIRS
    }

    /// Formats both means: `PAR10 390 s -> 243 s`.
    fn change(&self) -> String {
        self.costs.change(self.verdict.default, self.verdict.best)
    }

    /// Formats both means and the factor: `tps 200 -> 900 (4.5x)`, or the errors if the means are shares:
    /// `accuracy 0.931 -> 0.952 (error 0.069 -> 0.048)`.
    fn change_with_factor(&self) -> String {
        let factor = match self.costs.errors(self.verdict.default, self.verdict.best) {
            Some(errors) => errors,
            None if self.verdict.ratio < 1.0 => self.costs.gain(self.verdict.ratio),
            None => times(self.verdict.ratio),
        };
        format!("{} ({factor})", self.change())
    }

    /// Names the configuration that failed if no factor describes the difference: because a mean does not exist, as
    /// trials without a cutoff failed; or because one of the two finished nothing, so that the penalty alone
    /// determines its mean.
    fn failed(&self) -> Option<String> {
        let Verdict { pairs, default, best, solved, .. } = self.verdict;
        let against = self.costs.against;
        Some(match (default.is_finite(), best.is_finite()) {
            (true, true) => match (solved.before, solved.after) {
                (0, after @ 1..) => format!("the {against} finished none of them, and the best {after}"),
                (before @ 1.., 0) => format!("the best finished none of them, and the {against} {before}"),
                _ => return None,
            },
            (_, false) => format!("the best failed on {} of them", pairs - solved.after),
            (false, true) => format!("the {against} failed on {} of them", pairs - solved.before),
        })
    }

    /// Compares both configurations, with the absolute figures:
    /// `1.60x faster on 75 pairs: PAR10 390 s -> 243 s (95 %: …)`.
    /// If the objective is maximised, the figures come first.
    fn compared(&self, than: &str) -> String {
        let on = on(self.verdict);
        if let Some(failed) = self.failed() {
            format!("{} on {on}; {failed}{}", self.change(), self.certainty_without_ratio())
        } else if self.has_few_pairs() {
            format!("{} on {on}, {TOO_FEW}", self.change())
        } else if self.costs.are_maximised() {
            format!("{} on {on}{}", self.change_with_factor(), self.certainty())
        } else {
            let gain = self.costs.gain(self.verdict.ratio);
            format!("{gain}{than} on {on}: {}{}", self.change(), self.certainty())
        }
    }

    /// Formats the p value: ` (p = 0.0004)`.
    fn certainty_without_ratio(&self) -> String {
        let Verdict { basis, p, .. } = self.verdict;
        if *basis == Basis::TrainingOnly { String::new() } else { format!(" ({})", probability(*p)) }
    }

    /// Formats the interval and the p value: ` (95 %: 1.31x to 1.93x, p = 0.0004)`. If the best configuration
    /// is worse, both the ratio and the interval are inverted (`slower`).
    fn certainty(&self) -> String {
        let Verdict { ratio, interval, basis, p, default, best, .. } = self.verdict;
        let is_share = self.costs.errors(*default, *best).is_some();
        let interval = interval.filter(|_| !is_share).map(|[low, high]| {
            let (low, high) = if *ratio < 1.0 { (high.recip(), low.recip()) } else { (low, high) };
            format!("95 %: {} to {}", times(low), times(high))
        });
        let p = (*basis != Basis::TrainingOnly).then(|| probability(*p));
        let parts: Vec<String> = interval.into_iter().chain(p).collect();
        if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
    }
}

/// Returns further remarks, one sentence each.
pub fn remarks(verdict: &Verdict, costs: &Costs) -> Vec<String> {
    let mut remarks = Vec::new();
    if verdict.solved.before == 0 && verdict.solved.after == 0 {
        let against = costs.against;
        remarks.push(format!(
            "Neither the best nor the {against} finished a single trial there, so this proves nothing."
        ));
    }
    let training = verdict.training_ratio.filter(|_| verdict.basis != Basis::TrainingOnly);
    if let Some(training) = training.filter(|_| Outcome { verdict, costs }.failed().is_none()) {
        let gain = format!("In training: {}", costs.gain(training));
        let claimed = verdict.of_costs == Claim::Faster;
        // A remark on a lost gain makes sense only if there was a gain in training.
        remarks.push(match (verdict.gain_does_not_carry_over && training > 1.0, claimed) {
            (false, _) => format!("{gain}."),
            (true, true) => format!("{gain}; part of that gain does not carry over."),
            (true, false) => {
                let one_input = matches!(verdict.basis, Basis::FreshSeeds | Basis::MeasuredAgain)
                    && verdict.instances <= 1;
                let more = if one_input {
                    "trials of each configuration (`racing.repeats`)"
                } else {
                    "instances to tune on"
                };
                format!("{gain}; that gain does not carry over. More {more} would help.")
            }
        });
    }
    if verdict.candidates > 1 {
        let chance = (0.05 * verdict.candidates as f64).min(1.0);
        remarks.push(format!(
            "{} configurations have been judged on these pairs so far; the probability that one of them looks \
             better by luck alone is up to {}.",
            verdict.candidates,
            share(chance)
        ));
    }
    if matches!(verdict.basis, Basis::FreshSeeds | Basis::MeasuredAgain) && verdict.instances > 1 {
        let none = "There were no unseen instances, so this says nothing about other instances.";
        remarks.push(none.to_owned());
    } else if verdict.unit == Unit::Pair && verdict.basis == Basis::UnseenInstances {
        remarks.push("With fewer than six unseen instances, this holds for these instances only.".to_owned());
    }
    remarks
}

/// Names the machines that measured the pairs, if they are known.
fn measured_on(verdict: &Verdict, hosts: Hosts) -> Option<String> {
    let names: Vec<String> = verdict.hosts.iter().map(|host| harmless(host)).collect();
    match &verdict.hosts[..] {
        [] => None,
        [host] if hosts == Hosts::IfOther && *host == store::host_name() => None,
        [_] => Some(format!("Measured on {}.", names[0])),
        _ => Some(format!("Measured on several machines: {}.", names.join(", "))),
    }
}

/// Names the pairs that the verdict is based on.
fn on(verdict: &Verdict) -> String {
    let (pairs, instances) = (verdict.pairs as u64, verdict.instances as u64);
    match verdict.basis {
        Basis::UnseenInstances if pairs == instances => counted(instances, "unseen instance"),
        Basis::UnseenInstances => {
            format!("{} of {}", counted(pairs, "pair"), counted(instances, "unseen instance"))
        }
        Basis::FreshSeeds if instances == 1 => counted(pairs, "fresh seed"),
        Basis::FreshSeeds => {
            format!("{} of {} with fresh seeds", counted(pairs, "pair"), counted(instances, "instance"))
        }
        Basis::MeasuredAgain if instances == 1 => counted(pairs, "new measurement"),
        Basis::MeasuredAgain => {
            format!("{} of {}", counted(pairs, "new measurement"), counted(instances, "instance"))
        }
        Basis::TrainingOnly => counted(pairs, "training pair"),
    }
}

/// Formats the number of solved pairs before and after. Returns an empty text if both
/// configurations solved all pairs.
fn solved(verdict: &Verdict) -> String {
    let solved = verdict.solved;
    if solved.before == verdict.pairs && solved.after == solved.before {
        return String::new();
    }
    let lost = if solved.lost > 0 { format!(", lost {}", solved.lost) } else { String::new() };
    format!("; solved {} -> {}{lost}", solved.before, solved.after)
}
