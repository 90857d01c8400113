//! Validation: compares the default and the incumbent on pairs that the search did not use.
//!
//! Both configurations run on the same pairs with the same cutoff. Their trials are interleaved in random
//! order on the same slots, so that neither profits from quiet periods on the machine. Every instance is run
//! once before any is run again, and the two trials of a pair follow each other. So if the budget runs out,
//! some seeds are missing, but no instances.

mod judged;
mod running;
mod told;

pub use judged::{Finding, Judged, UnseenTimeouts};
pub use running::{Candidate, GaveUp, Validation, validate};
pub use told::{BothHoldings, OnBoth, comparable, measured_on_both, recorded};

use engine::history::History;
use engine::problem::Objective;
use engine::stats::Basis;
use engine::{ConfigId, InstanceId, Pair, Rng, Seed};
use scenario::are_kept;

use crate::progress;
use crate::settings::Settings;
pub use crate::settings::Terms;
use crate::{Campaign, CampaignError, Sink};
use store::StoredValidation;

/// Smallest number of pairs in a validation, unless the user sets the number of seeds.
const LEAST_PAIRS: usize = 20;

/// Returns the objective for the validation.
pub fn objective(settings: &Settings) -> Objective {
    let own = &settings.problem.objective;
    // If nothing is capped, there is no cutoff to raise.
    let cutoff = own.cutoff.map(|cutoff| settings.validation.cutoff.unwrap_or(cutoff));
    Objective { cutoff, ..own.clone() }
}

/// The pairs of a validation.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The difference between these pairs and the training pairs.
    pub basis: Basis,
    /// The pairs.
    pub pairs: Vec<Pair>,
}

/// Chooses the pairs to validate on. If there are unseen instances, the pairs use them; their numbers follow
/// those of the training instances. Otherwise, the pairs use new seeds, or the training instances are
/// measured again. A deterministic target without unseen instances gets no pairs, because its trials would
/// only repeat known results.
pub fn plan(settings: &Settings, unseen: u32) -> Plan {
    let train = settings.problem.instances;
    let deterministic = settings.racing.deterministic;
    let (basis, instances) = match unseen {
        0 if deterministic => return Plan { basis: Basis::TrainingOnly, pairs: Vec::new() },
        0 if settings.validation.has_seeds => (Basis::FreshSeeds, 0..train),
        0 => (Basis::MeasuredAgain, 0..train),
        unseen => (Basis::UnseenInstances, train..train + unseen),
    };
    let rounds = match settings.validation.seeds {
        _ if deterministic => 1,
        Some(seeds) => seeds as usize,
        // The folds together validate on all instances.
        None if settings.validation.of_fold => LEAST_PAIRS.div_ceil((train + unseen) as usize),
        None => LEAST_PAIRS.div_ceil(instances.len()),
    };
    // Results at a different cutoff are not comparable, so trials with a raised cutoff get other seeds.
    let raised =
        settings.validation.cutoff.filter(|&raised| settings.problem.objective.cutoff != Some(raised));
    let mut rng = Rng::new(settings.problem.seed, "validation", raised.map_or(0, f64::to_bits));
    let mut pairs = Vec::new();
    for _ in 0..rounds {
        for instance in instances.clone() {
            let seed = Seed((rng.bits() >> 33) as u32);
            pairs.push(Pair { instance: InstanceId(instance), seed });
        }
    }
    if basis != Basis::UnseenInstances {
        // If there are many instances, use a random subset. A larger budget adds to the same subset.
        if rounds == 1 {
            rng.shuffle(&mut pairs);
        }
        // Without unseen instances, a validation takes no more trials than the search.
        let most = settings.budget.trials.map(|trials| (trials as usize / 2).max(LEAST_PAIRS));
        pairs.truncate(most.unwrap_or(usize::MAX));
    }
    Plan { basis, pairs }
}

/// The result of a validation.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Concluded {
    /// The verdict; `None` if there was nothing to validate, or if no pair could be compared.
    pub verdict: Option<Judged>,
    /// The reason why some pairs are missing, if the validation gave up on them.
    pub gave_up: Option<GaveUp>,
}

/// Validates the incumbent of a search that has ended. The numbers of the `unseen` instances follow those of
/// the training instances. There is no verdict if the incumbent is the default or infeasible, or if no pair
/// could be compared.
pub fn conclude(
    campaign: &mut Campaign<'_>,
    settings: &Settings,
    unseen: u32,
    names: &dyn Fn(InstanceId) -> String,
    measured: &[StoredValidation],
    sink: Sink<'_>,
) -> Result<Concluded, CampaignError> {
    let (default, incumbent) = (ConfigId(0), campaign.optimizer().incumbent());
    let history = campaign.optimizer().history();
    // A fold that keeps the baseline measures it too: its instances count with a ratio of 1.
    let best = if is_feasible(history, settings, incumbent) { incumbent } else { default };
    if best == default && !settings.validation.of_fold {
        return Ok(Concluded::default());
    }
    let plan = plan(settings, unseen);
    if plan.basis == Basis::TrainingOnly {
        return Ok(Concluded { verdict: by_training(history, settings, best), gave_up: None });
    }
    let candidate = |config| Candidate { config, configuration: history.configuration(config).clone() };
    let (baseline, tuned) = (candidate(default), candidate(best));
    let validation = Validation {
        plan: &plan,
        default: baseline,
        incumbent: tuned,
        settings,
        names,
        measured,
        fresh: false,
    };
    let (desk, ledger, deadline) = campaign.parts();
    let (validated, gave_up) = validate(&validation, desk, ledger, deadline, sink)?;
    if best == default {
        return Ok(Concluded { verdict: None, gave_up });
    }
    let history = campaign.optimizer().history();
    Ok(Concluded { verdict: Judged::of_best(&validated, plan.basis, history, settings, best), gave_up })
}

/// Returns the verdict based on the training pairs alone, for a search that has nothing to validate on. This
/// verdict is no evidence of an improvement. Returns `None` if the best configuration is the default or
/// infeasible.
pub fn by_training(history: &History, settings: &Settings, best: ConfigId) -> Option<Judged> {
    if best == ConfigId(0) || !is_feasible(history, settings, best) {
        return None;
    }
    let on_both = OnBoth::of_training(history, &settings.problem.objective, ConfigId(0), best);
    Judged::of_best(&on_both, Basis::TrainingOnly, history, settings, best)
}

/// Returns whether the best configuration satisfies all constraints on its training pairs. If not, it is
/// useless, however fast it is.
fn is_feasible(history: &History, settings: &Settings, best: ConfigId) -> bool {
    are_kept(&progress::holdings(history, &settings.problem.objective, best))
}
