//! Campaigns from their start to their verdict.

use super::stage::{SCENARIO, SLEEPER, Stage, stored_trials};
use crate::{code, stderr, stdout};

#[test]
fn a_campaign_ends_with_a_verdict_and_the_next_commands() {
    let stage = Stage::new(&SCENARIO.replace("cpu_time", "wall_time"));
    stage.write("counter", SLEEPER);
    let output = stage.captune("run count.toml");
    let said = stage.hidden(&stderr(&output));
    assert_eq!(code(&output), 0, "{said}");
    assert_eq!(stdout(&output), "", "messages are not data");
    for part in [
        "captune 0.1.0 · counting · 2 parameters (39 802 combinations) · 2 instances + 6 unseen · ",
        "new campaign in count.campaign, budget 40 trials\n",
        "  new best  #",
        "Stopped: the budget of 40 trials is spent. 40 trials, ",
        "Verdict: ",
        "x faster than the default on 24 pairs of 6 unseen instances: PAR10 ",
        "Use it:  FOLDER/counter --loops=",
        " {instance} --seed={seed}\n",
        "See it:  captune status count.campaign · captune best count.campaign\n",
        "More:    captune run count.campaign --trials 80\n",
    ] {
        assert!(said.contains(part), "{part:?} is missing in:\n{said}");
    }
}

#[test]
fn a_small_budget_is_warned_of_together_with_the_plan() {
    let stage = Stage::new(SCENARIO);
    let said = stderr(&stage.captune("run count.toml --trials 10 --workers 1"));
    let lines: Vec<&str> = said.lines().collect();
    let plan = lines.iter().position(|line| line.starts_with("plan: the default takes ")).expect(&said);
    assert!(lines[plan].ends_with("the budget covers about 5.0 passes without capping"), "{said}");
    let warning = "! The budget covers about 5 passes over the instances; fewer than 20 is rarely enough";
    assert!(lines[plan + 1].ends_with(warning), "{said}");
    let said = stderr(&stage.captune("run count.toml --trials 50 --dir large"));
    assert!(!said.contains("! The budget"), "{said}");
}

#[test]
fn the_same_command_resumes_with_a_larger_budget_and_lists_the_changes() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 10")), 0);
    assert_eq!(stage.status("count.toml")["budget"]["trials"], 10);
    stage.write("count.toml", &SCENARIO.replace("trials = 40", "trials = 20"));
    let output = stage.captune("run count.toml");
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains("resuming count.campaign after 00:0"), "{said}");
    assert!(said.contains(" and 10 trials, budget 20 trials in total"), "{said}");
    assert!(
        said.contains("changes since the last session:\n  budget.trials: 40 -> 20 (continue)\n"),
        "{said}"
    );
    assert!(said.contains("20 trials, "), "{said}");
    // The budget is spent, so nothing is run. The verdict is printed again from stored trials.
    let again = stage.captune("run count.campaign --trials 20");
    let verdict = |said: &str| said.lines().find(|line| line.starts_with("Verdict:")).map(str::to_owned);
    assert_eq!(verdict(&stderr(&again)), verdict(&said));
    assert_eq!(stage.status("count.campaign")["sessions"], 3);
}

#[test]
fn a_changed_space_reuses_the_trials_that_fit() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 10")), 0);
    stage.write("count.toml", &SCENARIO.replace("[100, 20000]", "[10, 20000]"));
    let output = stage.captune("run count.toml --trials 20");
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    let part = "new campaign in count.campaign, reusing 10 trials, budget 20 trials; the previous one is kept in \
                count.campaign/campaign-1.sqlite\n";
    assert!(said.contains(part), "{said}");
    assert!(said.contains("(reuse)"), "{said}");
}

#[test]
fn a_trial_is_not_reused_if_its_command_would_differ() {
    let mode = "mode = { choices = [\"slow\", \"fast\"], default = \"slow\" }\n";
    let gone = "not reused: 10 trials, because they were run with `mode`, which no longer exists\n";
    let new = "not reused: 10 trials, because they were run without `mode`\n";
    let (whole, without) = (SCENARIO.to_owned(), SCENARIO.replace(mode, ""));
    let renamed = SCENARIO.replace("mode = {", "speed = {");
    for (before, after, why) in [(&whole, &without, gone), (&whole, &renamed, gone), (&without, &whole, new)]
    {
        let stage = Stage::new(before);
        assert_eq!(code(&stage.captune("run count.toml --trials 10 --workers 1")), 0);
        stage.write("count.toml", after);
        let said = stderr(&stage.captune("run count.toml --trials 6 --workers 1"));
        assert!(said.contains(why) && !said.contains("reusing"), "{said}");
        // The commands of all stored trials belong to this scenario.
        assert_eq!(stage.status("count.campaign")["spent"]["trials"], 6);
    }
}

