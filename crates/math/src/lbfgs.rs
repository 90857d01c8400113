//! Minimises a smooth function in a box, by limited-memory BFGS on the free variables.
//!
//! ```text
//! x ← P(x - t H g)        on the free variables; P clamps each variable to the box
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | g | the gradient at x |
//! | H | the inverse Hessian, approximated from the last [`MEMORY`] steps |
//! | t | the step length: 1, shortened until the step achieves a given share of the decrease predicted by the gradient |
//!
//! A variable is fixed while it is on the boundary of the box and the negative gradient points outwards. (D.
//! Bertsekas, Projected Newton Methods for Optimization Problems with Simple Constraints, 1982; J. Nocedal,
//! Updating Quasi-Newton Matrices with Limited Storage, 1980.)

/// Number of past steps used to approximate the Hessian.
const MEMORY: usize = 16;
/// Share of the predicted decrease that a step must achieve (Armijo's condition).
const LEAST_DECREASE: f64 = 1e-4;
/// Number of shorter steps tried before the search ends.
const MOST_SHORTENINGS: usize = 15;

/// The conditions that end the search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StoppingRule {
    /// Largest number of evaluations.
    pub evaluations: usize,
    /// Smallest decrease of the value in one step; the search ends after a step with a smaller decrease.
    pub decrease: f64,
    /// Size of the gradient's largest free component at which the search ends.
    pub gradient: f64,
}

/// Result of the search.
#[derive(Clone, PartialEq, Debug)]
pub struct Minimum {
    /// The minimiser.
    pub at: Vec<f64>,
    /// The value at the minimiser.
    pub value: f64,
    /// Number of evaluations used.
    pub evaluations: usize,
}

/// A point, with the value and the gradient there.
struct Point {
    x: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

impl Point {
    fn is_finite(&self) -> bool {
        self.value.is_finite() && self.gradient.iter().all(|component| component.is_finite())
    }
}

/// A past step, which gives information about the curvature.
struct Step {
    /// Difference between the points.
    s: Vec<f64>,
    /// Difference between the gradients.
    y: Vec<f64>,
    s_dot_y: f64,
}

/// A search with an ask-and-tell interface, so that several searches can run side by side.
pub struct Lbfgs {
    bounds: Vec<(f64, f64)>,
    rule: StoppingRule,
    /// The best point so far; `None` before the first evaluation.
    best: Option<Point>,
    /// The point to evaluate; `None` when the search has ended.
    asked: Option<Vec<f64>>,
    direction: Vec<f64>,
    length: f64,
    shortenings: usize,
    memory: Vec<Step>,
    evaluations: usize,
}

impl Lbfgs {
    /// Starts a search for a minimum near a starting point.
    ///
    /// # Panics
    /// If the number of bounds differs from the number of variables.
    pub fn new(start: &[f64], bounds: &[(f64, f64)], rule: StoppingRule) -> Self {
        assert_eq!(bounds.len(), start.len(), "each variable needs bounds");
        let x = start.iter().zip(bounds).map(|(x, (low, high))| x.clamp(*low, *high)).collect();
        Self {
            bounds: bounds.to_vec(),
            rule,
            best: None,
            asked: Some(x),
            direction: Vec::new(),
            length: 0.0,
            shortenings: 0,
            memory: Vec::new(),
            evaluations: 0,
        }
    }

    /// Copies the curvature that another search has learnt. `times` is the factor by which this function is
    /// steeper than the other search's function.
    #[must_use]
    pub fn with_curvature_of(mut self, other: &Self, times: f64) -> Self {
        let steeper = |step: &Step| Step {
            s: step.s.clone(),
            y: step.y.iter().map(|y| y * times).collect(),
            s_dot_y: step.s_dot_y * times,
        };
        self.memory = other.memory.iter().map(steeper).collect();
        self
    }

    /// Returns the point to evaluate next; `None` when the search has ended.
    pub fn asked(&self) -> Option<&[f64]> {
        self.asked.as_deref()
    }

