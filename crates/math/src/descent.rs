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
const MEMORY: usize = 16;
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
pub struct Minimum {
    /// The place.
    pub at: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// How many it took.
    pub evaluations: usize,
}

/// A place, the value there and its slope.
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

/// A search that is told what it asks for, so that many can go on side by side.
pub struct Downhill {
    bounds: Vec<(f64, f64)>,
    descent: Descent,
    /// The best place so far; none before the first is told.
    here: Option<Place>,
    /// The place asked for; none when the search has ended.
    asked: Option<Vec<f64>>,
    direction: Vec<f64>,
    length: f64,
    shortenings: usize,
    memory: Vec<Step>,
    evaluations: usize,
}

impl Downhill {
    /// For the least value near a start.
    ///
    /// # Panics
    /// If there are not as many bounds as variables.
    pub fn new(start: &[f64], bounds: &[(f64, f64)], descent: Descent) -> Self {
        assert_eq!(bounds.len(), start.len(), "bounds for each variable");
        let x = start.iter().zip(bounds).map(|(x, (low, high))| x.clamp(*low, *high)).collect();
        Self {
            bounds: bounds.to_vec(),
            descent,
            here: None,
            asked: Some(x),
            direction: Vec::new(),
            length: 0.0,
            shortenings: 0,
            memory: Vec::new(),
            evaluations: 0,
        }
    }

    /// With what another search has learnt of the curvature, of a function like this one that is so many times
    /// flatter.
    #[must_use]
    pub fn knowing(mut self, other: &Self, times: f64) -> Self {
        let steeper = |step: &Step| Step {
            way: step.way.clone(),
            change: step.change.iter().map(|change| change * times).collect(),
            along: step.along * times,
        };
        self.memory = other.memory.iter().map(steeper).collect();
        self
    }

    /// The place whose value and slope it wants to know; `None` when it has ended.
    pub fn asked(&self) -> Option<&[f64]> {
        self.asked.as_deref()
    }

    /// What it asked for. Where the value is not finite it does not go.
    pub fn tell(&mut self, value: f64, slope: &[f64]) {
        let Some(x) = self.asked.take() else { return };
        let there = Place { x, value, slope: slope.to_vec() };
        self.evaluations += 1;
        let Some(here) = &self.here else {
            if there.is_sound() {
                self.step_from(there);
            }
            return;
        };
        let promised: f64 = (0..there.x.len()).map(|i| here.slope[i] * (there.x[i] - here.x[i])).sum();
        if there.is_sound() && there.value <= here.value + LEAST_GAIN * promised {
            let gain = here.value - there.value;
            remember(&mut self.memory, here, &there);
            if gain < self.descent.gain {
                self.here = Some(there);
            } else {
                self.step_from(there);
            }
            return;
        }
        // Where the parabola through both values and the slope is least, but neither too near nor too far.
        let curve = there.value - here.value - promised;
        let share = if curve.is_finite() { -promised / (2.0 * curve) } else { 0.1 };
        self.length *= share.clamp(0.1, 0.5);
        self.shortenings += 1;
        if self.shortenings <= MOST_SHORTENINGS {
            self.ask();
        }
    }

    /// The next step, from a better place.
    fn step_from(&mut self, here: Place) {
        let held = held(&here, &self.bounds);
        let free = here.slope.iter().zip(&held).filter(|(_, held)| !**held);
        let steepest = free.map(|(slope, _)| slope.abs()).fold(0.0, f64::max);
        self.direction = direction(&here.slope, &held, &self.memory);
        if dot(&self.direction, &here.slope) >= 0.0 {
            self.memory.clear();
            self.direction = direction(&here.slope, &held, &self.memory);
        }
        // Nothing is known of the curvature yet: a cautious step.
        self.length = if self.memory.is_empty() { (0.5 / steepest).min(1.0) } else { 1.0 };
        self.shortenings = 0;
        self.here = Some(here);
        if steepest > self.descent.slope {
            self.ask();
        }
    }

    fn ask(&mut self) {
        let Some(here) = self.here.as_ref().filter(|_| self.evaluations < self.descent.evaluations) else {
            return;
        };
        let moved = here.x.iter().zip(&self.direction).zip(&self.bounds);
        self.asked =
            Some(moved.map(|((x, way), (low, high))| (x + self.length * way).clamp(*low, *high)).collect());
    }

    /// Where it ended; `None` if its start had no value.
    pub fn found(&self) -> Option<Minimum> {
        let found =
            |here: &Place| Minimum { at: here.x.clone(), value: here.value, evaluations: self.evaluations };
        self.here.as_ref().map(found)
    }
}

/// Which variables are on a side of the box that the slope pushes them against.
fn held(place: &Place, bounds: &[(f64, f64)]) -> Vec<bool> {
    let sides = place.x.iter().zip(&place.slope).zip(bounds);
    sides
        .map(|((x, slope), (low, high))| (x <= low && *slope >= 0.0) || (x >= high && *slope <= 0.0))
        .collect()
}

/// -H g on the free variables.
fn direction(slope: &[f64], held: &[bool], memory: &[Step]) -> Vec<f64> {
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

    /// The least value near a start. The function writes its slope.
    fn minimise(
        start: &[f64],
        bounds: &[(f64, f64)],
        descent: Descent,
        function: impl FnMut(&[f64], &mut [f64]) -> f64,
    ) -> Option<Minimum> {
        ended(Downhill::new(start, bounds, descent), function).found()
    }

    fn ended(mut search: Downhill, mut function: impl FnMut(&[f64], &mut [f64]) -> f64) -> Downhill {
        let mut slope = vec![0.0; search.bounds.len()];
        while let Some(at) = search.asked() {
            let value = function(at, &mut slope);
            search.tell(value, &slope);
        }
        search
    }

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
    fn what_is_known_of_the_curvature_shortens_the_search() {
        // Ten times as steep, and elsewhere.
        let steeper = |x: &[f64], slope: &mut [f64]| {
            let moved: Vec<f64> = x.iter().map(|x| x - 0.01).collect();
            let value = 10.0 * rosenbrock(&moved, slope);
            slope.iter_mut().for_each(|slope| *slope *= 10.0);
            value
        };
        let bounds = [(-5.0, 5.0); 4];
        let flatter = ended(Downhill::new(&[0.8; 4], &bounds, THOROUGH), rosenbrock);
        let start = flatter.found().unwrap().at;
        let new = || Downhill::new(&start, &bounds, THOROUGH);
        let alone = ended(new(), steeper).found().unwrap();
        let knowing = ended(new().knowing(&flatter, 10.0), steeper).found().unwrap();
        assert!(knowing.at.iter().all(|x| (x - 1.01).abs() < 1e-6), "{knowing:?}");
        assert!(2 * knowing.evaluations <= alone.evaluations, "{knowing:?} {alone:?}");
        // What is known of another steepness misleads, if not for long.
        let misled = ended(new().knowing(&flatter, 1e3), steeper).found().unwrap();
        assert!(misled.evaluations > knowing.evaluations, "{misled:?} {knowing:?}");
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
