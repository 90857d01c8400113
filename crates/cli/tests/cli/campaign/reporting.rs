//! The report of a campaign, and the live page.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::Value;

use super::stage::{SCENARIO, Stage};
use crate::{code, stderr, stdout};

#[test]
fn a_report_is_one_file_with_its_data_beside_it() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 25")), 0);
    let output = stage.captune("report count.campaign --csv tables --json report.json");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("report written to count.campaign/report.html"), "{}", stderr(&output));
    let read = |name: &str| std::fs::read_to_string(stage.folder.join(name)).unwrap();
    let html = read("count.campaign/report.html");
    let status: Value = serde_json::from_str(&stage.said("status count.campaign --json")).unwrap();
    let report: Value = serde_json::from_str(&read("report.json")).unwrap();
    assert_eq!(report["overview"]["picture"], status, "the report and the status have the same figures");
    let trials = report["trials"]["rows"]["of"].as_u64().unwrap() as usize;
    assert_eq!(read("tables/trials.csv").lines().count(), trials + 1);
    let command = stage.said("best count.campaign --as cmd");
    assert!(html.contains(command.trim()), "the command to paste is the one that `best` prints");

    let folder = stage.folder.to_str().unwrap();
    assert!(html.contains(folder), "otherwise hiding it proves nothing");
    assert_eq!(code(&stage.captune("report count.campaign --redact -o public.html")), 0);
    assert!(!read("public.html").contains(folder));

    let output = stage.captune("report count.toml --methods");
    let text = stdout(&output).replace('\n', " ");
    assert!(text.starts_with("We tuned 2 parameters of counting with captune"), "{text}");
}

/// Starts a server; returns it with its address and the path of its first page.
pub(super) fn serve(stage: &Stage, line: &str) -> (Child, String, String) {
    let mut server = stage.command(line).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let (address, path) = url.trim().strip_prefix("http://").unwrap().split_once('/').unwrap();
    (server, address.to_owned(), path.to_owned())
}

/// Sends a request; returns the connection, from which the answer can be read.
fn request(address: &str, path: &str, headers: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {address}\r\n{headers}\r\n").unwrap();
    BufReader::new(stream)
}

pub(super) fn answer(address: &str, path: &str, headers: &str) -> String {
    let mut text = String::new();
    request(address, path, headers).read_to_string(&mut text).unwrap();
    text
}

/// Returns the header with the cookie that the first page sets.
pub(super) fn cookie(address: &str, path: &str) -> String {
    let first = answer(address, path, "");
    let cookie = first.lines().find_map(|line| line.strip_prefix("Set-Cookie: ")).unwrap();
    format!("Cookie: {}\r\n", cookie.split(';').next().unwrap())
}

#[test]
fn a_served_campaign_needs_the_token_that_was_printed() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 8")), 0);
    let output = stage.captune("serve nowhere");
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    let (mut server, address, path) = serve(&stage, "serve count.campaign");
    let (without, with) = (answer(&address, "", ""), answer(&address, &path, ""));
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    assert!(without.starts_with("HTTP/1.1 401") && !without.contains("counting"), "{without}");
    assert!(with.starts_with("HTTP/1.1 303"), "{with}");
}

/// A campaign whose decisions depend only on its seed: the cost is counted, not timed.
const COUNTED: &str = r#"[target]
command = ["./counter", "{param:x}", "{param:y}", "{instance}"]
[objective]
minimise = "steps"
[outputs]
steps = { pattern = 'steps ([0-9]+)' }
[instances]
list = ["1", "2", "3", "4"]
[parallel]
workers = 1
repeatable = true
[budget]
trials = 300
[space]
x = { integer = [0, 100], default = 90 }
y = { integer = [0, 100], default = 10 }
"#;

const STEPS: &str =
    "#!/bin/sh\necho \"steps $((($1 - 30) * ($1 - 30) + 3 * ($2 - 70) * ($2 - 70) + 50 * $3 + 10))\"\n";

/// Follows a campaign as the page's script does until the server ends: fetches the pages after each new version.
/// Returns the number of times.
fn follow(address: &str, cookie: &str) -> usize {
    let (mut shown, mut fetched) = (String::new(), 0);
    for line in request(address, "c/0/events", cookie).lines().map_while(Result::ok) {
        let Some(state) = line.strip_prefix("data: ") else { continue };
        let state: Value = serde_json::from_str(state).unwrap();
        let version = state["version"].as_str().unwrap().to_owned();
        if version != shown {
            let mut body = String::new();
            // The server may be gone by now.
            if request(address, "c/0/body", cookie).read_to_string(&mut body).is_ok() && !body.is_empty() {
                assert!(body.starts_with("HTTP/1.1 200"), "{body}");
                fetched += 1;
            }
            shown = version;
        }
    }
    fetched
}

/// The server costs a hundredth of a core in an optimised build, apart from the first drawing. An unoptimised build on a
/// busy machine gets a larger bar.
#[test]
fn a_browser_that_follows_a_campaign_changes_nothing_and_costs_little() {
    let stage = Stage::new(COUNTED);
    stage.write("counter", STEPS);
    assert_eq!(code(&stage.captune("run count.toml --dir alone.campaign")), 0);
    let mut run = stage.command("run count.toml --dir seen.campaign").stderr(Stdio::null()).spawn().unwrap();
    while !stage.folder.join("seen.campaign/campaign.sqlite").exists() {
        assert!(run.try_wait().unwrap().is_none(), "the campaign ended before its store existed");
        std::thread::yield_now();
    }
    let (mut server, address, path) = serve(&stage, "serve seen.campaign");
    let cookie = cookie(&address, &path);
    let follower = std::thread::spawn({
        let address = address.clone();
        move || follow(&address, &cookie)
    });
    let began = std::time::Instant::now();
    assert!(run.wait().unwrap().success());
    let elapsed = began.elapsed().as_secs_f64();
    // The 14th and 15th field are CPU time in hundredths of a second.
    let status = std::fs::read_to_string(format!("/proc/{}/stat", server.id())).unwrap();
    let fields: Vec<&str> = status.rsplit(')').next().unwrap().split_whitespace().collect();
    let used: f64 = fields[11..13].iter().map(|field| field.parse::<f64>().unwrap() / 100.0).sum();
    server.kill().unwrap();
    server.wait().unwrap();
    let fetched = follower.join().unwrap();
    assert!(fetched > 0, "the follower saw nothing");
    assert!(used < 1.0 + 0.1 * elapsed, "{used} s of CPU time in {elapsed} s");
    // All columns but the times are equal, so every decision was the same.
    let decisions = |folder: &str| -> Vec<Value> {
        let lines = stage.said(&format!("export {folder} --to json"));
        let kept = ["trial", "configuration", "instance", "seed", "cap", "why", "cost"];
        let rows = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        // Validation trials have no number.
        let rows = rows.filter(|row| row["trial"].is_number());
        rows.map(|row| kept.iter().map(|key| row[key].clone()).collect()).collect()
    };
    let alone = decisions("alone.campaign");
    assert_eq!(alone.len(), 300);
    assert!(alone.iter().all(|row| row[1].is_number() && row[2].is_string()), "{:?}", alone[0]);
    assert_eq!(decisions("seen.campaign"), alone);
}
