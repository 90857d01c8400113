//! The constraints: the feasible region, the trade-off, and violations.

use view::pages::{Bounded, Feasibility};
use words::{Costs, bounds, count, counted, name};

use super::{better, figure, left_out, nothing, plain, ratio};
use crate::markup::Markup;
use crate::plot::{Chart, Direction, Scale, Size};

pub(super) fn draw(page: Option<&Bounded>, costs: &Costs) -> Markup {
    let mut out = Markup::new();
    let Some(page) = page else {
        nothing(&mut out, "The scenario has no constraints.");
        return out;
    };
    out.add("p", &[], &summary(page));
    out.raw("<div class=\"figures\">");
    for place in 0..costs.bounds.len() {
        one(&mut out, page, place, costs);
    }
    out.raw("</div>");
    table(&mut out, page, costs);
    out
}

/// Says how many configurations were measured, and how many of these are within every bound.
fn summary(page: &Bounded) -> String {
    let measured = page.feasible + page.infeasible;
    let known = format!(
        "Within every bound: {} of {}.",
        count(page.feasible as u64),
        counted(measured as u64, "measured configuration")
    );
    match page.unknown {
        0 => known,
        some => format!(
            "{known} For {}, this is unknown: the trials so far reported no value for some bound.",
            counted(some as u64, "other configuration")
        ),
    }
}

fn one(out: &mut Markup, page: &Bounded, place: usize, costs: &Costs) {
    let bound = &costs.bounds[place];
    let known: Vec<(&Feasibility, f64, f64)> = page
        .configurations
        .shown
        .iter()
        .filter_map(|one| Some((one, one.constraints[place].value?, one.relative?)))
        .filter(|(_, value, _)| value.is_finite())
        .collect();
    if known.is_empty() {
        nothing(
            out,
            &format!(
                "No configuration has both a value of {} and a cost relative to the {}'s.",
                bound.name, costs.against
            ),
        );
        return;
    }
    let x = Scale::linear(known.iter().map(|(_, value, _)| *value).chain([bound.bound]));
    let y = Scale::positive(known.iter().map(|(_, _, own)| *own).chain([1.0]).collect::<Vec<_>>());
    let mut chart = Chart::new("trade-off", Size::NORMAL, x, y);
    let (label, relative) = (bound.name.clone(), format!("relative {}", costs.noun));
    chart.axes((&label, &plain), (&relative, &ratio));
    let ends = (known.iter().map(|(_, _, own)| *own).fold(f64::INFINITY, f64::min), y.high());
    chart.guide((bound.bound, ends.0), (bound.bound, ends.1), "rim", "bound");
    let at_most = bound.sign == "<=";
    for (own, value, relative) in &known {
        let class = match (own.incumbent, own.feasible) {
            (true, _) => "c3 big",
            (false, Some(true)) => "c0",
            (false, Some(false)) => "c1 pale",
            (false, None) => "c6",
        };
        let title = format!("{}: {}", name(own.configuration, costs.against), bounds::line(&own.constraints));
        let held = &own.constraints[place];
        match (own.censored, held.censored == Some(true)) {
            (true, _) => chart.arrow((*value, *relative), Direction::Up, class, &title),
            (_, true) => {
                let towards = if at_most { Direction::Right } else { Direction::Left };
                chart.arrow((*value, *relative), towards, class, &title);
            }
            _ => chart.dot((*value, *relative), class, &title),
        }
    }
    chart.steps(&front(&known, at_most, costs.are_maximised()), "c2");
    let mut keys = vec![("c0", "feasible"), ("c1", "infeasible")];
    if known.iter().any(|(own, ..)| own.feasible.is_none()) {
        keys.push(("c6", "unknown"));
    }
    keys.extend([("c3", "incumbent"), ("c2", "front")]);
    chart.legend(&keys);
    let side = if at_most { "left" } else { "right" };
    let caption = format!(
        "One mark per configuration, by its mean cost relative to the {}'s on the same pairs; the feasible side \
         is {side} of the bound, and {}. The stepped line is the front: no other configuration is better in both.{}",
        costs.against,
        better(costs),
        left_out(&page.configurations, "configurations")
    );
    figure(out, &format!("{} against cost", bound.name), &chart.finish(), &caption);
}

/// Returns the configurations that no other one beats in both value and cost, by value.
fn front(known: &[(&Feasibility, f64, f64)], at_most: bool, maximised: bool) -> Vec<(f64, f64)> {
    let mut exact: Vec<(f64, f64)> =
        known.iter().filter(|(own, ..)| !own.censored).map(|&(_, value, cost)| (value, cost)).collect();
    exact.sort_by(|a, b| if at_most { a.0.total_cmp(&b.0) } else { b.0.total_cmp(&a.0) });
    let mut best: Option<f64> = None;
    exact.retain(|&(_, cost)| {
        let improves = best.is_none_or(|best| if maximised { cost > best } else { cost < best });
        if improves {
            best = Some(cost);
        }
        improves
    });
    exact
}

fn table(out: &mut Markup, page: &Bounded, costs: &Costs) {
    out.raw("<div class=\"scroll\"><table class=\"plain\"><thead><tr><th>constraint</th><th>configurations that violate it</th></tr></thead><tbody>");
    for (bound, violated) in costs.bounds.iter().zip(&page.violated) {
        out.open("tr", &[]);
        let text = bounds::wanted(std::slice::from_ref(bound)).unwrap_or_default();
        out.add("th", &[("scope", "row")], &text);
        out.add("td", &[], &violated.to_string());
        out.close("tr");
    }
    out.raw("</tbody></table></div>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_contains_only_configurations_that_nothing_beats() {
        let own = Feasibility {
            configuration: 1,
            relative: None,
            censored: false,
            feasible: Some(true),
            incumbent: false,
            constraints: Vec::new(),
        };
        let known: Vec<(&Feasibility, f64, f64)> =
            [(3.0, 0.5), (1.0, 2.0), (2.0, 2.5), (4.0, 0.6)].map(|(value, cost)| (&own, value, cost)).into();
        assert_eq!(front(&known, true, false), [(1.0, 2.0), (3.0, 0.5)]);
        assert_eq!(front(&known, false, false), [(4.0, 0.6), (3.0, 0.5)]);
    }

    #[test]
    fn unmeasured_configurations_are_counted_apart() {
        let configurations = view::pages::Thinned { shown: Vec::new(), of: 95 };
        let mut page =
            Bounded { configurations, feasible: 59, infeasible: 0, unknown: 36, violated: vec![0, 0] };
        assert_eq!(
            summary(&page),
            "Within every bound: 59 of 59 measured configurations. For 36 other \
             configurations, this is unknown: the trials so far reported no value for some bound."
        );
        (page.infeasible, page.unknown) = (2, 0);
        assert_eq!(summary(&page), "Within every bound: 59 of 61 measured configurations.");
    }
}
