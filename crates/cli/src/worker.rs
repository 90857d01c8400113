//! `captune worker`: runs trials for a campaign whose coordinator is another process.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;
use campaign::conduct::{self, Order, scenario_of_file, worker_slots};
use campaign::deadline;
use campaign::staging::Staging;
use clap::Args;
use confine::quantity::parse_duration;
use execution::Slot;
use fleet::invitation::{self, Invitation};
use fleet::lifeline::{self, Heard};
use fleet::nats::Address;
use fleet::worker::{Connection, Ended, Halt, Job, Notice, work};
use rustix::fs::{FlockOperation, flock};
use scenario::Scenario;

use crate::exit_code::ExitCode;
use crate::goal;
use crate::message::{self, Hinted};
use crate::run::job::Job as SlurmJob;
use crate::run::tier;
use crate::signals;
use crate::trouble::explained;
use crate::words::counted;

/// Time between two looks for an invitation.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

#[derive(Args, Debug)]
#[command(after_help = "\
The worker reads fleet/join.json in the campaign's folder, which the coordinator
(`captune run --fleet`) writes. It waits for that file, for the server and for
the coordinator as long as necessary. It builds the commands of trials from its
own copy of the scenario; only parameter values come from the coordinator.

The first signal (Ctrl-C, SIGTERM) lets running trials end; the second gives
them back at once. In a Slurm job, the worker takes only trials that can end
before the job does. docs/guides/fleet.md explains how to use many machines.")]
pub(crate) struct Arguments {
    /// Folder of the campaign, or its scenario
    #[arg(value_name = "DIR", default_value = goal::FILE)]
    path: PathBuf,
    #[command(flatten)]
    options: Options,
    /// Use the I-th of N equal parts of this machine's cores
    #[arg(long, value_name = "I/N", hide = true, value_parser = parse_part)]
    part: Option<(usize, usize)>,
    /// End when standard input is closed
    #[arg(long, hide = true)]
    while_stdin: bool,
    /// End when nothing arrives on standard input for this time
    #[arg(long, value_name = "TIME", hide = true, requires = "while_stdin", value_parser = parse_duration)]
    silence: Option<Duration>,
}

/// Options of a worker, wherever it runs.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Copy of the coordinator's fleet/join.json, if the campaign's folder cannot be reached
    #[arg(long, value_name = "FILE", requires = "scenario")]
    pub(crate) connect: Option<PathBuf>,
    /// The worker's own copy of the scenario [default: the one in the campaign's folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) scenario: Option<PathBuf>,
    /// Number of trials that run at the same time [default: as many as the physical cores allow]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) slots: Option<u32>,
    /// Let trials use any core instead of assigning cores to slots
    #[arg(long)]
    pub(crate) any_core: bool,
    /// Time for running trials to end after the first signal (Slurm kills a job 30 s after its signal)
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "20s")]
    pub(crate) grace: Duration,
    /// End if the coordinator is not heard for this time [default: wait for ever]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) patience: Option<Duration>,
}

fn parse_part(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
    parts.filter(|&(part, of)| part >= 1 && part <= of).ok_or_else(|| "expected I/N, such as 1/4".to_owned())
}

