//! Holds out instances for validation, family by family.
//!
//! For a share s, a family of n instances holds out n s of them, rounded down. To reach the share s of all
//! instances, the families with the largest remainders hold out one more each. The scenario's seed decides
//! which instances are held out. When a campaign is resumed, its training and test instances stay as they
//! are, and only new instances are split.

use std::collections::{BTreeMap, BTreeSet};

use engine::Rng;

use super::Instance;

/// Returns the training instances and the held-out instances, each in the given order.
pub(super) fn split(
    instances: Vec<Instance>,
    share: f64,
    seed: u64,
    known: &Known<'_>,
) -> (Vec<Instance>, Vec<Instance>) {
    let mut families: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut held_out: BTreeSet<usize> = BTreeSet::new();
    for (place, instance) in instances.iter().enumerate() {
        match (known.test.contains(&instance.name.as_str()), known.train.contains(&instance.name.as_str())) {
            (true, _) => drop(held_out.insert(place)),
            (false, true) => {}
            (false, false) => families.entry(instance.family()).or_default().push(place),
        }
    }
    let new: usize = families.values().map(Vec::len).sum();
    let mut wanted = (share * new as f64).round() as usize;
    if new == instances.len() && new > 1 {
        // When instances are first split, neither part may be empty.
        wanted = wanted.clamp(1, new - 1);
    }
    let mut count = 0;
    let mut rest: Vec<(f64, u64, usize)> = Vec::new();
    for (number, members) in families.values_mut().enumerate() {
        let mut rng = Rng::new(seed, "split", number as u64);
        rng.shuffle(members);
        let quota = share * members.len() as f64;
        let whole = (quota.floor() as usize).min(wanted - count);
        held_out.extend(members.drain(..whole));
        count += whole;
        if let Some(&next) = members.first() {
            rest.push((quota - quota.floor(), rng.bits(), next));
        }
    }
    rest.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    held_out.extend(rest.into_iter().take(wanted - count).map(|(_, _, place)| place));
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for (place, instance) in instances.into_iter().enumerate() {
        if held_out.contains(&place) { test.push(instance) } else { train.push(instance) }
    }
    (train, test)
}

/// The training and test instances of a campaign so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Known<'a> {
    pub(super) train: BTreeSet<&'a str>,
    pub(super) test: BTreeSet<&'a str>,
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns the given number of instances of each family.
    pub(in super::super) fn instances(families: &[(&str, usize)]) -> Vec<Instance> {
        let of = |&(family, count): &(&str, usize)| {
            let one = move |number: usize| {
                let name = format!("{family}/{number:02}");
                Instance { argument: name.clone(), name, family: Some(family.to_owned()) }
            };
            (0..count).map(one).collect::<Vec<_>>()
        };
        families.iter().flat_map(of).collect()
    }

    fn counts(list: &[Instance]) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        list.iter().for_each(|instance| *counts.entry(instance.family()).or_default() += 1);
        counts
    }

    #[test]
    fn every_family_holds_out_its_share() {
        for seed in 0..20 {
            let all = instances(&[("a", 40), ("b", 8), ("c", 3)]);
            let (train, test) = split(all, 0.25, seed, &Known::default());
            assert_eq!((train.len(), test.len()), (38, 13));
            let counts = counts(&test);
            assert_eq!((counts["a"], counts["b"], counts["c"]), (10, 2, 1));
        }
    }

    #[test]
    fn the_split_depends_on_the_seed_alone_and_leaves_neither_side_empty() {
        let two = |seed| split(instances(&[("a", 30)]), 0.5, seed, &Known::default());
        assert_eq!(two(1), two(1));
        assert_ne!(two(1), two(2));
        for (count, share) in [(2, 0.01), (2, 0.99), (9, 0.04)] {
            let (train, test) = split(instances(&[("a", count)]), share, 1, &Known::default());
            assert!(!train.is_empty() && !test.is_empty(), "{count} {share}");
        }
    }

    #[test]
    fn known_instances_stay_on_their_side() {
        let (train, test) = split(instances(&[("a", 20)]), 0.25, 7, &Known::default());
        let names = |list: &[Instance]| list.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
        let (train, test) = (names(&train), names(&test));
        let known = Known {
            train: train.iter().map(String::as_str).collect(),
            test: test.iter().map(String::as_str).collect(),
        };
        let (more_train, more_test) = split(instances(&[("a", 40)]), 0.25, 7, &known);
        assert_eq!((more_train.len(), more_test.len()), (30, 10));
        assert!(train.iter().all(|name| names(&more_train).contains(name)));
        assert!(test.iter().all(|name| names(&more_test).contains(name)));
    }
}
