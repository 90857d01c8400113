//! What may be said at the end, in plain words.

use campaign::validation::{Finding, GaveUp};
use engine::stats::{Basis, Claim, Unit};
use view::{UnseenTimeouts, Verdict};

use crate::bounds;
use crate::exit_code::ExitCode;
use crate::words::{Costs, counted, harmless, probability, share, times};

/// Everything that may be said, each a sentence: the costs among what keeps its bounds, then the bounds.
pub(crate) fn lines(verdict: &Verdict, costs: &Costs) -> Vec<String> {
    let mut lines = vec![first_line(verdict, costs)];
    lines.extend(bounds::both(&verdict.constraints, costs.against));
    lines.extend(verdict.unseen_timeouts.map(|unseen| unseen_timeouts(&unseen, verdict, costs)));
    lines.extend(remarks(verdict, costs));
    lines
}

/// What was found, in a sentence or two.
pub(crate) fn first_line(verdict: &Verdict, costs: &Costs) -> String {
    of_feasible(verdict, costs).unwrap_or_else(|| sentence(verdict, costs))
}

/// What the absence of timeouts leaves open.
fn unseen_timeouts(unseen: &UnseenTimeouts, verdict: &Verdict, costs: &Costs) -> String {
    let unit = match verdict.unit {
        Unit::Instance => "instance",
        Unit::Pair => "pair",
    };
    let units = counted(unseen.units as u64, unit);
    let then = if unseen.ratio > 1.0 {
        format!("with so many it would still be {}", costs.gain(unseen.ratio))
    } else {
        format!("from {} on it would be no better than the {}", share(unseen.break_even), costs.against)
    };
    format!("No timeout on {units} leaves up to {} elsewhere possible; {then}.", share(unseen.share))
}

/// Why a validation has fewer pairs than it was to have.
pub(crate) fn gave_up(why: &GaveUp, pairs: usize, planned: usize) -> String {
    let measured = format!("{pairs} of {planned} pairs were measured with both");
    match why {
        GaveUp::Lost { times, reason } => format!(
            "{measured}: trials of the others were lost {} ({}). The same command runs them again.",
            counted(*times, "time"),
            harmless(reason)
        ),
        GaveUp::Aborted(reason) => {
            format!("{measured}: then a trial could not be run, as no other could: {}", harmless(reason))
        }
    }
}

/// The exit code of a validation that gave up.
pub(crate) fn exit_code_of(why: &GaveUp) -> ExitCode {
    match why {
        GaveUp::Lost { .. } => ExitCode::Failed,
        GaveUp::Aborted(_) => ExitCode::TargetFailed,
    }
}

/// The sentence where bounds decide rather than costs.
fn of_feasible(verdict: &Verdict, costs: &Costs) -> Option<String> {
    let ratio = verdict.ratio;
    let (how, on, against) = (figures(verdict, costs, ratio < 1.0), on(verdict), costs.against);
    let gain = costs.gain(ratio);
    let training = if verdict.basis == Basis::TrainingOnly { "training only: " } else { "" };
    let is = if costs.are_maximised() { "has" } else { "is" };
    match verdict.finding {
        Finding::Faster | Finding::NothingReliable | Finding::Slower | Finding::Wrong => None,
        Finding::OnlyFeasible => Some(format!(
            "{training}the best keeps every bound on {on}, which the {against} does not; it {is} {gain} than \
             the {against} there ({how})."
        )),
        Finding::Infeasible => Some(format!(
            "{training}what looked best in training does not keep every bound on {on}, which the {against} \
             does. Keep the {against}."
        )),
        Finding::NeitherFeasible => Some(format!(
            "{training}neither the best nor the {against} keeps every bound on {on}; the best {is} {gain} there \
             ({how})."
        )),
    }
}

/// One sentence or two: how much better, on what, how sure.
pub(crate) fn sentence(verdict: &Verdict, costs: &Costs) -> String {
    let as_it_is = verdict.basis != Basis::TrainingOnly && verdict.of_costs == Claim::NothingReliable;
    let how = figures(verdict, costs, verdict.ratio < 1.0 && !as_it_is);
    let on = on(verdict);
    let against = costs.against;
    let mut text = match (verdict.basis, verdict.of_costs) {
        (Basis::TrainingOnly, Claim::Faster | Claim::NothingReliable | Claim::Slower) => format!(
            "training only: {} than the {against} where it was chosen ({how}), which proves nothing. \
             Give `instances.test` to have it proved on unseen instances",
            costs.gain(verdict.ratio)
        ),
        (_, Claim::Faster) => {
            format!("{} than the {against} on {on} ({how}){}", costs.gain(verdict.ratio), solved(verdict))
        }
        (_, Claim::NothingReliable) => format!(
            "{} than the {against} was found (best {} on {on}, {how}). Keep the {against}",
            costs.nothing("reliably "),
            times(verdict.ratio)
        ),
        (_, Claim::Slower) => format!(
            "what looked best in training {} {} than the {against} on {on} ({how}){}. Keep the {against}",
            if costs.are_maximised() { "has" } else { "is" },
            costs.gain(verdict.ratio),
            solved(verdict)
        ),
        (_, Claim::Wrong) => format!(
            "what looked best in training gives wrong answers on {} of {on}. Keep the {against}",
            counted(verdict.wrong as u64, "pair")
        ),
    };
    text.push('.');
    text
}

