//! The report of a campaign, and the live page.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;

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

#[test]
fn a_served_campaign_needs_the_token_that_was_printed() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 8")), 0);
    let output = stage.captune("serve nowhere");
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    let mut server =
        stage.command("serve count.campaign").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let (address, path) = url.trim().strip_prefix("http://").unwrap().split_once('/').unwrap();
    let ask = |path: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET /{path} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let (without, with) = (ask(""), ask(path));
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(address.starts_with("127.0.0.1:"), "{url}");
    assert!(without.starts_with("HTTP/1.1 401") && !without.contains("counting"), "{without}");
    assert!(with.starts_with("HTTP/1.1 303"), "{with}");
}
