//! Compares the speed of the store with the goals for it: writing, opening, loading and summarising a million
//! trials, and committing trials one at a time and in groups.
//!
//! Loading is measured in a separate process, so that the process has the same peak memory as a resume.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use engine::history::Trial;
use engine::{
    Cap, ConfigId, InstanceId, Observation, Pair, Rng, Seed, Space, Status, TrialId, TrialKey, Why,
};
use execution::{Detail, Record};
use space::format::{Format, read};
use store::{Acknowledgement, Batch, Charter, Elapsed, State, Store, StoredConfiguration, StoredIncumbent};

use rustix::time::{ClockId, clock_gettime};

use crate::quantiles::Quantiles;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of trials in the large store
    #[arg(long, default_value_t = 1_000_000)]
    trials: u64,
    /// Folder to create stores in [default: the system's temporary folder]
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Number of rounds per series
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Only load an existing store
    #[arg(long, hide = true)]
    existing: Option<PathBuf>,
}

const PARAMETERS: usize = 10;
pub(crate) const INSTANCES: u32 = 200;
/// Numbers of trials per configuration, which are small because most challengers are dropped early.
const TRIALS_EACH: [u64; 10] = [1, 1, 1, 1, 2, 2, 2, 4, 4, 16];

/// Measures everything and prints it as Markdown.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    if let Some(folder) = &arguments.existing {
        return load(folder, arguments.rounds);
    }
    let parent = arguments.folder.clone().unwrap_or_else(std::env::temp_dir);
    let folder = parent.join(format!("captune-bench-store-{}", std::process::id()));
    // Creating the folder must fail if it exists, because the code below may remove only a folder that was
    // created here.
    std::fs::create_dir(&folder)?;
    let measured = charter()
        .and_then(|charter| fill(&folder.join("large"), &charter, arguments.trials, Some(vec![0; 10_000])))
        .and_then(|()| load_in_child(&folder.join("large"), arguments.rounds))
        .and_then(|()| commits(&folder));
    std::fs::remove_dir_all(&folder)?;
    measured
}

fn space() -> Result<Space> {
    let kinds = [
        "float = [0.001, 10.0], log = true",
        "float = [0.0, 1.0]",
        "integer = [1, 1000], log = true",
        "choices = [\"first\", \"second\", \"third\"]",
        "boolean = true",
    ];
    let mut text = String::new();
    for i in 0..PARAMETERS {
        let when = if i < 8 { "" } else { ", when = \"parameter-4\"" };
        let _ = writeln!(text, "parameter-{i} = {{ {}{when} }}", kinds[i % kinds.len()]);
    }
    Ok(read(&text, "bench", Format::Toml)?)
}

fn charter() -> Result<Charter> {
    Ok(Charter {
        name: "bench".to_owned(),
        scenario: String::new(),
        folder: "bench".into(),
        space: space()?,
        instances: (0..INSTANCES).map(|i| format!("instances/train/number-{i}.cnf")).collect(),
        seed: 1,
    })
}

fn trial(id: u64, config: u32, visit: u64, rng: &mut Rng) -> Record {
    let cost = 30.0 * rng.unit();
    let observation = match rng.below(100) {
        0..60 => Observation::capped(cost),
        60..97 => Observation::finished(cost),
        97..99 => Observation::timeout(30.0),
        _ => Observation::failed(Status::Crashed, cost),
    };
    let pair = Pair { instance: InstanceId(visit as u32 % INSTANCES), seed: Seed(visit as u32 * 7919) };
    let key = TrialKey { config: ConfigId(config), pair };
    let why = if config == 0 { Why::Incumbent } else { Why::Challenge };
    let detail = Detail {
        cpu: Some(cost),
        wall: Some(cost * 1.01),
        memory: Some(50_000_000 + rng.bits() % 10_000_000),
        exit: Some(10),
        ..Detail::default()
    };
    let trial = Trial { id: TrialId(id), key, cap: Cap::at(cost + 1.0), why, observation };
    let started = id as f64 * 0.1;
    Record { trial, detail, started, ended: started + cost, slot: id as u32 % 64 }
}

