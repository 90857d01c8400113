//! The least value of a smooth function in a box: limited-memory BFGS on the variables that are free.
//!
//! ```text
//! x ← P(x - t H g)        on the free variables; P puts what leaves the box on its side
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | g | the slope at x |
//! | H | the inverse curvature, from the last [`MEMORY`] steps |
//! | t | 1, or less: the first step that gains a share of what the slope promises |
//!
//! A variable is held while it is on a side of the box and the slope pushes it outwards. (D. Bertsekas,
//! Projected Newton Methods for Optimization Problems with Simple Constraints, 1982; J. Nocedal, Updating
//! Quasi-Newton Matrices with Limited Storage, 1980.)

/// Steps remembered.
const MEMORY: usize = 8;
/// Share of the promised gain that a step must make.
const LEAST_GAIN: f64 = 1e-4;
/// Attempts at a shorter step before the search ends.
const MOST_SHORTENINGS: usize = 15;

/// When to end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Descent {
    /// Most evaluations.
    pub evaluations: usize,
    /// Ends when a step gains less than this.
    pub gain: f64,
    /// Ends when no free slope is larger.
    pub slope: f64,
}

/// Where the search ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// The place.
    pub at: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// How many it took.
    pub evaluations: usize,
}

/// A place, the value there and its slope.
#[derive(Clone)]
struct Place {
    x: Vec<f64>,
    value: f64,
    slope: Vec<f64>,
}

impl Place {
    fn is_sound(&self) -> bool {
        self.value.is_finite() && self.slope.iter().all(|slope| slope.is_finite())
    }
}

/// What a step told of the curvature.
struct Step {
    way: Vec<f64>,
    change: Vec<f64>,
    /// Of both, multiplied.
    along: f64,
}

/// The least value near a start. The function writes its slope; where its value is not finite the search
/// does not go. `None` if the start is such a place.
///
/// # Panics
/// If there are not as many bounds as variables.
pub fn minimise(
    start: &[f64],
    bounds: &[(f64, f64)],
    descent: Descent,
    mut function: impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Option<Found> {
    let n = start.len();
    assert_eq!(bounds.len(), n, "bounds for each variable");
    let x: Vec<f64> = start.iter().zip(bounds).map(|(x, (low, high))| x.clamp(*low, *high)).collect();
    let mut here = Place { x, value: 0.0, slope: vec![0.0; n] };
    here.value = function(&here.x, &mut here.slope);
    let mut evaluations = 1;
    if !here.is_sound() {
        return None;
    }
    let mut there = here.clone();
    let mut memory: Vec<Step> = Vec::new();
    'steps: while evaluations < descent.evaluations {
        let held = held(&here, bounds);
        let steepest = (0..n).filter(|&i| !held[i]).map(|i| here.slope[i].abs()).fold(0.0, f64::max);
        if steepest <= descent.slope {
            break;
        }
        let mut direction = downhill(&here.slope, &held, &memory);
        if dot(&direction, &here.slope) >= 0.0 {
            memory.clear();
            direction = downhill(&here.slope, &held, &memory);
        }
        // Nothing is known of the curvature yet: a cautious step.
        let mut length = if memory.is_empty() { (0.5 / steepest).min(1.0) } else { 1.0 };
        for shortening in 0.. {
            if evaluations >= descent.evaluations || shortening > MOST_SHORTENINGS {
                break 'steps;
            }
            for i in 0..n {
                there.x[i] = (here.x[i] + length * direction[i]).clamp(bounds[i].0, bounds[i].1);
            }
            let promised: f64 = (0..n).map(|i| here.slope[i] * (there.x[i] - here.x[i])).sum();
            there.value = function(&there.x, &mut there.slope);
            evaluations += 1;
            if there.is_sound() && there.value <= here.value + LEAST_GAIN * promised {
                break;
            }
            // Where the parabola through both values and the slope is least, but neither too near nor too far.
            let curve = there.value - here.value - promised;
            let share = if curve.is_finite() { -promised / (2.0 * curve) } else { 0.1 };
            length *= share.clamp(0.1, 0.5);
        }
        remember(&mut memory, &here, &there);
        let gain = here.value - there.value;
        std::mem::swap(&mut here, &mut there);
        if gain < descent.gain {
            break;
        }
    }
    Some(Found { at: here.x, value: here.value, evaluations })
}

