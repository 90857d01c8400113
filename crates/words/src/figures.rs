//! Formatting of figures for people: durations, costs, counts, shares and ratios.
//!
//! Costs have three significant digits, which are enough for a comparison and easy to read. Ratios have two.
//! Data for programs (`--json`, `--as json`) have all digits and are not formatted here.

use std::ops::Deref;
use std::time::Duration;

use campaign::budget::Budget;
use confine::quantity::{show_duration, show_size};
use engine::Reading;
use scenario::{Scenario, Sense};
use view::{Standing, State, Training, Unit};

/// A formatter of costs. Numbers have the user's sign, as in the view.
#[derive(Clone, PartialEq, Debug)]
pub struct Costs(view::Costs);

impl Deref for Costs {
    type Target = view::Costs;

    fn deref(&self) -> &view::Costs {
        &self.0
    }
}

impl From<view::Costs> for Costs {
    fn from(costs: view::Costs) -> Self {
        Self(costs)
    }
}

impl Costs {
    /// Returns the costs of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        Self(view::Costs::of(scenario))
    }

    /// Returns costs that are penalised times.
    pub fn seconds(par: f64) -> Self {
        let mean = format!("PAR{par}");
        Self(view::Costs::new(Unit::Seconds, Sense::Minimise, "CPU time", mean, "default"))
    }

    /// Returns costs that are a maximised output.
    pub fn maximised(noun: &str) -> Self {
        Self(view::Costs::new(Unit::Plain, Sense::Maximise, noun, format!("mean {noun}"), "default"))
    }

    /// Returns whether the objective is maximised.
    pub fn are_maximised(&self) -> bool {
        self.sense == Sense::Maximise
    }

    /// Returns the verb for a cost of this kind: `takes` 2 s, `costs` 40, `reaches` 900.
    pub fn verb(&self) -> &'static str {
        match (self.sense, self.unit) {
            (Sense::Maximise, _) => "reaches",
            (_, Unit::Plain) => "costs",
            _ => "takes",
        }
    }

    /// Returns the word for a better cost: `faster`.
    pub fn better(&self) -> String {
        match (self.sense, self.unit) {
            (Sense::Maximise, _) => format!("more {}", self.noun),
            (_, Unit::Seconds) => "faster".to_owned(),
            (_, Unit::Bytes) => "smaller".to_owned(),
            (_, Unit::Plain) => "better".to_owned(),
        }
    }

    /// Returns the word for a worse cost: `slower`.
    pub fn worse(&self) -> String {
        match (self.sense, self.unit) {
            (Sense::Maximise, _) => format!("less {}", self.noun),
            (_, Unit::Seconds) => "slower".to_owned(),
            (_, Unit::Bytes) => "larger".to_owned(),
            (_, Unit::Plain) => "worse".to_owned(),
        }
    }

    /// Formats the finding that nothing is better: `nothing reliably faster`, `nothing with more tps`.
    pub fn nothing(&self, how: &str) -> String {
        let with = if self.are_maximised() { "with " } else { "" };
        format!("nothing {with}{how}{}", self.better())
    }

    /// Formats a ratio as a gain or a loss: `1.76x faster`, `6.7x slower`.
    pub fn gain(&self, ratio: f64) -> String {
        if ratio < 1.0 {
            format!("{} {}", times(ratio.recip()), self.worse())
        } else {
            format!("{} {}", times(ratio), self.better())
        }
    }

    /// Compares the incumbent with the default in training. Shows a ratio only if there are enough pairs.
    pub fn in_training(&self, both: &Training) -> String {
        let (against, pairs) = (self.against, counted(both.pairs as u64, "pair"));
        if both.has_enough_pairs {
            return format!("{} than the {against} on {pairs}", self.compared(both));
        }
        let (default, own) = (self.show(both.default), self.show(both.best));
        format!("{own}, {against} {default} on {pairs}; too few pairs for a ratio")
    }

    /// Returns the short form for a crowded line: `1.76x`. If the incumbent is worse, returns the full form.
    pub fn in_short(&self, both: &Training) -> String {
        match both.any_ratio {
            Some(ratio) if ratio >= 1.0 => times(ratio),
            _ => self.compared(both),
        }
    }

    /// Compares the incumbent with the default by their ratio, or by their difference if there is no ratio.
    pub fn compared(&self, both: &Training) -> String {
        match both.any_ratio {
            Some(ratio) => self.gain(ratio),
            None => {
                let (saved, size) = (both.saved, both.saved.abs());
                let size = if size.is_finite() { number(size) } else { "infinitely".to_owned() };
                format!("{size} {}", if saved < 0.0 { self.worse() } else { self.better() })
            }
        }
    }

    /// Formats a cost.
    pub fn show(&self, cost: f64) -> String {
        match self.unit {
            _ if !cost.is_finite() => "none".to_owned(),
            Unit::Seconds => seconds(cost),
            Unit::Bytes => bytes(cost),
            Unit::Plain => number(cost),
        }
    }

    /// Formats two means: `PAR10 390 s -> 243 s`.
    pub fn change(&self, default: f64, best: f64) -> String {
        let what = if self.are_maximised() { &self.noun } else { &self.mean };
        format!("{} {} -> {}", harmless(what), self.show(default), self.show(best))
    }

    /// Formats the errors of two maximised shares, such as accuracies: `error 0.069 -> 0.048`. The ratio of
    /// two shares would hide how much better the best configuration is. Returns `None` for other quantities.
    pub fn errors(&self, default: f64, best: f64) -> Option<String> {
        let is_share = |mean: f64| (0.0..=1.0).contains(&mean);
        if !(self.are_maximised() && self.unit == Unit::Plain && is_share(default) && is_share(best)) {
            return None;
        }
        let error = |mean: f64| {
            let shown = self.show(mean);
            let decimals = shown.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            format!("{:.decimals$}", 1.0 - mean)
        };
        Some(format!("error {} -> {}", error(default), error(best)))
    }

    /// Formats a reading from the engine: `4.27 s`, `at least 2.00 s`.
    pub fn reading(&self, reading: Reading) -> String {
        match reading {
            Reading::Exact(cost) => self.show(self.number(cost)),
            Reading::AtLeast(cost) => format!("at least {}", self.show(self.number(cost))),
        }
    }

    /// Formats the mean of a configuration: `PAR10 228 s [196, 263] on 131 pairs`.
    pub fn standing(&self, standing: &Standing) -> String {
        let interval = standing.interval.filter(|_| standing.pairs >= ENOUGH_PAIRS);
        let interval = self.interval(standing.cost, interval);
        let pairs = counted(standing.pairs as u64, "pair");
        format!("{} {}{interval} on {pairs}", self.mean, self.show(standing.cost))
    }

    /// Formats one end of an interval. Times are formatted without a unit.
    fn bare(&self, cost: f64, like: f64) -> String {
        match self.unit {
            Unit::Seconds if like < MILLISECONDS => digits(cost * 1e3),
            Unit::Seconds | Unit::Plain => digits(cost),
            Unit::Bytes => bytes(cost),
        }
    }

    /// Formats an interval, such as ` [196, 263]`. Returns an empty text if there is none.
    fn interval(&self, mean: f64, interval: Option<[f64; 2]>) -> String {
        interval.map_or_else(String::new, |[low, high]| {
            let end = |cost: f64| if cost.is_finite() { self.bare(cost, mean) } else { "?".to_owned() };
            format!(" [{}, {}]", end(low), end(high))
        })
    }
}

