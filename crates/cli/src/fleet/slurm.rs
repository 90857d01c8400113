//! `captune fleet slurm`: workers as jobs of Slurm.
//!
//! Nothing is stored about the jobs. Their name follows from the campaign's folder, and Slurm knows the rest.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail};
use campaign::conduct::Order;
use clap::{Args, ValueEnum};
use confine::quantity::parse_duration;
use fleet::invitation;
use fleet::private::private_folder;
use scenario::shell::quoted;
use sha2::{Digest as _, Sha256};

use crate::exit_code::ExitCode;
use crate::goal;
use crate::message;
use crate::words::{counted, harmless};

#[derive(Args, Debug)]
#[command(after_help = "\
Each worker is a job that runs `captune worker DIR` with the cores that Slurm
gives it. Options after `--` are passed to sbatch:
  captune fleet slurm cnf.toml --workers 64 --time 4h -- --partition=short

The same command with another number of workers starts more jobs, or cancels
some: waiting ones first, then running ones, whose trials may end. Without
--workers, it only shows the jobs.")]
pub(crate) struct SlurmArguments {
    /// Folder of the campaign, or its scenario
    #[arg(value_name = "SCENARIO|DIR", default_value = goal::FILE)]
    path: PathBuf,
    /// Number of workers; 0 cancels all of them
    #[arg(long, value_name = "COUNT")]
    workers: Option<usize>,
    /// Time limit of each job
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "4h")]
    time: Duration,
    /// Where the coordinator runs: `here`, started by you, or `job`, as a job that submits itself again
    #[arg(long, value_name = "WHERE", value_enum, default_value_t = Coordinator::Here, hide_possible_values = true)]
    coordinator: Coordinator,
    /// Further options of sbatch
    #[arg(value_name = "SBATCH OPTIONS", last = true)]
    options: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Coordinator {
    Here,
    Job,
}

/// A job in the queue.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Queued {
    id: String,
    state: String,
    /// The node, or the reason why it waits.
    place: String,
    /// Time left.
    left: String,
}

impl Queued {
    fn is_running(&self) -> bool {
        self.state == "RUNNING"
    }
}

/// Starts or cancels jobs, and shows them.
pub(crate) fn slurm(arguments: &SlurmArguments) -> anyhow::Result<ExitCode> {
    let folder = Order { path: arguments.path.clone(), ..Order::default() }.folder();
    let folder = std::path::absolute(&folder).context("cannot determine the folder of the campaign")?;
    let name = job_name(&folder);
    if arguments.coordinator == Coordinator::Job && queue(&coordinator_name(&name))?.is_empty() {
        let id = start_coordinator(arguments, &folder, &name)?;
        message::note(&format!("the coordinator is job {id}"));
    }
    if let Some(wanted) = arguments.workers {
        let jobs = queue(&name)?;
        if wanted > jobs.len() {
            let id = start_workers(arguments, &folder, &name, wanted - jobs.len())?;
            message::note(&format!(
                "started {} as job {id}",
                counted((wanted - jobs.len()) as u64, "worker")
            ));
        } else if wanted < jobs.len() {
            cancel(jobs, wanted)?;
        }
    }
    show(&name)?;
    Ok(ExitCode::Done)
}

/// Returns the name of the workers' jobs, which is different for each campaign.
fn job_name(folder: &Path) -> String {
    let digest = Sha256::digest(folder.as_os_str().as_encoded_bytes());
    let digest: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let stem: String = folder.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let stem: String = stem.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    format!("captune-{stem}-{digest}")
}

fn coordinator_name(workers: &str) -> String {
    format!("{workers}-run")
}

/// Returns the jobs with a name, running ones first.
fn queue(name: &str) -> anyhow::Result<Vec<Queued>> {
    let format = "--format=%i|%T|%L|%R";
    let text = call(Command::new("squeue").args(["--noheader", "--array", "--name", name, format]))?;
    let mut jobs: Vec<Queued> = text.lines().filter_map(queued).collect();
    jobs.retain(|job| job.state == "RUNNING" || job.state == "PENDING");
    jobs.sort_by_key(|job| !job.is_running());
    Ok(jobs)
}

/// Reads one line of the queue.
fn queued(line: &str) -> Option<Queued> {
    let mut parts = line.trim().splitn(4, '|').map(str::to_owned);
    let (id, state) = (parts.next()?, parts.next()?);
    Some(Queued { id, state, left: parts.next()?, place: parts.next()? })
}

fn start_workers(
    arguments: &SlurmArguments,
    folder: &Path,
    name: &str,
    count: usize,
) -> anyhow::Result<String> {
    let worker = format!("exec {} worker {}", own()?, quoted(&folder.to_string_lossy()));
    let mut command = sbatch(arguments, folder, name)?;
    command.arg(format!("--array=1-{count}")).args(&arguments.options).arg("--wrap").arg(worker);
    Ok(call(&mut command)?.trim().to_owned())
}

