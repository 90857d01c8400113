//! Minimises a smooth function of many variables by conjugate gradients.
//!
//! ```text
//! d ← -g + max(0, g · (g - g') / g' · g') d'          x ← x + t d
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | g, g' | the gradient at x, and at the point before |
//! | d, d' | the direction of this step, and of the step before |
//! | t | a step length that achieves a share of the predicted decrease, and flattens the function along d |
//!
//! Unlike L-BFGS it keeps only a few vectors, and the paper on reduced sets uses it. (E. Polak, G. Ribière, Note
//! sur la convergence de méthodes de directions conjuguées, 1969.)

use crate::points::dot;

/// Share of the predicted decrease that a step must achieve.
const LEAST_DECREASE: f64 = 1e-4;
/// Share of the first derivative along the direction that may remain after a step.
const FLATNESS: f64 = 0.3;
/// Largest number of evaluations of one step.
const MOST_TRIES: usize = 8;

/// Minimises a function from a start. The function writes its gradient. The search ends after this many
/// evaluations, or when no step decreases the function.
pub(super) fn minimise(
    start: Vec<f64>,
    evaluations: usize,
    mut function: impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Vec<f64> {
    let (mut x, mut gradient) = (start, Vec::new());
    gradient.resize(x.len(), 0.0);
    let mut value = function(&x, &mut gradient);
    let mut left = evaluations.saturating_sub(1);
    let mut direction: Vec<f64> = gradient.iter().map(|component| -component).collect();
    let mut length = 1.0 / (1.0 + dot(&gradient, &gradient).sqrt());
    while left > 0 {
        let mut slope = dot(&gradient, &direction);
        if slope >= 0.0 {
            direction = gradient.iter().map(|component| -component).collect();
            slope = -dot(&gradient, &gradient);
        }
        if slope == 0.0 || !slope.is_finite() {
            break;
        }
        let Some(step) = search((&x, value, slope), &direction, length, &mut left, &mut function) else {
            break;
        };
        let before = dot(&gradient, &gradient);
        let change = dot(&step.gradient, &step.gradient) - dot(&step.gradient, &gradient);
        let keep = (change / before).max(0.0);
        for (component, new) in direction.iter_mut().zip(&step.gradient) {
            *component = keep * *component - new;
        }
        // The next step is expected to decrease the function to first order as much as this one.
        let next = dot(&step.gradient, &direction);
        length = if next < 0.0 { (step.length * slope / next).min(10.0 * step.length) } else { step.length };
        (x, value, gradient) = (step.x, step.value, step.gradient);
    }
    x
}

/// A point on the line that is searched.
struct Step {
    x: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    length: f64,
}

/// Returns the best acceptable point along a direction; `None` if none decreases the function.
fn search(
    (x, value, slope): (&[f64], f64, f64),
    direction: &[f64],
    first: f64,
    left: &mut usize,
    function: &mut impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Option<Step> {
    let (mut low, mut high, mut length) = (0.0, f64::INFINITY, first);
    let mut best: Option<Step> = None;
    for _ in 0..MOST_TRIES {
        if *left == 0 {
            break;
        }
        *left -= 1;
        let at: Vec<f64> = x.iter().zip(direction).map(|(x, d)| x + length * d).collect();
        let mut gradient = vec![0.0; x.len()];
        let reached = function(&at, &mut gradient);
        let here = dot(&gradient, direction);
        let is_lower = reached.is_finite() && reached <= value + LEAST_DECREASE * length * slope;
        if is_lower && best.as_ref().is_none_or(|best| reached < best.value) {
            best = Some(Step { x: at, value: reached, gradient, length });
        }
        if is_lower && here.abs() <= FLATNESS * slope.abs() {
            break;
        }
        if is_lower && here < 0.0 {
            low = length;
            // The zero of the derivative, if it is linear along the direction.
            let linear = length * slope / (slope - here);
            let most = if high.is_finite() { 0.9 * high + 0.1 * low } else { 4.0 * length };
            length = if linear > length { linear.min(most) } else { most.min(2.0 * length) };
        } else {
            high = length;
            let linear = length * slope / (slope - here);
            let inside = here > 0.0 && linear > low && linear < high;
            length =
                if inside { linear.clamp(low + 0.1 * (high - low), high) } else { f64::midpoint(low, high) };
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quadratic_needs_about_one_step_per_variable() {
        let scales = [1.0, 10.0, 100.0, 3.0, 30.0];
        let mut evaluations = 0;
        let found = minimise(vec![1.0; 5], 60, |x, gradient| {
            evaluations += 1;
            let mut value = 0.0;
            for i in 0..5 {
                let off = x[i] - i as f64;
                value += scales[i] * off * off / 2.0;
                gradient[i] = scales[i] * off;
            }
            value
        });
        assert!((0..5).all(|i| (found[i] - i as f64).abs() < 1e-4), "{found:?}");
        assert!(evaluations <= 60);
    }

    #[test]
    fn a_curved_valley_is_followed() {
        let mut least = f64::INFINITY;
        let found = minimise(vec![-1.2, 1.0], 400, |x, gradient| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            gradient[0] = -2.0 * a - 400.0 * x[0] * b;
            gradient[1] = 200.0 * b;
            least = least.min(a * a + 100.0 * b * b);
            a * a + 100.0 * b * b
        });
        assert!((found[0] - 1.0).abs() < 1e-3 && (found[1] - 1.0).abs() < 1e-3, "{found:?} {least}");
    }

    #[test]
    fn points_without_a_finite_value_are_avoided() {
        // x - ln x, undefined below 0, with its minimum at 1.
        let found = minimise(vec![9.0], 60, |x, gradient| {
            gradient[0] = 1.0 - 1.0 / x[0];
            if x[0] > 0.0 { x[0] - libm::log(x[0]) } else { f64::NAN }
        });
        assert!((found[0] - 1.0).abs() < 1e-3, "{found:?}");
    }
}
