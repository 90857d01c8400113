//! From the record of a run to what the trial tells.
//!
//! | the run | the trial |
//! |---|---|
//! | succeeded, cost at most the cutoff | finished at that cost |
//! | succeeded, but with a wrong answer | wrong (see `verify`) |
//! | succeeded, cost above the cutoff | timeout at the cutoff |
//! | stopped at its cap, or stopped or failed beyond it | capped there; timeout if that is the cutoff |
//! | stopped below its cap by a limit on another time | timeout at what the cost had reached |
//! | cancelled | capped at what the cost had reached, or at its cap if that is less |
//! | stopped by its memory limit | memory |
//! | anything else | crashed |
//!
//! A censored cost is a true lower bound: the cost had reached it when the trial ended.

use confine::{Control, End, Exit, Finished, Limit};
use engine::{Cap, Observation, Status};
use scenario::{Bounded, CappedBy, Measure, Protocol, Scenario};

use super::command::told_seconds;
use super::output::matches;
use super::protocol::{self, Answer, Verdict};
use super::verify::Said;
use super::{Account, Detail, TargetError, outputs};

/// How the reason of a failure ends if the target has given no answer of its protocol.
pub const NO_ANSWER: &str = "no answer";

/// The share of a cost in fractions that a target may lose by adding up, in single precision too.
const ROUNDING: f64 = 1e-6;

/// How much of each stream is kept of a failure.
pub(super) const TAIL: usize = 8 << 10;

/// What the record of a run with this cap says.
pub(super) fn account(
    scenario: &Scenario,
    cap: Cap,
    control: &Control,
    finished: &Finished,
) -> Result<Account, TargetError> {
    let answer = protocol::answer(scenario.target.protocol, finished);
    let outcome = Outcome { scenario, cap: cap.cost(), control, finished, answer: answer.as_ref() };
    let (observation, reason) = outcome.observation()?;
    let outputs = outputs::all(&scenario.outputs, finished, answer.as_ref());
    let tie = scenario.objective.then.and_then(|index| outputs.get(&scenario.outputs[index].name));
    let observation = observation.with_tie(tie.copied());
    let failed = observation.status().is_failure();
    let kept = |stream: &confine::Captured| if failed { tail(stream) } else { Vec::new() };
    let detail = Detail {
        cpu: finished.cpu.map(|cpu| cpu.total().as_secs_f64()),
        wall: Some(finished.wall.as_secs_f64()),
        memory: finished.peak_memory,
        exit: Some(match finished.exit {
            Exit::Code(code) => code,
            Exit::Signal(signal) => -signal,
        }),
        outputs,
        reason,
        stdout_tail: kept(&finished.stdout),
        stderr_tail: kept(&finished.stderr),
        tier: finished.tier.name().into(),
        teardown: None,
        left_behind: None,
        server: None,
    };
    Ok(Account { observation, detail })
}

/// The account of a success, with what was said of its answer.
pub(super) fn judged(account: Account, finished: &Finished, said: Said) -> Account {
    let (status, reason, wrote) = match said {
        Said::Right => return account,
        Said::Wrong(reason, wrote) => (Status::Wrong, reason, wrote),
        Said::NoAnswer => {
            (Status::Crashed, "no match for `target.answer`".to_owned(), finished.stderr.joined())
        }
        Said::Unknown(why) => (Status::Lost, why.to_owned(), Vec::new()),
    };
    let observation = Observation::failed(status, account.observation.spent());
    let detail = Detail {
        reason: Some(reason),
        stdout_tail: end_of(finished.stdout.joined()),
        stderr_tail: end_of(wrote),
        ..account.detail
    };
    Account { observation, detail }
}

/// The end of a stream.
pub(super) fn tail(stream: &confine::Captured) -> Vec<u8> {
    end_of(stream.joined())
}

fn end_of(all: Vec<u8>) -> Vec<u8> {
    all[all.len().saturating_sub(TAIL)..].to_vec()
}

/// An observation, and why it failed if it did.
type Told = (Observation, Option<String>);

struct Outcome<'a> {
    scenario: &'a Scenario,
    cap: f64,
    control: &'a Control,
    finished: &'a Finished,
    answer: Option<&'a Answer>,
}

