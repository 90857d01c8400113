//! `captune run`: runs a campaign from start to verdict.

pub(crate) mod failing;
pub(crate) mod fleet;
mod folds;
pub(crate) mod inline;
pub(crate) mod job;
pub(crate) mod plan;
pub(crate) mod stopping;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use campaign::budget::Budget;
use campaign::conduct::{self, Opened, Order, Outcome};
use campaign::deadline;
use campaign::event::Stop;
use clap::Args;
use confine::quantity::parse_duration;
use confine::{Control, Tier};
use engine::TrialRequest;
use engine::history::Trial;
use execution::{Detail, ProcessTarget, Record};
use scenario::Scenario;
use scenario::shell::quoted;
use view::{CutShort, Kept};

use crate::doctor;
use crate::ending::{Ending, Layout, how_to_use};
use crate::exit_code::ExitCode;
use crate::goal;
use crate::message::{self, Hinted};
use crate::progress::{Choice, Display, Facts};
use crate::signals;
use crate::trouble::explained;
use crate::words::{Costs, harmless, span};
use inline::Terms;
use job::Job;
use stopping::Stopping;

/// Possible reasons why a supervisor was killed.
const LOST_HINT: &str = "hint: the process that supervises a trial was killed: by the target (check whether it kills its \
    parent), by a user, or by the kernel because memory ran out (set `limits.memory` to limit the memory of a trial)";

#[derive(Args, Debug)]
#[command(after_help = "\
A new campaign is stored in a folder next to its scenario: cnf.campaign for
cnf.toml. The same command resumes it after Ctrl-C or a power cut, or with a
larger budget; every trial that has ended is stored. docs/reference/scenario.md
explains what happens if you change the scenario of a campaign.

Instead of a scenario, you can pass a command, with ranges and choices in place
of values. captune then writes a scenario to captune.toml, or to the file that
you name before the command:
  captune run --instances 'cnf/*.cnf' --cutoff 30s --budget 1h \\
    --success-exit 10,20 -- \\
    minisat '-rinc={1.1..4.0 = 2}' '-ccmin-mode={0|1|2 = 2}' {instance}

Exit code: 0 if the campaign ended; 1 if too many trials were lost; 2 if the
arguments or the scenario are invalid; 3 if the target never succeeded; 4 if
this machine cannot enforce a limit; 5 if the folder cannot be used; 130 if you
interrupted the campaign or its Slurm job is about to end.")]
pub(crate) struct Arguments {
    /// Scenario, or folder of a campaign [default: captune.toml]
    #[arg(value_name = "SCENARIO|DIR")]
    path: Option<PathBuf>,
    /// Folder of the campaign [default: named after the scenario]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Wall time for the whole campaign (90s, 2h) [default: the scenario's]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = parse_duration)]
    budget: Option<Duration>,
    /// CPU time for all trials [default: the scenario's]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = parse_duration)]
    cpu_budget: Option<Duration>,
    /// Stop after this many trials [default: the scenario's]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    trials: Option<u64>,
    /// Number of trials that run at the same time [default: the scenario's]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    workers: Option<u32>,
    /// Random seed [default: the scenario's]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Progress display: auto (a status block in a terminal, lines elsewhere), lines (one per new best
    /// and one per minute), json (every event, on standard output) or none
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Choice::Auto, hide_possible_values = true)]
    progress: Choice,
    /// Runs to start with, in any format that `captune import` reads; each is imported once
    #[arg(long, value_name = "FROM")]
    import: Option<PathBuf>,
    #[command(flatten)]
    fleet: fleet::FleetArguments,
    #[command(flatten)]
    inline: inline::InlineCommand,
}

impl Arguments {
    /// Returns arguments that run a scenario with a budget and leave all other options at their defaults.
    pub(crate) fn of_scenario(path: PathBuf, budget: Duration, progress: Choice) -> Self {
        let (dir, cpu_budget, trials, workers, seed) = (None, None, None, None, None);
        let (import, fleet, inline) =
            (None, fleet::FleetArguments::default(), inline::InlineCommand::default());
        Self {
            path: Some(path),
            dir,
            budget: Some(budget),
            cpu_budget,
            trials,
            workers,
            seed,
            progress,
            import,
            fleet,
            inline,
        }
    }

    /// Returns the same arguments for workers on this machine that join. If a command was given, first writes a
    /// scenario for it.
    pub(crate) fn on_this_fleet(mut self) -> anyhow::Result<Self> {
        self.fleet.fleet = true;
        self.path = Some(self.path()?);
        self.inline = inline::InlineCommand::default();
        self.fleet.listen = self.fleet.listen.or(Some(std::net::Ipv4Addr::LOCALHOST.into()));
        Ok(self)
    }

    /// Returns the folder of the campaign.
    pub(crate) fn folder(&self) -> anyhow::Result<PathBuf> {
        Ok(self.order(self.path()?, None).folder())
    }

