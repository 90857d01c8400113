//! Tunes a function: a quicksort that leaves short pieces to insertion sort. The cost is the number of
//! comparisons and moves, so it is the same on every machine.
//!
//! `cargo run -p captune --example closure`

#![allow(clippy::print_stdout, reason = "the example prints its results")]

use std::error::Error;

use captune::{Configuration, ParameterDefinition, Rng, Space, SpaceBuilder, Tuner};

/// Returns the two parameters: the length of pieces for insertion sort, and the choice of the pivot.
pub fn space() -> Result<Space, Box<dyn Error>> {
    let mut builder = SpaceBuilder::default();
    builder.parameter(ParameterDefinition::integer("short", 1, 500).log().default(200));
    builder.parameter(ParameterDefinition::categorical("pivot", ["first", "middle", "median"]));
    Ok(builder.finish()?)
}

/// Sorts a list that is nearly sorted, and returns the number of comparisons and moves. The seed determines
/// the list.
pub fn work(configuration: &Configuration, seed: u64) -> f64 {
    let mut rng = Rng::new(seed, "list", 0);
    let mut list: Vec<u64> = (0..2000).collect();
    for _ in 0..200 {
        let (one, other) = (rng.below(list.len()), rng.below(list.len()));
        list.swap(one, other);
    }
    let short = configuration.number("short").unwrap_or(1.0) as usize;
    let pivot = configuration.get("pivot").map_or(String::new(), |pivot| pivot.to_string());
    let work = sort(&mut list, short, &pivot);
    assert!(list.is_sorted());
    work as f64
}

fn sort(list: &mut [u64], short: usize, pivot: &str) -> u64 {
    if list.len() <= short.max(1) {
        let mut work = 0;
        for end in 1..list.len() {
            let mut at = end;
            while at > 0 && list[at - 1] > list[at] {
                list.swap(at - 1, at);
                at -= 1;
                work += 2;
            }
            work += 1;
        }
        return work;
    }
    let last = list.len() - 1;
    let place = match pivot {
        "first" => 0,
        "middle" => last / 2,
        _ => {
            let mut three = [0, last / 2, last];
            three.sort_by_key(|&at| list[at]);
            three[1]
        }
    };
    list.swap(place, last);
    let mut low = 0;
    let mut work = list.len() as u64 + 3;
    for at in 0..last {
        if list[at] < list[last] {
            list.swap(low, at);
            (low, work) = (low + 1, work + 1);
        }
    }
    list.swap(low, last);
    let (left, right) = list.split_at_mut(low);
    work + sort(left, short, pivot) + sort(&mut right[1..], short, pivot)
}

/// Runs this many trials.
pub fn tuned(trials: usize, seed: u64) -> Result<Tuner, Box<dyn Error>> {
    let mut tuner = Tuner::builder(space()?).seed(seed).trials(trials as u64).build()?;
    tuner.run(trials, |trial| work(&trial.configuration, u64::from(trial.seed().0)))?;
    Ok(tuner)
}

fn main() -> Result<(), Box<dyn Error>> {
    let tuner = tuned(200, 1)?;
    let (before, best) = (tuner.standing(captune::ConfigId(0)), tuner.best());
    for (name, one) in [("default", before), ("tuned", best)] {
        let cost = one.cost.unwrap_or(f64::NAN);
        println!("{name:8} {:24} {cost:7.0} steps on average over {} lists", one.configuration, one.pairs);
    }
    Ok(())
}
