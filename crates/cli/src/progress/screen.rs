//! Progress in a terminal: permanent lines, and below them a status block that is redrawn.
//!
//! The block is redrawn with plain control sequences. The cursor moves up by the number of lines in the
//! block, and everything below it is erased. The width of the terminal is read each time, and lines are cut
//! to this width, so that each line of the block is one line on the screen.

use std::io::Write;

use campaign::event::{Event, What};
use view::Pass;

use super::lines::{Kind, Line, Wanted};
use super::{Facts, block, lines};
use crate::paint::Paint;
use crate::words::harmless;
use crate::wrap;

/// Minimum number of seconds between redraws.
const PAUSE: f64 = 0.2;

/// A display that draws on standard error.
pub(crate) struct Screen {
    facts: Facts,
    pass: Pass,
    wanted: Wanted,
    paint: Paint,
    /// Number of the block's lines that are on the screen now.
    drawn: usize,
    /// Campaign time of the last redraw.
    at: f64,
    /// Current content of the block.
    block: Vec<String>,
}

impl Screen {
    pub(crate) fn new(facts: Facts) -> Self {
        let (pass, paint) = (Pass::default(), Paint::of_standard_error());
        Self {
            facts,
            pass,
            wanted: Wanted::default(),
            paint,
            drawn: 0,
            at: f64::NEG_INFINITY,
            block: Vec::new(),
        }
    }

    pub(crate) fn show(&mut self, event: &Event) {
        if let Some(pass) = self.pass.after(event, &self.facts.means(), &self.facts.costs) {
            self.stay(&lines::pass(&pass, &self.facts));
        }
        for line in [lines::line(event, &self.facts), self.wanted.after(event)].into_iter().flatten() {
            self.stay(&line);
        }
        let block = match &event.what {
            What::Progress(progress) => block::block(progress, &self.facts),
            What::Validating { done, of } => block::validation(*done, *of, self.facts.costs.against),
            What::Ablating { trials, steps, open } => vec![block::ablation(*trials, *steps, *open)],
            _ => return,
        };
        self.block = block;
        if event.at - self.at >= PAUSE {
            self.at = event.at;
            self.draw("");
        }
    }

    /// Prints a permanent line above the block.
    fn stay(&mut self, line: &Line) {
        let text = laid_out(line, width(), self.paint);
        self.draw(&format!("{text}\n"));
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

    /// Returns the control sequence that erases the block and leaves the cursor where its first line began.
    fn erased(&self) -> String {
        match self.drawn {
            0 => String::new(),
            lines => format!("\r\x1b[{lines}A\x1b[J"),
        }
    }
}

fn write(text: &str) {
    let mut out = std::io::stderr().lock();
    // An error is ignored: the campaign continues even if the terminal is gone.
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).ok();
}

/// Wraps a permanent line and colours its first words. A whole line in green or yellow would be hard to read
/// on a white background.
pub(super) fn laid_out(line: &Line, width: usize, paint: Paint) -> String {
    let text = wrap::paragraph(&harmless(&line.text), Some(width), line.indent);
    let (before, rest) = text.split_at(line.first.start.min(text.len()));
    let (first, after) = rest.split_at(line.first.len().min(rest.len()));
    match line.kind {
        Kind::NewBest => format!("{before}{}{after}", paint.good(first)),
        Kind::Warning => format!("{before}{}{after}", paint.warning(first)),
        Kind::Plain => text,
    }
}

/// Returns the width of the terminal in columns.
fn width() -> usize {
    wrap::stderr_width().unwrap_or(80)
}
