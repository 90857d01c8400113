//! Processes that live on from trial to trial: one for each slot.
//!
//! A server is set up in a process tree of its own and must say that it is ready by a line of JSON. Each trial
//! then is a short command in that tree, the relay: it hands the request over and waits for the answer. So the
//! limits of the relay are those of the trial, and what the whole tree uses while it waits is what the trial
//! uses; both end with the relay. A server that did not answer is killed with its tree.
//!
//! | a trial | its server |
//! |---|---|
//! | was answered | gets the next one, or is started anew after `restart_after` |
//! | met its cap or another limit, or was cancelled | is killed |
//! | saw the end of its server | crashed |
//! | found that it had ended before | is repeated with a new one |
//!
//! Lines pass through two named pipes in the private folder, held open at both ends by a shell that waits for
//! the server's end and then says so in its place.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use confine::{End, Finished, LaunchError, Limits, Sequence};
use engine::{Observation, Status, TrialRequest};

use crate::scenario::Scenario;
use crate::target::command::{CommandLine, Filling};
use crate::target::outcome::{self, tail};
use crate::target::place::Place;
use crate::target::stages::{Run, ending, not_begun};
use crate::target::{Account, Detail, Leash, ProcessTarget, Slot, TargetError, outputs};

/// Starts the server and waits until it is ready. Arguments: the folder, then the server's command.
const START: &str = r#"
at=$1; shift
mkfifo "$at/requests" "$at/answers" || exit 125
exec 3<>"$at/requests" 4<>"$at/answers"
( "$@" <&3 >&4 3<&- 4<&-; echo "ended $?" >&4 ) &
echo $! >"$at/server"
while IFS= read -r line <&4; do
  case $line in
    "{"*) exit 0 ;;
    "ended "*) code=${line#ended }; [ "$code" -eq 0 ] && code=1; exit "$code" ;;
  esac
done
"#;

/// Hands over a request and waits for the answer. Arguments: the folder, then the request.
const RELAY: &str = r#"
at=$1
read -r server <"$at/server"
kill -0 "$server" 2>/dev/null || exit 121
exec 4<>"$at/answers"
printf '%s\n' "$2" >"$at/requests"
while IFS= read -r line <&4; do
  case $line in
    "{"*) printf '%s\n' "$line"; exit 0 ;;
    "ended "*)
      printf '{"status": "crashed", "reason": "the server ended: exit %s"}\n' "${line#ended }"
      exit 120 ;;
  esac
done
"#;

/// What the relay exits with if the server had ended before.
const GONE: i32 = 121;

/// The servers of a target that are not busy, by their slots.
#[derive(Clone, Default)]
pub(in crate::target) struct Servers(Arc<Mutex<BTreeMap<usize, Server>>>);

impl Servers {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, Server>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.lock().keys()).finish()
    }
}

/// A server that is ready.
struct Server {
    sequence: Sequence,
    place: Place,
    /// Trials that it was given.
    served: u64,
}

/// A server, or what a trial tells that has none.
enum Started {
    Ready(Server),
    Failed(Box<Run>),
}

/// Runs a trial on the server of its slot.
pub(in crate::target) fn run(
    target: &ProcessTarget,
    trial: &TrialRequest,
    leash: &Leash,
    slot: &Slot,
) -> Result<Run, TargetError> {
    let waiting = target.servers().lock().remove(&slot.number);
    let mut may_be_gone = waiting.is_some();
    let mut server = waiting;
    loop {
        let mut ready = match server.take() {
            Some(server) => server,
            None => match start(target, trial, leash, slot)? {
                Started::Ready(server) => server,
                Started::Failed(run) => return Ok(*run),
            },
        };
        let record = ready.ask(target, trial, leash, slot)?;
        if record.end() == End::Exited(GONE) && std::mem::take(&mut may_be_gone) {
            continue;
        }
        let scenario = target.scenario();
        let mut account = outcome::account(scenario, trial.cap, leash.control(), &record)?;
        if account.observation.status().is_failure() {
            account.detail.stderr_tail = ready.errors();
        }
        let worn = scenario.target.restart_after.is_some_and(|most| ready.served >= most);
        if record.end() == End::Exited(0) && !worn {
            target.servers().lock().insert(slot.number, ready);
        }
        return Ok(Run { account, record: Some(record) });
    }
}

