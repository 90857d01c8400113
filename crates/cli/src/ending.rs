//! The last lines of a run: why it stopped, what it found, how to use it, how to continue.

use campaign::budget::{Budget, Limit};
use campaign::event::Stop;
use engine::Configuration;
use execution::CommandLine;
use scenario::Scenario;
use scenario::shell::quoted;
use view::{CutShort, Found, Standing, Unproven};

use crate::bounds;
use crate::paint::Paint;
use crate::progress::Facts;
use crate::verdict::{self, Hosts};
use crate::words::name;
use crate::words::{chosen, count, counted, harmless};
use crate::wrap;

/// The end of a campaign, as its last lines report it.
pub(crate) struct Ending<'a> {
    pub(crate) end: &'a view::Ending,
    /// Command that runs the best configuration, ready to paste, or the command that prints its configuration
    /// file.
    pub(crate) command: &'a str,
    pub(crate) facts: &'a Facts,
}

impl Ending<'_> {
    /// Returns the text, ending with a newline.
    pub(crate) fn text(&self, layout: Layout) -> String {
        let mut paragraphs = vec![("Stopped:", vec![Line::Text(self.stopped())])];
        let (label, lines) = self.found();
        paragraphs.push((label, lines.into_iter().map(Line::Text).collect()));
        if self.end.is_usable() {
            paragraphs.push(("Use it:", vec![Line::Command(self.command.to_owned())]));
        }
        paragraphs.push(("See it:", vec![Line::Commands(self.see())]));
        paragraphs.extend(self.more().map(|more| ("More:", vec![Line::Command(more)])));
        written(&paragraphs, layout)
    }

    /// Returns the text for one fold, without the full verdict. The verdict on all folds comes at the end.
    pub(crate) fn of_fold(&self, layout: Layout) -> String {
        let (costs, end) = (&self.facts.costs, self.end);
        let against = costs.against;
        let found = match end.found {
            Found::NothingMeasured => "nothing has been measured.".to_owned(),
            Found::NothingFeasible => self.nothing_feasible(),
            Found::NothingBetter => format!("{} than the {against} was found.", costs.nothing("")),
            Found::Better => {
                let training = end.progress.training.filter(|both| both.has_enough_pairs);
                let training = training.map(|both| format!("{} in training", costs.compared(&both)));
                let unseen = end.verdict.as_ref();
                let unseen = unseen.map(|found| verdict::compared(found, costs));
                let parts: Vec<String> = training.into_iter().chain(unseen).collect();
                let name = name(self.best().configuration, against);
                match parts.is_empty() {
                    true => format!("best {name}, on too few pairs to compare it with the {against}."),
                    false => format!("best {name} against the {against}: {}.", parts.join(", ")),
                }
            }
        };
        let mut lines = vec![found];
        if let Some(cut @ CutShort::GaveUp(_)) = &end.cut_short {
            lines.push(self.incomplete(cut));
        }
        let lines = lines.into_iter().map(Line::Text).collect();
        written(&[("Stopped:", vec![Line::Text(self.stopped())]), ("Found:", lines)], layout)
    }

    fn best(&self) -> &Standing {
        &self.end.progress.best
    }

    fn stopped(&self) -> String {
        let why = match &self.end.stop {
            Stop::Budget(limit) => spent(*limit, &self.facts.budget),
            Stop::Exhausted => "every configuration of the space has been tried".to_owned(),
            Stop::Interrupted => "interrupted; run the same command again to resume".to_owned(),
            Stop::Deadline => "the job is about to end; run the same command again to continue".to_owned(),
            Stop::NeverSucceeded { .. } => "the target never succeeded".to_owned(),
            Stop::DefaultWrong { .. } => format!("the {} gives wrong answers", self.facts.costs.against),
            Stop::Lost { .. } => "too many trials were lost; run the same command again to resume".to_owned(),
            Stop::Aborted(_) => "a trial could not be run; run the same command again to resume".to_owned(),
        };
        let tally = &self.end.progress.tally;
        let trials = tally.trials.all();
        let tried = counted(tally.configurations, "configuration");
        let lost = match tally.lost {
            0 => "no trials".to_owned(),
            lost => counted(lost, "trial"),
        };
        format!("{why}. {}, {tried}, {lost} lost.", counted(trials, "trial"))
    }

    fn found(&self) -> (&'static str, Vec<String>) {
        let (end, costs, best) = (self.end, &self.facts.costs, self.best());
        let against = costs.against;
        if let Some(found) = &end.verdict {
            let mut lines = verdict::lines(found, costs, Hosts::IfOther);
            lines.extend(self.unmeasured());
            lines.extend(end.cut_short.as_ref().map(|cut| self.incomplete(cut)));
            lines.extend(end.out_of_budget().map(|planned| {
                let pairs = found.pairs;
                format!(
                    "The validation's budget was spent after {pairs} of {planned} pairs; run the same command again to complete it."
                )
            }));
            return ("Verdict:", lines);
        }
        let label = if end.is_unfinished() { "So far:" } else { "Verdict:" };
        let kept = bounds::each(&best.constraints).into_iter().map(|bound| format!("{bound}."));
        match end.found {
            Found::NothingMeasured => ("So far:", vec!["nothing has been measured.".to_owned()]),
            Found::NothingFeasible => {
                let mut lines = vec![self.nothing_feasible()];
                lines.extend(self.unmeasured());
                lines.push(format!("It has {}.", costs.standing(best)));
                (label, lines)
            }
            Found::NothingBetter => {
                let nothing = format!("{} than the {against} was found", costs.nothing(""));
                let line = if end.is_unfinished() {
                    format!("{nothing} yet.")
                } else {
                    format!("{nothing}. Keep the {against}.")
                };
                let incomplete = end.cut_short.as_ref().map(|cut| self.incomplete(cut));
                let tried = counted(end.progress.tally.configurations, "configuration");
                let violating = (end.violating > 0)
                    .then(|| format!("{} of {tried} violated a bound.", count(end.violating as u64)));
                let lines = [line]
                    .into_iter()
                    .chain(violating)
                    .chain(kept)
                    .chain(self.unmeasured())
                    .chain(incomplete);
                (label, lines.collect())
            }
            Found::Better => {
                let mut line =
                    format!("best {}, {}", name(best.configuration, against), costs.standing(best));
                if let Some(training) = &end.progress.training {
                    line += &format!("; in training {}", costs.in_training(training));
                }
                let mut lines = vec![format!("{line}.")];
                lines.extend(kept);
                if !end.progress.default_is_feasible {
                    lines.push(format!("The {against} violates a bound."));
                }
                lines.extend(self.unmeasured());
                lines.push(self.unproven());
                ("So far:", lines)
            }
        }
    }

    /// Explains why a configuration that looks better has no verdict.
    fn unproven(&self) -> String {
        match self.end.unproven() {
            Unproven::CutShort(cut) => self.incomplete(cut),
            Unproven::NotWanted => {
                "Training only: there was no validation, because `validation.when` is `never`.".to_owned()
            }
            Unproven::TooShort => {
                "The validation's budget was spent before one pair was complete; raise `validation.budget`."
                    .to_owned()
            }
            Unproven::NoPairs => {
                format!(
                    "There were no other pairs on which to compare it with the {}.",
                    self.facts.costs.against
                )
            }
            Unproven::StillToCome => {
                "Training results are optimistic; the best configuration is validated when the campaign ends."
                    .to_owned()
            }
        }
    }

    fn nothing_feasible(&self) -> String {
        let (best, against) = (self.best(), self.facts.costs.against);
        format!("{}.", bounds::nothing_feasible(best.configuration, &best.constraints, against))
    }

    /// Returns a note if some trials reported no finite value for a constrained output.
    fn unmeasured(&self) -> Option<String> {
        let trials = self.end.progress.unmeasured;
        (trials > 0).then(|| {
            format!(
                "{} reported a non-finite value for a constrained output.",
                counted(trials, "finished trial")
            )
        })
    }

    /// Explains why the validation is incomplete.
    fn incomplete(&self, cut: &CutShort) -> String {
        let (pairs, planned) = (self.end.pairs(), self.end.planned.unwrap_or_default());
        match cut {
            CutShort::Interrupted => {
                "The validation was interrupted; run the same command again to complete it.".to_owned()
            }
            CutShort::Deadline => {
                format!(
                    "The validation stopped after {pairs} of {planned} pairs because the job is about to end; run the same command again to complete it."
                )
            }
            CutShort::GaveUp(why) => verdict::gave_up(why, pairs, planned),
        }
    }

    fn see(&self) -> Vec<String> {
        let folder = quoted(&self.facts.folder);
        let mut commands = vec![format!("captune status {folder}"), format!("captune best {folder}")];
        if self.end.progress.tally.trials.failed() > 0 {
            commands.push(format!("captune failures {folder}"));
        }
        commands
    }

    fn more(&self) -> Option<String> {
        let Stop::Budget(limit) = &self.end.stop else { return None };
        let (budget, spent) = (&self.facts.budget, &self.end.progress.spent);
        // An earlier session may have had a larger budget and may have spent it.
        let double = |budget: f64, spent: f64| 2.0 * if spent > 1.5 * budget { spent } else { budget };
        let argument = match limit {
            Limit::Wall => format!("--budget {}", chosen(double(budget.wall?, spent.wall))),
            Limit::Cpu => format!("--cpu-budget {}", chosen(double(budget.cpu?, spent.cpu))),
            Limit::Trials => {
                format!("--trials {}", double(budget.trials? as f64, spent.trials as f64) as u64)
            }
        };
        Some(format!("captune run {} {argument}", quoted(&self.facts.folder)))
    }
}

