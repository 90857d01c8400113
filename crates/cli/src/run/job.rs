//! The Slurm job that a campaign runs in, if it does, and when that ends.
//!
//! | asked in this order | says |
//! |---|---|
//! | `SLURM_JOB_END_TIME`, of Slurm 23.02 and newer | seconds since 1970 |
//! | `squeue --noheader --jobs=ID --format=%L` | the time left: days-hours:minutes:seconds |

use std::env;
use std::time::{Duration, SystemTime};

use campaign::conduct::Opened;
use confine::{Command, Control, End as ProcessEnd, Limits};

use crate::message;
use crate::words::{clock, harmless, span};

/// The variable that names the job.
const ID: &str = "SLURM_JOB_ID";
/// The variables that name a task of a job array.
const ARRAY: &str = "SLURM_ARRAY_JOB_ID";
const TASK: &str = "SLURM_ARRAY_TASK_ID";
/// The variable that says when it ends.
const END_TIME: &str = "SLURM_JOB_END_TIME";
/// How long `squeue` may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How much it may say.
const ANSWER: usize = 4096;

/// A job.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Job {
    id: String,
    end: End,
}

/// When a job ends.
#[derive(Clone, PartialEq, Debug)]
enum End {
    At(SystemTime),
    /// It has no time limit.
    Never,
    /// Nobody says, for this reason.
    Unknown(String),
}

impl Job {
    /// The job that this process runs in; says what is doubtful about it.
    pub(crate) fn around_us() -> Option<Self> {
        // The number of one task of an array may be that of the array.
        let task = variable(ARRAY).zip(variable(TASK)).map(|(array, task)| format!("{array}_{task}"));
        let id = variable(ID).map(|id| task.unwrap_or(id))?;
        let now = SystemTime::now();
        let end = match variable(END_TIME).map(|text| end_time(&text, now)) {
            Some(Ok(end)) => End::At(end),
            Some(Err(why)) => {
                message::note(&format!("warning: {END_TIME} {why}: asking squeue"));
                ask_squeue(&id, now)
            }
            None => ask_squeue(&id, now),
        };
        Some(Self { id, end })
    }

    /// When it ends, as far as that is known.
    pub(crate) fn end(&self) -> Option<SystemTime> {
        match self.end {
            End::At(end) => Some(end),
            End::Never | End::Unknown(_) => None,
        }
    }

    /// What the job means for a campaign.
    pub(crate) fn plan(&self, opened: &Opened) -> String {
        let wall = opened.settings.budget.wall.map(|wall| (wall - opened.so_far().wall).max(0.0));
        self.line(SystemTime::now(), opened.time_left().unwrap_or(0.0), wall)
    }

    /// With so many seconds left for the campaign, and so many of its budget.
    fn line(&self, now: SystemTime, left: f64, budget: Option<f64>) -> String {
        let job = format!("Slurm job {}", harmless(&self.id));
        let end = match &self.end {
            End::Never => return format!("{job} has no time limit"),
            End::Unknown(why) => {
                let why = harmless(why);
                return format!("{job}: when it ends is not known ({why}); SIGTERM or SIGUSR1 stop cleanly");
            }
            End::At(end) => end.duration_since(now).unwrap_or_default().as_secs_f64(),
        };
        let end = format!("{job} ends in {}", clock(end));
        match budget {
            _ if left <= 0.0 => format!("{end}: too soon to begin anything"),
            Some(budget) if budget > left => format!(
                "{end}: the campaign stops {} before its budget is spent; the same command goes on",
                span(budget - left)
            ),
            Some(_) => format!("{end}: the budget is spent before that"),
            None => format!("{end}: the campaign stops before that; the same command goes on"),
        }
    }
}

