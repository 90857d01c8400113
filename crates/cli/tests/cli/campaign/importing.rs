//! Importing scenarios and runs from other configurators.

use std::io::Write;
use std::process::Stdio;

use engine::history::Trial;
use engine::{Observation, Pair, Reading, Status};
use store::Store;

use super::stage::{SCENARIO, Stage};
use crate::{code, stderr};

const RUNS: &str = "loops,mode,instance,seed,cost,status\n\
                    2000,slow,a,1,0.5,finished\n\
                    100,fast,a,1,0.25,capped\n\
                    100,fast,b,2,,crashed\n\
                    7,fast,a,1,0.1,finished\n";

#[test]
fn a_campaign_can_start_with_runs_of_a_table() {
    let stage = Stage::new(SCENARIO);
    stage.write("runs.csv", RUNS);
    let output = stage.captune("import count.toml runs.csv");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    insta::assert_snapshot!(stderr(&output));
    assert_eq!(code(&stage.captune("import count.toml runs.csv")), 0, "already imported");
    stage.write("other.csv", "loops,mode,instance,cost\n200,slow,z,1\n");
    assert_eq!(code(&stage.captune("import count.toml other.csv")), 2, "no run fits");
    let status = stage.status("count.campaign");
    assert_eq!(status["spent"]["trials"], 3, "{status}");
    // The imported trials count towards the budget, and the best imported configurations race again.
    let output = stage.captune("run count.campaign --trials 13");
    assert!(stderr(&output).contains("after 00:00 and 3 trials, budget 13 trials in total"), "{output:?}");
    assert_eq!(stage.status("count.campaign")["spent"]["trials"], 13);
}

#[test]
fn runs_are_imported_once_by_run() {
    let stage = Stage::new(SCENARIO);
    stage.write("runs.csv", RUNS);
    let line = "run count.toml --import runs.csv --trials 8";
    let output = stage.captune(line);
    assert!(stderr(&output).contains("imported 3 of 4 runs (1 finished, 1 capped, 1 crashed)"), "{output:?}");
    let again = stage.captune(line);
    let said = stderr(&again);
    assert_eq!(code(&again), 0, "{said}");
    assert!(said.contains("imported 0 of 4 runs") && said.contains("3 x already known"), "{said}");
    assert_eq!(stage.status("count.campaign")["spent"]["trials"], 8);
}

#[test]
fn errors_in_a_table_are_shown_with_their_place() {
    let stage = Stage::new(SCENARIO);
    stage.write("runs.csv", "loops,cots\n1,x\n");
    let output = stage.captune("import count.toml runs.csv");
    assert_eq!(code(&output), 2);
    insta::assert_snapshot!(stderr(&output));
    let nowhere = stage.captune("import count.toml .");
    assert_eq!(code(&nowhere), 2);
    assert!(stderr(&nowhere).contains("hint: name the file"), "{nowhere:?}");
}

#[test]
fn a_conversion_lists_what_is_lost_and_the_next_commands() {
    let stage = Stage::new("");
    let text =
        "algo = ./counter\nparamfile = p.pcs\ncutoff_time = 2\nwallclock_limit = 60\nrf_num_trees = 10\n";
    stage.write("old/scenario.txt", text);
    stage.write("old/p.pcs", "loops integer [100, 20000] [2000] log\n");
    stage.write("old/runhistory.json", "{}");
    let output = stage.captune("init new.toml --from old");
    assert_eq!(code(&output), 0);
    insta::assert_snapshot!(stage.hidden(&stderr(&output)));
    assert!(
        std::fs::read_to_string(stage.folder.join("new.toml")).unwrap().contains("# - `rf_num_trees = 10`")
    );
    let unknown = stage.captune("init other.toml --from nowhere");
    assert_eq!(code(&unknown), 2);
}