/// Runs trials until the campaign is over.
pub(crate) fn worker(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let signals = signals::listen()?;
    let (halt, halts) = channel();
    let grace = arguments.options.grace.min(Duration::from_secs(86_400));
    let on_signal = halt.clone();
    let is_stopped = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&is_stopped);
    signals.each(move |count| {
        stopped.store(true, Ordering::SeqCst);
        // The worker may have ended already.
        let _ = on_signal.send(if count > 1 { Halt::Now } else { Halt::Drain(grace) });
    });
    if arguments.while_stdin {
        follow_stdin(arguments.silence, grace, halt.clone(), Arc::clone(&is_stopped))?;
    }
    let folder = Order { path: arguments.path.clone(), ..Order::default() }.folder();
    let file = arguments.options.connect.clone().unwrap_or_else(|| Invitation::path(&folder));
    let Some(invitation) = await_invitation(&file, &is_stopped)? else { return Ok(ExitCode::Interrupted) };
    if invitation.is_over {
        message::note("the campaign is over");
        return Ok(ExitCode::Done);
    }
    check_version(&invitation)?;
    let (text, scenario) = scenario(arguments, &folder, &invitation)?;
    let job = job(arguments, &text, scenario, &folder)?;
    let is_over = Arc::new(AtomicBool::new(false));
    let connection = Connection {
        name: name()?,
        campaign: invitation.campaign.clone(),
        addresses: addresses(file, invitation, Arc::clone(&is_over), halt),
    };
    message::note(&format!("worker with {}", counted(job.slots.len() as u64, "slot")));
    let ended = work(connection, job, &halts, arguments.options.patience, show())?;
    Ok(match ended {
        Ended::Halted if is_over.load(Ordering::SeqCst) => {
            message::note("the campaign is over");
            ExitCode::Done
        }
        Ended::Over => {
            message::note("the campaign is over");
            ExitCode::Done
        }
        Ended::OutOfTime => {
            message::note("the job is about to end");
            ExitCode::Done
        }
        Ended::Halted => ExitCode::Interrupted,
        Ended::Dismissed(why) => {
            message::say(&format!("error: the coordinator refuses this worker: {why}"));
            ExitCode::Failed
        }
        Ended::Abandoned => {
            message::say("error: the coordinator was not heard for the time that --patience allows");
            ExitCode::Failed
        }
    })
}

/// Does what the process that started this worker asks for on standard input, and ends with that process.
fn follow_stdin(
    silence: Option<Duration>,
    grace: Duration,
    halt: Sender<Halt>,
    is_stopped: Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let act = move |heard| {
        is_stopped.store(true, Ordering::SeqCst);
        // The worker may have ended already.
        let _ = halt.send(match heard {
            Heard::Drain => Halt::Drain(grace),
            Heard::Gone => Halt::Now,
        });
    };
    let follow = move || lifeline::follow(std::io::stdin(), silence, act);
    std::thread::Builder::new().spawn(follow).context("cannot start a thread")?;
    Ok(())
}

