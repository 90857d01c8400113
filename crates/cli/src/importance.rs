//! `captune importance`: shows which parameters matter, according to the trials so far.

use std::path::PathBuf;

use clap::Args;
use comfy_table::{Table, presets};
use scenario::shell::quoted;
use serde_json::json;
use view::{Effect, Importance, Kept, ParameterImportance, Records};

use crate::exit_code::ExitCode;
use crate::goal;
use crate::message::{self, Hinted};
use crate::words::mattered::{effect, value};
use crate::words::{Costs, counted, harmless, name, share};
use crate::wrap;

/// Parameters and pairs whose shares are all below this one are only counted.
const SHOWN: f64 = 0.01;
/// Number of parameters that are always shown.
const LEAST: usize = 5;

#[derive(Args, Debug)]
#[command(after_help = "\
Nothing is run: a model learns from all trials, killed ones included, and the
shares describe that model. `captune ablate` measures the same with new trials.
The campaign may be running.

Columns:
  overall   share of the variance of the predicted cost over the whole space
            (fANOVA), with its standard deviation over the model's trees. Costs
            above --quantile of all predictions count as that quantile, so the
            shares are about what makes a good configuration
  local     share of the variance if only this parameter of the best
            configuration changes
  back      predicted cost of the best configuration with only this parameter
            set back to its value in the default, relative to the best
  top       how far the values in the best tenth of all configurations differ
            from the values tried (PED-ANOVA)")]