#[test]
fn init_asks_for_a_scenario() {
    let stage = Stage::new("");
    let mut command = stage.command("init asked.toml");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let answers = "./counter --loops={100..20000 log = 2000} --seed={seed}\n\n2s\n\n0\n";
    child.stdin.take().unwrap().write_all(answers.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    insta::assert_snapshot!(stderr(&output));
    insta::assert_snapshot!("asked", std::fs::read_to_string(stage.folder.join("asked.toml")).unwrap());
    assert_eq!(code(&stage.captune("check asked.toml")), 0);
}

/// If the objective is a number that the command prints, `init` asks for its pattern, but not for a cutoff in
/// seconds.
#[test]
fn init_asks_for_an_output() {
    let stage = Stage::new("");
    let mut command = stage.command("init asked.toml");
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let answers = "./counter --loops={100..20000 log = 2000} --seed={seed}\nmax speed\nspeed: (\\S+)\n1m\n\n";
    child.stdin.take().unwrap().write_all(answers.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    let text = std::fs::read_to_string(stage.folder.join("asked.toml")).unwrap();
    assert!(text.contains("maximise = \"speed\"") && !text.contains("cutoff"), "{text}");
    assert!(text.contains("speed = { pattern = \"speed: (\\\\S+)\" }"), "{text}");
}

#[test]
fn init_does_not_ask_if_options_are_given() {
    let stage = Stage::new("");
    stage.write("in/a.txt", "");
    stage.write("s.toml", "loops = { integer = [100, 20000], default = 2000 }\n");
    let mut command =
        stage.command("init o.toml --space s.toml --instances in/*.txt --cutoff 2s --budget 90s");
    command.args(["--command", "./counter {instance} '--seed={seed}'"]);
    let output = command.output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = std::fs::read_to_string(stage.folder.join("o.toml")).unwrap();
    assert!(text.contains(r#"command = ["./counter", "{params}", "{instance}", "--seed={seed}"]"#), "{text}");
    assert_eq!(code(&stage.captune("check o.toml")), 0);
    let neither = stage.captune("init p.toml");
    assert!(stderr(&neither).contains("no command given"), "{neither:?}");
}

#[test]
fn runs_that_do_not_fit_are_rejected_and_ignored_columns_are_listed() {
    let stage = Stage::new(SCENARIO);
    stage.write(
        "runs.csv",
        "loops,host,instance,seed,cost\n100,here,a,1,0.5\n100,here,a,1,0.6\n200,there,a,1,-3\n",
    );
    let output = stage.captune("import count.toml runs.csv");
    assert_eq!(code(&output), 2);
    insta::assert_snapshot!(stderr(&output));
    stage.write("runs.csv", "loops,host,instance,seed,cost\n100,here,a,1,0.5\n");
    let output = stage.captune("import count.toml runs.csv --ignore host");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    insta::assert_snapshot!("ignored_columns_are_listed", stderr(&output));
    let output = stage.captune("import count.toml runs.csv --ignore hots");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("no run in runs.csv has a parameter or output `hots`"), "{output:?}");
}

/// Returns the configuration, the pair and the observation of every trial, in order.
fn observations(stage: &Stage, campaign: &str) -> Vec<((String, Pair), Observation)> {
    let history = Store::read(&stage.folder.join(campaign)).unwrap().load().unwrap().history;
    let values = |config| history.configuration(config).to_string();
    let one = |trial: &Trial| ((values(trial.key.config), trial.key.pair), trial.observation.clone());
    history.trials().iter().map(one).collect()
}

/// Makes the target print the number of its loops, after these lines.
fn report_loops(stage: &Stage, before: &str) {
    let counter = std::fs::read_to_string(stage.folder.join("counter")).unwrap();
    stage.write("counter", &counter.replace("echo counted", &format!("{before}echo counted $loops")));
}

#[test]
fn an_export_can_be_imported() {
    let bounded = "[outputs]\ncount = { pattern = 'counted ([0-9]+)' }\n\
                   [constraints]\ncount = \"<= 1000\"\nwall_time = \"<= 10s\"\nmemory = \"<= 1GiB\"\n[budget]\n";
    let stage = Stage::new(&SCENARIO.replace("[budget]\n", bounded));
    // Short programs end before their memory is sampled.
    report_loops(&stage, "sleep 0.1\n");
    assert_eq!(code(&stage.captune("run count.toml --trials 6")), 0);
    let original = observations(&stage, "count.campaign");
    let bounded = original.iter().filter(|(_, told)| told.constraints().iter().all(Option::is_some));
    assert!(bounded.count() > 1, "{original:?}");

    assert_eq!(code(&stage.captune("export count.campaign --to csv -o runs.csv")), 0);
    assert_eq!(code(&stage.captune("export count.campaign --to smac3 -o smac")), 0);
    let outputs = |campaign: &str| Store::read(&stage.folder.join(campaign)).unwrap().outputs().unwrap();
    assert!(outputs("count.campaign").iter().filter(|told| told.contains_key("count")).count() > 1);
    for (from, to) in [("count.campaign", "first"), ("runs.csv", "second"), ("smac", "third")] {
        let output = stage.captune(&format!("import count.toml {from} --dir {to}"));
        let said = stderr(&output);
        assert_eq!(code(&output), 0, "{from}: {said}");
        assert_eq!(observations(&stage, to), original, "{from}");
        assert_eq!(outputs(to), outputs("count.campaign"), "{from}");
        let unused = "not used:\n  the column `trial`\n  the column `configuration`\n  the column `why`";
        assert_eq!(said.contains(unused), from == "runs.csv", "{said}");
        assert!(!said.contains("does not constrain"), "{said}");
    }

    // An output that is not a number is unknown in the export, as it is in the campaign. A wrong answer is left out.
    let table = std::fs::read_to_string(stage.folder.join("runs.csv")).unwrap();
    let column = table.lines().next().unwrap().split(',').position(|name| name == "output:count").unwrap();
    let mut lines: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let mut finished = lines.iter_mut().filter(|line| line.contains(&"finished"));
    finished.next().unwrap()[column] = "";
    finished.next().unwrap().iter_mut().filter(|cell| **cell == "finished").for_each(|cell| *cell = "wrong");
    let lines: Vec<String> = lines.iter().map(|line| line.join(",")).collect();
    stage.write("gaps.csv", &lines.join("\n"));
    let output = stage.captune("import count.toml gaps.csv --dir gaps");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("1 x no usable result: its status is wrong"), "{output:?}");

    // With a smaller cutoff, a finished trial becomes a timeout, whose count is unknown.
    let scenario = std::fs::read_to_string(stage.folder.join("count.toml")).unwrap();
    stage.write("tight.toml", &scenario.replace("cutoff = \"2s\"", "cutoff = \"2ms\""));
    let output = stage.captune("import tight.toml count.campaign --dir tight");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let tight = observations(&stage, "tight");
    let (_, timeout) = tight.iter().find(|(_, told)| told.status() == Status::Timeout).unwrap();
    assert_eq!(timeout.constraints()[0], None);
    assert!(matches!(timeout.constraints()[2], Some(Reading::AtLeast(_))), "{timeout:?}");

    // captune runs a pair again when the first run was capped, and times vary.
    let table = std::fs::read_to_string(stage.folder.join("runs.csv")).unwrap();
    let finished = table.lines().find(|line| line.contains(",finished,")).unwrap();
    let capped = finished.replacen(",finished,", ",capped,", 1);
    stage.write("twice.csv", &format!("{table}{capped}\n"));
    let output = stage.captune("import count.toml twice.csv --dir fourth");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(stage.status("fourth")["spent"]["trials"], 7);
}

#[test]
fn a_campaign_that_was_replaced_can_be_imported() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 6")), 0);
    let original = observations(&stage, "count.campaign");
    // A new choice is another space, but the trials of the other choices can be re-used.
    stage.write("count.toml", &SCENARIO.replace("\"fast\"]", "\"fast\", \"other\"]"));
    assert_eq!(code(&stage.captune("run count.toml --trials 7")), 0);
    stage.write("count.toml", SCENARIO);
    let output = stage.captune("import count.toml count.campaign/campaign-1.sqlite --dir again");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(observations(&stage, "again"), original);
}

/// Trials of a program that was rebuilt are not mixed with those of the new one.
#[test]
fn trials_of_another_program_or_instance_are_not_imported() {
    let stage = Stage::with_files();
    assert_eq!(code(&stage.captune("run count.toml --trials 16")), 0);
    let on = |instance: u32, folder: &str| {
        let all = observations(&stage, folder);
        all.iter().filter(|((_, pair), _)| pair.instance.0 == instance).count()
    };
    let (of_a, of_b) = (on(0, "count.campaign"), on(1, "count.campaign"));
    assert!(of_a > 0 && of_b > 0);

    stage.write("in/b", "3");
    let output = stage.captune("import count.toml count.campaign --dir first");
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains(&format!("{of_b} x the content of the instance `in/b` has changed")), "{said}");
    assert_eq!((on(0, "first"), on(1, "first")), (of_a, 0));
    stage.write("in/b", "2");

    let program = std::fs::read_to_string(stage.folder.join("counter")).unwrap();
    stage.write("counter", &format!("{program}\n"));
    let output = stage.captune("import count.toml count.campaign --dir second");
    let said = stderr(&output);
    assert_eq!(code(&output), 2, "{said}");
    assert!(said.contains("  the content of counter (target): "), "{said}");
    // The user decides whether the results are comparable.
    assert_eq!(code(&stage.captune("export count.campaign --to csv -o runs.csv")), 0);
    let output = stage.captune("import count.toml runs.csv --dir third");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!((on(0, "third"), on(1, "third")), (of_a, of_b));
}

