//! Agreement with the real ConfigSpace package on which configurations are valid and which parameters
//! are active.
//!
//! The test needs a Python with ConfigSpace 1.2 or later: `python3`, or the interpreter named by
//! `CAPTUNE_PYTHON`. Without it, the test prints a notice and passes. The test looks for published parameter
//! files in `../shared/data` beside the project, or in the folder named by `CAPTUNE_SHARED_DATA`.
//!
//! For each space, three checks run a thousand times each: a sample from captune must be valid in ConfigSpace
//! with the same active parameters; a sample from ConfigSpace must be valid in captune; and both must agree
//! on random combinations of values, many of which violate a clause or a condition. If ConfigSpace's own
//! check rejects its sample, the sample does not count. If ConfigSpace does not answer within a minute, the
//! space is skipped: the time it takes to load a chain of conditions quadruples with every link.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use math::Rng;
use serde_json::{Map, Value, json};
use space::Configuration;
use space::format::{Format, read, write};
use space::{Literal, Space};

const COUNT: usize = 1000;
const TIMEOUT: Duration = Duration::from_secs(60);

/// Spaces in this project, relative to the folder of the tests.
const OWN: [(&str, Format); 4] = [
    ("data/configspace/everything-0.6.json", Format::ConfigSpaceJson),
    ("data/configspace/everything-1.2.json", Format::ConfigSpaceJson),
    ("data/configspace/everything-1.2.yaml", Format::ConfigSpaceYaml),
    ("data/configspace/solver.toml", Format::Toml),
];

/// Published spaces, relative to the folder of shared data.
const PUBLISHED: [(&str, Format); 14] = [
    ("yahpo-lcbench/config_space.json", Format::ConfigSpaceJson),
    ("pcs/acotsp.irace.txt", Format::Irace),
    ("pcs/branin-ordinal.pcs", Format::PcsNew),
    ("pcs/cadical-sc17.pcs", Format::PcsOld),
    ("pcs/clasp-cssc14.pcs", Format::PcsOld),
    ("pcs/cryptominisat-cssc14.pcs", Format::PcsOld),
    ("pcs/leading-ones-100.pcs", Format::PcsNew),
    ("pcs/lkh.pcs", Format::PcsOld),
    ("pcs/logparameters.irace.txt", Format::Irace),
    ("pcs/lpg-new.pcs", Format::PcsNew),
    ("pcs/lpg-old.pcs", Format::PcsOld),
    ("pcs/saps.pcs", Format::PcsNew),
    ("pcs/satenstein.pcs", Format::PcsOld),
    ("pcs/spear.pcs", Format::PcsOld),
];

fn spaces() -> Vec<(String, Space)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("CAPTUNE_SHARED_DATA");
    let shared = shared.map_or_else(|| root.join("../../../shared/data"), PathBuf::from);
    let own = OWN.map(|(name, format)| (root.join("tests").join(name), format));
    let published = PUBLISHED.map(|(name, format)| (shared.join(name), format));
    let mut spaces = Vec::new();
    for (path, format) in own.into_iter().chain(published) {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let Ok(text) = std::fs::read_to_string(&path) else {
            println!("{name}: skipped, file not found");
            continue;
        };
        match read(&text, &name, format) {
            Ok(space) => spaces.push((name, space)),
            Err(mistakes) => panic!("{mistakes}"),
        }
    }
    spaces
}

/// Returns the interpreter, if it has the package.
fn python() -> Option<PathBuf> {
    let python = std::env::var_os("CAPTUNE_PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    let probe = "import ConfigSpace; ConfigSpace.ForbiddenOrConjunction";
    let found = Command::new(&python).args(["-c", probe]).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success()).then_some(python)
}

fn to_json(literal: &Literal) -> Value {
    match literal {
        Literal::Text(text) => json!(text),
        Literal::Integer(number) => json!(number),
        Literal::Float(number) => json!(number),
        Literal::Boolean(truth) => json!(truth),
    }
}

fn to_literal(value: &Value) -> Literal {
    match value {
        Value::Bool(truth) => Literal::Boolean(*truth),
        Value::Number(number) => {
            number.as_i64().map_or_else(|| number.as_f64().unwrap_or(f64::NAN).into(), Literal::Integer)
        }
        Value::String(text) => Literal::Text(text.clone()),
        other => panic!("{other} is not a value"),
    }
}

fn values(configuration: &Configuration) -> Map<String, Value> {
    configuration.iter().map(|(name, value)| (name.to_owned(), to_json(&value))).collect()
}

