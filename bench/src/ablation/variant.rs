//! Settings of a campaign given on the command line, such as `late=1,slack=1.5`.

use anyhow::{Context, Result, bail};
use campaign::{ByModel, Search, Settings};
use engine::propose::{Learner, ModelSettings, Utility};

use crate::contest::captune::suited;

/// Settings that can be changed, apart from `search`.
const KEYS: &[&str] = &[
    "slack",
    "min_pairs",
    "early",
    "late",
    "common_seeds",
    "random_every",
    "design",
    "first_fit",
    "refit",
    "points",
    "candidates",
    "starts",
    "steps",
    "gaussian_points",
    "forest_from",
    "trees",
    "features",
    "min_leaf",
    "floor",
    "rounds",
    "bound",
    "probability",
    "per_spent",
];

/// Changes to the default settings.
#[derive(Clone, Debug)]
pub(super) struct Variant {
    /// The text given on the command line.
    pub(super) name: String,
    changes: Vec<(String, String)>,
}

impl Variant {
    /// Parses KEY=VALUE,KEY=VALUE.
    pub(super) fn of(text: &str) -> Result<Self> {
        let words = text.split(',').filter(|word| !word.is_empty() && *word != "usual");
        let change = |word: &str| {
            let (key, value) =
                word.split_once('=').with_context(|| format!("`{word}` in `{text}` is not KEY=VALUE"))?;
            Ok((key.to_owned(), value.to_owned()))
        };
        Ok(Self { name: text.to_owned(), changes: words.map(change).collect::<Result<_>>()? })
    }

    /// Applies the changes. `search` is applied first, because other settings depend on it.
    pub(super) fn apply(&self, settings: &mut Settings) -> Result<()> {
        settings.search = suited(settings);
        for (_, value) in self.changes.iter().filter(|(key, _)| key == "search") {
            settings.search = search(value)?;
        }
        for (key, value) in self.changes.iter().filter(|(key, _)| key != "search") {
            change(settings, key, value).with_context(|| format!("in `{}`", self.name))?;
        }
        Ok(())
    }
}

fn search(word: &str) -> Result<Search> {
    let learner = match word {
        "random" => return Ok(Search::Random),
        "local" => return Ok(Search::Local),
        "forest" => Learner::Forest,
        "gaussian" => Learner::Gaussian,
        "neural" => Learner::Neural,
        "auto" => Learner::Auto,
        _ => bail!("unknown search `{word}`: expected random, local, forest, gaussian, neural or auto"),
    };
    Ok(Search::Model(Box::new(ByModel { model: ModelSettings::of(learner), ..ByModel::default() })))
}

fn change(settings: &mut Settings, key: &str, value: &str) -> Result<()> {
    let number: f64 = value.parse().with_context(|| format!("`{value}` is not a number"))?;
    let count = number as usize;
    let racing = &mut settings.racing;
    match key {
        "slack" => racing.slack = number,
        "min_pairs" => racing.min_pairs = count,
        "early" => racing.schedule.early = count,
        "late" => racing.schedule.late = count,
        "common_seeds" => racing.common_seeds = count > 0,
        _ => {
            let Search::Model(by) = &mut settings.search else {
                bail!("`{key}` needs a search with a model")
            };
            change_model(&mut by.model, key, number)?;
        }
    }
    Ok(())
}

fn change_model(model: &mut ModelSettings, key: &str, number: f64) -> Result<()> {
    let count = number as usize;
    match key {
        "random_every" => model.random_every = count,
        "design" => model.design = count,
        "first_fit" => model.first_fit = count,
        "refit" => model.refit = number,
        "points" => model.points = count,
        "candidates" => model.candidates = count,
        "starts" => model.starts = count,
        "steps" => model.steps = count,
        "gaussian_points" => model.gaussian_points = count,
        "forest_from" => model.forest_from = Some(count),
        "trees" => model.forest.trees = count,
        "features" => model.forest.features = number,
        "min_leaf" => model.forest.min_leaf = count as u32,
        "floor" => model.forest.floor = number,
        "rounds" => model.forest.rounds = count,
        "bound" => model.utility = Utility::LowerBound(number),
        "probability" if count > 0 => model.utility = Utility::ProbabilityOfImprovement,
        "per_spent" if count > 0 => model.utility = Utility::ImprovementPerSpent,
        _ => bail!("unknown setting `{key}`: expected search, {}", KEYS.join(", ")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spine::stage::settings;

    fn changed(text: &str) -> Result<Settings> {
        let space = targets::saps::space();
        let mut settings = settings(&space, 3, engine::Objective::capped(1.0), 1);
        Variant::of(text)?.apply(&mut settings)?;
        Ok(settings)
    }

    #[test]
    fn changes_are_applied_and_the_search_comes_first() {
        let settings = changed("random_every=9,search=gaussian,late=7").unwrap();
        assert_eq!(settings.racing.schedule.late, 7);
        let Search::Model(by) = settings.search else { panic!("a model") };
        assert_eq!((by.model.learner, by.model.random_every), (Learner::Gaussian, 9));
        let Search::Model(usual) = changed("usual").unwrap().search else { panic!("a model") };
        assert_eq!(*usual, ByModel::default());
    }

    #[test]
    fn every_listed_key_changes_something() {
        let all = |text: &str| format!("{:?}", changed(text).unwrap());
        for key in KEYS {
            assert_ne!(all(&format!("{key}=77")), all("usual"), "{key}");
        }
    }

    #[test]
    fn invalid_changes_are_refused() {
        for (text, expected) in [
            ("late", "KEY=VALUE"),
            ("late=x", "not a number"),
            ("search=best", "unknown search"),
            ("leaves=3", "unknown setting `leaves`: expected search, slack"),
            ("search=random,trees=3", "needs a search with a model"),
        ] {
            let error = format!("{:#}", changed(text).unwrap_err());
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
