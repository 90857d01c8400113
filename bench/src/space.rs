//! Compares the speed of parameter spaces with the goals for it: sampling and encoding, measured together
//! with ConfigSpace in the same run, and a space with thousands of parameters.
//!
//! All times are CPU times of the measuring thread, the minimum of several rounds. Rounds of captune and
//! ConfigSpace alternate, so that a noisy machine disturbs both alike.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use clap::Args;
use engine::{Rng, Space};
use space::format::{Format, read, write};

use crate::clock::cpu;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Python interpreter that has ConfigSpace [default: the one created by bench/peers/setup-configspace]
    #[arg(long)]
    python: Option<PathBuf>,
    /// Measure only captune
    #[arg(long, conflicts_with = "python")]
    alone: bool,
    /// Number of rounds per series
    #[arg(long, default_value_t = 30)]
    rounds: usize,
}

const PARAMETERS: usize = 76;
const BATCH: usize = 1000;

/// Measures everything and prints it as Markdown.
pub(crate) fn measure(arguments: &Arguments) -> Result<()> {
    // This part must come first, because it reports the peak memory of the process.
    large()?;
    let space = read(&mixed(), "mixed.toml", Format::Toml)?;
    let peer = match (&arguments.python, arguments.alone) {
        (_, true) => None,
        (Some(python), false) => Some(Peer::start(python, &space)?),
        (None, false) => Some(Peer::start(&set_up()?, &space)?),
    };
    sampling(&space, peer, arguments.rounds)
}

/// Returns a space with every kind of parameter, a third of them conditional, and two forbidden clauses.
fn mixed() -> String {
    let kinds = [
        "float = [0.001, 10.0], log = true",
        "float = [0.0, 1.0]",
        "integer = [1, 1000], log = true",
        "integer = [1, 100]",
        "choices = [\"a\", \"b\", \"c\"]",
        "boolean = true",
    ];
    let mut text = String::new();
    for i in 0..PARAMETERS {
        let kind = kinds[i % kinds.len()];
        let parent = i.saturating_sub(50) / 6 * 6 + 4;
        let when = if i < 50 { String::new() } else { format!(", when = \"p{parent} in {{'a', 'b'}}\"") };
        let _ = writeln!(text, "p{i} = {{ {kind}{when} }}");
    }
    text + "forbidden = [\"p4 == 'c' && p5 == false\", \"p10 == 'c' && p3 > 90\"]\n"
}

fn set_up() -> Result<PathBuf> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/setup-configspace");
    let output = Command::new(script).stderr(Stdio::inherit()).output()?;
    ensure!(
        output.status.success(),
        "{script} failed; use --python to choose a Python interpreter that has ConfigSpace"
    );
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim()))
}

/// ConfigSpace in a separate process.
struct Peer {
    process: Child,
    requests: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Peer {
    fn start(python: &Path, space: &Space) -> Result<Self> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/configspace_sampling.py");
        let mut process = Command::new(python)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", python.display()))?;
        let mut requests = process.stdin.take().context("no stdin")?;
        let answers = BufReader::new(process.stdout.take().context("no stdout")?).lines();
        writeln!(requests, "{}", write(space, Format::ConfigSpaceJson)?.replace('\n', " "))?;
        Ok(Self { process, requests, answers })
    }

    /// Returns the seconds per configuration.
    fn time(&mut self, how: &str, count: usize) -> Result<f64> {
        writeln!(self.requests, "{how} {count}")?;
        let answer = self.answers.next().context("the process with ConfigSpace ended early")??;
        Ok(answer.parse::<f64>()? / count as f64)
    }
}