fn start(
    target: &ProcessTarget,
    trial: &TrialRequest,
    leash: &Leash,
    slot: &Slot,
) -> Result<Started, TargetError> {
    let scenario = target.scenario();
    let seed = trial.key.pair.seed.to_string();
    let instance = target.instance(trial)?;
    let shown = CommandLine::new(scenario, trial, instance);
    let refused = |source| TargetError::Launch { command: shown.to_string(), source };
    let mut sequence = Sequence::new().map_err(refused)?;
    let place = Place::new(scenario, sequence.folder(), trial.id, slot);
    let filling = Filling::new(trial, instance, &seed, Some(&place));
    let own = CommandLine::filled(scenario, &scenario.target.command, &filling);
    let words = std::iter::once(own.program.to_string_lossy().into_owned()).chain(own.arguments.clone());
    let line = in_shell(own, START, sequence.folder().to_string_lossy().into_owned(), words);
    let limits = Limits {
        wall: Some(scenario.target.start_limit),
        cores: slot.cores.clone(),
        ..scenario.limits.clone()
    };
    let command = place.furnish(target.hosted(line.command()));
    let record = match sequence.set_up(&command, &limits, leash.setup_control()) {
        Err(LaunchError::Tier { tier, why }) => return Err(refused(LaunchError::Tier { tier, why })),
        done => done.map_err(refused)?,
    };
    if record.end() == End::Exited(0) {
        return Ok(Started::Ready(Server { sequence, place, served: 0 }));
    }
    Ok(Started::Failed(Box::new(Run { account: not_ready(scenario, &record), record: Some(record) })))
}

/// What a trial tells whose server did not get ready.
fn not_ready(scenario: &Scenario, record: &Finished) -> Account {
    let detail = Detail { tier: record.tier.name(), ..Detail::default() };
    if record.end() == End::Cancelled {
        return Account { observation: not_begun(scenario), detail };
    }
    let detail = Detail {
        reason: Some(format!("the server was not ready: {}", ending(record))),
        stdout_tail: tail(&record.stdout),
        stderr_tail: tail(&record.stderr),
        ..detail
    };
    Account { observation: Observation::failed(Status::Crashed, 0.0), detail }
}

impl Server {
    fn ask(
        &mut self,
        target: &ProcessTarget,
        trial: &TrialRequest,
        leash: &Leash,
        slot: &Slot,
    ) -> Result<Finished, TargetError> {
        let scenario = target.scenario();
        let shown = CommandLine::new(scenario, trial, target.instance(trial)?);
        let refused = |source| TargetError::Launch { command: shown.to_string(), source };
        let request = shown.request.clone().unwrap_or_default();
        let folder = self.sequence.folder().to_string_lossy().into_owned();
        let line = in_shell(shown.clone(), RELAY, folder, [request]);
        let mut command = self.place.furnish(target.hosted(line.command()));
        for file in outputs::files(&scenario.outputs) {
            command = command.read_file(file);
        }
        let limits = target.limits(trial.cap, slot.cores.as_ref());
        self.served += 1;
        leash.begin();
        let done = self.sequence.run(&command, &limits, leash.control());
        leash.end();
        done.map_err(refused)
    }

    /// The end of what it has written to standard error.
    fn errors(&self) -> Vec<u8> {
        let path: PathBuf = self.sequence.folder().join("setup.err");
        let all = std::fs::read(path).unwrap_or_default();
        all[all.len().saturating_sub(outcome::TAIL)..].to_vec()
    }
}

/// A script with its arguments, in the environment of a command.
fn in_shell(
    line: CommandLine,
    script: &str,
    folder: String,
    words: impl IntoIterator<Item = String>,
) -> CommandLine {
    let script = ["-c".to_owned(), script.to_owned(), "sh".to_owned(), folder];
    let arguments = script.into_iter().chain(words).collect();
    CommandLine { program: "/bin/sh".into(), arguments, request: None, ..line }
}
