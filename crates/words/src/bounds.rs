//! Constraints in words.

use engine::problem::Over;
use view::{Both, Bound, Held, Unit, are_kept};

use crate::{bytes, harmless, name, number, seconds};

/// Lists the bounds: `error <= 0.05, every recall >= 0.95`. Returns `None` if there are no constraints.
pub fn wanted(bounds: &[Bound]) -> Option<String> {
    let one = |one: &Bound| {
        let over = if one.over == Over::Max { "every " } else { "" };
        format!("{over}{} {}", harmless(&one.name), limit(one))
    };
    (!bounds.is_empty()).then(|| bounds.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// Describes each constraint: `error 0.0812 (bound <= 0.05: violated)`.
pub fn each(held: &[Held]) -> Vec<String> {
    held.iter().map(|one| format!("{} (bound {}: {})", shown(one), limit(&one.bound), word(one))).collect()
}

/// Describes all constraints in one line.
pub fn line(held: &[Held]) -> String {
    each(held).join(", ")
}

/// Returns the short form for a crowded line: ` · error 0.0412`, ` · infeasible: error 0.0812, bound …`.
pub fn in_short(held: &[Held]) -> String {
    if held.is_empty() {
        return String::new();
    }
    if are_kept(held) {
        let values: Vec<String> = held.iter().map(shown).collect();
        return format!(" · {}", values.join(", "));
    }
    format!(" · infeasible: {}", violated(held))
}

/// Lists the violated constraints: `error 0.0812, bound <= 0.05`.
fn violated(held: &[Held]) -> String {
    let broken = held.iter().filter(|one| !one.kept);
    broken.map(|one| format!("{}, bound {}", shown(one), limit(&one.bound))).collect::<Vec<_>>().join("; ")
}

/// Returns the message that nothing feasible was found. It names the configuration that comes closest.
pub fn nothing_feasible(closest: u32, held: &[Held], against: &str) -> String {
    let closest = if closest == 0 { format!("the {against}") } else { name(closest, against) };
    format!("no feasible configuration found: the closest is {closest} ({})", violated(held))
}

/// Compares the constraints of the best configuration and the default in a validation. Returns one sentence
/// per constraint.
pub fn both(both: &Both<Vec<Held>>, against: &str) -> Vec<String> {
    let one = |(best, default): (String, &Held)| {
        let value = default.value.map_or_else(|| "not measured".to_owned(), |value| reading(default, value));
        format!("{best}; the {against}: {value} ({}).", word(default))
    };
    each(&both.best).into_iter().zip(&both.default).map(one).collect()
}

/// Formats a bound: `<= 0.05`, `<= 2GiB`.
fn limit(one: &Bound) -> String {
    let bound = match one.unit {
        Unit::Seconds if one.bound != 0.0 => seconds(one.bound),
        Unit::Bytes if one.bound != 0.0 => bytes(one.bound),
        _ if one.relative => format!("{}x the {}", one.bound, one.against),
        _ => one.bound.to_string(),
    };
    format!("{} {bound}", one.sign)
}

fn word(one: &Held) -> &'static str {
    match one.value {
        None => "unknown",
        Some(_) if one.kept && one.close => "kept, but too close to be sure",
        Some(_) if one.kept => "kept",
        Some(_) if one.close => "violated, but too close to be sure",
        Some(_) => "violated",
    }
}

/// Formats a value with its name: `error 0.0412`, `worst error at least 0.3`, `error not measured`.
fn shown(one: &Held) -> String {
    // The mean of ratios may hide a large ratio on one instance, so it is called a mean.
    let worst = match one.bound.over {
        Over::Max => "worst ",
        Over::Mean if one.bound.relative => "mean ",
        Over::Mean => "",
    };
    let value = one.value.map_or_else(|| "not measured".to_owned(), |value| reading(one, value));
    format!("{worst}{} {value}", harmless(&one.bound.name))
}

fn reading(one: &Held, reading: f64) -> String {
    let least = if one.censored == Some(true) { "at least " } else { "" };
    format!("{least}{}", value(&one.bound, reading))
}

/// Formats a value with enough digits to show on which side of the bound it is.
fn value(one: &Bound, value: f64) -> String {
    let near = value != one.bound && (value - one.bound).abs() < one.bound.abs() * 5e-3;
    match one.unit {
        Unit::Seconds if near => format!("{} s", on_its_side(value, one.bound)),
        Unit::Seconds => seconds(value),
        Unit::Bytes => bytes(value),
        Unit::Plain if one.relative && near => format!("{}x", on_its_side(value, one.bound)),
        Unit::Plain if one.relative => format!("{}x", number(value)),
        Unit::Plain if near => on_its_side(value, one.bound),
        Unit::Plain => number(value),
    }
}

/// Formats a value with the fewest digits that show on which side of the bound it is.
fn on_its_side(value: f64, bound: f64) -> String {
    let is_exact_enough = |text: &String| {
        let shown: f64 = text.parse().unwrap_or(value);
        (shown - value).abs() < (value - bound).abs() / 2.0
    };
    let mut all = (0..=17).map(|decimals| format!("{value:.decimals$}"));
    all.find(is_exact_enough).unwrap_or_else(|| value.to_string())
}

#[cfg(test)]
mod tests {
    use engine::Reading;
    use engine::problem::constraint::{CONFIDENCE, Tally};
    use scenario::{Bounded, Constraint, Measure, Side};

    use super::*;
    use crate::Costs;

    fn constraint(name: &str, of: Bounded, side: Side, bound: f64, over: Over) -> Constraint {
        let (name, confidence) = (name.to_owned(), CONFIDENCE);
        Constraint { name, of, side, bound, relative: false, over, confidence, surrogate: None }
    }

    #[test]
    fn a_bound_from_below_is_shown_as_it_was_written() {
        let output = Bounded::Measure(Measure::Output(0));
        let memory = Bounded::Measure(Measure::Memory);
        let all = vec![
            constraint("memory", memory, Side::AtMost, 2048.0, Over::Max),
            constraint("recall", output, Side::AtLeast, 0.95, Over::Mean),
            constraint("score", output, Side::AtLeast, 3.0, Over::Max),
        ];
        let mut tally = Tally::default();
        for [memory, recall, score] in [[4096.0, 0.957, 5.0], [1024.0, 0.9428, 2.0]] {
            let told = [Reading::AtLeast(memory), Reading::Exact(recall), Reading::Exact(score)];
            let told: Vec<_> = all.iter().zip(told).map(|(one, told)| one.reading(told)).collect();
            tally.add_readings(&told);
        }
        let engines: Vec<_> = all.iter().map(Constraint::for_engine).collect();
        let costs = Costs::seconds(10.0).bounded_by(&all);
        let held = costs.held(&tally.holdings(&engines));
        assert_eq!(
            each(&held),
            [
                "worst memory at least 4KiB (bound <= 2KiB: violated)",
                "recall 0.9499 (bound >= 0.95: violated, but too close to be sure)",
                "worst score 2 (bound >= 3: violated)",
            ]
        );
        let unknown = costs.held(&Tally::default().holdings(&engines));
        assert_eq!(each(&unknown)[1], "recall not measured (bound >= 0.95: unknown)");
        assert_eq!(wanted(&costs.bounds).unwrap(), "every memory <= 2KiB, recall >= 0.95, every score >= 3");
        assert_eq!(held[2].value, Some(2.0));
    }

    #[test]
    fn a_mean_within_two_standard_errors_of_its_bound_is_not_certain() {
        let output = Bounded::Measure(Measure::Output(0));
        let all = vec![constraint("accuracy", output, Side::AtLeast, 0.96, Over::Mean)];
        let engines: Vec<_> = all.iter().map(Constraint::for_engine).collect();
        let shown = |accuracies: &[f64]| {
            let mut tally = Tally::default();
            for &accuracy in accuracies {
                tally.add_readings(&[all[0].reading(Reading::Exact(accuracy))]);
            }
            each(&Costs::seconds(10.0).bounded_by(&all).held(&tally.holdings(&engines))).remove(0)
        };
        let (close, clear) = (shown(&[0.95, 0.97, 0.962]), shown(&[0.97, 0.972, 0.971]));
        assert_eq!(close, "accuracy 0.961 (bound >= 0.96: kept, but too close to be sure)");
        assert_eq!(clear, "accuracy 0.971 (bound >= 0.96: kept)");
        assert_eq!(shown(&[0.97]), "accuracy 0.970 (bound >= 0.96: kept)", "one pair shows no spread");
    }

    #[test]
    fn a_value_next_to_its_bound_has_the_digits_that_tell_them_apart() {
        assert_eq!(on_its_side(1.029_702_970_3, 1.03), "1.0297");
        assert_eq!(on_its_side(0.950_000_1, 0.95), "0.9500001");
        assert_eq!(on_its_side(104_999.6, 105_000.0), "104999.6");
    }
}