impl Outcome<'_> {
    fn observation(&self) -> Result<Told, TargetError> {
        match self.finished.end() {
            End::Exited(code) if self.scenario.target.protocol != Protocol::Command => self.answered(code),
            End::Exited(code) => match self.shortcoming(code) {
                None => self.success(),
                Some(reason) => Ok(self.failure(reason)),
            },
            End::Signalled(signal) => Ok(self.failure(format!("signal {signal}{}", signal_name(signal)))),
            End::Stopped(Limit::Memory) => {
                let observation = Observation::failed(Status::Memory, self.spent());
                Ok((observation, Some("memory limit".to_owned())))
            }
            End::Stopped(limit @ (Limit::Cpu | Limit::Wall)) => Ok(self.stopped(limit)),
            End::Stopped(limit) => Ok(self.crashed(format!("{limit} limit"))),
            End::Cancelled => Ok(self.cancelled()),
        }
    }

    /// What a run that ended by itself has answered.
    fn answered(&self, code: i32) -> Result<Told, TargetError> {
        let Some(answer) = self.answer else {
            let but = if code == 0 { "but" } else { "and" };
            return Ok(self.failure(format!("exit {code} {but} {NO_ANSWER}")));
        };
        match &answer.verdict {
            Verdict::Finished => match self.shortcoming(code) {
                None if self.at_bound() => self.stopped_itself(),
                None => self.success(),
                Some(reason) => Ok(self.failure(reason)),
            },
            Verdict::Stopped => self.stopped_itself(),
            Verdict::Memory => {
                let observation = Observation::failed(Status::Memory, self.spent());
                Ok((observation, Some("the target says: out of memory".to_owned())))
            }
            Verdict::Crashed(reason) => Ok(self.failure(reason.clone())),
            Verdict::Aborted(said) => Err(TargetError::Aborted { said: said.clone() }),
        }
    }

    /// Whether the cost is where irace's runners leave it that have met their bound.
    fn at_bound(&self) -> bool {
        let by_bound = self.scenario.target.protocol == Protocol::Irace
            && self.scenario.objective.capped_by == CappedBy::Argument;
        let told = told_seconds(self.scenario, Cap::at(self.cap)).parse::<f64>();
        by_bound && self.reached().zip(told.ok()).is_some_and(|(reached, told)| reached >= told)
    }

    /// The target says that it has stopped where it was told to.
    fn stopped_itself(&self) -> Result<Told, TargetError> {
        let (cap, reached) = (self.cap_in_force(), self.reached());
        if !self.grows() {
            // What it has found in this time counts, if it says so.
            return match self.measure() {
                Measure::Output(index) if self.output(index).is_ok() => self.success(),
                _ => Ok(self.crashed("the target says: timeout".to_owned())),
            };
        }
        let early = reached.filter(|reached| *reached < cap - self.scenario.objective.grain);
        let observation = match early {
            // By a limit of its own, which no later trial will raise.
            Some(reached) => Observation::timeout(reached),
            None if cap.is_finite() => self.censored(cap, cap),
            None => Observation::timeout(reached.unwrap_or(0.0)),
        };
        Ok((if reached.is_some() { self.with_spent(observation) } else { observation }, None))
    }

    /// What a run that ended by itself lacks for a success.
    fn shortcoming(&self, code: i32) -> Option<String> {
        let success = &self.scenario.target.success;
        if success.exit.as_ref().is_some_and(|codes| !codes.contains(&code)) {
            return Some(format!("exit {code}"));
        }
        let found = |pattern| matches(&self.finished.stdout, pattern);
        let missing = success.pattern.as_ref().is_some_and(|pattern| !found(pattern));
        missing.then(|| format!("exit {code} but pattern not found"))
    }

    fn success(&self) -> Result<Told, TargetError> {
        self.is_measured(self.measure())?;
        let cost = match self.measure() {
            Measure::Output(index) => match self.output(index) {
                Ok(number) => self.scenario.objective.sense.cost(number),
                Err(absent) => return Ok(self.crashed(absent.reason)),
            },
            _ => self.reached().unwrap_or(0.0),
        };
        if let Some(reason) = self.unbounded()? {
            return Ok(self.crashed(reason));
        }
        if cost < 0.0 && self.grows() {
            // Races add up costs to decide where to stop the next trial.
            let reason = format!(
                "the cost is {cost}, but a cost that trials are capped by grows from zero; if it does not, set \
                 `objective.capped_by = \"none\"`"
            );
            return Ok(self.crashed(reason));
        }
        let observation = match self.scenario.objective.cutoff.filter(|&cutoff| cost > cutoff) {
            Some(cutoff) => Observation::timeout(cutoff),
            None => Observation::finished(cost),
        };
        Ok((self.with_spent(observation), None))
    }

    /// An error if this machine cannot tell it exactly.
    fn is_measured(&self, measure: Measure) -> Result<(), TargetError> {
        let tier = self.finished.tier;
        match measure {
            // A part of the time is not known: the cost is not exact.
            Measure::CpuTime if !self.finished.cpu.is_some_and(|cpu| cpu.complete) => {
                Err(TargetError::Unmeasured { what: "CPU time", tier })
            }
            Measure::Memory if self.finished.peak_memory.is_none() => {
                Err(TargetError::Unmeasured { what: "memory", tier })
            }
            _ => Ok(()),
        }
    }

    /// Why a success cannot be held against its bounds, if a bounded output is missing. One that is told
    /// as no finite number is only left unmeasured.
    fn unbounded(&self) -> Result<Option<String>, TargetError> {
        for constraint in &self.scenario.constraints {
            let Bounded::Measure(measure) = constraint.of else { continue };
            self.is_measured(measure)?;
            if let Measure::Output(index) = measure
                && let Err(absent) = self.output(index)
                && !absent.not_finite
            {
                return Ok(Some(absent.reason));
            }
        }
        Ok(None)
    }

    /// Ended without success: what happened beyond the cap does not count.
    fn failure(&self, reason: String) -> Told {
        let objective = &self.scenario.objective;
        let cap = self.cap_in_force();
        // A target that stops itself may measure its time a grain differently, and lose the last digits of fractions that it
        // adds up; what is counted in whole numbers is exact.
        let tolerance = match objective.capped_by {
            CappedBy::Argument if self.measure().is_time() => objective.grain,
            CappedBy::Argument if objective.grain < 1.0 => ROUNDING * cap,
            _ => 0.0,
        };
        match self.reached().filter(|reached| self.grows() && *reached >= cap - tolerance) {
            Some(reached) => (self.with_spent(self.censored(reached.min(cap), cap)), None),
            None => self.crashed(reason),
        }
    }

    /// Stopped by a limit on time: its cap, or another.
    fn stopped(&self, limit: Limit) -> Told {
        let own = match self.measure() {
            Measure::CpuTime => limit == Limit::Cpu,
            Measure::WallTime => limit == Limit::Wall,
            // It was told to stop and did not.
            Measure::Output(_) => limit == Limit::Wall && self.outlived(),
            Measure::Memory => false,
        };
        let reached = self.reached().unwrap_or(0.0);
        let cap = self.cap_in_force();
        let observation = if own && cap.is_finite() {
            // If it was lowered, the trial had reached this much or what was measured.
            let lowered = match limit {
                Limit::Cpu => self.control.lowered_cpu(),
                _ => self.control.lowered_wall(),
            };
            let bound = lowered.map_or(cap, |lowered| lowered.as_secs_f64().max(reached).min(cap));
            self.censored(bound, cap)
        } else if self.grows() && reached >= cap {
            // What happened beyond its cap does not count.
            self.censored(cap, cap)
        } else if self.grows() {
            Observation::timeout(reached)
        } else {
            return self.crashed(format!("{limit} limit"));
        };
        (self.with_spent(observation), None)
    }

    /// Whether a target that was told in seconds where to stop was killed later than that.
    fn outlived(&self) -> bool {
        let told = self.scenario.objective.capped_by == CappedBy::Argument
            && self.scenario.target.protocol.tells_seconds();
        told && self.finished.wall.as_secs_f64() >= self.cap_in_force()
    }

    fn cancelled(&self) -> Told {
        let observation = match self.measure() {
            // What such a cost had reached is not known, nor whether it is above zero.
            Measure::Output(_) if !self.grows() => Observation::failed(Status::Lost, 0.0),
            // Killing takes a moment, in which it may pass its cap: that would not have been seen otherwise.
            _ => Observation::capped(self.reached().unwrap_or(0.0).min(self.cap_in_force())),
        };
        (self.with_spent(observation), None)
    }

    fn crashed(&self, reason: String) -> Told {
        (Observation::failed(Status::Crashed, self.spent()), Some(reason))
    }

    /// Censored at a bound by a cap.
    fn censored(&self, bound: f64, cap: f64) -> Observation {
        let at_cutoff = self.scenario.objective.cutoff.is_some_and(|cutoff| cap >= cutoff && bound >= cap);
        if at_cutoff { Observation::timeout(bound) } else { Observation::capped(bound) }
    }

    fn measure(&self) -> Measure {
        self.scenario.objective.minimise
    }

    /// The cap, or the cutoff if that is smaller.
    fn cap_in_force(&self) -> f64 {
        self.below_cutoff(self.cap)
    }

    fn below_cutoff(&self, cost: f64) -> f64 {
        self.scenario.objective.cutoff.map_or(cost, |cutoff| cost.min(cutoff))
    }

    /// Whether the cost grows while a trial runs, so that what it has reached is a lower bound.
    fn grows(&self) -> bool {
        self.measure().is_time() || self.scenario.objective.capped_by == CappedBy::Argument
    }

    fn output(&self, index: usize) -> Result<f64, outputs::Absent> {
        let outputs = &self.scenario.outputs;
        outputs::one(outputs, &outputs[index], self.finished, self.answer)
    }

    /// What the cost had reached at the end, as far as it is known.
    fn reached(&self) -> Option<f64> {
        match self.measure() {
            Measure::CpuTime => self.finished.cpu.map(|cpu| cpu.total().as_secs_f64()),
            Measure::WallTime => Some(self.finished.wall.as_secs_f64()),
            Measure::Memory => self.finished.peak_memory.map(|bytes| bytes as f64),
            Measure::Output(index) => self.output(index).ok().filter(|number| *number >= 0.0),
        }
    }

    /// What the trial used: in the unit of the cost if that grows, else in seconds.
    fn spent(&self) -> f64 {
        let wall = self.finished.wall.as_secs_f64();
        match self.grows() {
            true => self.reached().unwrap_or(if self.outlived() { wall } else { 0.0 }),
            false => wall,
        }
    }

    fn with_spent(&self, observation: Observation) -> Observation {
        observation.with_spent(self.spent())
    }
}

