//! The table of trials. A script sorts and filters it; without it, the newest trial is first.

use scenario::shell::quoted;
use view::pages::Trials;
use words::{Costs, clock, name, seconds};

use super::{left_out, nothing, reading};
use crate::markup::Markup;

pub(super) fn draw(page: &Trials, costs: &Costs) -> Markup {
    let mut out = Markup::new();
    if page.rows.shown.is_empty() {
        nothing(&mut out, "No trial has ended yet.");
        return out;
    }
    out.raw("<p class=\"scripted\"><label>Filter <input type=\"search\" data-filter=\"trials-table\" placeholder=\"capped, an instance, #12\"></label> <span class=\"found\" aria-live=\"polite\"></span></p>");
    out.raw("<div class=\"scroll tall\"><table class=\"sortable\" id=\"trials-table\"><thead><tr><th data-n>trial</th><th data-n>configuration</th><th>origin</th><th>instance</th><th>seed</th><th>why</th><th>status</th>");
    out.add("th", &[("data-n", "")], &costs.noun);
    out.raw(
        "<th data-n>cap</th><th data-n>started</th><th data-n>took</th><th>reason</th></tr></thead><tbody>",
    );
    for row in &page.rows.shown {
        out.open("tr", &[("data-trial", &row.trial.to_string())]);
        out.add("th", &[("scope", "row")], &row.trial.to_string());
        out.add("td", &[("data-s", &row.configuration.to_string())], &name(row.configuration, costs.against));
        out.add("td", &[], &row.origin);
        out.add("td", &[("class", "wide")], &row.instance);
        out.add("td", &[], &row.seed.to_string());
        out.add("td", &[], row.why);
        out.add("td", &[("class", row.status)], row.status);
        let sort = row.cost.map_or_else(String::new, |cost| cost.to_string());
        let text = row.cost.map_or_else(String::new, |_| reading(costs, row.cost, row.censored));
        out.add("td", &[("data-s", &sort)], &text);
        let cap = row.cap.map(|cap| costs.number(cap));
        let sort = cap.map_or_else(String::new, |cap| cap.to_string());
        out.add("td", &[("data-s", &sort)], &cap.map_or_else(String::new, |cap| costs.show(cap)));
        out.add("td", &[("data-s", &row.started.to_string())], &clock(row.started));
        out.add("td", &[("data-s", &row.duration.to_string())], &seconds(row.duration));
        out.add("td", &[("class", "wide")], row.reason.as_deref().unwrap_or(""));
        out.close("tr");
    }
    out.raw("</tbody></table></div>");
    out.open("p", &[("class", "note")]);
    out.text("Run a trial again with ");
    out.add("code", &[("id", "rerun")], &format!("captune rerun {} TRIAL", quoted(&page.folder)));
    let more = left_out(&page.rows, "trials");
    let more = if more.is_empty() {
        ". Click a row to fill in its number.".to_owned()
    } else {
        format!(
            ". Click a row to fill in its number.{more} These are the newest, but failed trials are kept longer; \
             `captune export` writes all."
        )
    };
    out.sentence(&more);
    out.close("p");
    out
}