    /// Returns the path of the scenario or folder. If a command was given, first writes a scenario for it.
    fn path(&self) -> anyhow::Result<PathBuf> {
        self.inline.check()?;
        self.fleet.check()?;
        if self.fleet.fleet && self.workers.is_some() {
            let message = "--workers counts trials on this machine, but those of a fleet run on its workers";
            let hint = "leave it out; `captune worker --slots` sets the number for each worker";
            return Err(Hinted { message: message.to_owned(), hint: hint.to_owned() }.into());
        }
        if self.inline.is_given() {
            let Self { budget: wall, cpu_budget: cpu, trials, workers, seed, .. } = *self;
            return self.inline.write(self.path.as_deref(), &Terms { wall, cpu, trials, workers, seed });
        }
        Ok(self.path.clone().unwrap_or_else(|| goal::FILE.into()))
    }

    fn order(&self, path: PathBuf, until: Option<SystemTime>) -> Order {
        Order {
            path,
            folder: self.dir.clone(),
            budget: Budget {
                wall: self.budget.map(|time| time.as_secs_f64()),
                cpu: self.cpu_budget.map(|time| time.as_secs_f64()),
                trials: self.trials,
            },
            workers: self.workers.map(|workers| workers as usize),
            seed: self.seed,
            until,
            remote: self.fleet.fleet,
        }
    }
}

/// Runs a campaign and reports how it ended.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    // From here on, a Ctrl-C waits until the campaign can be stopped cleanly.
    let signals = signals::listen()?;
    let path = arguments.path()?;
    if path.is_file() && !arguments.fleet.fleet {
        // Reject limits that cannot be enforced before a folder is created.
        tier(&conduct::scenario_of_file(&path).map_err(explained)?.1)?;
    }
    let job = Job::around_us();
    let order = arguments.order(path, job.as_ref().and_then(Job::end));
    if let Some(from) = &arguments.import {
        crate::import::bring_in(&order, from, &[])?;
    }
    if let Some(folds) = conduct::open_folds(&order).map_err(explained)? {
        arguments.fleet.refuse_folds()?;
        return folds::run(folds, &order, job.as_ref(), arguments.progress, &Stopping::on(signals));
    }
    let opened = conduct::open(&order).map_err(explained)?;
    warn(&opened.scenario);
    let local = if order.remote { None } else { Some((opened.workers, tier(&opened.scenario)?)) };
    message::note(&plan::headline(&opened.scenario, local));
    plan::opening(&opened, job.as_ref()).iter().for_each(|line| message::note(line));
    let stopping = Stopping::on(signals);
    let ended = Ended::of(opened, &arguments.fleet, arguments.progress, &stopping)?;
    ended.say(stopping.is_interrupted(), 0, |ending, layout| ending.text(layout))
}

/// A campaign that has ended, with the data for its last lines.
struct Ended {
    outcome: Outcome,
    facts: Facts,
    scenario: Arc<Scenario>,
    target: ProcessTarget,
}

impl Ended {
    /// Runs a campaign to its end.
    fn of(
        opened: Opened,
        fleet: &fleet::FleetArguments,
        progress: Choice,
        stopping: &Stopping,
    ) -> anyhow::Result<Self> {
        let (facts, scenario) = (facts(&opened), Arc::clone(&opened.scenario));
        let target = ProcessTarget::new(Arc::clone(&scenario)).on(opened.instances.clone());
        let mut display = Display::new(progress, facts.clone());
        let outcome = if fleet.fleet {
            fleet.run(opened, stopping, &mut |event| display.show(event))
        } else {
            let run = opened.run(|bell| stopping.register(bell), &mut |event| display.show(event));
            run.map_err(explained)
        };
        display.close();
        Ok(Self { outcome: outcome?, facts, scenario, target })
    }
}

/// Prints the warnings about a scenario.
pub(crate) fn warn(scenario: &Scenario) {
    let warnings = scenario.warnings.to_string();
    if !warnings.is_empty() {
        message::note(&warnings);
    }
}

/// Returns the tier for the trials, or an error if no tier can enforce the scenario's limits.
pub(crate) fn tier(scenario: &Scenario) -> anyhow::Result<Tier> {
    let target = ProcessTarget::new(Arc::new(scenario.clone()));
    let cap = conduct::objective(scenario).full_cap();
    let tried = confine::run(&doctor::nothing(), &target.limits(cap, None), &Control::new())?;
    Ok(tried.tier)
}

fn facts(opened: &Opened) -> Facts {
    Facts {
        folder: opened.folder.to_string_lossy().into_owned(),
        budget: opened.settings.budget,
        costs: Costs::of(&opened.scenario),
        default: opened.settings.problem.default.clone(),
        instances: u64::from(opened.settings.problem.instances),
        workers: opened.workers as u64,
    }
}

