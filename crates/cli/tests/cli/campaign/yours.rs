//! Configurations from the user: baselines, initial configurations and requests.

use rustix::process::Signal;
use store::Store;

use super::stage::{SCENARIO, Stage};
use crate::{code, stderr};

/// Returns the origins and values of all stored configurations.
fn configurations(stage: &Stage) -> Vec<(String, String)> {
    let reader = Store::read(&stage.folder.join("count.campaign")).unwrap();
    let stored = |number| reader.configuration(engine::ConfigId(number)).unwrap();
    (0..).map_while(stored).map(|it| (it.origin, it.configuration.to_string())).collect()
}

/// Returns the number of stored requests.
fn requests(stage: &Stage) -> usize {
    let reader = Store::read(&stage.folder.join("count.campaign")).unwrap();
    reader.events().unwrap().iter().filter(|event| event.kind == "request").count()
}

/// Returns the files in the queue.
fn queue(stage: &Stage) -> Vec<String> {
    let files = std::fs::read_dir(stage.folder.join("count.campaign/queue")).unwrap();
    files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_baseline_is_tried_first_and_every_gain_refers_to_it() {
    let stage = Stage::new(&format!("baseline = \"now.conf\"\ninitial = \"old.json\"\n{SCENARIO}"));
    stage.write("now.conf", "loops 19000\n");
    stage.write("old.json", "{\"loops\": 500, \"mode\": \"fast\"}");
    let output = stage.captune("run count.toml --workers 1");
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains("plan: the baseline takes "), "{said}");
    assert!(said.contains("x faster than the baseline on "), "{said}");
    assert!(!said.contains("default"), "{said}");
    let first: Vec<_> = configurations(&stage).into_iter().take(3).collect();
    let pair = |origin: &str, values: &str| (origin.to_owned(), values.to_owned());
    assert_eq!(
        first,
        [
            pair("baseline", "loops=19000 mode=slow"),
            pair("default", "loops=2000 mode=slow"),
            pair("given", "loops=500 mode=fast"),
        ]
    );
    let best = stage.said("best count.campaign");
    assert!(
        best.contains("x faster than the baseline on ") && best.contains("parameter  baseline  best"),
        "{best}"
    );
    // The best configuration can be the next baseline: captune can read every form that it writes.
    for form in ["json", "toml", "pcs"] {
        stage.write("now.conf", &stage.said(&format!("best count.campaign --as {form}")));
        assert_eq!(code(&stage.captune("check count.toml --no-run")), 0, "{form}");
    }
}

#[test]
fn a_request_to_a_stopped_campaign_races_next_and_once() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 10")), 0);
    stage.write("mine.toml", "loops = 101\nmode = \"fast\"\n");
    let output = stage.captune("try count.campaign mine.toml");
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert_eq!(
        said,
        "queued (loops=101 mode=fast); it races when the campaign is resumed\nnext: captune run count.campaign\n"
    );
    let ticket = queue(&stage);
    assert_eq!(ticket.len(), 1);
    let path = stage.folder.join("count.campaign/queue").join(&ticket[0]);
    let request = std::fs::read(&path).unwrap();
    let before = configurations(&stage).len();
    let said = stderr(&stage.captune("run count.toml --trials 20"));
    assert!(
        said.contains(&format!("  Your configuration races next as #{before}: loops=101 mode=fast\n")),
        "{said}"
    );
    assert_eq!(configurations(&stage)[before], ("given".to_owned(), "loops=101 mode=fast".to_owned()));
    assert!(queue(&stage).is_empty());
    // Restore the file, as if captune had been killed after storing the request and before removing its file.
    std::fs::write(&path, request).unwrap();
    let said = stderr(&stage.captune("run count.toml --trials 30"));
    assert!(!said.contains("Your configuration"), "{said}");
    assert!(queue(&stage).is_empty());
    assert_eq!(requests(&stage), 1);
}

#[test]
fn a_running_campaign_takes_a_request_even_if_it_is_killed() {
    let stage = Stage::new(SCENARIO);
    let mut running = stage.start("run count.toml --trials 100000");
    running.await_trials(5);
    stage.write("mine.json", "{\"loops\": 103, \"mode\": \"fast\"}");
    let said = stderr(&stage.captune("try count.toml mine.json"));
    assert!(said.contains("; the running campaign races it next\n"), "{said}");
    let event = loop {
        let event = running.event().expect("the campaign continues");
        if event["event"] == "requested" {
            break event;
        }
    };
    assert_eq!((&event["becomes"], &event["values"]["loops"]), (&"next".into(), &103.into()));
    running.signal(Signal::KILL);
    running.end();
    let trials = super::stage::stored_trials(&stage.folder.join("count.campaign")).len();
    assert_eq!(code(&stage.captune(&format!("run count.toml --trials {}", trials + 20))), 0);
    let wanted = "loops=103 mode=fast";
    assert_eq!(configurations(&stage).iter().filter(|(_, values)| values == wanted).count(), 1);
    assert_eq!(requests(&stage), 1);
    assert!(queue(&stage).is_empty());
}

#[test]
fn an_invalid_request_is_rejected_with_its_place() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 5")), 0);
    stage.write("mine.toml", "lops = 101\nmode = \"quick\"\n");
    let output = stage.captune("try count.campaign mine.toml");
    assert_eq!(code(&output), 2);
    let said = stderr(&output);
    for part in ["no parameter `lops`\n --> mine.toml:1:1", "did you mean `loops`?", "--> mine.toml:2:8"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // The space may have changed since the request was queued.
    stage.write("count.campaign/queue/1.json", "{\"lops\": 1}");
    let said = stderr(&stage.captune("run count.toml --trials 10"));
    assert!(said.contains("! Your configuration is not in the space: "), "{said}");
    assert_eq!(queue(&stage), ["1.json.refused"]);
}

#[test]
fn a_request_on_a_full_disk_leaves_nothing_behind() {
    let stage = Stage::new(&SCENARIO.replace("trials = 40", "trials = 2"));
    assert_eq!(code(&stage.captune("run count.toml")), 0);
    stage.write("mine.toml", "loops = 101\nmode = \"fast\"\n");
    // With this limit no file can grow, as on a full disk.
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" try count.campaign mine.toml";
    let mut shell = std::process::Command::new("sh");
    let output = shell.args(["-c", script, crate::CAPTUNE]).current_dir(&stage.folder).output().unwrap();
    assert_ne!(code(&output), 0, "{}", stderr(&output));
    assert!(queue(&stage).is_empty(), "{:?}", queue(&stage));
}