fn variable(name: &str) -> Option<String> {
    env::var_os(name).map(|value| value.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
}

/// The end that a variable tells; else what is wrong with it.
fn end_time(text: &str, now: SystemTime) -> Result<SystemTime, String> {
    let seconds: u64 = text
        .trim()
        .parse()
        .map_err(|_| format!("is `{}`, which is no time in seconds since 1970", harmless(text)))?;
    let end = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
    let end = end.ok_or_else(|| format!("is {seconds}, which no clock reaches"))?;
    // A job may be given more time while it runs; or its variables have outlived it.
    if end <= now { Err(format!("is {seconds}, which has passed")) } else { Ok(end) }
}

fn ask_squeue(id: &str, now: SystemTime) -> End {
    let jobs = format!("--jobs={id}");
    let command = Command::new("squeue")
        .args(["--noheader", &jobs, "--format=%L"])
        .pass_env("*")
        .keep_output(ANSWER, ANSWER);
    let limits = Limits { wall: Some(PATIENCE), ..Limits::default() };
    let finished = match confine::run(&command, &limits, &Control::new()) {
        Ok(finished) => finished,
        Err(error) => return End::Unknown(format!("squeue cannot be run: {error}")),
    };
    let text = |stream: &confine::Captured| String::from_utf8_lossy(&stream.joined()).trim().to_owned();
    match finished.end() {
        ProcessEnd::Exited(0) => time_left(&text(&finished.stdout), now),
        ProcessEnd::Exited(code) => {
            let said = text(&finished.stderr);
            let said = said.lines().last().map(|line| format!(": {line}")).unwrap_or_default();
            End::Unknown(format!("squeue failed with exit code {code}{said}"))
        }
        ProcessEnd::Signalled(signal) => End::Unknown(format!("squeue was ended by signal {signal}")),
        ProcessEnd::Stopped(_) | ProcessEnd::Cancelled => {
            End::Unknown(format!("squeue said nothing within {}", span(PATIENCE.as_secs_f64())))
        }
    }
}

/// The end that `squeue` tells by the time left.
fn time_left(answer: &str, now: SystemTime) -> End {
    if answer == "UNLIMITED" {
        return End::Never;
    }
    let end = seconds(answer).and_then(|left| now.checked_add(Duration::from_secs(left)));
    end.map_or_else(|| End::Unknown(format!("squeue says `{answer}`")), End::At)
}

/// `[days-][hours:]minutes:seconds`.
fn seconds(text: &str) -> Option<u64> {
    let (days, clock) = text.split_once('-').unwrap_or(("0", text));
    let parts: Vec<u64> = clock.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    if !(2..=3).contains(&parts.len()) {
        return None;
    }
    let time = parts.iter().try_fold(0u64, |sum, &part| sum.checked_mul(60)?.checked_add(part))?;
    days.parse::<u64>().ok()?.checked_mul(86_400)?.checked_add(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn the_time_left_is_read_as_squeue_writes_it() {
        let all = [("0:59", 59), ("12:34", 754), ("3:00:01", 10_801), ("2-00:00:05", 172_805)];
        for (text, expected) in all {
            assert_eq!(time_left(text, moment(1000)), End::At(moment(1000 + expected)), "{text}");
        }
        assert_eq!(time_left("UNLIMITED", moment(0)), End::Never);
        for text in ["", "NOT_SET", "INVALID", "5", "1:2:3:4", "-1:00", "1:x", "99999999999999999999-0:00"] {
            assert_eq!(time_left(text, moment(0)), End::Unknown(format!("squeue says `{text}`")));
        }
    }

    #[test]
    fn an_end_time_is_in_the_future() {
        assert_eq!(end_time(" 1001\n", moment(1000)), Ok(moment(1001)));
        for (text, why) in [
            ("soon", "is `soon`, which is no time in seconds since 1970"),
            ("-5", "is `-5`, which is no time in seconds since 1970"),
            ("1000", "is 1000, which has passed"),
            ("18446744073709551615", "is 18446744073709551615, which no clock reaches"),
        ] {
            assert_eq!(end_time(text, moment(1000)), Err(why.to_owned()));
        }
    }

    #[test]
    fn the_plan_says_what_the_end_means() {
        let job = |end| Job { id: "17".to_owned(), end };
        let line = |left, budget| job(End::At(moment(5000))).line(moment(1400), left, budget);
        insta::assert_snapshot!(
            [
                line(3590.0, Some(7200.0)),
                line(3590.0, Some(600.0)),
                line(3590.0, None),
                line(0.0, Some(600.0)),
                job(End::Never).line(moment(0), 0.0, None),
                job(End::Unknown("squeue says `NOT_SET`".to_owned())).line(moment(0), 0.0, None),
            ]
            .join("\n"),
            @r"
        Slurm job 17 ends in 1:00:00: the campaign stops 60.2 min before its budget is spent; the same command goes on
        Slurm job 17 ends in 1:00:00: the budget is spent before that
        Slurm job 17 ends in 1:00:00: the campaign stops before that; the same command goes on
        Slurm job 17 ends in 1:00:00: too soon to begin anything
        Slurm job 17 has no time limit
        Slurm job 17: when it ends is not known (squeue says `NOT_SET`); SIGTERM or SIGUSR1 stop cleanly
        "
        );
    }
}
