//! Progress without a terminal: permanent lines and a heartbeat.

use campaign::event::{Event, What};
use view::Pass;

use super::lines::{Kind, Line, Wanted};
use super::{Facts, block, lines};

/// Seconds of campaign time before the first heartbeat, and between heartbeats.
const FIRST: f64 = 10.0;
const EVERY: f64 = 60.0;

/// A display that turns events into lines.
pub(crate) struct Log {
    facts: Facts,
    pass: Pass,
    wanted: Wanted,
    /// Campaign time of the next heartbeat.
    due: Option<f64>,
}

impl Log {
    pub(crate) fn new(facts: Facts) -> Self {
        Self { facts, pass: Pass::default(), wanted: Wanted::default(), due: None }
    }

    /// Returns the lines for an event.
    pub(crate) fn show(&mut self, event: &Event) -> Vec<Line> {
        let pass = self.pass.after(event, &self.facts.means(), &self.facts.costs);
        let mut shown: Vec<Line> = pass.map(|pass| lines::pass(&pass, &self.facts)).into_iter().collect();
        shown.extend(lines::line(event, &self.facts));
        shown.extend(self.wanted.after(event));
        // Count from the first event of this session, because the time of a resumed campaign does not start
        // at zero.
        let due = *self.due.get_or_insert(event.at + FIRST);
        let beat = match &event.what {
            What::Progress(progress) => Some(block::heartbeat(progress, &self.facts)),
            What::Validating { done, of } => {
                let against = self.facts.costs.against;
                Some(format!("validating the best against the {against}: {done} of {of} trials"))
            }
            What::Ablating { trials, steps, open } => Some(block::ablation(*trials, *steps, *open)),
            _ => None,
        };
        if let Some(beat) = beat.filter(|_| event.at >= due) {
            self.due = Some(event.at + EVERY);
            let text = format!(" {}", beat.trim_start());
            shown.push(Line { kind: Kind::Plain, text, indent: 3, first: 0..0 });
        }
        shown
    }
}