fn sampling(space: &Space, mut peer: Option<Peer>, rounds: usize) -> Result<()> {
    let mut rng = Rng::new(1, "bench", 0);
    let (mut codes, mut row) = (vec![0.0; PARAMETERS], vec![0.0; PARAMETERS]);
    let (mut table, mut rows) = (vec![0.0; PARAMETERS * BATCH], vec![0.0; PARAMETERS * BATCH]);
    let [mut objects, mut slices, mut batches, mut single, mut batch] = [f64::INFINITY; 5];
    for _ in 0..rounds {
        let start = cpu();
        for _ in 0..BATCH {
            let configuration = space.sample(&mut rng)?;
            space.encode_codes(configuration.codes(), &mut row);
            std::hint::black_box(&mut row);
        }
        objects = objects.min((cpu() - start) / BATCH as f64);
        let start = cpu();
        for _ in 0..BATCH {
            space.sample_into(&mut rng, &mut codes)?;
            space.encode_codes(&codes, &mut row);
            std::hint::black_box(&mut row);
        }
        slices = slices.min((cpu() - start) / BATCH as f64);
        let start = cpu();
        space.sample_many(&mut rng, &mut table)?;
        space.encode_many(&table, &mut rows);
        std::hint::black_box(&mut rows);
        batches = batches.min((cpu() - start) / BATCH as f64);
        if let Some(peer) = &mut peer {
            single = single.min(peer.time("single", 20)?);
            batch = batch.min(peer.time("batch", BATCH)?);
        }
    }
    println!("\n## Sampling and encoding, {PARAMETERS} mixed parameters, minimum of {rounds} rounds\n");
    println!(
        "| method | us per configuration | times as fast as ConfigSpace, one at a time | as ConfigSpace, in batches |\n\
         |---|---|---|---|"
    );
    for (method, seconds) in [
        ("captune, configurations", objects),
        ("captune, slices", slices),
        ("captune, batches of 1000", batches),
        ("ConfigSpace, one at a time", single),
        ("ConfigSpace, batches of 1000", batch),
    ] {
        let times =
            |peer: f64| if peer.is_finite() { format!("{:.1}", peer / seconds) } else { String::new() };
        if seconds.is_finite() {
            println!("| {method} | {:.2} | {} | {} |", seconds * 1e6, times(single), times(batch));
        }
    }
    if let Some(mut peer) = peer {
        drop(peer.requests);
        peer.process.wait()?;
    }
    Ok(())
}

/// Reads a space with 10 000 parameters, half of them conditional, and samples and encodes 1 000
/// configurations.
fn large() -> Result<()> {
    let kinds = [
        "float = [0.001, 10.0], log = true",
        "integer = [1, 100]",
        "choices = [\"a\", \"b\", \"c\"]",
        "boolean = true",
    ];
    let mut text = String::new();
    for i in 0..10_000 {
        let when = match i {
            0..5000 => String::new(),
            _ if i % 2 == 0 => format!(", when = \"p-{} == 'a'\"", (i - 5000) / 4 * 4 + 2),
            _ => format!(", when = \"p-{} > 3 && p-{}\"", (i - 1000) / 4 * 4 + 1, (i - 3000) / 4 * 4 + 3),
        };
        let _ = writeln!(text, "p-{i} = {{ {}{when} }}", kinds[i % kinds.len()]);
    }
    println!("\n## 10 000 parameters, 5 000 conditions, minimum of 3 rounds\n");
    println!(
        "| format | MB | read, s | sample and encode 1 000, s | peak memory, MB |\n|---|---|---|---|---|"
    );
    for format in [Format::Toml, Format::ConfigSpaceJson, Format::ConfigSpaceYaml] {
        let text = match format {
            Format::Toml => text.clone(),
            other => write(&read(&text, "large", Format::Toml)?, other)?,
        };
        let (mut reading, mut sampling) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..3 {
            let start = cpu();
            let space = read(&text, "large", format)?;
            reading = reading.min(cpu() - start);
            let start = cpu();
            let mut rng = Rng::new(1, "bench", 0);
            let mut row = vec![0.0; space.row_length()];
            let mut kept = Vec::new();
            for _ in 0..1000 {
                let configuration = space.sample(&mut rng)?;
                space.encode_codes(configuration.codes(), &mut row);
                kept.push(configuration);
            }
            sampling = sampling.min(cpu() - start);
        }
        let size = text.len() as f64 / 1e6;
        println!("| {format} | {size:.1} | {reading:.3} | {sampling:.3} | {:.0} |", peak_memory()?);
    }
    Ok(())
}

/// Returns the peak resident memory of this process so far, in MB.
pub(crate) fn peak_memory() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes / 1e3)
}