pub(crate) struct Arguments {
    /// Folder of the campaign, or its scenario
    #[arg(value_name = "DIR", default_value = goal::FILE)]
    path: PathBuf,
    /// Explain the differences below this quantile of the predicted cost; 1 means all
    #[arg(long, value_name = "Q", default_value_t = 0.5, value_parser = quantile)]
    quantile: f64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn quantile(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number such as 0.5".to_owned())?;
    if number > 0.0 && number <= 1.0 {
        Ok(number)
    } else {
        Err("expected a number above 0 and at most 1".to_owned())
    }
}

/// Prints which parameters matter.
pub(crate) fn importance(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let kept = Kept::open(&arguments.path)?;
    let records = Records::of(&kept)?;
    let costs = Costs::of(kept.scenario()?);
    let Some(found) = Importance::of(&records, arguments.quantile)? else {
        return Err(Hinted {
            message: "there is nothing to learn from yet: no trial has a cost".to_owned(),
            hint: format!(
                "`captune status {}` shows the trials so far",
                quoted(&kept.folder.display().to_string())
            ),
        }
        .into());
    };
    if arguments.json {
        message::print(format!("{}\n", json!(found)).as_bytes())?;
    } else {
        message::show(&text(&found, &costs, wrap::stdout_width()))?;
    }
    Ok(ExitCode::Done)
}

fn text(found: &Importance, costs: &Costs, width: Option<usize>) -> String {
    let learned = format!(
        "learned from {} of {}; shares in %\n\n",
        counted(found.trials as u64, "trial"),
        counted(found.configurations as u64, "configuration")
    );
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let best = name(found.best, costs.against);
    table.set_header(["parameter", costs.against, &best, "overall", "local", "back", "top"]);
    let (shown, others): (Vec<_>, Vec<_>) =
        found.parameters.iter().enumerate().partition(|(place, one)| *place < LEAST || matters(one));
    for (_, one) in shown {
        table.add_row([
            harmless(&one.name),
            value(&one.default),
            value(&one.value),
            with_spread(one.share, one.spread),
            one.local.map_or_else(|| "-".to_owned(), percent),
            one.back.map_or_else(|| "-".to_owned(), |back| effect(back, costs)),
            percent(one.sampling),
        ]);
    }
    wrap::fit(&mut table, width);
    let mut text = wrap::text(&learned, width);
    text += &lines(&table);
    if !others.is_empty() {
        let others = counted(others.len() as u64, "other parameter");
        text += &format!("{others}: below {} everywhere\n", share(SHOWN));
    }
    let pairs: Vec<_> = found.pairs.iter().filter(|pair| pair.share >= SHOWN).collect();
    if !pairs.is_empty() {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(["together, beyond their own shares", "overall"]);
        for pair in &pairs {
            let names = pair.names.each_ref().map(|name| harmless(name));
            table.add_row([names.join(" and "), with_spread(pair.share, pair.spread)]);
        }
        wrap::fit(&mut table, width);
        text += &format!("\n{}", lines(&table));
    }
    text + "\n" + &wrap::text(&remarks(found, costs), width)
}

fn matters(one: &ParameterImportance) -> bool {
    let factor = |back: Effect| match back {
        Effect::Factor(factor) => (factor - 1.0).abs() >= SHOWN,
        Effect::Difference(_) => false,
    };
    one.share >= SHOWN
        || one.sampling >= SHOWN
        || one.local.is_some_and(|local| local >= SHOWN)
        || one.back.is_some_and(factor)
}

/// Explains how to read the figures.
fn remarks(found: &Importance, costs: &Costs) -> String {
    let Some(cap) = found.cap else {
        return "the predicted cost is the same everywhere, so no parameter has a share\n".to_owned();
    };
    let listed: f64 = found.pairs.iter().map(|pair| pair.share).filter(|&pair| pair >= SHOWN).sum();
    let own: f64 = found.parameters.iter().map(|one| one.share).sum();
    let rest = share((1.0 - own - listed).max(0.0));
    let capped = if found.quantile < 1.0 {
        let sense = if costs.are_maximised() { "below" } else { "above" };
        let of = share(1.0 - found.quantile);
        format!("; predictions {sense} {} ({of} of the space) count as that", costs.show(cap))
    } else {
        String::new()
    };
    format!("overall: smaller interactions have the remaining {rest}{capped}\n")
}

fn with_spread(mean: f64, spread: f64) -> String {
    if mean < SHOWN {
        return percent(mean);
    }
    format!("{}±{:.0}", percent(mean), 100.0 * spread)
}

/// Formats a share without its sign, so that columns stay narrow.
fn percent(part: f64) -> String {
    share(part).trim_end_matches(" %").to_owned()
}

fn lines(table: &Table) -> String {
    table.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use space::Literal;
    use view::PairImportance;

    use super::*;

    fn one(name: &str, [share, local, sampling]: [f64; 3], back: Option<f64>) -> ParameterImportance {
        ParameterImportance {
            name: name.to_owned(),
            default: Some(Literal::Float(0.95)),
            value: back.is_some().then_some(Literal::Float(0.5853)),
            share,
            spread: share / 3.0,
            local: Some(local),
            back: back.map(Effect::Factor),
            sampling,
        }
    }

    #[test]
    fn the_table_fits_into_80_columns() {
        let small = |number: usize| one(&format!("p{number}"), [0.001; 3], None);
        let mut parameters = vec![
            one("variable-decay-of-the-activity", [0.42, 0.61, 0.3], Some(1.42)),
            one("restarts", [0.2, 0.1, 0.25], None),
            one("garbage-fraction", [0.004, 0.002, 0.02], Some(0.993)),
        ];
        parameters.extend((0..9).map(small));
        let names = ["variable-decay-of-the-activity".to_owned(), "restarts".to_owned()];
        let pairs = vec![PairImportance { names, share: 0.08, spread: 0.02 }];
        let mut found = Importance {
            best: 14,
            trials: 401,
            configurations: 83,
            quantile: 0.5,
            cap: Some(0.0511),
            best_share: 0.1,
            parameters,
            pairs,
            rest: 0.29,
        };
        let costs = Costs::seconds(10.0);
        let whole = text(&found, &costs, Some(80));
        assert!(whole.lines().all(|line| line.chars().count() <= 80), "{whole}");
        insta::assert_snapshot!("importance", whole);
        found.cap = None;
        let flat = text(&found, &costs, Some(80));
        assert!(
            flat.ends_with("the predicted cost is the same everywhere, so no parameter has a share\n"),
            "{flat}"
        );
    }
}
