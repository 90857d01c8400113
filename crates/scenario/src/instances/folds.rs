//! Assigns instances to folds, family by family.
//!
//! The instances of a family are assigned in an order drawn from the scenario's seed. Each goes to the fold
//! with the fewest instances of its family. If several folds have equally few, it goes to the one with the
//! fewest instances overall, then to the one with the smallest number. So two folds differ by at most one
//! instance, both within every family and overall. Instances that already have a fold keep it; new instances
//! are assigned by the same rule.

use std::collections::{BTreeMap, BTreeSet};

use engine::Rng;
use space::Span;

use super::super::report::{Found, Report};
use super::Instance;

/// The keyword before the number of folds.
const KEYWORD: &str = "folds";

/// Returns the text after `folds:`, if the text starts with that keyword.
fn after_keyword(text: &str) -> Option<&str> {
    text.trim().strip_prefix(KEYWORD)?.trim_start().strip_prefix(':').map(str::trim)
}

/// Returns the number of folds if the text asks for folds. The outer `None` means a mistake.
pub(super) fn requested(report: &mut Report<'_>, found: &Found<'_, '_>) -> Option<Option<u32>> {
    let value = found.value.get_ref();
    let in_list = |list: &toml::de::DeArray<'_>| {
        list.iter().any(|item| item.get_ref().as_str().is_some_and(|text| after_keyword(text).is_some()))
    };
    if value.as_array().is_some_and(in_list) {
        let message = format!("`{}` has folds in a list", found.key);
        report.mistake(found.span(), message, "folds must stand alone: `test = \"folds: 4\"`");
        return None;
    }
    let Some(number) = value.as_str().and_then(after_keyword) else { return Some(None) };
    let hint = "use at least two, commonly four or five: `test = \"folds: 4\"`";
    match number.parse::<u32>() {
        Ok(0 | 1) => {
            let message = format!("`{}` asks for {number} folds, which leaves nothing to tune on", found.key);
            report.mistake(found.span(), message, hint);
            None
        }
        Ok(folds) => Some(Some(folds)),
        Err(_) => {
            report.mistake(found.span(), format!("`{number}` is not a number of folds"), hint);
            None
        }
    }
}

/// Returns whether every fold has an instance. Reports a mistake if not.
pub(super) fn are_filled(report: &mut Report<'_>, span: Span, folds: u32, instances: usize) -> bool {
    let filled = folds as usize <= instances;
    if !filled {
        let message = format!("{instances} instances cannot fill {folds} folds");
        report.mistake(
            span,
            message,
            "every fold needs at least one: ask for fewer folds, or give more instances",
        );
    }
    filled
}

/// Returns the names of the instances in each fold: first the known ones, then those that are newly assigned.
pub(super) fn assign(
    instances: &[&Instance],
    folds: u32,
    seed: u64,
    known: &[Vec<String>],
) -> Vec<Vec<String>> {
    let mut assigned: Vec<Vec<String>> = known.to_vec();
    assigned.resize(folds as usize, Vec::new());
    let numbered = known.iter().enumerate();
    let places: BTreeMap<&str, usize> =
        numbered.flat_map(|(fold, names)| names.iter().map(move |name| (name.as_str(), fold))).collect();
    let mut families: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut of_family: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let names: BTreeSet<(&str, &str)> =
        instances.iter().map(|instance| (instance.name.as_str(), instance.family())).collect();
    for (name, family) in names {
        let counts = of_family.entry(family).or_insert_with(|| vec![0; folds as usize]);
        match places.get(name) {
            Some(&fold) => counts[fold] += 1,
            None => families.entry(family).or_default().push(name),
        }
    }
    for (number, (family, mut members)) in families.into_iter().enumerate() {
        Rng::new(seed, "folds", number as u64).shuffle(&mut members);
        let counts = of_family.entry(family).or_insert_with(|| vec![0; folds as usize]);
        for name in members {
            let fewest = (0..assigned.len()).min_by_key(|&fold| (counts[fold], assigned[fold].len(), fold));
            let Some(fold) = fewest else { continue };
            counts[fold] += 1;
            assigned[fold].push(name.to_owned());
        }
    }
    assigned
}

#[cfg(test)]
mod tests {
    use super::super::split::tests::instances;
    use super::*;

    fn assigned(
        families: &[(&str, usize)],
        folds: u32,
        seed: u64,
        known: &[Vec<String>],
    ) -> Vec<Vec<String>> {
        assign(&instances(families).iter().collect::<Vec<_>>(), folds, seed, known)
    }

    fn spread(counts: impl Iterator<Item = usize> + Clone) -> usize {
        counts.clone().max().unwrap() - counts.min().unwrap()
    }

    #[test]
    fn folds_differ_by_at_most_one_instance_in_every_family_and_as_a_whole() {
        for seed in 0..20 {
            let families = [("a", 13), ("b", 6), ("c", 3), ("d", 1)];
            let folds = assigned(&families, 4, seed, &[]);
            assert!(spread(folds.iter().map(Vec::len)) <= 1, "{folds:?}");
            for (family, _) in families {
                let count = |fold: &Vec<String>| fold.iter().filter(|name| name.starts_with(family)).count();
                assert!(spread(folds.iter().map(count)) <= 1, "{family}: {folds:?}");
            }
            let all: BTreeSet<&String> = folds.iter().flatten().collect();
            assert_eq!((all.len(), folds.iter().map(Vec::len).sum::<usize>()), (23, 23), "each once");
        }
    }

    #[test]
    fn folds_depend_on_the_seed_alone() {
        assert_eq!(assigned(&[("a", 30)], 3, 1, &[]), assigned(&[("a", 30)], 3, 1, &[]));
        assert_ne!(assigned(&[("a", 30)], 3, 1, &[]), assigned(&[("a", 30)], 3, 2, &[]));
    }

    #[test]
    fn instances_keep_their_fold_when_others_are_added_or_removed() {
        let first = assigned(&[("a", 10), ("b", 5)], 4, 7, &[]);
        let more = assigned(&[("a", 17), ("b", 6), ("c", 3)], 4, 7, &first);
        for (before, after) in first.iter().zip(&more) {
            assert!(after.starts_with(before), "{before:?} {after:?}");
        }
        assert_eq!(more.iter().map(Vec::len).sum::<usize>(), 26);
        let count = |fold: &Vec<String>| fold.iter().filter(|name| name.starts_with('a')).count();
        assert!(spread(more.iter().map(count)) <= 1, "{more:?}");
        assert_eq!(
            assigned(&[("a", 2)], 4, 7, &first),
            first,
            "instances that are gone keep their fold, as they may come back"
        );
    }
}
