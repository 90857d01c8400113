//! The last lines of a run: why it stopped, what it found, how to use it, how to go on.

use campaign::budget::{Budget, Limit};
use campaign::event::Stop;
use campaign::progress::Progress;
use campaign::validation::{GaveUp, Judged};
use engine::stats::Basis;
use engine::{ConfigId, Status};
use scenario::shell::quoted;

use super::plan;
use super::verdict;
use crate::paint::Paint;
use crate::progress::Facts;
use crate::progress::block::name;
use crate::words::{chosen, count, counted, harmless};

/// What kept a validation from its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CutShort<'a> {
    /// Someone stopped it.
    Interrupted,
    /// The job ends.
    Deadline,
    /// Trials could not be run, or were lost each time.
    GaveUp(&'a GaveUp),
}

/// How a campaign ended, for its last lines.
pub(crate) struct Ending<'a> {
    pub(crate) stop: &'a Stop,
    pub(crate) progress: &'a Progress,
    pub(crate) verdict: Option<&'a Judged>,
    /// Why the verdict rests on a part of the validation, if not because its budget was spent.
    pub(crate) cut_short: Option<CutShort<'a>>,
    /// Pairs that the validation was to have; none if there is to be no validation.
    pub(crate) planned: Option<usize>,
    /// The best configuration's command, ready to paste; or the one that prints its file.
    pub(crate) command: &'a str,
    pub(crate) facts: &'a Facts,
}