    /// Takes the value and the gradient at the requested point. The search avoids points whose value is not
    /// finite.
    pub fn tell(&mut self, value: f64, gradient: &[f64]) {
        let Some(x) = self.asked.take() else { return };
        let new = Point { x, value, gradient: gradient.to_vec() };
        self.evaluations += 1;
        let Some(best) = &self.best else {
            if new.is_finite() {
                self.step_from(new);
            }
            return;
        };
        let predicted: f64 = (0..new.x.len()).map(|i| best.gradient[i] * (new.x[i] - best.x[i])).sum();
        if new.is_finite() && new.value <= best.value + LEAST_DECREASE * predicted {
            let decrease = best.value - new.value;
            remember(&mut self.memory, best, &new);
            if decrease < self.rule.decrease {
                self.best = Some(new);
            } else {
                self.step_from(new);
            }
            return;
        }
        // The new length leads to the minimum of the parabola through both values and the gradient, within
        // limits.
        let curve = new.value - best.value - predicted;
        let share = if curve.is_finite() { -predicted / (2.0 * curve) } else { 0.1 };
        self.length *= share.clamp(0.1, 0.5);
        self.shortenings += 1;
        if self.shortenings <= MOST_SHORTENINGS {
            self.ask();
        }
    }

    /// Starts the next step from a better point.
    fn step_from(&mut self, best: Point) {
        let fixed = fixed(&best, &self.bounds);
        let free = best.gradient.iter().zip(&fixed).filter(|(_, fixed)| !**fixed);
        let steepest = free.map(|(component, _)| component.abs()).fold(0.0, f64::max);
        self.direction = direction(&best.gradient, &fixed, &self.memory);
        if dot(&self.direction, &best.gradient) >= 0.0 {
            self.memory.clear();
            self.direction = direction(&best.gradient, &fixed, &self.memory);
        }
        // The step is cautious while the curvature is unknown.
        self.length = if self.memory.is_empty() { (0.5 / steepest).min(1.0) } else { 1.0 };
        self.shortenings = 0;
        self.best = Some(best);
        if steepest > self.rule.gradient {
            self.ask();
        }
    }

    fn ask(&mut self) {
        let Some(best) = self.best.as_ref().filter(|_| self.evaluations < self.rule.evaluations) else {
            return;
        };
        let moved = best.x.iter().zip(&self.direction).zip(&self.bounds);
        self.asked =
            Some(moved.map(|((x, d), (low, high))| (x + self.length * d).clamp(*low, *high)).collect());
    }

