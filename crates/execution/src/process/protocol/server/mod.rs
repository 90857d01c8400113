//! Servers: target processes that keep running between trials, one for each slot.
//!
//! A server is started in its own process tree and must write a line of JSON when it is ready. Each trial
//! then runs a short command in that tree, the relay, which passes on the request and waits for the answer.
//! So the limits of the trial are set on the relay, and the trial is charged for everything that the whole
//! tree uses while the relay waits. A server that does not answer is killed with its tree.
//!
//! | a trial | its server |
//! |---|---|
//! | was answered | gets the next trial, or is restarted after `restart_after` trials |
//! | reached its cap or another limit, or was cancelled | is killed |
//! | crashed because its server ended while it ran | is started again for the next trial |
//! | found that its server had ended before | is started again; the trial is repeated, with a warning |
//! | got a line that cannot be assigned to a trial | the same; the trial crashes if this happens again |
//!
//! Lines pass through two named pipes in the private folder. A shell waits until the server ends and then
//! reports that in a separate line. The [`listener`] reads the server's lines and wakes the relay through a
//! third pipe.

mod listener;
mod matching;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use confine::{Captured, End, Finished, LaunchError, Limits, Sequence};
use engine::{Observation, Status, TrialRequest};
use serde_json::json;

use super::json;
use crate::process::command::{CommandLine, Values};
use crate::process::outcome::{self, tail};
use crate::process::outputs;
use crate::process::place::Place;
use crate::process::stages::{Run, ending, left_behind, not_started};
use crate::{Account, Detail, Leash, ProcessTarget, Slot, TargetError};
use listener::{Listener, Reply};
#[cfg(fuzzing)]
pub(in crate::process) use matching::answered;
use scenario::Scenario;

/// Shell script that starts the server and waits until it is ready. Its arguments are the folder, then the
/// server's command.
const START: &str = r#"
at=$1; shift
mkfifo "$at/requests" "$at/answers" "$at/wake" || exit 125
exec 3<>"$at/requests" 4<>"$at/answers"
ended=$(printf '\001ended ')
( "$@" <&3 >&4 3<&- 4<&-; printf '\n%s%s\n' "$ended" "$?" >&4 ) &
while IFS= read -r line <&4; do
  case $line in
    "{"*) exit 0 ;;
    "$ended"*) code=${line#"$ended"}; [ "$code" -eq 0 ] && code=1; exit "$code" ;;
  esac
done
"#;

/// Shell script that passes on a request and waits until it is woken. Its arguments are the folder, then the
/// request.
///
/// The script first opens the pipe for reading and writing, so that opening it for writing does not wait for
/// a reader. Then it keeps only the writing end open, so that writing to a server that has ended fails.
const RELAY: &str = r#"
at=$1
trap '' PIPE
exec 5<>"$at/requests" 3>"$at/requests" 5<&-
code=0
printf '%s\n' "$2" >&3 || code=121
exec 3>&-
read -r _ <"$at/wake"
exit "$code"
"#;

/// Exit code of the relay if the server has ended and can no longer read the request.
const GONE: i32 = 121;

/// Warning about a server that wrote surplus lines although its answers could be identified.
const SURPLUS: &str = "the server wrote more lines of JSON than it received requests: only answers that name their \
    `trial` count";

/// The idle servers of a target, by slot.
#[derive(Clone, Default)]
pub(in crate::process) struct Servers(Arc<Mutex<BTreeMap<usize, Server>>>);

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
    listener: Listener,
    place: Place,
    /// Number of trials that the server was given.
    served: u64,
}

/// A server that is ready, or the result of a trial whose server could not be started.
enum Started {
    Ready(Server),
    Failed(Box<Run>),
}

/// Result of giving a trial to a server.
struct Exchange {
    /// The record of the relay's run, with the answer as its output.
    record: Finished,
    reply: Option<Reply>,
    /// Reason to repeat the trial with a new server, because the exchange gives no information about the
    /// configuration. Either the server had ended before the request reached it, or its answers cannot be
    /// assigned to trials.
    void: Option<String>,
}

/// Runs a trial on the server of its slot.
pub(in crate::process) fn run(
    target: &ProcessTarget,
    trial: &TrialRequest,
    leash: &Leash,
    slot: &Slot,
) -> Result<Run, TargetError> {
    let mut waiting = target.servers().lock().remove(&slot.number);
    let mut notice = None;
    loop {
        let is_fresh = waiting.is_none();
        let mut ready = match waiting.take() {
            Some(server) => server,
            None => match start(target, trial, leash, slot)? {
                Started::Ready(server) => server,
                Started::Failed(run) => return Ok(*run),
            },
        };
        let exchange = ready.ask(target, trial, leash, slot)?;
        if let Some(why) = exchange.void.filter(|_| !is_fresh) {
            notice = Some(format!("{why}; the server was restarted"));
            continue;
        }
        let scenario = target.scenario();
        let Exchange { record, reply, .. } = exchange;
        let mut account = outcome::account(scenario, trial.cap, leash.control(), &record)?;
        if account.observation.status().is_failure() {
            account.detail.stderr_tail = ready.errors();
        }
        let surplus = ready.listener.take_surplus().then(|| SURPLUS.to_owned());
        account.detail.server = notice.or(surplus);
        let is_due = scenario.target.restart_after.is_some_and(|most| ready.served >= most);
        match reply {
            Some(Reply::Answer(answer)) if record.end() == End::Exited(0) && !is_due => {
                if account.observation.status() == Status::Crashed && !json::reports_crash(&answer) {
                    ready.listener.doubt();
                }
                target.servers().lock().insert(slot.number, ready);
            }
            _ => account.detail.left_behind = ready.end(),
        }
        return Ok(Run { account, record: Some(record) });
    }
}

