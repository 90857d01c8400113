//! Derives the result of a trial from the record of its run.
//!
//! | the run | the trial |
//! |---|---|
//! | succeeded, cost at most the cutoff | finished at that cost |
//! | succeeded, but with a wrong answer | wrong (see `verify`) |
//! | succeeded, cost above the cutoff | timeout at the cutoff |
//! | stopped at its cap, or stopped or failed beyond it | capped at the cap; timeout if that is the cutoff |
//! | stopped below its cap by another time limit | timeout at the cost that it had reached |
//! | cancelled | capped at the cost that it had reached, or at the cap if that is less |
//! | stopped by its memory limit | memory |
//! | anything else | crashed |
//!
//! A censored cost is always a valid lower bound, because the cost had reached it when the trial ended.

use confine::{Control, End, Exit, Finished, Limit};
use engine::{Cap, Observation, Status};
use scenario::{Bounded, CappedBy, Measure, Protocol, Scenario};

use super::command::cap_in_seconds;
use super::output::matches;
use super::protocol::{self, Answer, Verdict};
use super::verify::Check;
use super::{Account, Detail, TargetError, outputs};

/// Last words of the failure reason if the target did not answer in the form that its protocol requires.
pub const NO_ANSWER: &str = "no answer";

/// Relative rounding error that a target may make when it adds up fractional costs, even in single precision.
const ROUNDING: f64 = 1e-6;

/// Number of bytes that are kept from the end of each output stream of a failed trial.
pub(super) const TAIL: usize = 8 << 10;

/// Returns the result of a run with this cap.
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

/// Updates the result of a successful trial after its answer was checked.
pub(super) fn checked(account: Account, finished: &Finished, check: Check) -> Account {
    let (status, reason, output) = match check {
        Check::Right => return account,
        Check::Wrong(reason, output) => (Status::Wrong, reason, output),
        Check::NoAnswer => {
            (Status::Crashed, "no match for `target.answer`".to_owned(), finished.stderr.joined())
        }
        Check::Unknown(why) => (Status::Lost, why.to_owned(), Vec::new()),
    };
    let observation = Observation::failed(status, account.observation.spent());
    let detail = Detail {
        reason: Some(reason),
        stdout_tail: end_of(finished.stdout.joined()),
        stderr_tail: end_of(output),
        ..account.detail
    };
    Account { observation, detail }
}

/// Returns the end of an output stream.
pub(super) fn tail(stream: &confine::Captured) -> Vec<u8> {
    end_of(stream.joined())
}

fn end_of(all: Vec<u8>) -> Vec<u8> {
    all[all.len().saturating_sub(TAIL)..].to_vec()
}

/// An observation, and the reason for the failure if the trial failed.
type Observed = (Observation, Option<String>);

struct Outcome<'a> {
    scenario: &'a Scenario,
    cap: f64,
    control: &'a Control,
    finished: &'a Finished,
    answer: Option<&'a Answer>,
}

