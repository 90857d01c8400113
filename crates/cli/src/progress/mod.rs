//! The display of a running campaign, built from its events.
//!
//! | display | where | shows |
//! |---|---|---|
//! | [`Screen`] | a terminal | permanent lines, and below them a status block that is redrawn |
//! | [`Log`] | a file or a pipe | permanent lines and a heartbeat |
//! | [`Display::Json`] | `--progress json` | every event as one JSON object, on standard output |

pub(crate) mod block;
pub(crate) mod lines;
pub(crate) mod log;
pub(crate) mod screen;
#[cfg(test)]
pub(crate) mod tests;

use std::io::IsTerminal;

use campaign::budget::Budget;
use campaign::event::Event;
use clap::ValueEnum;
use engine::Configuration;
use view::Means;

use crate::message;
use crate::words::Costs;
use log::Log;
use screen::Screen;

/// The requested display of progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Choice {
    Auto,
    Lines,
    Json,
    None,
}

/// Facts about the campaign that displays need.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) folder: String,
    pub(crate) budget: Budget,
    pub(crate) costs: Costs,
    pub(crate) default: Configuration,
    pub(crate) instances: u64,
    pub(crate) workers: u64,
}

impl Facts {
    fn means(&self) -> Means {
        Means { instances: self.instances, workers: self.workers, budget: self.budget }
    }
}

/// A display of progress.
pub(crate) enum Display {
    Screen(Box<Screen>),
    Log(Box<Log>),
    Json {
        costs: Box<Costs>,
        /// Whether the warning about unwritten events has been printed.
        unwritten: bool,
    },
    Silent,
}

impl Display {
    /// Creates the chosen display. With `auto`, it depends on whether standard error is a terminal.
    pub(crate) fn new(choice: Choice, facts: Facts) -> Self {
        let terminal =
            std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        match choice {
            Choice::Auto if terminal => Self::Screen(Box::new(Screen::new(facts))),
            Choice::Auto | Choice::Lines => Self::Log(Box::new(Log::new(facts))),
            Choice::Json => Self::Json { costs: Box::new(facts.costs), unwritten: false },
            Choice::None => Self::Silent,
        }
    }

    /// Shows an event.
    pub(crate) fn show(&mut self, event: &Event) {
        match self {
            Self::Screen(screen) => screen.show(event),
            Self::Log(log) => {
                log.show(event).iter().for_each(|line| message::hanging(&line.text, line.indent));
            }
            // If the pipe is closed or the disk is full, the campaign continues after one warning.
            Self::Json { costs, unwritten } => {
                if let Err(error) = message::print(format!("{}\n", view::event(event, costs)).as_bytes())
                    && !std::mem::replace(unwritten, true)
                {
                    message::say(&format!("warning: some events could not be written: {error:#}"));
                }
            }
            Self::Silent => {}
        }
    }

    /// Removes the status block, so that other output can follow.
    pub(crate) fn close(&mut self) {
        if let Self::Screen(screen) = self {
            screen.clear();
        }
    }
}