impl Ended {
    /// Returns the number of trials that ended in this session. Returns 0 if there is no deadline.
    fn trials_ended(&self) -> u64 {
        self.outcome.deadline.map_or(0, |deadline| deadline.ended())
    }

    /// Prints the last lines and returns the exit code. The function `text` formats them. `before` is the
    /// number of trials of other folds that ended in this run.
    fn say(
        &self,
        interrupted: bool,
        before: u64,
        text: fn(&Ending<'_>, Layout) -> String,
    ) -> anyhow::Result<ExitCode> {
        let Self { outcome, facts, scenario, target } = self;
        let command = how_to_use(scenario, &outcome.best.configuration, &facts.folder);
        let refused = outcome.deadline.and_then(|deadline| deadline.refused());
        let wanted = scenario.validation.at_the_end;
        let end = &view::Ending::of(outcome, wanted, interrupted, &facts.costs);
        let ending = Ending { end, command: &command, facts };
        Ok(match &outcome.stop {
            Stop::NeverSucceeded { trial } => {
                message::say("error: the target never succeeded: every trial so far failed. One of them:");
                let FailedTrial { command, detail } = FailedTrial::of(trial, facts, target)?;
                message::note(
                    failing::explanation(&command, trial.status(), &detail, &scenario.target).trim_end(),
                );
                ExitCode::TargetFailed
            }
            Stop::DefaultWrong { trial } => {
                message::say(&format!(
                    "error: the {} gives a wrong answer, so nothing can be compared with it. The trial:",
                    facts.costs.against
                ));
                let FailedTrial { command, detail } = FailedTrial::of(trial, facts, target)?;
                message::note(
                    failing::explanation(&command, trial.status(), &detail, &scenario.target).trim_end(),
                );
                message::note(&format!("  captune rerun {} {}", quoted(&facts.folder), trial.trial.id));
                ExitCode::TargetFailed
            }
            Stop::Lost { trial, lost, of } => {
                let FailedTrial { command, detail } = FailedTrial::of(trial, facts, target)?;
                let reason = detail.reason.as_deref().unwrap_or_else(|| trial.status().name());
                message::say(&format!(
                    "error: too many trials were lost: {lost} of {of}. The last one ({}):",
                    harmless(reason)
                ));
                message::raw(&format!("  {command}"));
                message::note(LOST_HINT);
                message::painted(text(&ending, Layout::of_standard_error()).trim_end());
                ExitCode::Failed
            }
            Stop::Aborted(why) => {
                message::say(&format!("error: {why}"));
                message::painted(text(&ending, Layout::of_standard_error()).trim_end());
                ExitCode::TargetFailed
            }
            Stop::Budget(_) | Stop::Exhausted | Stop::Interrupted | Stop::Deadline => {
                message::painted(text(&ending, Layout::of_standard_error()).trim_end());
                let code = exit_code(interrupted, refused.is_some(), before + self.trials_ended());
                if let (ExitCode::Failed, Some(needed)) = (code, refused) {
                    message::say(&too_short(needed, scenario));
                }
                match &end.cut_short {
                    Some(CutShort::GaveUp(why)) => why.into(),
                    _ => code,
                }
            }
        })
    }
}

/// Returns the exit code of a campaign that stopped cleanly after this number of trials.
fn exit_code(interrupted: bool, out_of_time: bool, trials: u64) -> ExitCode {
    match (interrupted, out_of_time) {
        (false, false) => ExitCode::Done,
        // This must be a failure: otherwise a job that requeues itself would do so endlessly.
        (false, true) if trials == 0 => ExitCode::Failed,
        _ => ExitCode::Interrupted,
    }
}

/// Explains why no trial could end in this job.
fn too_short(needed: f64, scenario: &Scenario) -> String {
    let margin = span(deadline::margin(scenario).as_secs_f64());
    let longest =
        if needed > 0.0 { format!("a trial takes up to {}, and ", span(needed)) } else { String::new() };
    format!(
        "error: no trial can end before the job ends: {longest}the campaign stops {margin} before the end.\n\
         hint: request a job that is many times as long as a trial"
    )
}

/// A failed trial, as stored by its campaign.
struct FailedTrial {
    /// The command of the trial, ready to paste.
    command: String,
    /// The details of the trial, which may be from an earlier session.
    detail: Detail,
}

impl FailedTrial {
    fn of(record: &Record, facts: &Facts, target: &ProcessTarget) -> anyhow::Result<Self> {
        let kept = Kept::open(Path::new(&facts.folder))?;
        let Trial { id, key, cap, why, .. } = record.trial;
        let configuration = kept.configuration(key.config)?;
        let command = target.command_line(&TrialRequest { id, key, configuration, cap, why })?.to_string();
        let detail = kept.trial(id)?.map_or_else(|| record.detail.clone(), |stored| stored.detail);
        Ok(Self { command, detail })
    }
}
