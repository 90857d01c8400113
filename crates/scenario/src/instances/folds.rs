//! Dealing instances into folds, family by family.
//!
//! The instances of a family are dealt in random order, drawn from the scenario's seed, each to the fold
//! that has the fewest of its family, then the fewest of all, then the smallest number. So two folds
//! differ by one instance at most, in every family and as a whole. What has been dealt stays where it is;
//! new instances are dealt on by the same rule.

use std::collections::{BTreeMap, BTreeSet};

use engine::Rng;
use space::Span;

use super::super::report::{Found, Report};
use super::Instance;

/// The word before the number.
const WORD: &str = "folds";

/// The text behind `folds:`, if that is what a text begins with.
fn behind_word(text: &str) -> Option<&str> {
    text.trim().strip_prefix(WORD)?.trim_start().strip_prefix(':').map(str::trim)
}

/// Whether a text asks for folds; `None` after a mistake.
pub(super) fn asked_for(report: &mut Report<'_>, found: &Found<'_, '_>) -> Option<Option<u32>> {
    let value = found.value.get_ref();
    let in_list = |list: &toml::de::DeArray<'_>| {
        list.iter().any(|item| item.get_ref().as_str().is_some_and(|text| behind_word(text).is_some()))
    };
    if value.as_array().is_some_and(in_list) {
        let message = format!("`{}` names folds in a list", found.key);
        report.mistake(found.span(), message, "folds stand alone: `test = \"folds: 4\"`");
        return None;
    }
    let Some(number) = value.as_str().and_then(behind_word) else { return Some(None) };
    let hint = "at least two, and four or five are usual: `test = \"folds: 4\"`";
    match number.parse::<u32>() {
        Ok(0 | 1) => {
            let message = format!("`{}` asks for {number} folds, which leaves nothing to tune on", found.key);
            report.mistake(found.span(), message, hint);
            None
        }
        Ok(folds) => Some(Some(folds)),
        Err(_) => {
            report.mistake(found.span(), format!("`{number}` is no number of folds"), hint);
            None
        }
    }
}

/// Reports folds that would be empty.
pub(super) fn are_filled(report: &mut Report<'_>, span: Span, folds: u32, instances: usize) -> bool {
    let filled = folds as usize <= instances;
    if !filled {
        let message = format!("{instances} instances cannot fill {folds} folds");
        report.mistake(span, message, "every fold needs one at least: ask for fewer, or give more instances");
    }
    filled
}

/// The names in each fold: those known, then those dealt now.
pub(super) fn deal(
    instances: &[&Instance],
    folds: u32,
    seed: u64,
    known: &[Vec<String>],
) -> Vec<Vec<String>> {
    let mut dealt: Vec<Vec<String>> = known.to_vec();
    dealt.resize(folds as usize, Vec::new());
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
            let fewest = (0..dealt.len()).min_by_key(|&fold| (counts[fold], dealt[fold].len(), fold));
            let Some(fold) = fewest else { continue };
            counts[fold] += 1;
            dealt[fold].push(name.to_owned());
        }
    }
    dealt
}

#[cfg(test)]
mod tests {
    use super::super::split::tests::instances;
    use super::*;

    fn dealt(families: &[(&str, usize)], folds: u32, seed: u64, known: &[Vec<String>]) -> Vec<Vec<String>> {
        deal(&instances(families).iter().collect::<Vec<_>>(), folds, seed, known)
    }

    fn spread(counts: impl Iterator<Item = usize> + Clone) -> usize {
        counts.clone().max().unwrap() - counts.min().unwrap()
    }

    #[test]
    fn folds_are_alike_in_every_family_and_as_a_whole() {
        for seed in 0..20 {
            let families = [("a", 13), ("b", 6), ("c", 3), ("d", 1)];
            let folds = dealt(&families, 4, seed, &[]);
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
    fn they_depend_on_the_seed_alone() {
        assert_eq!(dealt(&[("a", 30)], 3, 1, &[]), dealt(&[("a", 30)], 3, 1, &[]));
        assert_ne!(dealt(&[("a", 30)], 3, 1, &[]), dealt(&[("a", 30)], 3, 2, &[]));
    }

    #[test]
    fn nothing_moves_when_instances_come_or_go() {
        let first = dealt(&[("a", 10), ("b", 5)], 4, 7, &[]);
        let more = dealt(&[("a", 17), ("b", 6), ("c", 3)], 4, 7, &first);
        for (before, after) in first.iter().zip(&more) {
            assert!(after.starts_with(before), "{before:?} {after:?}");
        }
        assert_eq!(more.iter().map(Vec::len).sum::<usize>(), 26);
        let count = |fold: &Vec<String>| fold.iter().filter(|name| name.starts_with('a')).count();
        assert!(spread(more.iter().map(count)) <= 1, "{more:?}");
        assert_eq!(dealt(&[("a", 2)], 4, 7, &first), first, "what is gone may come back");
    }
}