impl Ending<'_> {
    /// The text, with a line at its end.
    pub(crate) fn text(&self, paint: Paint) -> String {
        let mut paragraphs: Vec<(&str, Vec<String>)> = vec![("Stopped:", vec![self.stopped()])];
        let (label, lines) = self.found();
        paragraphs.push((label, lines));
        if self.is_usable() {
            paragraphs.push(("Use it:", vec![self.command.to_owned()]));
        }
        paragraphs.push(("See it:", vec![self.see()]));
        paragraphs.extend(self.more().map(|more| ("More:", vec![more])));
        written(&paragraphs, paint)
    }

    /// The text of one fold of several: what may be claimed is said of all together.
    pub(crate) fn of_fold(&self, paint: Paint) -> String {
        let costs = &self.facts.costs;
        let (best, against) = (&self.progress.best, costs.against);
        let found = match best.config {
            _ if best.pairs == 0 => "nothing has been measured.".to_owned(),
            _ if !best.is_feasible() => self.nothing_feasible(),
            ConfigId(0) => format!("{} than the {against} was found.", costs.nothing("")),
            config => {
                let training = self.progress.default.filter(|both| both.has_enough_pairs);
                let training = training.map(|both| format!("{} in training", costs.compared(&both)));
                let unseen = self
                    .verdict
                    .map(|found| &found.verdict)
                    .map(|found| format!("{} on {}", costs.gain(found.comparison.ratio), verdict::on(found)));
                let parts: Vec<String> = training.into_iter().chain(unseen).collect();
                format!("best {} against the {against}: {}.", name(config, against), parts.join(", "))
            }
        };
        let mut lines = vec![found];
        if let Some(cut @ CutShort::GaveUp(_)) = self.cut_short {
            let pairs = self.verdict.map_or(0, |found| found.verdict.comparison.pairs);
            lines.push(self.incomplete(cut, pairs));
        }
        written(&[("Stopped:", vec![self.stopped()]), ("Found:", lines)], paint)
    }

    fn stopped(&self) -> String {
        let why = match self.stop {
            Stop::Budget(limit) => spent(*limit, &self.facts.budget),
            Stop::Exhausted => "every configuration of the space has been tried".to_owned(),
            Stop::Interrupted => "interrupted; the same command resumes".to_owned(),
            Stop::Deadline => "the job ends; run the same command again to go on".to_owned(),
            Stop::NeverSucceeded { .. } => "the target never succeeded".to_owned(),
            Stop::DefaultWrong { .. } => format!("the {} gives wrong answers", self.facts.costs.against),
            Stop::Lost { .. } => "trials are lost again and again; the same command resumes".to_owned(),
            Stop::Aborted(_) => "no trial can be run; the same command resumes".to_owned(),
        };
        let trials: u64 = self.progress.counts.iter().sum();
        let tried = counted(self.progress.configurations as u64, "configuration");
        let lost = match self.progress.lost {
            0 => "none".to_owned(),
            lost => count(lost),
        };
        format!("{why}. {}, {tried}, {lost} lost.", counted(trials, "trial"))
    }

    fn found(&self) -> (&'static str, Vec<String>) {
        let best = &self.progress.best;
        let against = self.facts.costs.against;
        if let Some(found) = self.verdict {
            let mut lines = verdict::lines(found, &self.facts.costs);
            lines.extend(self.unmeasured());
            let found = &found.verdict;
            let pairs = found.comparison.pairs;
            if let Some(cut) = self.cut_short {
                lines.push(self.incomplete(cut, pairs));
            } else if let Some(planned) =
                self.planned.filter(|&planned| pairs < planned && found.basis != Basis::TrainingOnly)
            {
                lines.push(format!(
                    "The validation's budget was spent after {pairs} of {planned} pairs: the same command completes it."
                ));
            }
            return ("Verdict:", lines);
        }
        if best.pairs == 0 {
            return ("So far:", vec!["nothing has been measured.".to_owned()]);
        }
        let unfinished = self.is_unfinished();
        if !best.is_feasible() {
            let mut lines = vec![self.nothing_feasible()];
            lines.extend(self.unmeasured());
            lines.push(format!("It has {}.", self.facts.costs.standing(best)));
            return (if unfinished { "So far:" } else { "Verdict:" }, lines);
        }
        let kept = self.facts.costs.bounds.each(&best.holdings).into_iter().map(|bound| format!("{bound}."));
        if best.config == ConfigId(0) {
            let nothing = format!("{} than the {against} was found", self.facts.costs.nothing(""));
            let line = if unfinished {
                format!("{nothing} yet.")
            } else {
                format!("{nothing}. Keep the {against}.")
            };
            let label = if unfinished { "So far:" } else { "Verdict:" };
            let incomplete = self.cut_short.map(|cut| self.incomplete(cut, 0));
            let lines = [line].into_iter().chain(kept).chain(self.unmeasured()).chain(incomplete);
            return (label, lines.collect());
        }
        let mut line = format!("best {}, {}", name(best.config, against), self.facts.costs.standing(best));
        if let Some(compared) = self.progress.default {
            line += &format!("; in training {}", self.facts.costs.in_training(&compared));
        }
        let mut lines = vec![format!("{line}.")];
        lines.extend(kept);
        if !self.progress.default_is_feasible {
            lines.push(format!("The {against} does not keep every bound."));
        }
        lines.extend(self.unmeasured());
        lines.push(match self.stop {
            _ if let Some(cut) = self.cut_short => self.incomplete(cut, 0),
            Stop::Budget(_) | Stop::Exhausted if self.planned.is_none() => {
                "Training only: it was not validated, as `validation.when` says.".to_owned()
            }
            Stop::Budget(_) | Stop::Exhausted if self.planned.is_some_and(|pairs| pairs > 0) => {
                "The validation's budget was spent before it had one whole pair: raise `validation.budget`."
                    .to_owned()
            }
            Stop::Budget(_) | Stop::Exhausted => {
                format!("It could not be compared with the {against} on other pairs.")
            }
            _ => "Training flatters: what holds is measured when the campaign ends.".to_owned(),
        });
        ("So far:", lines)
    }

    /// Whether the search stopped before its end.
    fn is_unfinished(&self) -> bool {
        matches!(self.stop, Stop::Interrupted | Stop::Deadline | Stop::Aborted(_) | Stop::Lost { .. })
    }

    fn nothing_feasible(&self) -> String {
        let (best, costs) = (&self.progress.best, &self.facts.costs);
        format!("{}.", costs.bounds.nothing_feasible(best.config, &best.holdings, costs.against))
    }

    /// That some trials did not tell what is bounded.
    fn unmeasured(&self) -> Option<String> {
        let trials = self.progress.unmeasured;
        (trials > 0).then(|| {
            format!("{} told no finite number where one is bounded.", counted(trials, "finished trial"))
        })
    }

    /// That there is more of the validation to be done.
    fn incomplete(&self, cut: CutShort<'_>, pairs: usize) -> String {
        let planned = self.planned.unwrap_or_default();
        match cut {
            CutShort::Interrupted => {
                "The validation was interrupted: the same command completes it.".to_owned()
            }
            CutShort::Deadline => {
                format!(
                    "The job ends after {pairs} of {planned} pairs of the validation: run the same command again to complete it."
                )
            }
            CutShort::GaveUp(why) => verdict::gave_up(why, pairs, planned),
        }
    }

    /// Whether what was found may be better than the default.
    fn is_usable(&self) -> bool {
        let best = &self.progress.best;
        best.config != ConfigId(0) && best.is_feasible() && self.verdict.is_none_or(Judged::is_worth_using)
    }

    fn see(&self) -> String {
        let folder = quoted(&self.facts.folder);
        let mut commands = vec![format!("captune status {folder}"), format!("captune best {folder}")];
        let failed: u64 = Status::ALL
            .iter()
            .filter(|status| status.is_failure())
            .map(|&status| self.progress.count(status))
            .sum();
        if failed > 0 {
            commands.push(format!("captune failures {folder}"));
        }
        commands.join(" · ")
    }

    fn more(&self) -> Option<String> {
        let Stop::Budget(limit) = self.stop else { return None };
        let budget = &self.facts.budget;
        let argument = match limit {
            Limit::Wall => format!("--budget {}", chosen(2.0 * budget.wall?)),
            Limit::Cpu => format!("--cpu-budget {}", chosen(2.0 * budget.cpu?)),
            Limit::Trials => format!("--trials {}", 2 * budget.trials?),
        };
        Some(format!("captune run {} {argument}", quoted(&self.facts.folder)))
    }
}

/// Paragraphs with their labels before them.
pub(crate) fn written(paragraphs: &[(&str, Vec<String>)], paint: Paint) -> String {
    let mut text = String::new();
    for (label, lines) in paragraphs {
        for (number, line) in lines.iter().enumerate() {
            let start = if number == 0 { paint.heading(&format!("{label:<9}")) } else { " ".repeat(9) };
            text += &format!("{start}{}\n", harmless(line));
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
    format!("the budget of {} is spent", plan::budget(&only))
}