/// Starts a job that runs the campaign, and submits itself again as long as the campaign is not over. (Slurm
/// holds a requeued job back for minutes.)
fn start_coordinator(arguments: &SlurmArguments, folder: &Path, name: &str) -> anyhow::Result<String> {
    let path = std::path::absolute(&arguments.path).context("cannot determine the path of the scenario")?;
    let run = format!("{} run {} --fleet --progress lines", own()?, quoted(&path.to_string_lossy()));
    let submit = sbatch(arguments, folder, &coordinator_name(name))?;
    let options = submit.get_args().map(|option| option.to_string_lossy().into_owned());
    let options = options.chain(arguments.options.iter().cloned()).filter(|option| option != "--parsable");
    let header: String = options.map(|option| format!("#SBATCH {}\n", quoted(&option))).collect();
    // A signal interrupts `wait`; the last `wait` returns the exit code of captune. TERM means that somebody has
    // cancelled the job, so it is not submitted again.
    let script = format!(
        "#!/bin/sh\n{header}#SBATCH --open-mode=append\n{run} &\nrun=$!\nagain=yes\n\
         trap 'kill -USR1 \"$run\"' USR1\ntrap 'again=no; kill -USR1 \"$run\"' TERM\n\
         wait \"$run\"\ncode=$?\nwhile kill -0 \"$run\" 2>/dev/null; do wait \"$run\"; code=$?; done\n\
         if [ \"$code\" -eq 130 ] && [ \"$again\" = yes ]; then sbatch \"$0\"; fi\nexit \"$code\"\n"
    );
    let file = invitation::folder(folder).join("coordinator.sh");
    std::fs::write(&file, script).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(call(Command::new("sbatch").arg("--parsable").arg(file))?.trim().to_owned())
}

/// Returns the command that submits a job. Its output goes to the campaign's folder.
fn sbatch(arguments: &SlurmArguments, folder: &Path, name: &str) -> anyhow::Result<Command> {
    let logs = invitation::folder(folder);
    private_folder(&logs)?;
    let minutes = arguments.time.as_secs().div_ceil(60).max(1);
    let mut command = Command::new("sbatch");
    command.arg("--parsable").arg(format!("--job-name={name}")).arg(format!("--time={minutes}"));
    command.arg(format!("--output={}", logs.join("slurm-%j.log").display()));
    Ok(command)
}

/// Cancels jobs until only `wanted` are left.
fn cancel(jobs: Vec<Queued>, wanted: usize) -> anyhow::Result<()> {
    let cancelled: Vec<String> = jobs.into_iter().skip(wanted).map(|job| job.id).collect();
    message::note(&format!("cancelling {}", counted(cancelled.len() as u64, "worker")));
    call(Command::new("scancel").args(cancelled)).map(drop)
}

fn show(name: &str) -> anyhow::Result<()> {
    for job in queue(&coordinator_name(name))? {
        message::show(&format!("coordinator {}\n", line(&job)))?;
    }
    let jobs = queue(name)?;
    let running = jobs.iter().filter(|job| job.is_running()).count();
    let waiting = jobs.len() - running;
    message::show(&format!(
        "{}: {running} running, {waiting} waiting\n",
        counted(jobs.len() as u64, "worker")
    ))?;
    for job in &jobs {
        message::show(&format!("  {}\n", line(job)))?;
    }
    Ok(())
}

fn line(job: &Queued) -> String {
    let Queued { id, state, place, left } = job;
    let place = harmless(place);
    if state == "RUNNING" {
        format!("{} on {place}, {} left", harmless(id), harmless(left))
    } else {
        format!("{} waiting {place}", harmless(id))
    }
}

/// Returns the path of this program, quoted for a shell.
fn own() -> anyhow::Result<String> {
    let own = std::env::current_exe().context("cannot determine the path of captune")?;
    Ok(quoted(&own.to_string_lossy()))
}

/// Runs a program of Slurm, and returns what it prints.
fn call(command: &mut Command) -> anyhow::Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output =
        command.output().with_context(|| format!("cannot run {program}; is Slurm installed here?"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{program} failed: {}", harmless(said.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_is_read_line_by_line() {
        let job = queued("17_3|RUNNING|1:59:00|n1").unwrap();
        assert!(job.is_running());
        assert_eq!(line(&job), "17_3 on n1, 1:59:00 left");
        let job = queued("17_4|PENDING|2:00:00|(Resources | Priority)").unwrap();
        assert_eq!(line(&job), "17_4 waiting (Resources | Priority)");
        assert_eq!(queued("slurm_load_jobs error"), None);
    }

    #[test]
    fn campaigns_with_the_same_name_have_different_jobs() {
        let [one, other] = ["/a/cnf.campaign", "/b/cnf.campaign"].map(|folder| job_name(Path::new(folder)));
        assert!(one.starts_with("captune-cnf-") && one.len() == 20, "{one}");
        assert_ne!(one, other);
    }
}
