//! The pages of the report, one file each: pictures with one line of explanation under each, and tables.

mod bounded;
mod duel;
mod forecasts;
mod inputs;
mod matrix;
mod mattered;
mod overview;
mod parallel;
mod predicted;
mod races;
mod search;
mod trajectory;
mod trials;

use view::pages::{Pages, Thinned};
use words::{Costs, count};

use crate::markup::Markup;

/// A page: its identifier, its title and its content.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) body: Markup,
}

/// Draws all pages.
pub(crate) fn all(pages: &Pages) -> Vec<Page> {
    let Some(figures) = pages.overview.picture.figures.known() else { return Vec::new() };
    let costs = Costs::from(figures.costs.clone());
    let page = |id, title, body| Page { id, title, body };
    vec![
        page("overview", "Overview", overview::draw(pages, &costs)),
        page("progress", "Progress", trajectory::draw(&pages.trajectory, &costs)),
        page("duel", "Baseline against best", duel::draw(&pages.duel, &costs)),
        page("search", "Search", search::draw(&pages.search, &costs)),
        page("matrix", "Matrix", matrix::draw(&pages.matrix, &costs)),
        page("mattered", "What mattered", mattered::draw(&pages.mattered, &costs)),
        page("races", "Races", races::draw(&pages.races, &costs)),
        page("constraints", "Constraints", bounded::draw(pages.bounded.as_ref(), &costs)),
        page("surrogate", "Surrogate", forecasts::draw(&pages.forecasts, &costs)),
        page("instances", "Instances", inputs::draw(&pages.inputs, &costs)),
        page("trials", "Trials", trials::draw(&pages.trials, &costs)),
    ]
}

/// Adds a picture with its title and the line that explains it.
fn figure(out: &mut Markup, title: &str, chart: &Markup, caption: &str) {
    out.open("figure", &[]);
    out.add("h3", &[], title);
    out.push(chart);
    out.add("figcaption", &[], caption);
    out.close("figure");
}

/// Adds a small picture with its title.
fn small(out: &mut Markup, title: &str, chart: &Markup) {
    out.open("figure", &[]);
    out.add("h4", &[], title);
    out.push(chart);
    out.close("figure");
}

/// Adds the explanation of an empty page or picture.
fn nothing(out: &mut Markup, why: &str) {
    out.open("p", &[("class", "nothing")]);
    out.sentence(why);
    out.close("p");
}

/// Returns a remark on elements that are left out, starting with a space; empty if there are none.
fn left_out<T>(list: &Thinned<T>, noun: &str) -> String {
    if !list.is_partial() {
        return String::new();
    }
    format!(" Shown: {} of {} {noun}.", count(list.shown.len() as u64), count(list.of as u64))
}

/// Formats a time on an axis.
fn time(seconds: f64) -> String {
    let trimmed = |number: f64| {
        let text = format!("{number:.2}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    match seconds.abs() {
        0.0 => "0".to_owned(),
        s if s < 0.001 => format!("{} µs", trimmed(seconds * 1e6)),
        s if s < 1.0 => format!("{} ms", trimmed(seconds * 1e3)),
        s if s < 60.0 || (s < 120.0 && s % 60.0 != 0.0) => format!("{} s", trimmed(seconds)),
        s if s < 7200.0 => format!("{} min", trimmed(seconds / 60.0)),
        _ => format!("{} h", trimmed(seconds / 3600.0)),
    }
}

/// Formats a plain number on an axis.
fn plain(number: f64) -> String {
    let size = number.abs();
    match size {
        0.0 => "0".to_owned(),
        s if s >= 1e12 => format!("{number:.0e}"),
        s if s >= 1e9 => format!("{} G", plain(number / 1e9)),
        s if s >= 1e6 => format!("{} M", plain(number / 1e6)),
        s if s >= 1e4 => format!("{} k", plain(number / 1e3)),
        s if s < 1e-3 => format!("{number:.0e}"),
        s if s >= 1000.0 => format!("{number:.0}"),
        _ => {
            let text = format!("{number:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

/// Formats a cost on an axis.
fn cost_tick(costs: &Costs) -> impl Fn(f64) -> String + use<> {
    let unit = costs.unit;
    move |cost| match unit {
        view::Unit::Seconds => time(cost),
        view::Unit::Bytes => words::bytes(cost),
        view::Unit::Plain => plain(cost),
    }
}

/// Formats a cost, or a bound on it, in the user's sense.
fn reading(costs: &Costs, cost: Option<f64>, censored: bool) -> String {
    match cost {
        None => "failed".to_owned(),
        Some(cost) if censored => format!("at least {}", costs.show(cost)),
        Some(cost) => costs.show(cost),
    }
}

/// Formats a relative cost: `0.85x`.
fn ratio(value: f64) -> String {
    format!("{}x", plain((value * 1000.0).round() / 1000.0))
}

/// Says which direction is better.
fn better(costs: &Costs) -> &'static str {
    if costs.are_maximised() { "higher is better" } else { "lower is better" }
}