/// Which variables are on a side of the box that the slope pushes them against.
fn held(place: &Place, bounds: &[(f64, f64)]) -> Vec<bool> {
    let sides = place.x.iter().zip(&place.slope).zip(bounds);
    sides
        .map(|((x, slope), (low, high))| (x <= low && *slope >= 0.0) || (x >= high && *slope <= 0.0))
        .collect()
}

/// -H g on the free variables.
fn downhill(slope: &[f64], held: &[bool], memory: &[Step]) -> Vec<f64> {
    let free = |direction: &mut Vec<f64>| {
        direction.iter_mut().zip(held).filter(|(_, held)| **held).for_each(|(x, _)| *x = 0.0);
    };
    let mut direction: Vec<f64> = slope.iter().map(|slope| -slope).collect();
    free(&mut direction);
    let mut shares = Vec::with_capacity(memory.len());
    for step in memory.iter().rev() {
        let share = dot(&step.way, &direction) / step.along;
        add(&mut direction, -share, &step.change);
        shares.push(share);
    }
    if let Some(last) = memory.last() {
        let curvature = last.along / dot(&last.change, &last.change);
        direction.iter_mut().for_each(|x| *x *= curvature);
    }
    for (step, share) in memory.iter().zip(shares.iter().rev()) {
        let back = dot(&step.change, &direction) / step.along;
        add(&mut direction, share - back, &step.way);
    }
    free(&mut direction);
    direction
}

fn remember(memory: &mut Vec<Step>, here: &Place, there: &Place) {
    let difference = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
    let way = difference(&there.x, &here.x);
    let change = difference(&there.slope, &here.slope);
    let along = dot(&way, &change);
    // Where the function bends downwards a step tells nothing of a least value.
    if along > 1e-10 * dot(&change, &change).sqrt() * dot(&way, &way).sqrt() {
        if memory.len() == MEMORY {
            memory.remove(0);
        }
        memory.push(Step { way, change, along });
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], times: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += times * what);
}

#[cfg(test)]
mod tests {
    use super::*;

    const THOROUGH: Descent = Descent { evaluations: 500, gain: 0.0, slope: 1e-8 };

    fn rosenbrock(x: &[f64], slope: &mut [f64]) -> f64 {
        slope.fill(0.0);
        let mut sum = 0.0;
        for i in 0..x.len() - 1 {
            let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
            sum += a * a + 100.0 * b * b;
            slope[i] += -2.0 * a - 400.0 * x[i] * b;
            slope[i + 1] += 200.0 * b;
        }
        sum
    }

    #[test]
    fn a_curved_valley_is_followed_to_its_end() {
        let found = minimise(&[-1.2, 1.0, -0.5, 2.0], &[(-5.0, 5.0); 4], THOROUGH, rosenbrock).unwrap();
        assert!(found.value < 1e-12 && found.evaluations < 150, "{found:?}");
        assert!(found.at.iter().all(|x| (x - 1.0).abs() < 1e-6));
    }

    #[test]
    fn a_side_of_the_box_is_kept() {
        let mut bounds = [(-5.0, 5.0); 5];
        bounds[0] = (-5.0, 0.5);
        let found = minimise(&[0.0; 5], &bounds, THOROUGH, |x, slope| {
            assert!(x[0] <= 0.5);
            rosenbrock(x, slope)
        })
        .unwrap();
        assert_eq!(found.at[0], 0.5);
        let mut slope = [0.0; 5];
        rosenbrock(&found.at, &mut slope);
        assert!(slope[0] < 0.0 && slope[1..].iter().all(|slope| slope.abs() < 1e-6), "{slope:?}");
    }

    #[test]
    fn places_without_a_value_are_kept_away_from() {
        // ln x + 1/x, least at 1, and nothing below 0.
        let function = |x: &[f64], slope: &mut [f64]| {
            slope[0] = 1.0 / x[0] - 1.0 / (x[0] * x[0]);
            if x[0] > 0.0 { libm::log(x[0]) + 1.0 / x[0] } else { f64::NAN }
        };
        let found = minimise(&[3.0], &[(-10.0, 10.0)], THOROUGH, function).unwrap();
        assert!((found.at[0] - 1.0).abs() < 1e-6, "{found:?}");
        assert_eq!(minimise(&[-1.0], &[(-10.0, 10.0)], THOROUGH, function), None);
    }
}