impl Outcome<'_> {
    fn observation(&self) -> Result<Observed, TargetError> {
        match self.finished.end() {
            End::Exited(code) if self.scenario.target.protocol != Protocol::Command => self.answered(code),
            End::Exited(code) => match self.unmet_condition(code) {
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

    /// Returns the observation of a run that ended by itself, based on its answer.
    fn answered(&self, code: i32) -> Result<Observed, TargetError> {
        let Some(answer) = self.answer else {
            let but = if code == 0 { "but" } else { "and" };
            return Ok(self.failure(format!("exit {code} {but} {NO_ANSWER}")));
        };
        match &answer.verdict {
            Verdict::Finished => match self.unmet_condition(code) {
                None if self.at_bound() => self.stopped_itself(),
                None => self.success(),
                Some(reason) => Ok(self.failure(reason)),
            },
            Verdict::Stopped => self.stopped_itself(),
            Verdict::Memory => {
                let observation = Observation::failed(Status::Memory, self.spent());
                Ok((observation, Some("the target reported that it ran out of memory".to_owned())))
            }
            Verdict::Crashed(reason) => Ok(self.failure(reason.clone())),
            Verdict::Aborted(message) => Err(TargetError::Aborted { message: message.clone() }),
        }
    }

    /// Returns whether the cost is at or above the bound passed to an irace runner. If so, the runner stopped
    /// at this bound.
    fn at_bound(&self) -> bool {
        let by_bound = self.scenario.target.protocol == Protocol::Irace
            && self.scenario.objective.capped_by == CappedBy::Argument;
        let bound = cap_in_seconds(self.scenario, Cap::at(self.cap)).parse::<f64>();
        by_bound && self.reached().zip(bound.ok()).is_some_and(|(reached, bound)| reached >= bound)
    }

    /// Returns the observation of a target that reports that it stopped at its cap.
    fn stopped_itself(&self) -> Result<Observed, TargetError> {
        let (cap, reached) = (self.cap_in_force(), self.reached());
        if !self.grows() {
            // If the target reports a cost, that cost counts.
            return match self.measure() {
                Measure::Output(index) if self.output(index).is_ok() => self.success(),
                _ => Ok(self.crashed("the target reported a timeout".to_owned())),
            };
        }
        let early = reached.filter(|reached| *reached < cap - self.scenario.objective.grain);
        let observation = match early {
            // The target stopped at its own limit, which a larger cap would not raise.
            Some(reached) => Observation::timeout(reached),
            None if cap.is_finite() => self.censored(cap, cap),
            None => Observation::timeout(reached.unwrap_or(0.0)),
        };
        Ok((if reached.is_some() { self.with_spent(observation) } else { observation }, None))
    }

    /// Returns the first condition for success that a run does not meet, if any.
    fn unmet_condition(&self, code: i32) -> Option<String> {
        let success = &self.scenario.target.success;
        if success.exit.as_ref().is_some_and(|codes| !codes.contains(&code)) {
            return Some(format!("exit {code}"));
        }
        let found = |pattern| matches(&self.finished.stdout, pattern);
        let missing = success.pattern.as_ref().is_some_and(|pattern| !found(pattern));
        missing.then(|| format!("exit {code} but pattern not found"))
    }

    fn success(&self) -> Result<Observed, TargetError> {
        self.is_measured(self.measure())?;
        let cost = match self.measure() {
            Measure::Output(index) => match self.output(index) {
                Ok(number) => self.scenario.objective.sense.cost(number),
                Err(absent) => return Ok(self.crashed(absent.reason)),
            },
            _ => self.reached().unwrap_or(0.0),
        };
        if let Some(reason) = self.missing_output()? {
            return Ok(self.crashed(reason));
        }
        if cost < 0.0 && self.grows() {
            // Races use sums of costs to decide where to stop the next trial.
            let reason = format!(
                "the cost is {cost}, but capped costs must not be negative; for costs that can be negative, set \
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

    /// Returns an error if this machine cannot measure `measure` exactly.
    fn is_measured(&self, measure: Measure) -> Result<(), TargetError> {
        let tier = self.finished.tier;
        match measure {
            // Part of the CPU time is unknown, so the cost is not exact.
            Measure::CpuTime if !self.finished.cpu.is_some_and(|cpu| cpu.complete) => {
                Err(TargetError::Unmeasured { what: "CPU time", tier })
            }
            Measure::Memory if self.finished.peak_memory.is_none() => {
                Err(TargetError::Unmeasured { what: "memory", tier })
            }
            _ => Ok(()),
        }
    }

    /// Returns the reason why a constrained output of a successful run is missing, if one is. A non-finite
    /// output does not count as missing; its reading is unknown.
    fn missing_output(&self) -> Result<Option<String>, TargetError> {
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

    /// Returns the observation of a run that did not succeed. Anything that happened after the cap was
    /// reached is ignored.
    fn failure(&self, reason: String) -> Observed {
        let objective = &self.scenario.objective;
        let cap = self.cap_in_force();
        // A target that stops itself may measure a time that differs by one grain. When it adds up fractions,
        // it may lose the last digits. Whole numbers are exact.
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

    /// Returns the observation of a run that was stopped by a time limit: by its cap or by another limit.
    fn stopped(&self, limit: Limit) -> Observed {
        let own = match self.measure() {
            Measure::CpuTime => limit == Limit::Cpu,
            Measure::WallTime => limit == Limit::Wall,
            // The target got its cap but did not stop there.
            Measure::Output(_) => limit == Limit::Wall && self.passed_cap(),
            Measure::Memory => false,
        };
        let reached = self.reached().unwrap_or(0.0);
        let cap = self.cap_in_force();
        let observation = if own && cap.is_finite() {
            // If the cap was lowered, the cost had reached the lowered cap or the measured cost, whichever is
            // higher.
            let lowered = match limit {
                Limit::Cpu => self.control.lowered_cpu(),
                _ => self.control.lowered_wall(),
            };
            let bound = lowered.map_or(cap, |lowered| lowered.as_secs_f64().max(reached).min(cap));
            self.censored(bound, cap)
        } else if self.grows() && reached >= cap {
            // Anything that happened after the cap was reached is ignored.
            self.censored(cap, cap)
        } else if self.grows() {
            Observation::timeout(reached)
        } else {
            return self.crashed(format!("{limit} limit"));
        };
        (self.with_spent(observation), None)
    }

    /// Returns whether a target that gets its cap in seconds was killed after that time.
    fn passed_cap(&self) -> bool {
        let has_cap = self.scenario.objective.capped_by == CappedBy::Argument
            && self.scenario.target.protocol.caps_in_seconds();
        has_cap && self.finished.wall.as_secs_f64() >= self.cap_in_force()
    }

    fn cancelled(&self) -> Observed {
        let observation = match self.measure() {
            // The cost that the trial had reached is unknown. It may even be negative.
            Measure::Output(_) if !self.grows() => Observation::failed(Status::Lost, 0.0),
            // Killing takes a moment in which the cost may exceed the cap. The excess does not count.
            _ => Observation::capped(self.reached().unwrap_or(0.0).min(self.cap_in_force())),
        };
        (self.with_spent(observation), None)
    }

    fn crashed(&self, reason: String) -> Observed {
        (Observation::failed(Status::Crashed, self.spent()), Some(reason))
    }

    /// Returns the observation of a trial whose cost is censored at `bound` because of the cap `cap`.
    fn censored(&self, bound: f64, cap: f64) -> Observation {
        let at_cutoff = self.scenario.objective.cutoff.is_some_and(|cutoff| cap >= cutoff && bound >= cap);
        if at_cutoff { Observation::timeout(bound) } else { Observation::capped(bound) }
    }

    fn measure(&self) -> Measure {
        self.scenario.objective.minimise
    }

    /// Returns the cap, or the cutoff if that is smaller.
    fn cap_in_force(&self) -> f64 {
        self.below_cutoff(self.cap)
    }

    fn below_cutoff(&self, cost: f64) -> f64 {
        self.scenario.objective.cutoff.map_or(cost, |cutoff| cost.min(cutoff))
    }

    /// Returns whether the cost grows while a trial runs. If so, the cost reached so far is a lower bound.
    fn grows(&self) -> bool {
        self.measure().is_time() || self.scenario.objective.capped_by == CappedBy::Argument
    }

    fn output(&self, index: usize) -> Result<f64, outputs::Absent> {
        let outputs = &self.scenario.outputs;
        outputs::one(outputs, &outputs[index], self.finished, self.answer)
    }

    /// Returns the cost that the trial had reached at its end, if known.
    fn reached(&self) -> Option<f64> {
        match self.measure() {
            Measure::CpuTime => self.finished.cpu.map(|cpu| cpu.total().as_secs_f64()),
            Measure::WallTime => Some(self.finished.wall.as_secs_f64()),
            Measure::Memory => self.finished.peak_memory.map(|bytes| bytes as f64),
            Measure::Output(index) => self.output(index).ok().filter(|number| *number >= 0.0),
        }
    }

    /// Returns what the trial used, in the unit of the cost if the cost grows, otherwise in seconds.
    fn spent(&self) -> f64 {
        let wall = self.finished.wall.as_secs_f64();
        match self.grows() {
            true => self.reached().unwrap_or(if self.passed_cap() { wall } else { 0.0 }),
            false => wall,
        }
    }

    fn with_spent(&self, observation: Observation) -> Observation {
        observation.with_spent(self.spent())
    }
}

/// Returns the name of a common signal, as in ` (SIGSEGV)`; an empty text for other signals.
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

    fn observed(cpu: Option<CpuTime>) -> Result<Account, TargetError> {
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
            sizes: Vec::new(),
            left_behind: None,
        }
    }

    #[test]
    fn a_trial_stopped_beyond_its_cap_is_censored_at_the_cap() {
        let scenario = scenario::read(SCENARIO, Path::new("."), "test.toml").unwrap();
        let observed = |seconds: u64, stop: Stop| {
            let time = CpuTime { user: Duration::from_secs(seconds), system: Duration::ZERO, complete: true };
            let record = finished(Some(time), Some(stop));
            let account = account(&scenario, Cap::at(3.0), &Control::new(), &record).unwrap();
            (account.observation.status(), account.observation.cost())
        };
        let at_least = |cost: f64| Some(engine::Reading::AtLeast(cost));
        let wall = Stop::Limit(Limit::Wall);
        assert_eq!(observed(4, wall), (Status::Capped, at_least(3.0)));
        assert_eq!(observed(2, wall), (Status::Timeout, at_least(2.0)));
        assert_eq!(observed(4, Stop::Cancelled), (Status::Capped, at_least(3.0)));
        assert_eq!(observed(2, Stop::Cancelled), (Status::Capped, at_least(2.0)));
    }

    /// A test cannot make a machine lose the CPU time of a process, so these records are artificial.
    #[test]
    fn a_cost_that_is_partly_unmeasured_is_an_error() {
        let time =
            |complete| Some(CpuTime { user: Duration::from_secs(1), system: Duration::ZERO, complete });
        assert_eq!(observed(time(true)).unwrap().observation, Observation::finished(1.0));
        for lost in [time(false), None] {
            assert!(matches!(observed(lost), Err(TargetError::Unmeasured { what: "CPU time", .. })));
        }
    }
}
