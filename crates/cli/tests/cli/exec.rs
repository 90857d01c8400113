use std::io::{Read, Write};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{CAPTUNE, captune, captune_with, code, stderr, stdout};

#[test]
fn output_and_exit_code_are_those_of_the_command() {
    let output = captune_with(["exec", "--", "sh", "-c", "echo out; echo err >&2; exit 7"]);
    assert_eq!((stdout(&output).as_str(), code(&output)), ("out\n", 7));
    let said = stderr(&output);
    assert!(said.starts_with("err\ncaptune: exit code 7 · cpu 0."), "{said}");
}

#[test]
fn a_limit_gives_124_and_is_named() {
    let output = captune("exec --wall 50ms -- sleep 60");
    assert_eq!(code(&output), 124);
    assert!(stderr(&output).contains("stopped by its wall time limit of 50ms"), "{}", stderr(&output));
    let output = captune_with(["exec", "--cpu", "50ms", "--", "sh", "-c", "while :; do :; done"]);
    assert_eq!(code(&output), 124);
    assert!(stderr(&output).contains("stopped by its CPU time limit of 50ms"), "{}", stderr(&output));
}

#[test]
fn a_signal_gives_128_plus_its_number() {
    let output = captune_with(["exec", "--", "sh", "-c", "kill -SEGV $$"]);
    assert_eq!(code(&output), 128 + 11);
}

fn json(arguments: &[&str]) -> Value {
    let output = captune_with(arguments.iter().copied());
    serde_json::from_str(&stdout(&output)).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// The supervisor is larger than these programs. The first sample is taken after 5 ms, so only some have one.
#[test]
fn short_programs_have_the_same_memory_whether_they_are_sampled_or_not() {
    let peak =
        |time: &&str| json(&["exec", "--json", "--", "sleep", time])["peak_memory_bytes"].as_f64().unwrap();
    let mut peaks: Vec<f64> = ["0", "0.006", "0.001", "0.012", "0.002", "0.02"].iter().map(peak).collect();
    peaks.sort_by(f64::total_cmp);
    assert!(peaks[5] < 1.5 * peaks[0], "{peaks:?}");
}

#[test]
fn json_reports_every_case() {
    let record =
        json(&["exec", "--json", "--wall", "100ms", "--", "sh", "-c", "echo started; exec sleep 60"]);
    assert_eq!(record["stopped"], "wall");
    assert_eq!(record["signal"], 9);
    assert_eq!(record["exit_code"], Value::Null);
    assert_eq!(record["stdout"]["head"], "started\n");
    assert_eq!(record["command"][0], "sh");
    assert!(record["wall_seconds"].as_f64().unwrap() >= 0.1);
    assert!(record["cpu_seconds"].as_f64().unwrap() < 0.1);
}

#[test]
fn json_keeps_binary_output() {
    let record = json(&["exec", "--json", "--", "printf", r"\377\376x"]);
    assert_eq!(record["stdout"]["head_base64"], "//54");
    assert_eq!(record["stdout"]["bytes"], 3);
}

#[test]
fn every_tier_can_be_forced() {
    for tier in ["cgroup", "namespace", "subreaper", "group"] {
        let output = captune(&format!("exec --json --tier {tier} -- true"));
        match code(&output) {
            0 => assert!(stdout(&output).contains(&format!("\"tier\":\"{tier}\"")), "{}", stdout(&output)),
            4 => println!("skipped: {}", stderr(&output)),
            other => panic!("{other}: {}", stderr(&output)),
        }
    }
}

#[test]
fn streams_can_be_files_and_the_folder_can_be_set() {
    let folder = std::env::temp_dir().join(format!("captune-cli-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("in"), "hello").unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (input, out) = (path("in"), path("out"));
    let script = "cat; pwd; echo $WORD";
    let here = folder.to_str().unwrap();
    let output = captune_with([
        "exec", "--stdin", &input, "--stdout", &out, "--folder", here, "--env", "WORD=set", "--", "sh", "-c",
        script,
    ]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(&out).unwrap(), format!("hello{here}\nset\n"));
    assert_eq!(stdout(&output), "");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn standard_input_can_be_passed_on() {
    let mut child = Command::new(CAPTUNE)
        .args(["exec", "--stdin", "-", "--", "cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"through").unwrap();
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    child.wait().unwrap();
    assert_eq!(text, "through");
}

#[test]
fn an_interrupt_ends_the_command_and_keeps_its_record() {
    let ready = std::env::temp_dir().join(format!("captune-ready-{}", std::process::id()));
    let (fifo, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
    rustix::fs::mknodat(rustix::fs::CWD, &ready, fifo, mode, 0).unwrap();
    let script = format!("echo > {}; exec sleep 60", ready.display());
    let child = Command::new(CAPTUNE)
        .args(["exec", "--json", "--", "sh", "-c", &script])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Reading blocks until the command opens the pipe.
    drop(std::fs::read(&ready).unwrap());
    std::fs::remove_file(&ready).unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 130);
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&record["stopped"], &record["signal"]), (&"cancelled".into(), &9.into()));
}

#[test]
fn the_dashes_before_the_command_are_optional() {
    let output = captune("exec --wall 20s sh -c exit");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn dropped_output_is_reported() {
    let output = captune("exec -- head -c 5000000 /dev/zero");
    assert!(stderr(&output).contains("3885888 bytes of output not kept"), "{}", stderr(&output));
}

#[test]
fn a_full_stream_does_not_change_the_exit_code() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(CAPTUNE);
    let status = command.args(["exec", "--", "sh", "-c", "exit 3"]).stderr(full()).status().unwrap();
    assert_eq!(status.code(), Some(3));
    let status = Command::new(CAPTUNE).arg("doctor").stdout(full()).status().unwrap();
    assert_eq!(status.code(), Some(0));
}

#[test]
fn a_signal_that_nohup_ignores_is_ignored() {
    let script = "trap '' HUP; exec \"$0\" exec --stdin - -- sh -c 'kill -HUP $(cat); exit 5'";
    let mut child = Command::new("sh").args(["-c", script, CAPTUNE]).stdin(Stdio::piped()).spawn().unwrap();
    // The shell has replaced itself with captune, so this is the PID of captune.
    let number = child.id().to_string();
    child.stdin.take().unwrap().write_all(number.as_bytes()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(5));
}