/// Minimum number of pairs for showing ratios and intervals. With fewer pairs, they would mostly reflect
/// luck, and an interval can span several orders of magnitude.
pub const ENOUGH_PAIRS: usize = 5;

/// Time in seconds below which times are shown in milliseconds.
const MILLISECONDS: f64 = 0.9995;

/// Formats a time in seconds or, if it is short, in milliseconds: `311 s`, `4.27 s`, `52.3 ms`.
pub fn seconds(seconds: f64) -> String {
    if seconds.abs() < MILLISECONDS && seconds != 0.0 {
        format!("{} ms", digits(seconds * 1e3))
    } else {
        format!("{} s", digits(seconds))
    }
}

/// Formats a time in a suitable unit: `18.0 s`, `3.40 min`, `12.5 h`.
pub fn span(time: f64) -> String {
    match time {
        t if t < 120.0 => seconds(t),
        t if t < 7200.0 => format!("{} min", digits(t / 60.0)),
        t => format!("{} h", digits(t / 3600.0)),
    }
}

/// Formats a duration that a user chose: `2h`, `90s`.
pub fn chosen(seconds: f64) -> String {
    Duration::try_from_secs_f64(seconds)
        .map_or_else(|_| span(seconds), |time| show_duration(time).to_string())
}

/// Formats a number of bytes: `512MiB`.
pub fn bytes(number: f64) -> String {
    // Rounding is needed, because a mean of bytes may have decimals.
    show_size(number.max(0.0).round() as u64).to_string()
}