/// An inactive parameter does not appear in the command, so removing it leaves the command unchanged.
#[test]
fn trials_are_reused_if_a_removed_parameter_was_inactive() {
    let space = SCENARIO.find("loops = {").unwrap();
    let mode = "mode = { choices = [\"slow\", \"fast\", \"other\"], default = \"slow\" }\n";
    let extra = "extra = { integer = [1, 9], default = 2, when = 'mode == \"other\"' }\n";
    let without = format!("initial = [\"other.conf\"]\n{}{mode}", &SCENARIO[..space]);
    let stage = Stage::new(&format!("{without}{extra}"));
    stage.write("other.conf", "mode other\nextra 3\n");
    assert_eq!(code(&stage.captune("run count.toml --trials 12 --workers 1")), 0);
    let store = store::Store::read(&stage.folder.join("count.campaign")).unwrap();
    let history = store.load().unwrap().history;
    drop(store);
    let is_active = |trial: &&engine::history::Trial| {
        history.configuration(trial.key.config).iter().any(|(name, _)| name == "extra")
    };
    let with = history.trials().iter().filter(is_active).count();
    stage.write("count.toml", &without);
    stage.write("other.conf", "mode other\n");
    let said = stderr(&stage.captune("run count.toml --trials 14 --workers 1"));
    assert!(said.contains(&format!(", reusing {} of 12 trials, ", 12 - with)), "{with}: {said}");
    assert!(said.contains(&format!("not reused: {with} trial")), "{said}");
}

#[test]
fn events_as_json() {
    let stage = Stage::new(SCENARIO);
    let (output, events) = stage.start("run count.toml --trials 15 --seed 7").end();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let count = |name: &str| events.iter().filter(|event| event["event"] == name).count();
    assert_eq!((count("trial_ended"), count("stopped")), (15, 1));
    assert!(count("progress") > 0 && count("race_opened") > 0 && count("new_incumbent") > 0);
    let trial = events.iter().find(|event| event["event"] == "trial_ended").unwrap();
    assert_eq!((&trial["status"], &trial["censored"]), (&"finished".into(), &false.into()));
    assert!(trial["cost"].as_f64().unwrap() > 0.0 && trial["cap"].as_f64() == Some(2.0), "{trial}");
    let stopped = events.iter().find(|event| event["event"] == "stopped").unwrap();
    assert_eq!((&stopped["stop"], &stopped["limit"]), (&"budget".into(), &"trials".into()));
    let times: Vec<f64> = events.iter().map(|event| event["at"].as_f64().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
}

#[test]
fn progress_can_be_switched_off() {
    let stage = Stage::new(SCENARIO);
    let output = stage.captune("run count.toml --trials 10 --progress none");
    assert!(!stderr(&output).contains("new best") && stderr(&output).contains("Stopped:"), "{output:?}");
}

#[test]
fn a_folder_can_be_named() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 5 --dir deep/inside --workers 1")), 0);
    assert_eq!(stage.status("deep/inside")["spent"]["trials"], 5);
    assert!(!stage.folder.join("count.campaign").exists());
    // The scenario is still found, because the store contains its folder.
    assert_eq!(code(&stage.captune("run deep/inside --trials 6")), 0);
}

#[test]
fn a_campaign_continues_with_a_warning_if_events_cannot_be_written() {
    let stage = Stage::new(&SCENARIO.replace("trials = 40", "trials = 3"));
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = stage.command("run count.toml --progress json");
    let output = command.stdout(full).output().unwrap();
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert_eq!(said.matches("warning: some events could not be written: ").count(), 1, "{said}");
    assert!(said.contains("No space left on device"), "{said}");
    assert_eq!(stored_trials(&stage.folder.join("count.campaign")).len(), 3);
}
