//! What mattered, in words: ablations and the importance of parameters.

use space::Literal;
use view::{Ablation, Change, Effect};

use crate::{Costs, counted, harmless, share, times};

/// Says in a sentence what the ablation found.
pub fn conclusion(found: &Ablation, costs: &Costs) -> String {
    let all = counted(found.changes as u64, "change");
    match (found.end, &found.minimal) {
        (Some("whole"), Some(_)) if found.changes == 1 => "the only change has all of the gain".to_owned(),
        (Some("whole"), Some(_)) => format!("all {all} are needed for the whole gain"),
        (Some(_), Some(minimal)) => {
            let gain = minimal.share.map_or_else(String::new, |gain| {
                let verb = if minimal.changes == 1 { "has" } else { "have" };
                let part = if gain < 0.995 { share(gain.max(0.0)) + " of" } else { "all of".to_owned() };
                format!(" {verb} {part} the gain")
            });
            let held = found.checks.last().filter(|check| check.holds).map_or_else(String::new, |check| {
                format!(
                    "; on {} others: {} {}, all changes {}",
                    check.pairs,
                    costs.mean,
                    costs.show(check.cost),
                    costs.show(check.best)
                )
            });
            format!("{} of {all}{gain}{held}", minimal.changes)
        }
        (Some("baseline_violates"), None) => format!(
            "the {} violates a bound on these pairs, so its changes cannot be made one at a time without violating it",
            costs.against
        ),
        (Some("best_violates"), None) => {
            "the best configuration violates a bound on these pairs; `captune validate` measures it on unseen instances"
                .to_owned()
        }
        (Some(_), None) => {
            format!("the best configuration is not better than the {} on these pairs", costs.against)
        }
        (None, _) => String::new(),
    }
}

/// Formats a share of the gain, which is negative if a change makes things worse.
pub fn signed(part: f64) -> String {
    if part < 0.0 { format!("-{}", share(-part)) } else { share(part) }
}

/// Lists the values that change; parameters that become inactive are only counted.
pub fn changes(changes: &[Change]) -> String {
    let mut words: Vec<String> = Vec::new();
    for change in changes {
        let Some(value) = &change.value else { continue };
        let before = change.default.as_ref().map_or_else(|| "inactive".to_owned(), Literal::to_string);
        words.push(format!("{} {before} -> {}", change.name, value));
    }
    let inactive = changes.len() - words.len();
    let rest = if inactive > 0 { format!(" ({inactive} become inactive)") } else { String::new() };
    harmless(&format!("{}{rest}", words.join(", ")))
}

/// Formats a predicted change of the cost.
pub fn effect(effect: Effect, costs: &Costs) -> String {
    match effect {
        Effect::Factor(factor) => times(factor),
        Effect::Difference(difference) => {
            let sign = if difference < 0.0 { "-" } else { "+" };
            format!("{sign}{}", costs.show(difference.abs()))
        }
    }
}

/// Formats the value of a parameter.
pub fn value(value: &Option<Literal>) -> String {
    match value {
        None => "inactive".to_owned(),
        Some(value) => harmless(&value.to_string()),
    }
}