/// Reports that a server has ended, with its exit code if known.
fn ended(reply: Option<&Reply>) -> String {
    match reply {
        Some(Reply::Ended(Some(code))) => format!("the server ended: exit {code}"),
        _ => "the server ended".to_owned(),
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
    let values = Values::new(trial, instance, &seed, Some(&place));
    let own = CommandLine::filled(scenario, &scenario.target.command, &values);
    let words = std::iter::once(own.program.to_string_lossy().into_owned()).chain(own.arguments.clone());
    let line = in_shell(own, START, sequence.folder().to_string_lossy().into_owned(), words);
    let limits = Limits {
        wall: Some(scenario.target.start_limit),
        cores: slot.cores.clone(),
        ..scenario.limits.clone()
    };
    let command = place.prepare(target.with_guardian(line.command()));
    let record = sequence.set_up(&command, &limits, leash.setup_control()).map_err(refused)?;
    if record.end() == End::Exited(0) {
        let unreadable = |source| {
            let path = sequence.folder().to_owned();
            refused(LaunchError::Stream { stream: "server", path, source })
        };
        let listener = Listener::start(sequence.folder()).map_err(unreadable)?;
        return Ok(Started::Ready(Server { sequence, listener, place, served: 0 }));
    }
    Ok(Started::Failed(Box::new(Run { account: not_ready(scenario, &record), record: Some(record) })))
}

/// Returns the result of a trial whose server did not become ready.
fn not_ready(scenario: &Scenario, record: &Finished) -> Account {
    let detail = Detail { tier: record.tier.name().into(), ..Detail::default() };
    if record.end() == End::Cancelled {
        return Account { observation: not_started(scenario), detail };
    }
    let detail = Detail {
        reason: Some(format!("the server did not become ready: {}", ending(record))),
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
    ) -> Result<Exchange, TargetError> {
        let scenario = target.scenario();
        let shown = CommandLine::new(scenario, trial, target.instance(trial)?);
        let refused = |source| TargetError::Launch { command: shown.to_string(), source };
        let request = shown.request.clone().unwrap_or_default();
        let folder = self.sequence.folder().to_string_lossy().into_owned();
        let line = in_shell(shown.clone(), RELAY, folder, [request]);
        let mut command = self.place.prepare(target.with_guardian(line.command()));
        command = outputs::request(&scenario.outputs, command);
        let limits = target.limits(trial.cap, slot.cores.as_ref());
        self.served += 1;
        self.listener.expect(trial.id);
        leash.begin();
        let done = self.sequence.run(&command, &limits, leash.control());
        leash.end();
        let mut record = done.map_err(refused)?;
        let reply = self.listener.take();
        let is_over = matches!(reply, Some(Reply::Ended(_))) && record.end() == End::Exited(0);
        let void = match &reply {
            Some(Reply::Unclear(why)) => Some((*why).to_owned()),
            reply if record.end() == End::Exited(GONE) || (is_over && self.listener.is_unread()) => {
                Some(format!("{}, between two trials", ended(reply.as_ref())))
            }
            _ => None,
        };
        if let Some(reply) = &reply {
            record.stdout = as_output(reply);
        }
        Ok(Exchange { record, reply, void })
    }

    /// Kills the server. If its private folder cannot be removed, returns the path of that folder.
    fn end(self) -> Option<PathBuf> {
        let private = self.sequence.folder().to_owned();
        drop(self);
        left_behind(private)
    }

    /// Returns the end of the server's standard error.
    fn errors(&self) -> Vec<u8> {
        let path: PathBuf = self.sequence.folder().join("setup.err");
        end_of_file(&path, outcome::TAIL).unwrap_or_else(|error| {
            format!("captune cannot read the server's standard error: {error}").into_bytes()
        })
    }
}

/// Returns at most this many bytes from the end of a file.
fn end_of_file(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(most as u64)))?;
    let mut end = Vec::new();
    file.take(most as u64).read_to_end(&mut end)?;
    Ok(end)
}

/// Returns the reply's line in the form of output from the relay.
fn as_output(reply: &Reply) -> Captured {
    let crashed = |reason: &str| json!({ "status": "crashed", "reason": reason }).to_string();
    let mut line = match reply {
        Reply::Answer(line) => line.clone(),
        Reply::Unclear(why) => crashed(why),
        Reply::Ended(_) => crashed(&ended(Some(reply))),
    };
    line.push('\n');
    Captured { written: line.len() as u64, head: line.into_bytes(), tail: Vec::new(), file_complete: true }
}

/// Returns a command that runs a shell script with arguments, in the environment of another command.
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