/// Waits until there is an invitation. Returns `None` if the worker was stopped before.
fn await_invitation(file: &Path, is_stopped: &AtomicBool) -> anyhow::Result<Option<Invitation>> {
    let mut is_first = true;
    loop {
        if let Some(invitation) = Invitation::read(file)? {
            return Ok(Some(invitation));
        }
        if std::mem::take(&mut is_first) {
            message::note(&format!("waiting for `captune run --fleet`, which writes {}", file.display()));
        }
        if is_stopped.load(Ordering::SeqCst) {
            return Ok(None);
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

fn check_version(invitation: &Invitation) -> anyhow::Result<()> {
    let own = env!("CARGO_PKG_VERSION");
    if invitation.version == own {
        return Ok(());
    }
    Err(Hinted {
        message: format!("this is captune {own}, but the coordinator is captune {}", invitation.version),
        hint: "install the same version on every machine".to_owned(),
    }
    .into())
}

/// Reads the worker's own copy of the scenario.
fn scenario(
    arguments: &Arguments,
    folder: &Path,
    invitation: &Invitation,
) -> anyhow::Result<(String, Scenario)> {
    if let Some(path) = &arguments.options.scenario {
        return scenario_of_file(path).map_err(explained);
    }
    let path = invitation::scenario_file(folder);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let name = path.display().to_string();
    let scenario = scenario::read(&text, &invitation.folder, &name)?;
    Ok((text, scenario))
}

/// Returns what this worker can run.
fn job(arguments: &Arguments, text: &str, scenario: Scenario, folder: &Path) -> anyhow::Result<Job> {
    tier(&scenario)?;
    let slots = slots(arguments, &scenario)?;
    let end = SlurmJob::around_us().and_then(|job| job.end()).map(|end| {
        let left = deadline::left(&scenario, end, SystemTime::now());
        Instant::now() + Duration::from_secs_f64(left)
    });
    let digest = invitation::digest(text, &scenario)?;
    let sources: Vec<scenario::Instance> =
        scenario.instances.train.iter().chain(&scenario.instances.test).cloned().collect();
    let instances = match Staging::of(&scenario, folder) {
        Some(staging) => {
            stage(&staging, &sources)?;
            staging.staged(&sources)
        }
        None => sources,
    };
    let names: BTreeMap<String, u32> =
        instances.iter().zip(0..).map(|(instance, number)| (instance.name.clone(), number)).collect();
    let space = scenario.space.clone();
    Ok(Job {
        target: conduct::target(&Arc::new(scenario), &instances),
        space,
        instances: names,
        slots,
        host: store::host_name(),
        speed: fleet::speed(),
        scenario: digest,
        end,
    })
}

/// Stages the instances. Several workers may share the folder, so one after the other.
fn stage(staging: &Staging, sources: &[scenario::Instance]) -> anyhow::Result<()> {
    let folder = staging.folder();
    let path = folder.join("workers.lock");
    let create = || std::fs::create_dir_all(folder).and_then(|()| File::create(&path));
    let lock = create().with_context(|| format!("cannot create {}", path.display()))?;
    flock(&lock, FlockOperation::LockExclusive).with_context(|| format!("cannot lock {}", path.display()))?;
    staging.stage(sources).map_err(|error| explained(error.into()))?;
    Ok(())
}

fn slots(arguments: &Arguments, scenario: &Scenario) -> anyhow::Result<Vec<Slot>> {
    let order = Order { workers: arguments.options.slots.map(|slots| slots as usize), ..Order::default() };
    if arguments.options.any_core {
        let count = match arguments.options.slots {
            Some(slots) => slots as usize,
            None => conduct::workers(scenario, &order).map_err(|error| explained(error.into()))?,
        };
        return conduct::free_slots(scenario, count).map_err(|error| explained(error.into()));
    }
    let (part, of) = arguments.part.unwrap_or((1, 1));
    let count = match order.workers {
        Some(count) => count,
        None => (conduct::workers(scenario, &order).map_err(|error| explained(error.into()))? / of).max(1),
    };
    let all = worker_slots(scenario, count * of).map_err(|error| explained(error.into()))?;
    let own = all.into_iter().skip((part - 1) * count).take(count).enumerate();
    Ok(own.map(|(number, slot)| Slot { number, ..slot }).collect())
}

/// Returns a name that no other worker of the campaign has.
fn name() -> anyhow::Result<String> {
    let host: String =
        store::host_name().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let random = invitation::new_name().context("cannot get random numbers from the kernel")?;
    Ok(format!("{host}-{}-{random}", std::process::id()))
}

/// Returns a function that reads the addresses again before each attempt to connect, because the coordinator
/// may have moved.
fn addresses(
    file: PathBuf,
    first: Invitation,
    is_over: Arc<AtomicBool>,
    halt: Sender<Halt>,
) -> Box<dyn FnMut() -> Vec<Address> + Send> {
    let mut known = first;
    Box::new(move || {
        // While the file is being replaced or cannot be reached, the last addresses count.
        if let Ok(Some(invitation)) = Invitation::read(&file) {
            if invitation.is_over || invitation.campaign != known.campaign {
                is_over.store(true, Ordering::SeqCst);
                // The worker may have ended already.
                let _ = halt.send(Halt::Now);
            }
            known = invitation;
        }
        known.addresses.clone()
    })
}

/// Returns a function that prints what the user should know.
fn show() -> impl FnMut(Notice) {
    let mut last = None;
    move |notice| {
        if last.as_ref() == Some(&notice) {
            return;
        }
        match &notice {
            Notice::Connected => {}
            Notice::Welcomed => message::note("connected to the coordinator"),
            Notice::Disconnected(why) => message::note(&format!("no connection: {why}; trying again")),
        }
        last = Some(notice);
    }
}