/// ` (SIGSEGV)` for the signals that programs die of.
pub(super) fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return String::new(),
    };
    format!(" ({name})")
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use confine::{CpuTime, Stop, Tier};

    use super::*;

    const SCENARIO: &str = "[target]\ncommand = [\"true\", \"{params}\", \"{seed}\"]\n[objective]\n\
        minimise = \"cpu_time\"\ncutoff = \"9s\"\n[budget]\ntrials = 1\n[space]\nx = { integer = [1, 9] }\n";

    fn told(cpu: Option<CpuTime>) -> Result<Account, TargetError> {
        let scenario = scenario::read(SCENARIO, Path::new("."), "test.toml").unwrap();
        account(&scenario, Cap::NONE, &Control::new(), &finished(cpu, None))
    }

    fn finished(cpu: Option<CpuTime>, stopped: Option<Stop>) -> Finished {
        Finished {
            exit: Exit::Code(0),
            stopped,
            cpu,
            wall: Duration::from_secs(2),
            peak_memory: None,
            adopted: None,
            stragglers: None,
            tier: Tier::Group,
            stdout: confine::Captured::default(),
            stderr: confine::Captured::default(),
            files: Vec::new(),
            left_behind: None,
        }
    }

    #[test]
    fn whoever_stops_a_trial_beyond_its_cap_it_is_censored_there() {
        let scenario = scenario::read(SCENARIO, Path::new("."), "test.toml").unwrap();
        let told = |seconds: u64, stop: Stop| {
            let time = CpuTime { user: Duration::from_secs(seconds), system: Duration::ZERO, complete: true };
            let record = finished(Some(time), Some(stop));
            let account = account(&scenario, Cap::at(3.0), &Control::new(), &record).unwrap();
            (account.observation.status(), account.observation.cost())
        };
        let at_least = |cost: f64| Some(engine::Reading::AtLeast(cost));
        let wall = Stop::Limit(Limit::Wall);
        assert_eq!(told(4, wall), (Status::Capped, at_least(3.0)));
        assert_eq!(told(2, wall), (Status::Timeout, at_least(2.0)));
        assert_eq!(told(4, Stop::Cancelled), (Status::Capped, at_least(3.0)));
        assert_eq!(told(2, Stop::Cancelled), (Status::Capped, at_least(2.0)));
    }

    /// Which machine loses the time of which process is not for a test to arrange.
    #[test]
    fn a_cost_of_which_a_part_is_lost_is_no_cost() {
        let time =
            |complete| Some(CpuTime { user: Duration::from_secs(1), system: Duration::ZERO, complete });
        assert_eq!(told(time(true)).unwrap().observation, Observation::finished(1.0));
        for lost in [time(false), None] {
            assert!(matches!(told(lost), Err(TargetError::Unmeasured { what: "CPU time", .. })));
        }
    }
}
