//! The Slurm job that a campaign runs in, if any, and the time when the job ends.
//!
//! | source, in this order | format |
//! |---|---|
//! | `SLURM_JOB_END_TIME`, in Slurm 23.02 and newer | seconds since the epoch |
//! | `squeue --noheader --jobs=ID --format=%L` | the time left: days-hours:minutes:seconds |

use std::env;
use std::time::{Duration, SystemTime};

use campaign::conduct::Opened;
use confine::{Command, Control, End as ProcessEnd, Limits};

use crate::message;
use crate::words::{clock, harmless, span};

/// Variable with the number of the job.
const ID: &str = "SLURM_JOB_ID";
/// Variables with the numbers of a job array and of its task.
const ARRAY: &str = "SLURM_ARRAY_JOB_ID";
const TASK: &str = "SLURM_ARRAY_TASK_ID";
/// Variable with the end time of the job.
const END_TIME: &str = "SLURM_JOB_END_TIME";
/// Time limit for `squeue`.
const PATIENCE: Duration = Duration::from_secs(10);
/// Size limit for the answer from `squeue`, in bytes.
const ANSWER: usize = 4096;

/// A Slurm job.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Job {
    id: String,
    end: End,
}

/// The end of a job.
#[derive(Clone, PartialEq, Debug)]
enum End {
    At(SystemTime),
    /// The job has no time limit.
    Never,
    /// The end is unknown, for the given reason.
    Unknown(String),
}

impl Job {
    /// Returns the job that this process runs in, if any. Warns about an invalid end time.
    pub(crate) fn around_us() -> Option<Self> {
        // Prefer the numbers of array and task: the job number alone may be that of the whole array.
        let task = variable(ARRAY).zip(variable(TASK)).map(|(array, task)| format!("{array}_{task}"));
        let id = variable(ID).map(|id| task.unwrap_or(id))?;
        let now = SystemTime::now();
        let end = match variable(END_TIME).map(|text| end_time(&text, now)) {
            Some(Ok(end)) => End::At(end),
            Some(Err(why)) => {
                message::note(&format!("warning: {END_TIME}: {why}; asking squeue instead"));
                ask_squeue(&id, now)
            }
            None => ask_squeue(&id, now),
        };
        Some(Self { id, end })
    }

    /// Returns the end of the job, if known.
    pub(crate) fn end(&self) -> Option<SystemTime> {
        match self.end {
            End::At(end) => Some(end),
            End::Never | End::Unknown(_) => None,
        }
    }

    /// Describes how the end of the job affects a campaign.
    pub(crate) fn plan(&self, opened: &Opened) -> String {
        let wall = opened.settings.budget.wall.map(|wall| (wall - opened.so_far().wall).max(0.0));
        self.line(SystemTime::now(), opened.time_left().unwrap_or(0.0), wall)
    }

    /// Returns the line about the job. `left` is the time left for the campaign, and `budget` is the rest of
    /// its budget, both in seconds.
    fn line(&self, now: SystemTime, left: f64, budget: Option<f64>) -> String {
        let job = format!("Slurm job {}", harmless(&self.id));
        let end = match &self.end {
            End::Never => return format!("{job} has no time limit"),
            End::Unknown(why) => {
                let why = harmless(why);
                return format!(
                    "{job}: end time unknown ({why}); SIGTERM or SIGUSR1 stops the campaign cleanly"
                );
            }
            End::At(end) => end.duration_since(now).unwrap_or_default().as_secs_f64(),
        };
        let end = format!("{job} ends in {}", clock(end));
        match budget {
            _ if left <= 0.0 => format!("{end}: too little time to start a trial"),
            Some(budget) if budget > left => format!(
                "{end}: the campaign stops {} before its budget runs out; the same command resumes it",
                span(budget - left)
            ),
            Some(_) => format!("{end}: the budget runs out before then"),
            None => format!("{end}: the campaign stops before then; the same command resumes it"),
        }
    }
}

