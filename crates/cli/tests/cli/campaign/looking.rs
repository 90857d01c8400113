//! Showing a campaign: its status and its best configuration.

use rustix::process::Signal;
use serde_json::Value;

use super::stage::{SCENARIO, Stage};
use crate::{code, stderr, stdout};

#[test]
fn a_running_campaign_can_be_read_but_not_run_twice() {
    let stage = Stage::new(&SCENARIO.replace("trials = 40", "wall = \"1h\""));
    let mut running = stage.start("run count.toml");
    running.await_trials(5);
    let pid = running.child.id();
    let status = stage.status("count.campaign");
    assert_eq!((&status["state"], &status["pid"]), (&"running".into(), &pid.into()));
    assert_eq!(status["budget"]["wall"], 3600.0);
    assert!(status["spent"]["trials"].as_u64().unwrap() >= 5, "{status}");
    let said = stage.said("status count.campaign");
    assert!(said.starts_with(&format!("counting: running as process {pid} on ")), "{said}");
    assert!(
        said.contains("spent    00:0") && said.contains(" of 1:00:00 · CPU time of trials 00:0"),
        "{said}"
    );
    assert_eq!(code(&stage.captune("best count.campaign")), 0);

    let second = stage.captune("run count.toml");
    assert_eq!(code(&second), 5);
    let complaint = format!("captune: error: the campaign in count.campaign is in use by process {pid} on ");
    assert!(stderr(&second).contains(&complaint), "{}", stderr(&second));
    running.signal(Signal::TERM);
    assert_eq!(code(&running.end().0), 130);
    assert_eq!(stage.status("count.campaign")["state"], "stopped");
}

#[test]
fn the_status_of_a_finished_campaign() {
    let stage = Stage::new(SCENARIO);
    let run = stderr(&stage.captune("run count.toml"));
    let said = stage.said("status count.toml");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "counting: stopped: budget spent: trials");
    assert!(lines[1].contains("40 of 40 trials"), "{said}");
    assert!(lines[2].starts_with("trials   40 trials") && lines[2].ends_with(" configurations"), "{said}");
    assert!(lines[3].starts_with("best     #") && lines[3].contains("PAR10 "), "{said}");
    let history = lines.iter().position(|line| line.starts_with("history")).unwrap();
    let incumbents = lines[history + 1..].iter().filter(|line| line.starts_with("  00:")).count();
    assert!(incumbents > 0, "{said}");
    // Three incumbents or more have a small plot.
    assert_eq!(
        lines[history].chars().filter(|c| ('▁'..='█').contains(c)).count(),
        if incumbents < 3 { 0 } else { 24 }
    );
    // `status` shows the same verdict as the run.
    let verdict = run.lines().find_map(|line| line.strip_prefix("Verdict: ")).unwrap();
    assert!(said.contains(&format!("verdict  {verdict}\n")), "{verdict} in {said}");

    let status = stage.status("count.toml");
    let best = &status["best"]["values"];
    assert!(best["loops"].as_i64().unwrap() >= 100 && best["mode"].is_string(), "{status}");
    assert_eq!(status["verdict"]["pairs"], 24);
    assert_eq!(status["verdict"]["basis"], "unseen_instances");
    assert_eq!(
        status["incumbents"].as_array().unwrap().last().unwrap()["configuration"],
        status["best"]["configuration"]
    );
}

/// A configuration counts as tried once one of its trials has ended.
#[test]
fn only_configurations_with_an_ended_trial_are_counted() {
    let stage = Stage::new(&SCENARIO.replace("trials = 40", "wall = \"1h\""));
    stage
        .write("counter", "#!/bin/sh\ncase \"$*\" in *--loops=2000\\ --mode=slow*) ;; *) sleep 60 ;; esac\n");
    let mut running = stage.start("run count.toml --workers 2");
    let (mut ended, mut opened) = (false, false);
    while !(ended && opened) {
        let event = running.event().expect("the campaign continues");
        ended |= event["event"] == "trial_ended";
        opened |= event["event"] == "race_opened";
    }
    running.signal(Signal::TERM);
    let (output, events) = running.end();
    let last = events.iter().rev().find(|event| event["event"] == "progress").unwrap();
    assert_eq!(last["configurations"], 1, "{last}");
    let said = stderr(&output);
    assert!(said.contains(", 1 configuration, no trials lost."), "{said}");
    assert_eq!(stage.status("count.campaign")["configurations"], 1);
    let said = stage.said("status count.campaign");
    assert!(said.lines().nth(2).unwrap().ends_with(" · 1 configuration"), "{said}");
}

/// Times measured on different machines may not be comparable.
#[test]
fn status_warns_about_several_machines() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 10")), 0);
    let one = stage.captune("status count.campaign");
    assert_eq!(stderr(&one), "");
    let before = stage.status("count.campaign");
    let own = before["hosts"][0].as_str().unwrap().to_owned();
    assert_eq!(
        (before["verdict"]["hosts"].as_array().unwrap().len(), &before["session_list"][0]["host"]),
        (1, &own.as_str().into())
    );
    let store = rusqlite::Connection::open(stage.folder.join("count.campaign/campaign.sqlite")).unwrap();
    store.execute("UPDATE session SET host = 'elsewhere'", []).unwrap();
    drop(store);
    assert_eq!(code(&stage.captune("run count.toml --trials 20")), 0);
    let several = stage.captune("status count.campaign");
    let warning = format!(
        "captune: warning: trials were run on several machines, so times may not be comparable: elsewhere, {own}\n"
    );
    assert_eq!(stderr(&several), warning);
    let after = stage.status("count.campaign");
    assert_eq!(after["hosts"], serde_json::json!(["elsewhere", own]));
    // The verdict is based only on trials that ran on this machine.
    assert_eq!(after["verdict"]["hosts"], serde_json::json!([own]));
    assert_eq!(after["sessions"], 2);
}

