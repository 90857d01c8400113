//! What mattered: the steps of the ablation, and the importance of the parameters.

use view::pages::Mattered;
use view::{Ablation, Importance};
use words::mattered::{changes, conclusion, effect, signed, value};
use words::{Costs, count, counted, name, share};

use super::{figure, nothing};
use crate::markup::Markup;
use crate::plot::{Chart, Scale, Size, clipped};

/// Largest number of parameters in the picture and the table.
const SHOWN: usize = 12;

pub(super) fn draw(page: &Mattered, costs: &Costs) -> Markup {
    let mut out = Markup::new();
    match &page.ablation {
        Some(found) => steps(&mut out, found, costs),
        None => nothing(
            &mut out,
            "Which of the changes are needed has not been measured. `captune ablate` measures it with a few more trials.",
        ),
    }
    match &page.importance {
        Some(found) => {
            picture(&mut out, found);
            table(&mut out, found, costs);
        }
        None => nothing(&mut out, "No trial has a cost yet, so nothing is known about the parameters."),
    }
    out
}

fn steps(out: &mut Markup, found: &Ablation, costs: &Costs) {
    out.add("h3", &[], "From the baseline to the best, one change at a time");
    out.raw("<div class=\"scroll\"><table class=\"plain\"><thead><tr><th>change</th>");
    out.add("th", &[], &costs.mean);
    out.raw("<th>share of the gain</th></tr></thead><tbody>");
    let known =
        |cost: Option<f64>| cost.map_or_else(|| "not measured yet".to_owned(), |cost| costs.show(cost));
    row(out, &format!("the {}", costs.against), [known(found.default), String::new()]);
    for step in &found.steps {
        let gain = step.share.map_or_else(|| "-".to_owned(), signed);
        row(out, &changes(&step.changes), [costs.show(step.cost), gain]);
    }
    row(out, &format!("all {}", counted(found.changes as u64, "change")), [known(found.best), String::new()]);
    out.raw("</tbody></table></div>");
    let end = match found.end {
        Some(_) => conclusion(found, costs),
        None => "the ablation has not ended; `captune ablate` continues it".to_owned(),
    };
    let caption = format!(
        "Each step makes the change that gains most, measured in races on {}. Result: {end}.",
        counted(found.pairs as u64, "pair")
    );
    out.open("p", &[("class", "note")]);
    out.sentence(&caption);
    out.close("p");
}

fn row<const N: usize>(out: &mut Markup, head: &str, cells: [String; N]) {
    out.open("tr", &[]);
    out.add("th", &[("scope", "row")], head);
    cells.iter().for_each(|cell| out.add("td", &[], cell));
    out.close("tr");
}

fn picture(out: &mut Markup, found: &Importance) {
    let shown: Vec<_> = found.parameters.iter().take(SHOWN).filter(|one| one.share > 0.0).collect();
    let Some(largest) = shown.first() else {
        nothing(out, "The predicted cost is the same everywhere, so no parameter has a share.");
        return;
    };
    let most = (largest.share + largest.spread).min(1.0);
    let size = Size { width: 520.0, height: 72.0 + 34.0 * shown.len() as f64 };
    let mut chart = Chart::new(
        "importance of parameters",
        size,
        Scale::exact(0.0, most),
        Scale::exact(0.0, shown.len() as f64),
    );
    chart.axes(("share of the variance", &|part| share(part)), ("", &|_| String::new()));
    for (place, one) in shown.iter().enumerate() {
        let middle = (shown.len() - place) as f64 - 0.5;
        let title = format!("{}: {} ± {}", one.name, share(one.share), share(one.spread));
        let bar = middle - 0.2;
        chart.cell((0.0, bar - 0.17), (one.share, bar + 0.17), "key c0", &title);
        let ends = ((one.share - one.spread).max(0.0), (one.share + one.spread).min(most));
        chart.line(&[(ends.0, bar), (ends.1, bar)], "c1");
        chart.name_at((0.0, middle + 0.1), &clipped(&one.name, 60));
    }
    let caption = format!(
        "How much of the differences in predicted cost each parameter explains by itself, by functional ANOVA of a forest \
         that learned from {} trials; the line is one standard deviation over its trees. Only the better {} of the space \
         counts. Interactions have the remaining share.",
        count(found.trials as u64),
        share(found.quantile),
    );
    out.raw("<div class=\"figures\">");
    figure(out, "Importance of parameters", &chart.finish(), &caption);
    out.raw("</div>");
}

fn table(out: &mut Markup, found: &Importance, costs: &Costs) {
    out.raw("<div class=\"scroll\"><table class=\"plain\"><thead><tr><th>parameter</th>");
    let best = name(found.best, costs.against);
    for head in [costs.against, &best, "overall", "near the best", "set back", "among the best"] {
        out.add("th", &[], head);
    }
    out.raw("</tr></thead><tbody>");
    for one in found.parameters.iter().take(SHOWN) {
        let cells = [
            value(&one.default),
            value(&one.value),
            share(one.share),
            one.local.map_or_else(|| "-".to_owned(), share),
            one.back.map_or_else(|| "-".to_owned(), |back| effect(back, costs)),
            share(one.sampling),
        ];
        row(out, &one.name, cells);
    }
    out.raw("</tbody></table></div>");
    let others = found.parameters.len().saturating_sub(SHOWN);
    let more = if others > 0 {
        format!(" {} are not shown.", counted(others as u64, "less important parameter"))
    } else {
        String::new()
    };
    let caption = format!(
        "Overall: the shares of the picture. Near the best: its share if only this parameter of the best configuration \
         changes. Set back: the predicted factor on the cost if it returns to the {}'s value. Among the best: how far its \
         values in the best {} of the configurations differ from all (PED-ANOVA).{more}",
        costs.against,
        share(found.best_share),
    );
    out.add("p", &[("class", "note")], &caption);
}
