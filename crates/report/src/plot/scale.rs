//! Scales of axes: linear or logarithmic, with round ticks.

/// A scale from values to positions between 0 and 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scale {
    low: f64,
    high: f64,
    log: bool,
    /// Whether ticks are round in seconds, minutes or hours.
    clock: bool,
}

/// Distances between ticks on a scale of times, in seconds.
const CLOCK: [f64; 20] = [
    1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0, 7200.0, 14_400.0,
    28_800.0, 43_200.0, 86_400.0, 172_800.0, 432_000.0,
];

impl Scale {
    /// Returns a linear scale that contains all values, with round ends.
    pub fn linear(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = ends(values).unwrap_or((0.0, 1.0));
        let spread = if high > low { high - low } else { low.abs().max(1.0) };
        let step = step(spread, 5.0);
        let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        Self { low, high: if high > low { high } else { low + step }, log: false, clock: false }
    }

    /// Returns a linear scale with exactly these ends.
    pub fn exact(low: f64, high: f64) -> Self {
        Self { low, high: if high > low { high } else { low + 1.0 }, log: false, clock: false }
    }

    /// Returns a scale for times from 0 to exactly this end.
    pub fn time(end: f64) -> Self {
        Self { clock: true, ..Self::exact(0.0, end) }
    }

    /// Returns a logarithmic scale that contains all values if they are positive, otherwise a linear one.
    pub fn positive(values: impl IntoIterator<Item = f64> + Clone) -> Self {
        match ends(values.clone()) {
            Some((low, high)) if low > 0.0 => {
                // A narrow range is widened, so that noise does not look like a difference.
                let (low, high) =
                    if high < low * 1.5 { (low / 1.3, high * 1.3) } else { (low / 1.1, high * 1.1) };
                Self { low, high, log: true, clock: false }
            }
            _ => Self::linear(values),
        }
    }

    /// Returns whether the scale is logarithmic.
    pub fn is_log(&self) -> bool {
        self.log
    }

    /// Returns the position of a value. Values outside the scale are at its ends.
    pub fn at(&self, value: f64) -> f64 {
        let share = if self.log {
            (value.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }

    /// Returns the lower end.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// Returns the upper end.
    pub fn high(&self) -> f64 {
        self.high
    }

    /// Returns round values within the scale.
    pub fn ticks(&self) -> Vec<f64> {
        if !self.log {
            let spread = self.high - self.low;
            let round = CLOCK.into_iter().find(|it| self.clock && spread > 4.0 && spread / it <= 6.0);
            let step = round.unwrap_or_else(|| step(spread, 5.0));
            let (first, last) =
                ((self.low / step - 1e-9).ceil() as i64, (self.high / step + 1e-9).floor() as i64);
            return (first..=last).map(|number| number as f64 * step).collect();
        }
        let decades = (self.high / self.low).log10();
        let factors: &[f64] = match decades {
            d if d > 3.0 => &[1.0],
            d if d > 1.3 => &[1.0, 3.0],
            d if d > 0.8 => &[1.0, 2.0, 5.0],
            d if d > 0.3 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0],
            _ => return Self { log: false, ..*self }.ticks(),
        };
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let every = ((decades / 7.0).ceil() as usize).max(1);
        let all = (first..=last)
            .step_by(every)
            .flat_map(|power| factors.iter().map(move |f| f * 10f64.powi(power)));
        all.filter(|value| (self.low..=self.high).contains(value)).collect()
    }
}

fn ends(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.into_iter().filter(|value| value.is_finite());
    finite.fold(None, |ends, value| match ends {
        None => Some((value, value)),
        Some((low, high)) => Some((value.min(low), value.max(high))),
    })
}

/// Returns a step of 1, 2 or 5 times a power of ten that divides a spread into at most `parts` parts.
fn step(spread: f64, parts: f64) -> f64 {
    let power = 10f64.powf((spread / parts).log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|it| it * power)
        .find(|it| spread / it <= parts + 1e-9)
        .unwrap_or(spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_contain_their_values_and_ticks_are_round() {
        let scale = Scale::linear([0.3, 7.2]);
        assert_eq!(scale.ticks(), [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!([scale.at(0.0), scale.at(4.0), scale.at(99.0)], [0.0, 0.5, 1.0]);
        assert_eq!(Scale::time(9000.0).ticks(), [0.0, 1800.0, 3600.0, 5400.0, 7200.0, 9000.0]);
        assert_eq!(Scale::time(0.4).ticks(), [0.0, 0.1, 0.2, 0.300_000_000_000_000_04, 0.4]);
        let scale = Scale::positive([0.02, 300.0]);
        assert!(scale.is_log());
        assert_eq!(scale.ticks(), [0.1, 1.0, 10.0, 100.0]);
        assert!(!Scale::positive([-1.0, 3.0]).is_log() && !Scale::positive([0.0, 3.0]).is_log());
        assert_eq!(Scale::positive([]).ticks().len(), 6, "nothing to show still has axes");
        assert_eq!(Scale::linear([5.0, 5.0]).at(5.0), 0.0);
    }
}