/// If there are no unseen pairs, the verdict can be based only on the training pairs.
#[test]
fn status_repeats_a_verdict_on_the_training() {
    let scenario = SCENARIO
        .replace(", \"--seed={seed}\"", "")
        .replace("test = [\"c\", \"d\", \"e\", \"f\", \"g\", \"h\"]\n", "")
        .replace("minimise = \"cpu_time\"\ncutoff = \"2s\"", "minimise = \"loops\"")
        + "[outputs]\nloops = { pattern = 'loops (\\d+)' }\n[racing]\ndeterministic = true\n";
    let stage = Stage::new(&scenario);
    let counter = "for w in \"$@\"; do case $w in --loops=*) echo loops ${w#*=} ;; esac; done";
    stage.write("counter", &format!("#!/bin/sh\n{counter}\n"));
    let run = stderr(&stage.captune("run count.toml"));
    let verdict = run.lines().find_map(|line| line.strip_prefix("Verdict: ")).unwrap();
    assert!(verdict.starts_with("training only: "), "{verdict}");
    let said = stage.said("status count.toml");
    assert!(said.contains(&format!("verdict  {verdict}\n")), "{verdict} in {said}");
    assert!(stage.said("best count.toml").contains(&format!("\nverdict: {verdict}\n")));
    let status = stage.status("count.toml");
    assert_eq!(
        (&status["verdict"]["basis"], &status["verdict"]["worth_using"]),
        (&"training_only".into(), &true.into())
    );
    assert!(stage.said("compare count.toml count.toml").contains(" training only "));
}

/// Adding instances for the next session does not invalidate the verdict of the last session.
#[test]
fn a_verdict_stays_when_instances_come_and_go() {
    let stage = Stage::new(&SCENARIO.replace("list = [\"a\", \"b\"]", "files = \"in/*\""));
    for name in ["in/a", "in/b"] {
        stage.write(name, "");
    }
    let scenario = std::fs::read_to_string(stage.folder.join("count.toml")).unwrap();
    let scenario = scenario.replace("[\"c\", \"d\", \"e\", \"f\", \"g\", \"h\"]", "\"test/*\"");
    stage.write("count.toml", &scenario);
    for name in ["c", "d", "e", "f", "g", "h"] {
        stage.write(&format!("test/{name}"), "");
    }
    assert_eq!(code(&stage.captune("run count.toml")), 0);
    let before = stage.status("count.campaign");
    assert_eq!(before["verdict"]["pairs"], 24, "{before}");
    stage.write("in/0", "");
    assert_eq!(stage.status("count.campaign"), before);
    for name in ["in/0", "in/b"] {
        std::fs::remove_file(stage.folder.join(name)).unwrap();
    }
    assert_eq!(stage.status("count.campaign"), before);
}

#[test]
fn best_has_several_forms() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 15")), 0);
    let full = stage.hidden(&stage.said("best count.toml"));
    let command = stage.said("best count.toml --as cmd");
    assert!(full.starts_with("best: #") && full.contains("\nverdict: "), "{full}");
    assert!(full.contains("parameter") && full.contains(" loops "), "{full}");
    assert!(full.ends_with(&stage.hidden(&command)), "{full}");

    // The command runs in a shell once instance and seed are filled in.
    let pasted = command.replace("{instance}", "a").replace("{seed}", "1");
    let ran = std::process::Command::new("sh").args(["-c", &pasted]).output().unwrap();
    assert_eq!((stdout(&ran).as_str(), code(&ran)), ("counted\n", 0), "{pasted}");

    let json: Value = serde_json::from_str(&stage.said("best count.campaign --as json")).unwrap();
    let (loops, mode) = (json["loops"].as_i64().unwrap(), json["mode"].as_str().unwrap());
    assert_eq!(stage.said("best count.campaign --as toml"), format!("loops = {loops}\nmode = \"{mode}\"\n"));
    assert_eq!(stage.said("best count.campaign --as pcs"), format!("loops {loops}\nmode {mode}\n"));
    assert!(command.contains(&format!(" --loops={loops} --mode={mode} ")), "{command}");
}

#[test]
fn a_campaign_without_its_files_can_still_be_read() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 10")), 0);
    std::fs::remove_file(stage.folder.join("counter")).unwrap();
    let said = stage.said("status count.campaign");
    assert!(said.contains("costs    not shown, because the scenario can no longer be read: "), "{said}");
    assert!(stage.status("count.campaign")["problem"].is_string());
    assert!(stage.said("best count.campaign --as json").starts_with("{\"loops\":"));
    let refused = stage.captune("best count.campaign --as cmd");
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("counter"), "{}", stderr(&refused));
}