/// A campaign and its export have the same readings for a constraint that was added later.
#[test]
fn a_constraint_added_later_uses_what_the_campaign_measured() {
    let recorded = "[outputs]\ncount = { pattern = 'counted ([0-9]+)' }\n[budget]\n";
    let stage = Stage::new(&SCENARIO.replace("[budget]\n", recorded));
    report_loops(&stage, "");
    assert_eq!(code(&stage.captune("run count.toml --trials 6")), 0);
    assert_eq!(code(&stage.captune("export count.campaign --to csv -o runs.csv")), 0);
    let scenario = std::fs::read_to_string(stage.folder.join("count.toml")).unwrap();
    let bounds = "[constraints]\ncount = \"<= 1000\"\nwall_time = \"<= 10s\"\n[budget]\n";
    stage.write("bounded.toml", &scenario.replace("[budget]\n", bounds));
    for (from, to) in [("count.campaign", "first"), ("runs.csv", "second")] {
        let output = stage.captune(&format!("import bounded.toml {from} --dir {to}"));
        assert_eq!(code(&output), 0, "{from}: {}", stderr(&output));
    }
    let found = observations(&stage, "first");
    assert_eq!(found, observations(&stage, "second"));
    assert!(found.iter().any(|(_, told)| told.constraints().iter().all(Option::is_some)), "{found:?}");

    // An output that the campaign did not record cannot be bounded.
    let other = bounds
        .replace("count =", "other =")
        .replace("[constraints]", "[outputs.other]\npattern = 'o (.)'\n[constraints]");
    stage.write("other.toml", &scenario.replace("[budget]\n", &other));
    let output = stage.captune("import other.toml count.campaign --dir third");
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("the trials in count.campaign "), "{}", stderr(&output));
}

/// The costs in an export for SMAC3 are negated, because SMAC3 always minimises.
#[test]
fn an_export_of_a_maximised_output_for_smac3_can_be_imported() {
    let maximised = "maximise = \"count\"\n[outputs]\ncount = { pattern = 'counted ([0-9]+)' }\n";
    let stage = Stage::new(&SCENARIO.replace("minimise = \"cpu_time\"\ncutoff = \"2s\"\n", maximised));
    report_loops(&stage, "");
    assert_eq!(code(&stage.captune("run count.toml --trials 6")), 0);
    assert_eq!(code(&stage.captune("export count.campaign --to smac3 -o smac")), 0);
    let output = stage.captune("import count.toml smac --dir other");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let costs = |campaign: &str| -> Vec<f64> {
        let all = observations(&stage, campaign);
        all.iter().filter_map(|(_, told)| told.cost()).map(Reading::lower_bound).collect()
    };
    assert!(costs("count.campaign").iter().all(|cost| *cost < 0.0));
    assert_eq!(costs("other"), costs("count.campaign"));
}