/// Creates a store with random trials and, if one is given, a snapshot of the search.
pub(crate) fn fill(folder: &Path, charter: &Charter, trials: u64, snapshot: Option<Vec<u8>>) -> Result<()> {
    let mut rng = Rng::new(1, "bench", 0);
    let start = Instant::now();
    let (send, acknowledgements) = channel();
    let store = Store::create(folder, charter)?;
    let mut writer = store.write(move |acknowledgement| send.send(acknowledgement).unwrap_or_default())?;
    let (mut id, mut config, mut seen) = (0, 0, 0);
    while id < trials {
        let mut batch = Batch::default();
        while batch.trials.len() < 1000 && id < trials {
            let configuration = charter.space.sample(&mut rng)?;
            let origin = "local".to_owned();
            batch.configurations.push(StoredConfiguration { id: ConfigId(config), origin, configuration });
            for visit in 0..TRIALS_EACH[rng.below(TRIALS_EACH.len())] {
                batch.trials.push(trial(id, config, visit, &mut rng));
                id += 1;
            }
            config += 1;
        }
        let spent = Elapsed { wall: id as f64, cpu: id as f64 };
        let after = StoredIncumbent { after: id, config: ConfigId(config - 1), pairs: 16, cost: 1.0, spent };
        batch.incumbents.push(after);
        batch.spent = Some(spent);
        batch.state = snapshot.clone().map(|snapshot| State { snapshot, format: 2, told: id });
        let number = writer.submit(batch)?;
        // Keep a few batches in flight, as a campaign with many workers does.
        wait(&acknowledgements, &mut seen, number.saturating_sub(8))?;
    }
    writer.finish("filled")?;
    let size = std::fs::metadata(folder.join("campaign.sqlite"))?.len() as f64 / 1e6;
    println!(
        "\n## {id} trials, {config} configurations of {} parameters, {INSTANCES} instances\n",
        charter.space.parameters().len()
    );
    println!("Written in {:.1} s, {size:.0} MB\n", start.elapsed().as_secs_f64());
    Ok(())
}

fn wait(acknowledgements: &Receiver<Acknowledgement>, seen: &mut u64, number: u64) -> Result<()> {
    while *seen < number {
        match acknowledgements.recv().context("the writer thread has ended")? {
            Acknowledgement::Committed { batches } => *seen = batches,
            Acknowledgement::Failed(error) => bail!(error),
        }
    }
    Ok(())
}

fn load_in_child(folder: &Path, rounds: usize) -> Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("store").arg("--existing").arg(folder).args(["--rounds", &rounds.to_string()]);
    ensure!(command.status()?.success(), "loading failed");
    Ok(())
}

fn load(folder: &Path, rounds: usize) -> Result<()> {
    let (mut loads, mut works, mut summaries) = (Vec::new(), Vec::new(), Vec::new());
    let mut memory = 0.0;
    for round in 0..rounds {
        let (start, work) = (Instant::now(), cpu());
        let store = Store::open(folder)?;
        let loaded = store.load()?;
        loads.push(start.elapsed().as_secs_f64());
        works.push(cpu() - work);
        std::hint::black_box(&loaded);
        if round == 0 {
            memory = crate::space::peak_memory()?;
        }
        drop((loaded, store));
        let start = Instant::now();
        std::hint::black_box(Store::read(folder)?.summary()?);
        summaries.push(start.elapsed().as_secs_f64());
    }
    println!("| measurement | goal | median | minimum |\n|---|---|---|---|");
    for (measurement, goal, times) in [
        ("open and load, s", "3", loads),
        ("CPU time of both threads, s", "", works),
        ("open and summarise, s", "1", summaries),
    ] {
        let times = Quantiles::of(times);
        println!("| {measurement} | {goal} | {:.3} | {:.3} |", times.median(), times.at(0.0));
    }
    println!("| peak memory of the first load, MB | 1000 | {memory:.0} | |");
    Ok(())
}

/// Returns the CPU seconds of all threads of this process.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Measures trials committed per second, with one batch in flight and with many.
fn commits(parent: &Path) -> Result<()> {
    println!("\n## Commits, one trial each\n");
    println!("| trials in flight | trials/s | median wait, ms | 99th percentile, ms |\n|---|---|---|---|");
    for ahead in [1, 8, 64, 1024] {
        let charter = charter()?;
        let mut rng = Rng::new(1, "commits", 0);
        let (send, acknowledgements) = channel();
        let store = Store::create(&parent.join(format!("ahead-{ahead}")), &charter)?;
        let mut writer = store
            .write(move |acknowledgement| send.send((acknowledgement, Instant::now())).unwrap_or_default())?;
        let configuration = charter.space.default_configuration();
        let origin = "default".to_owned();
        let configurations = vec![StoredConfiguration { id: ConfigId(0), origin, configuration }];
        writer.submit(Batch { configurations, ..Batch::default() })?;
        let start = Instant::now();
        let (mut submitted, mut waits, mut done) = (vec![start], Vec::new(), 0);
        while start.elapsed().as_secs_f64() < 3.0 {
            while submitted.len() < done + ahead {
                let id = submitted.len() as u64;
                submitted.push(Instant::now());
                let trials = vec![trial(id, 0, id, &mut rng)];
                writer.submit(Batch { trials, ..Batch::default() })?;
            }
            match acknowledgements.recv().context("the writer thread has ended")? {
                (Acknowledgement::Committed { batches }, at) => {
                    let fresh = &submitted[done..batches as usize];
                    waits.extend(fresh.iter().map(|start| at.duration_since(*start).as_secs_f64()));
                    done = batches as usize;
                }
                (Acknowledgement::Failed(error), _) => bail!(error),
            }
        }
        let rate = done as f64 / start.elapsed().as_secs_f64();
        writer.finish("measured")?;
        let waits = Quantiles::of(waits);
        println!("| {ahead} | {rate:.0} | {:.1} | {:.1} |", waits.median() * 1e3, waits.at(0.99) * 1e3);
    }
    Ok(())
}