/// What else is to be said, each a sentence.
pub(crate) fn remarks(verdict: &Verdict, costs: &Costs) -> Vec<String> {
    let mut remarks = Vec::new();
    if verdict.solved.before == 0 && verdict.solved.after == 0 {
        let against = costs.against;
        remarks.push(format!(
            "Neither it nor the {against} has finished a single trial there: this says nothing."
        ));
    }
    if let (Some(training), false) = (verdict.training_ratio, verdict.basis == Basis::TrainingOnly) {
        let said = format!("Training said {}", costs.gain(training));
        let claimed = verdict.of_costs == Claim::Faster;
        // Where training saw no gain, none can be lost.
        remarks.push(match (verdict.gain_does_not_carry_over && training > 1.0, claimed) {
            (false, _) => format!("{said}."),
            (true, true) => format!("{said}: a part of that gain does not carry over."),
            (true, false) => {
                let one_input = matches!(verdict.basis, Basis::FreshSeeds | Basis::MeasuredAgain)
                    && verdict.instances <= 1;
                let more = if one_input {
                    "trials of each configuration (`racing.repeats`)"
                } else {
                    "instances to tune on"
                };
                format!("{said}: that gain does not carry over; more {more} would help.")
            }
        });
    }
    if verdict.candidates > 1 {
        let chance = (0.05 * verdict.candidates as f64).min(1.0);
        remarks.push(format!(
            "{} configurations have been judged on these pairs by now: luck alone makes one of them look better \
             with a chance of up to {}.",
            verdict.candidates,
            share(chance)
        ));
    }
    if let [host] = &verdict.hosts[..]
        && *host != store::host_name()
    {
        remarks.push(format!("It was measured on {}.", harmless(host)));
    } else if verdict.hosts.len() > 1 {
        let hosts: Vec<String> = verdict.hosts.iter().map(|host| harmless(host)).collect();
        remarks.push(format!("It was measured on several machines: {}.", hosts.join(", ")));
    }
    if matches!(verdict.basis, Basis::FreshSeeds | Basis::MeasuredAgain) && verdict.instances > 1 {
        remarks.push("There were no unseen instances: of other instances this says nothing.".to_owned());
    } else if verdict.unit == Unit::Pair && verdict.basis == Basis::UnseenInstances {
        remarks.push("With fewer than six unseen instances this says little of others.".to_owned());
    }
    remarks
}

/// How sure the ratio is; turned round where the words say how many times worse.
fn figures(verdict: &Verdict, costs: &Costs, turned: bool) -> String {
    let mut parts = vec![costs.mean.clone()];
    if let Some([low, high]) = verdict.interval {
        let bare = |ratio: f64| times(ratio).trim_end_matches('x').to_owned();
        let (low, high) = if turned { (high.recip(), low.recip()) } else { (low, high) };
        parts.push(format!("95 %: {} to {}", bare(low), bare(high)));
    }
    if verdict.basis != Basis::TrainingOnly {
        parts.push(probability(verdict.p));
    }
    parts.join(", ")
}

/// The pairs that it rests on.
pub(crate) fn on(verdict: &Verdict) -> String {
    let (pairs, instances) = (verdict.pairs as u64, verdict.instances as u64);
    match verdict.basis {
        Basis::UnseenInstances if pairs == instances => counted(instances, "unseen instance"),
        Basis::UnseenInstances => {
            format!("{} of {}", counted(pairs, "pair"), counted(instances, "unseen instance"))
        }
        Basis::FreshSeeds if instances == 1 => counted(pairs, "fresh seed"),
        Basis::FreshSeeds => {
            format!("fresh seeds of {}, {}", counted(instances, "instance"), counted(pairs, "pair"))
        }
        Basis::MeasuredAgain if instances == 1 => counted(pairs, "new measurement"),
        Basis::MeasuredAgain => {
            format!("new measurements of {}, {}", counted(instances, "instance"), counted(pairs, "pair"))
        }
        Basis::TrainingOnly => counted(pairs, "pair"),
    }
}

/// How many pairs finished, if not all did.
fn solved(verdict: &Verdict) -> String {
    let solved = verdict.solved;
    if solved.before == verdict.pairs && solved.after == solved.before {
        return String::new();
    }
    let lost = if solved.lost > 0 { format!(", lost {}", solved.lost) } else { String::new() };
    format!("; solved {} -> {}{lost}", solved.before, solved.after)
}