    /// Returns the best point found; `None` if the value at the start was not finite.
    pub fn found(&self) -> Option<Minimum> {
        let found =
            |best: &Point| Minimum { at: best.x.clone(), value: best.value, evaluations: self.evaluations };
        self.best.as_ref().map(found)
    }
}

/// Returns which variables are on the boundary of the box, with the negative gradient pointing outwards.
fn fixed(point: &Point, bounds: &[(f64, f64)]) -> Vec<bool> {
    let sides = point.x.iter().zip(&point.gradient).zip(bounds);
    sides.map(|((x, g), (low, high))| (x <= low && *g >= 0.0) || (x >= high && *g <= 0.0)).collect()
}

/// Returns -H g on the free variables, by the two-loop recursion.
fn direction(gradient: &[f64], fixed: &[bool], memory: &[Step]) -> Vec<f64> {
    let clear_fixed = |direction: &mut Vec<f64>| {
        direction.iter_mut().zip(fixed).filter(|(_, fixed)| **fixed).for_each(|(x, _)| *x = 0.0);
    };
    let mut direction: Vec<f64> = gradient.iter().map(|component| -component).collect();
    clear_fixed(&mut direction);
    let mut alphas = Vec::with_capacity(memory.len());
    for step in memory.iter().rev() {
        let alpha = dot(&step.s, &direction) / step.s_dot_y;
        add(&mut direction, -alpha, &step.y);
        alphas.push(alpha);
    }
    if let Some(last) = memory.last() {
        let scale = last.s_dot_y / dot(&last.y, &last.y);
        direction.iter_mut().for_each(|x| *x *= scale);
    }
    for (step, alpha) in memory.iter().zip(alphas.iter().rev()) {
        let beta = dot(&step.y, &direction) / step.s_dot_y;
        add(&mut direction, alpha - beta, &step.s);
    }
    clear_fixed(&mut direction);
    direction
}

fn remember(memory: &mut Vec<Step>, from: &Point, to: &Point) {
    let difference = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
    let s = difference(&to.x, &from.x);
    let y = difference(&to.gradient, &from.gradient);
    let s_dot_y = dot(&s, &y);
    // A step along negative curvature would make H indefinite.
    if s_dot_y > 1e-10 * dot(&y, &y).sqrt() * dot(&s, &s).sqrt() {
        if memory.len() == MEMORY {
            memory.remove(0);
        }
        memory.push(Step { s, y, s_dot_y });
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

    const THOROUGH: StoppingRule = StoppingRule { evaluations: 500, decrease: 0.0, gradient: 1e-8 };

    /// Minimises a function near a starting point. The function writes its gradient to its second argument.
    fn minimise(
        start: &[f64],
        bounds: &[(f64, f64)],
        rule: StoppingRule,
        function: impl FnMut(&[f64], &mut [f64]) -> f64,
    ) -> Option<Minimum> {
        run(Lbfgs::new(start, bounds, rule), function).found()
    }

    fn run(mut search: Lbfgs, mut function: impl FnMut(&[f64], &mut [f64]) -> f64) -> Lbfgs {
        let mut gradient = vec![0.0; search.bounds.len()];
        while let Some(at) = search.asked() {
            let value = function(at, &mut gradient);
            search.tell(value, &gradient);
        }
        search
    }

    fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let mut sum = 0.0;
        for i in 0..x.len() - 1 {
            let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
            sum += a * a + 100.0 * b * b;
            gradient[i] += -2.0 * a - 400.0 * x[i] * b;
            gradient[i + 1] += 200.0 * b;
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
    fn bounds_are_respected() {
        let mut bounds = [(-5.0, 5.0); 5];
        bounds[0] = (-5.0, 0.5);
        let found = minimise(&[0.0; 5], &bounds, THOROUGH, |x, gradient| {
            assert!(x[0] <= 0.5);
            rosenbrock(x, gradient)
        })
        .unwrap();
        assert_eq!(found.at[0], 0.5);
        let mut gradient = [0.0; 5];
        rosenbrock(&found.at, &mut gradient);
        assert!(
            gradient[0] < 0.0 && gradient[1..].iter().all(|component| component.abs() < 1e-6),
            "{gradient:?}"
        );
    }

    #[test]
    fn curvature_of_another_search_shortens_the_search() {
        // The function is ten times as steep, and shifted.
        let steeper = |x: &[f64], gradient: &mut [f64]| {
            let moved: Vec<f64> = x.iter().map(|x| x - 0.01).collect();
            let value = 10.0 * rosenbrock(&moved, gradient);
            gradient.iter_mut().for_each(|component| *component *= 10.0);
            value
        };
        let bounds = [(-5.0, 5.0); 4];
        let flatter = run(Lbfgs::new(&[0.8; 4], &bounds, THOROUGH), rosenbrock);
        let start = flatter.found().unwrap().at;
        let new = || Lbfgs::new(&start, &bounds, THOROUGH);
        let alone = run(new(), steeper).found().unwrap();
        let informed = run(new().with_curvature_of(&flatter, 10.0), steeper).found().unwrap();
        assert!(informed.at.iter().all(|x| (x - 1.01).abs() < 1e-6), "{informed:?}");
        assert!(2 * informed.evaluations <= alone.evaluations, "{informed:?} {alone:?}");
        // A wrong factor misleads the search, but not for long.
        let misled = run(new().with_curvature_of(&flatter, 1e3), steeper).found().unwrap();
        assert!(misled.evaluations > informed.evaluations, "{misled:?} {informed:?}");
    }

    #[test]
    fn points_without_a_finite_value_are_avoided() {
        // ln x + 1/x, with its minimum at 1; undefined below 0.
        let function = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = 1.0 / x[0] - 1.0 / (x[0] * x[0]);
            if x[0] > 0.0 { libm::log(x[0]) + 1.0 / x[0] } else { f64::NAN }
        };
        let found = minimise(&[3.0], &[(-10.0, 10.0)], THOROUGH, function).unwrap();
        assert!((found.at[0] - 1.0).abs() < 1e-6, "{found:?}");
        assert_eq!(minimise(&[-1.0], &[(-10.0, 10.0)], THOROUGH, function), None);
    }
}