/// Draws values one at a time and keeps the values of parameters whose conditions hold. One combination in
/// four has one value too many or too few.
fn random_combination(space: &Space, samples: &[Configuration], rng: &mut Rng) -> Map<String, Value> {
    let mut drawn = vec![f64::NAN; space.parameters().len()];
    for (index, code) in drawn.iter_mut().enumerate() {
        let active = samples.iter().map(|sample| sample.codes()[index]).filter(|code| !code.is_nan());
        let known: Vec<f64> = active.take(50).collect();
        *code = if known.is_empty() { f64::NAN } else { known[rng.below(known.len())] };
    }
    let mut codes = drawn.clone();
    // Conditions form chains; one round per link settles all of them.
    for _ in 0..space.parameters().len().min(20) {
        for id in space.ids() {
            let active = space.condition(id).is_none_or(|condition| condition.holds(&codes));
            codes[id.index()] = if active { drawn[id.index()] } else { f64::NAN };
        }
    }
    if rng.below(4) == 0 {
        let index = rng.below(codes.len());
        codes[index] = if codes[index].is_nan() { drawn[index] } else { f64::NAN };
    }
    let active = space.parameters().iter().zip(&codes).filter(|(_, code)| !code.is_nan());
    active
        .map(|(parameter, &code)| (parameter.name().to_owned(), to_json(&parameter.literal(code))))
        .collect()
}

fn check(space: &Space, values: &Map<String, Value>) -> Result<Configuration, String> {
    let values = values.iter().map(|(name, value)| (name.as_str(), to_literal(value)));
    space.configuration(values).map_err(|error| error.to_string())
}

/// ConfigSpace in a separate process.
struct Peer {
    process: Child,
    requests: ChildStdin,
    answers: Receiver<String>,
}

impl Peer {
    fn start(python: &Path) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/space/agreement.py");
        let mut command = Command::new(python);
        command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let requests = process.stdin.take().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let (sender, answers) = channel();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { process, requests, answers }
    }

    fn ask(&mut self, request: &Value) -> Result<Value, RecvTimeoutError> {
        writeln!(self.requests, "{request}").unwrap();
        let answer = self.answers.recv_timeout(TIMEOUT)?;
        Ok(serde_json::from_str(&answer).unwrap())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Ignore errors: the process may have exited already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn configspace_agrees() {
    let Some(python) = python() else {
        println!("skipped: no Python with ConfigSpace 1.2 or later (set CAPTUNE_PYTHON)");
        return;
    };
    let mut peer = Peer::start(&python);
    for (name, space) in spaces() {
        let text = match write(&space, Format::ConfigSpaceJson) {
            Ok(text) => text,
            Err(error) => {
                println!("{name}: skipped, {error}");
                continue;
            }
        };
        let mut rng = Rng::new(1, "agreement", 0);
        let samples: Vec<Configuration> = (0..COUNT).map(|_| space.sample(&mut rng).unwrap()).collect();
        let mut asked: Vec<Map<String, Value>> = samples.iter().map(values).collect();
        asked.extend((0..COUNT).map(|_| random_combination(&space, &samples, &mut rng)));
        let yaml = write(&space, Format::ConfigSpaceYaml).unwrap();
        let request = json!({ "space": text, "yaml": yaml, "samples": COUNT, "configurations": asked });
        match peer.ask(&request) {
            Ok(answer) => {
                assert!(
                    answer["same"] != false,
                    "{name}: ConfigSpace reads a different space from the YAML\n{yaml}"
                );
                compare(&name, &space, &asked, &answer);
            }
            Err(RecvTimeoutError::Timeout) => {
                println!("{name}: skipped, ConfigSpace gave no answer in {TIMEOUT:?}");
                peer = Peer::start(&python);
            }
            Err(RecvTimeoutError::Disconnected) => panic!("{name}: ConfigSpace failed on\n{text}"),
        }
    }
}

fn compare(name: &str, space: &Space, asked: &[Map<String, Value>], answer: &Value) {
    let (mut valid, mut self_rejected) = (0, 0);
    for (values, theirs) in asked.iter().zip(answer["checked"].as_array().expect("a list")) {
        let ours = check(space, values);
        assert_eq!(ours.is_ok(), theirs[0] == true, "{name}: {values:?}\nours {ours:?}\ntheirs {theirs}");
        if let Ok(ours) = ours {
            let mut active: Vec<&str> = ours.iter().map(|(name, _)| name).collect();
            active.sort_unstable();
            assert_eq!(json!(active), theirs[1], "{name}: {values:?}");
            valid += 1;
        }
    }
    for sampled in answer["sampled"].as_array().expect("a list") {
        match check(space, sampled[0].as_object().expect("values")) {
            Ok(_) => {}
            Err(_) if sampled[1] == false => self_rejected += 1,
            Err(error) => panic!("{name}: {sampled}\n{error}"),
        }
    }
    let random = asked.len() - COUNT;
    println!(
        "{name}: agreement on {COUNT} samples from captune, {random} random combinations ({} valid) and \
         {COUNT} samples from ConfigSpace, {self_rejected} of which fail its own check",
        valid - COUNT
    );
}
