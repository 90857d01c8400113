//! Progress in a terminal: lines that stay, and below them a block that is drawn anew.
//!
//! The block is drawn by plain control sequences: the cursor goes up as many lines as the block has
//! and everything from there on is erased. The width is asked for each time, and lines are cut to it,
//! so that a line of the block is always one line of the screen.

use std::io::Write;

use campaign::event::{Event, What};
use view::Pass;

use super::lines::Kind;
use super::{Facts, block, lines};
use crate::paint::Paint;
use crate::words::harmless;

/// Seconds between two drawings.
const PAUSE: f64 = 0.2;

/// Draws on standard error.
pub(crate) struct Screen {
    facts: Facts,
    pass: Pass,
    paint: Paint,
    /// Lines of the block that are on the screen.
    drawn: usize,
    /// The campaign time of the last drawing.
    at: f64,
    /// What the block says now.
    block: Vec<String>,
}

impl Screen {
    pub(crate) fn new(facts: Facts) -> Self {
        let (pass, paint) = (Pass::default(), Paint::of_standard_error());
        Self { facts, pass, paint, drawn: 0, at: f64::NEG_INFINITY, block: Vec::new() }
    }

    pub(crate) fn show(&mut self, event: &Event) {
        if let Some(pass) = self.pass.after(event, &self.facts.means(), &self.facts.costs) {
            self.stay(&lines::pass(&pass, &self.facts));
        }
        if let Some((kind, line)) = lines::line(event, &self.facts) {
            let line = harmless(&line);
            let line = match kind {
                Kind::NewBest => self.paint.good(&line),
                Kind::Warning => self.paint.warning(&line),
            };
            self.stay(&line);
        }
        let block = match &event.what {
            What::Progress(progress) => block::block(progress, &self.facts),
            What::Validating { done, of } => block::validation(*done, *of, self.facts.costs.against),
            _ => return,
        };
        self.block = block;
        if event.at - self.at >= PAUSE {
            self.at = event.at;
            self.draw("");
        }
    }

    /// Prints a line above the block.
    fn stay(&mut self, line: &str) {
        self.draw(&format!("{line}\n"));
    }

    fn draw(&mut self, above: &str) {
        let width = width();
        let lines: Vec<String> = self.block.iter().map(|line| block::cut(&harmless(line), width)).collect();
        let text = format!(
            "{}{above}{}",
            self.erased(),
            lines.iter().map(|line| format!("{line}\n")).collect::<String>()
        );
        self.drawn = lines.len();
        write(&text);
    }

    /// Removes the block.
    pub(crate) fn clear(&mut self) {
        let text = self.erased();
        self.drawn = 0;
        self.block.clear();
        write(&text);
    }

    /// What erases the block; the cursor is left where its first line began.
    fn erased(&self) -> String {
        match self.drawn {
            0 => String::new(),
            lines => format!("\r\x1b[{lines}A\x1b[J"),
        }
    }
}

fn write(text: &str) {
    let mut out = std::io::stderr().lock();
    // A terminal that has gone away is no reason to stop.
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).ok();
}

/// Columns of the terminal.
fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stderr());
    size.map_or(80, |size| if size.ws_col == 0 { 80 } else { usize::from(size.ws_col) })
}
