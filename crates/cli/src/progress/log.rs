//! Progress where no terminal is: lines that stay, and a heartbeat.

use campaign::event::{Event, What};
use view::Pass;

use super::{Facts, block, lines};

/// Seconds of campaign time to the first heartbeat, and between two.
const FIRST: f64 = 10.0;
const EVERY: f64 = 60.0;

/// Turns events into lines.
pub(crate) struct Log {
    facts: Facts,
    pass: Pass,
    /// When the next heartbeat is due.
    due: Option<f64>,
}

impl Log {
    pub(crate) fn new(facts: Facts) -> Self {
        Self { facts, pass: Pass::default(), due: None }
    }

    /// The lines for an event.
    pub(crate) fn show(&mut self, event: &Event) -> Vec<String> {
        let pass = self.pass.after(event, &self.facts.means(), &self.facts.costs);
        let mut shown: Vec<String> = pass.map(|pass| lines::pass(&pass, &self.facts)).into_iter().collect();
        shown.extend(lines::line(event, &self.facts).map(|(_, line)| line));
        // The session begins with its first event: an interrupted campaign goes on with its own time.
        let due = *self.due.get_or_insert(event.at + FIRST);
        let beat = match &event.what {
            What::Progress(progress) => Some(block::heartbeat(progress, &self.facts)),
            What::Validating { done, of } => {
                let against = self.facts.costs.against;
                Some(format!("validating the best against the {against}: {done} of {of} trials"))
            }
            _ => None,
        };
        if let Some(beat) = beat.filter(|_| event.at >= due) {
            self.due = Some(event.at + EVERY);
            shown.push(format!(" {}", beat.trim_start()));
        }
        shown
    }
}