/// Formats a number with three significant digits, or an integer with all digits: `0.00123`, `4.27`, `14812`.
pub fn number(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 { format!("{number}") } else { digits(number) }
}

/// Formats a number with three significant digits. Larger numbers keep all digits before the decimal point.
fn digits(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-6..1e15).contains(&size) {
        return format!("{number:.2e}");
    }
    // A number that rounds up to the next power of ten needs one decimal fewer.
    let decimals = (2 - (size * 1.005).log10().floor() as i32).max(0);
    format!("{number:.*}", decimals as usize)
}

/// Formats an integer in groups of three digits: `812`, `14 812`.
pub fn count(number: u64) -> String {
    let text = number.to_string();
    if text.len() < 5 {
        return text;
    }
    let mut out = String::new();
    for (place, digit) in text.chars().enumerate() {
        if place > 0 && (text.len() - place).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// Formats a number with a noun: `1 pair`, `14 812 trials`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Formats a share in percent: `71 %`, `0.6 %`.
pub fn share(part: f64) -> String {
    match part * 100.0 {
        0.0 => "0 %".to_owned(),
        p if p < 0.095 => "<0.1 %".to_owned(),
        p if p < 0.95 => format!("{p:.1} %"),
        p => format!("{p:.0} %"),
    }
}

/// Formats a ratio with two decimals below 2, and with two significant digits from 2 on: `1.76x`, `2.7x`,
/// `12x`, `150x`. A ratio that two decimals would round to 1 gets four: `1.0036x`.
pub fn times(ratio: f64) -> String {
    match ratio {
        r if !r.is_finite() => "infinitely many times".to_owned(),
        r if (0.00005..0.005).contains(&(r - 1.0).abs()) => format!("{r:.4}x"),
        r if r < 1.995 => format!("{r:.2}x"),
        r if r < 9.95 => format!("{r:.1}x"),
        r => {
            let unit = 10f64.powi((r * 1.005).log10().floor() as i32 - 1);
            format!("{:.0}x", (r / unit).round() * unit)
        }
    }
}

/// Formats a time like a stopwatch: `06:12`, `1:06:12`.
pub fn clock(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes:02}:{seconds:02}")
    }
}

/// Formats a p value: `p = 0.0004`.
pub fn probability(p: f64) -> String {
    match p {
        p if p < 1e-4 => "p < 0.0001".to_owned(),
        p if p < 0.0095 => format!("p = {p:.4}"),
        p if p < 0.095 => format!("p = {p:.3}"),
        p => format!("p = {p:.2}"),
    }
}

/// Returns the name of a configuration: `against` for number 0, otherwise its number.
pub fn name(configuration: u32, against: &str) -> String {
    if configuration == 0 { against.to_owned() } else { format!("#{configuration}") }
}

/// Replaces control characters in text from other programs by `?`, so that the text cannot change the state
/// of the terminal.
pub fn harmless(text: &str) -> String {
    let visible = |c: char| if c.is_control() && c != '\n' && c != '\t' { '?' } else { c };
    text.chars().map(visible).collect()
}

/// Describes whether the campaign is running, or why it is not.
pub fn state(state: &State) -> String {
    match state {
        State::New => "not started".to_owned(),
        State::Running { pid, host } => {
            let process = pid.map_or_else(String::new, |pid| format!(" as process {pid}"));
            let host = host.as_deref().map_or_else(String::new, |host| format!(" on {}", harmless(host)));
            format!("running{process}{host}")
        }
        State::Stopped { reason } => format!("stopped: {}", harmless(reason)),
        State::Killed => "killed; `captune run` resumes it".to_owned(),
    }
}