/// A line of a paragraph.
pub(crate) enum Line {
    /// A sentence.
    Text(String),
    /// A command to paste, which is not wrapped.
    Command(String),
    /// Several commands to paste, which are not wrapped.
    Commands(Vec<String>),
}

/// The layout of printed text: its colours and its width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) paint: Paint,
    /// Width of the terminal; `None` for a file or a pipe.
    pub(crate) width: Option<usize>,
}

impl Layout {
    /// Returns the layout for standard error.
    pub(crate) fn of_standard_error() -> Self {
        Self { paint: Paint::of_standard_error(), width: wrap::stderr_width() }
    }
}

/// Formats paragraphs, each with its label in front, and joins them.
pub(crate) fn written(paragraphs: &[(&str, Vec<Line>)], Layout { paint, width }: Layout) -> String {
    const LABEL: usize = 9;
    let mut text = String::new();
    for (label, lines) in paragraphs {
        for (number, line) in lines.iter().enumerate() {
            let (label, start) = (if number == 0 { label } else { "" }, " ".repeat(LABEL));
            let body = match line {
                Line::Text(sentence) => {
                    wrap::paragraph(&format!("{start}{}", harmless(sentence)), width, LABEL)
                }
                Line::Command(command) => start + &harmless(command),
                Line::Commands(commands) => start + &harmless(&wrap::parts(commands, " · ", width, LABEL)),
            };
            // The label replaces the indentation of the line.
            let label = format!("{label:<LABEL$}");
            let label = if number == 0 { paint.heading(&label) } else { label };
            text += &format!("{label}{}\n", &body[LABEL..]);
        }
    }
    text
}

fn spent(limit: Limit, budget: &Budget) -> String {
    let only = match limit {
        Limit::Wall => Budget { wall: budget.wall, ..Budget::default() },
        Limit::Cpu => Budget { cpu: budget.cpu, ..Budget::default() },
        Limit::Trials => Budget { trials: budget.trials, ..Budget::default() },
    };
    format!("the budget of {} is spent", words::budget(&only))
}

/// Returns the command that the user can paste to use the best configuration of a campaign.
pub(crate) fn how_to_use(scenario: &Scenario, configuration: &Configuration, folder: &str) -> String {
    // If the target reads its configuration from a file, its command does not contain the configuration.
    match &scenario.target.config_file {
        Some(_) => format!("captune best {} --as file", quoted(folder)),
        None => CommandLine::to_paste(scenario, configuration),
    }
}