fn variable(name: &str) -> Option<String> {
    env::var_os(name).map(|value| value.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
}

/// Parses the end time in the variable. The error explains why it is invalid.
fn end_time(text: &str, now: SystemTime) -> Result<SystemTime, String> {
    let seconds: u64 = text
        .trim()
        .parse()
        .map_err(|_| format!("`{}` is not a time; expected seconds since the epoch", harmless(text)))?;
    let end = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
    let end = end.ok_or_else(|| format!("{seconds} is out of range"))?;
    // The end can be in the past if the job was extended, or if the variable is from an earlier job.
    if end <= now { Err(format!("{seconds} is in the past")) } else { Ok(end) }
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
        Err(error) => return End::Unknown(format!("squeue could not be run: {error}")),
    };
    let text = |stream: &confine::Captured| String::from_utf8_lossy(&stream.joined()).trim().to_owned();
    match finished.end() {
        ProcessEnd::Exited(0) => time_left(&text(&finished.stdout), now),
        ProcessEnd::Exited(code) => {
            let output = text(&finished.stderr);
            let last = output.lines().last().map(|line| format!(": {line}")).unwrap_or_default();
            End::Unknown(format!("squeue failed with exit code {code}{last}"))
        }
        ProcessEnd::Signalled(signal) => End::Unknown(format!("squeue was ended by signal {signal}")),
        ProcessEnd::Stopped(_) | ProcessEnd::Cancelled => {
            End::Unknown(format!("squeue did not answer within {}", span(PATIENCE.as_secs_f64())))
        }
    }
}

/// Computes the end of the job from the remaining time that `squeue` prints.
fn time_left(answer: &str, now: SystemTime) -> End {
    if answer == "UNLIMITED" {
        return End::Never;
    }
    let end = seconds(answer).and_then(|left| now.checked_add(Duration::from_secs(left)));
    end.map_or_else(|| End::Unknown(format!("squeue printed `{answer}`")), End::At)
}

/// Parses `[days-][hours:]minutes:seconds`.
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
    fn the_time_left_is_parsed_in_the_format_of_squeue() {
        let all = [("0:59", 59), ("12:34", 754), ("3:00:01", 10_801), ("2-00:00:05", 172_805)];
        for (text, expected) in all {
            assert_eq!(time_left(text, moment(1000)), End::At(moment(1000 + expected)), "{text}");
        }
        assert_eq!(time_left("UNLIMITED", moment(0)), End::Never);
        for text in ["", "NOT_SET", "INVALID", "5", "1:2:3:4", "-1:00", "1:x", "99999999999999999999-0:00"] {
            assert_eq!(time_left(text, moment(0)), End::Unknown(format!("squeue printed `{text}`")));
        }
    }

    #[test]
    fn an_end_time_must_be_in_the_future() {
        assert_eq!(end_time(" 1001\n", moment(1000)), Ok(moment(1001)));
        for (text, why) in [
            ("soon", "`soon` is not a time; expected seconds since the epoch"),
            ("-5", "`-5` is not a time; expected seconds since the epoch"),
            ("1000", "1000 is in the past"),
            ("18446744073709551615", "18446744073709551615 is out of range"),
        ] {
            assert_eq!(end_time(text, moment(1000)), Err(why.to_owned()));
        }
    }

    #[test]
    fn the_plan_describes_the_end_of_the_job() {
        let job = |end| Job { id: "17".to_owned(), end };
        let line = |left, budget| job(End::At(moment(5000))).line(moment(1400), left, budget);
        insta::assert_snapshot!(
            [
                line(3590.0, Some(7200.0)),
                line(3590.0, Some(600.0)),
                line(3590.0, None),
                line(0.0, Some(600.0)),
                job(End::Never).line(moment(0), 0.0, None),
                job(End::Unknown("squeue printed `NOT_SET`".to_owned())).line(moment(0), 0.0, None),
            ]
            .join("\n"),
            @r"
        Slurm job 17 ends in 1:00:00: the campaign stops 60.2 min before its budget runs out; the same command resumes it
        Slurm job 17 ends in 1:00:00: the budget runs out before then
        Slurm job 17 ends in 1:00:00: the campaign stops before then; the same command resumes it
        Slurm job 17 ends in 1:00:00: too little time to start a trial
        Slurm job 17 has no time limit
        Slurm job 17: end time unknown (squeue printed `NOT_SET`); SIGTERM or SIGUSR1 stops the campaign cleanly
        "
        );
    }
}