/// Draws values as a row of bars, higher for larger values: `▇▅▃▂`. Positive values are on a logarithmic scale.
/// Returns an empty text if there are no finite values.
pub fn sparkline(values: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let are_positive = values.iter().all(|&value| value > 0.0);
    let scaled: Vec<f64> = values
        .iter()
        .map(|&value| if are_positive { value.ln() } else { value })
        .filter(|v| v.is_finite())
        .collect();
    let (low, high) =
        scaled.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &v| (a.min(v), b.max(v)));
    let spread = if high > low { high - low } else { 1.0 };
    scaled.iter().map(|value| BARS[((value - low) / spread * 7.0).round() as usize]).collect()
}

/// Formats the budget.
pub fn budget(budget: &Budget) -> String {
    let parts = [
        budget.wall.map(chosen),
        budget.cpu.map(|cpu| format!("{} of CPU time", chosen(cpu))),
        budget.trials.map(|trials| counted(trials, "trial")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
mod tests {
    use campaign::progress;
    use engine::stats::Interval;

    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let shown = [0.0, 1.234_567, 0.052_34, 9.996, 99.96, 311.4, 14_812.3, 0.000_012_34, 1e-9, -2.5];
        assert_eq!(
            shown.map(digits),
            ["0", "1.23", "0.0523", "10.0", "100", "311", "14812", "0.0000123", "1.00e-9", "-2.50"]
        );
        assert_eq!([4.0, 1e6, 0.5].map(number), ["4", "1000000", "0.500"]);
    }

    #[test]
    fn times_have_a_suitable_unit() {
        let shown = [0.0, 0.0523, 0.1, 4.266, 402.0].map(seconds);
        assert_eq!(shown, ["0 s", "52.3 ms", "100 ms", "4.27 s", "402 s"]);
        assert_eq!([0.9994, 0.9996].map(seconds), ["999 ms", "1.00 s"]);
        assert_eq!([18.0, 204.0, 64_800.0].map(span), ["18.0 s", "3.40 min", "18.0 h"]);
        assert_eq!([90.0, 7200.0, 600.0].map(chosen), ["90s", "2h", "10m"]);
        assert_eq!(
            [0.0, 41.9, 372.0, 3972.0, 144_000.0].map(clock),
            ["00:00", "00:41", "06:12", "1:06:12", "40:00:00"]
        );
    }

    #[test]
    fn bars_follow_the_values() {
        assert_eq!(sparkline(&[1000.0, 100.0, 10.0, 1.0]), "█▆▃▁");
        assert_eq!(sparkline(&[-2.0, 0.0, 5.0]), "▁▃█");
        assert_eq!(sparkline(&[3.0, 3.0, f64::NAN]), "▁▁");
        assert_eq!(sparkline(&[]), "");
    }

    #[test]
    fn counts_shares_and_ratios() {
        assert_eq!([7, 9999, 14_812, 1_234_567].map(count), ["7", "9999", "14 812", "1 234 567"]);
        assert_eq!(
            [0.0, 0.0004, 0.006, 0.0196, 0.714, 1.0].map(share),
            ["0 %", "<0.1 %", "0.6 %", "2 %", "71 %", "100 %"]
        );
        assert_eq!([0.998, 1.0, 1.0036, 1.006].map(times), ["0.9980x", "1.00x", "1.0036x", "1.01x"]);
        assert_eq!([0.98, 1.02, 1.756, 1.994].map(times), ["0.98x", "1.02x", "1.76x", "1.99x"]);
        assert_eq!([1.996, 2.68, 9.94, 9.96].map(times), ["2.0x", "2.7x", "9.9x", "10x"]);
        assert_eq!([12.34, 99.4, 99.7, 148.0, 1234.0].map(times), ["12x", "99x", "100x", "150x", "1200x"]);
        assert_eq!(
            [0.000_01, 0.0004, 0.043, 0.35].map(probability),
            ["p < 0.0001", "p = 0.0004", "p = 0.043", "p = 0.35"]
        );
    }

    #[test]
    fn the_ends_of_an_interval_share_the_unit_of_the_mean() {
        let costs = Costs::seconds(10.0);
        assert_eq!(costs.interval(228.0, Some([196.2, 263.1])), " [196, 263]");
        assert_eq!(costs.interval(0.05, Some([0.04, 0.2])), " [40.0, 200]");
        assert_eq!(costs.interval(2.0, None), "");
        assert_eq!(costs.show(f64::INFINITY), "none");
        let interval = Some(Interval { low: 196.2, high: 263.1 });
        let shown = |pairs| {
            let standing = progress::Standing {
                config: engine::ConfigId(1),
                pairs,
                mean: 228.0,
                interval,
                timeouts: 0,
                holdings: Vec::new(),
            };
            costs.standing(&Standing::of(&standing, &costs))
        };
        assert_eq!([4, 5].map(shown), ["PAR10 228 s on 4 pairs", "PAR10 228 s [196, 263] on 5 pairs"]);
    }

    #[test]
    fn maximised_costs_have_the_users_sign() {
        let costs = Costs::maximised("tps");
        let shown = |cost| costs.show(costs.number(cost));
        assert_eq!([-1200.0, f64::INFINITY, 0.0].map(shown), ["1200", "none", "0"]);
        let ends = costs.ends(Interval { low: -6.0, high: -4.0 });
        assert_eq!(costs.interval(5.0, Some(ends)), " [4.00, 6.00]");
        assert_eq!(costs.gain(1.4), "1.40x more tps");
        assert_eq!(costs.gain(0.5), "2.0x less tps");
        assert_eq!(costs.nothing("reliably "), "nothing with reliably more tps");
        assert_eq!(costs.change(200.0, 900.0), "tps 200 -> 900");
        assert_eq!(costs.errors(200.0, 900.0), None);
    }

    #[test]
    fn maximised_shares_are_shown_with_their_errors() {
        let accuracy = Costs::maximised("accuracy");
        assert_eq!(accuracy.change(0.9308, 0.9521), "accuracy 0.931 -> 0.952");
        assert_eq!(accuracy.errors(0.9308, 0.9521).unwrap(), "error 0.069 -> 0.048");
        assert_eq!(accuracy.errors(0.9, 1.0).unwrap(), "error 0.100 -> 0");
        assert_eq!(accuracy.errors(0.9, 1.1), None);
        assert_eq!(Costs::seconds(10.0).errors(0.9, 0.5), None, "times are not shares");
    }

    #[test]
    fn a_ratio_below_one_is_inverted() {
        let costs = Costs::seconds(10.0);
        assert_eq!(
            [6.7, 1.0, 0.15].map(|ratio| costs.gain(ratio)),
            ["6.7x faster", "1.00x faster", "6.7x slower"]
        );
        let both = |default, incumbent| {
            let (ratio, has_enough_pairs) = (None, true);
            let both = progress::TrainingComparison { pairs: 6, default, incumbent, ratio, has_enough_pairs };
            Training::of(&both, &costs)
        };
        assert_eq!(costs.compared(&both(3.0, -1.0)), "4 faster");
        assert_eq!(costs.compared(&both(-1.0, 1.5)), "2.50 slower");
    }

    #[test]
    fn few_pairs_have_no_ratio() {
        let costs = Costs::seconds(10.0);
        let both = |pairs, has_enough_pairs| {
            let (default, incumbent, ratio) = (3.0, 1.5, Some(2.0));
            let both = progress::TrainingComparison { pairs, default, incumbent, ratio, has_enough_pairs };
            Training::of(&both, &costs)
        };
        assert_eq!(costs.in_training(&both(5, true)), "2.0x faster than the default on 5 pairs");
        assert_eq!(
            costs.in_training(&both(1, false)),
            "1.50 s, default 3.00 s on 1 pair; too few pairs for a ratio"
        );
    }

    #[test]
    fn text_from_other_programs_cannot_move_the_cursor() {
        assert_eq!(harmless("a\u{1b}[2Jb\r\n\tc"), "a?[2Jb?\n\tc");
    }
}
