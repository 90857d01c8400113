//! From start to verdict.

use super::stage::{SCENARIO, SLEEPER, Stage, stored_trials};
use crate::{code, stderr, stdout};

#[test]
fn a_campaign_runs_to_its_verdict_and_says_how_to_use_it() {
    let stage = Stage::new(&SCENARIO.replace("cpu_time", "wall_time"));
    stage.write("counter", SLEEPER);
    let output = stage.captune("run count.toml");
    let said = stage.hidden(&stderr(&output));
    assert_eq!(code(&output), 0, "{said}");
    assert_eq!(stdout(&output), "", "messages are no data");
    for part in [
        "captune 0.1.0 · counting · 2 parameters (39 802 combinations) · 2 instances + 6 unseen · ",
        "a new campaign in count.campaign, budget 40 trials\n",
        "  new best  #",
        "Stopped: the budget of 40 trials is spent. 40 trials, ",
        "Verdict: ",
        "x faster than the default on 24 pairs of 6 unseen instances (PAR10, 95 %: ",
        "Use it:  FOLDER/counter --loops=",
        " {instance} --seed={seed}\n",
        "See it:  captune status count.campaign · captune best count.campaign\n",
        "More:    captune run count.campaign --trials 80\n",
    ] {
        assert!(said.contains(part), "{part:?} is missing in:\n{said}");
    }
}

#[test]
fn the_same_command_goes_on_with_a_larger_budget_and_shows_what_changed() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 10")), 0);
    assert_eq!(stage.status("count.toml")["budget"]["trials"], 10);
    stage.write("count.toml", &SCENARIO.replace("trials = 40", "trials = 20"));
    let output = stage.captune("run count.toml");
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains("going on in count.campaign after 00:0"), "{said}");
    assert!(said.contains(" and 10 trials, budget 20 trials in all"), "{said}");
    assert!(said.contains("changed since:\n  budget.trials: 40 -> 20 (continue)\n"), "{said}");
    assert!(said.contains("20 trials, "), "{said}");
    // Nothing is left to do: the verdict is told once more, from what is known.
    let again = stage.captune("run count.campaign --trials 20");
    let verdict = |said: &str| said.lines().find(|line| line.starts_with("Verdict:")).map(str::to_owned);
    assert_eq!(verdict(&stderr(&again)), verdict(&said));
    assert_eq!(stage.status("count.campaign")["sessions"], 3);
}

#[test]
fn a_new_space_re_uses_the_trials_that_fit() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 10")), 0);
    stage.write("count.toml", &SCENARIO.replace("[100, 20000]", "[10, 20000]"));
    let output = stage.captune("run count.toml --trials 20");
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    let part = "a new campaign in count.campaign that re-uses 10 trials, budget 20 trials; \
                the earlier one is kept in count.campaign/campaign-1.sqlite\n";
    assert!(said.contains(part), "{said}");
    assert!(said.contains("(reuse)"), "{said}");
}

#[test]
fn a_trial_is_not_re_used_if_its_command_would_differ() {
    let mode = "mode = { choices = [\"slow\", \"fast\"], default = \"slow\" }\n";
    let gone = "not re-used: 10 trials, since they were run with `mode`, which no longer exists\n";
    let new = "not re-used: 10 trials, since they were run without `mode`\n";
    let (whole, without) = (SCENARIO.to_owned(), SCENARIO.replace(mode, ""));
    let renamed = SCENARIO.replace("mode = {", "speed = {");
    for (before, after, why) in [(&whole, &without, gone), (&whole, &renamed, gone), (&without, &whole, new)]
    {
        let stage = Stage::new(before);
        assert_eq!(code(&stage.captune("run count.toml --trials 10 --workers 1")), 0);
        stage.write("count.toml", after);
        let said = stderr(&stage.captune("run count.toml --trials 6 --workers 1"));
        assert!(said.contains(why) && !said.contains("that re-uses"), "{said}");
        // All that is known was measured by commands of this scenario.
        assert_eq!(stage.status("count.campaign")["spent"]["trials"], 6);
    }
}

/// Where a parameter is not active, the command is the same with and without it.
#[test]
fn trials_are_re_used_where_a_parameter_that_is_gone_was_not_active() {
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
    assert!(said.contains(&format!(" that re-uses {} of 12 trials, ", 12 - with)), "{with}: {said}");
    assert!(said.contains(&format!("not re-used: {with} trial")), "{said}");
}

#[test]
fn events_are_data_for_programs() {
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
fn silence_can_be_asked_for() {
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
    // Its scenario's folder is remembered.
    assert_eq!(code(&stage.captune("run deep/inside --trials 6")), 0);
}

#[test]
fn events_that_find_no_room_are_missed_aloud_and_the_campaign_goes_on() {
    let stage = Stage::new(&SCENARIO.replace("trials = 40", "trials = 3"));
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = stage.command("run count.toml --progress json");
    let output = command.stdout(full).output().unwrap();
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert_eq!(said.matches("warning: events are missing: ").count(), 1, "{said}");
    assert!(said.contains("No space left on device"), "{said}");
    assert_eq!(stored_trials(&stage.folder.join("count.campaign")).len(), 3);
}
