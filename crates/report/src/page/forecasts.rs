//! The model's predictions against what was measured.

use view::pages::Forecasts;
use words::{Costs, name, share};

use super::{cost_tick, figure, left_out, nothing};
use crate::markup::Markup;
use crate::plot::{Chart, Direction, Scale, Size};

pub(super) fn draw(page: &Forecasts, costs: &Costs) -> Markup {
    let mut out = Markup::new();
    if page.foretold.shown.is_empty() {
        nothing(
            &mut out,
            "No model has proposed a configuration yet, so there are no predictions. The first configurations come from a design.",
        );
        return out;
    }
    out.raw("<div class=\"figures\">");
    predicted(&mut out, page, costs);
    calibration(&mut out, page);
    out.raw("</div>");
    out
}

fn predicted(out: &mut Markup, page: &Forecasts, costs: &Costs) {
    let all = &page.foretold.shown;
    let scale = Scale::positive(all.iter().flat_map(|one| [one.median, one.measured]).collect::<Vec<_>>());
    let mut chart =
        Chart::new("predicted against measured", Size { width: 480.0, height: 420.0 }, scale, scale);
    chart.axes(("predicted median", &cost_tick(costs)), ("measured", &cost_tick(costs)));
    let low = all.iter().flat_map(|one| [one.median, one.measured]).fold(f64::INFINITY, f64::min);
    chart.guide((low, low), (scale.high(), scale.high()), "equal", "");
    for one in all {
        chart.line(&[(one.low, one.measured), (one.high, one.measured)], "c0 faint");
    }
    for one in all {
        let least = if one.censored { "at least " } else { "" };
        let title = format!(
            "{}: predicted {}, measured {least}{} on {} pairs",
            name(one.configuration, costs.against),
            costs.show(one.median),
            costs.show(one.measured),
            one.pairs
        );
        if one.censored {
            chart.arrow((one.median, one.measured), Direction::Up, "c0", &title);
        } else {
            chart.dot((one.median, one.measured), "c0", &title);
        }
    }
    let caption = format!(
        "One mark per configuration that a model proposed: the prediction before its race, with one standard deviation \
         to each side, and what was measured afterwards, adjusted by the {}'s cost on the same pairs. On the diagonal, \
         the model was right. Open arrows are lower bounds.{}",
        costs.against,
        left_out(&page.foretold, "predictions")
    );
    figure(out, "Predicted against measured", &chart.finish(), &caption);
}

fn calibration(out: &mut Markup, page: &Forecasts) {
    if page.calibration.len() < 5 {
        nothing(out, "There are too few predictions for a calibration curve.");
        return;
    }
    let unit = Scale::exact(0.0, 1.0);
    let mut chart = Chart::new("calibration", Size { width: 480.0, height: 420.0 }, unit, unit);
    chart.axes(("share expected below", &share), ("share measured below", &share));
    chart.guide((0.0, 0.0), (1.0, 1.0), "equal", "");
    let mut points = vec![(0.0, 0.0)];
    points.extend(page.calibration.iter().map(|one| (one.expected, one.observed)));
    chart.steps(&points, "c0");
    let caption = "For each predicted quantile, the share of measured costs below it; stopped trials are taken into \
                   account by Kaplan and Meier's estimator. A curve on the diagonal is calibrated; below it, costs \
                   were higher than predicted. Chosen configurations look better than they are, so some optimism is \
                   normal.";
    figure(out, "Calibration", &chart.finish(), caption);
}
