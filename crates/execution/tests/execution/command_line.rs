//! The command of a trial, with all placeholders filled in.

use std::sync::Arc;
use std::time::Duration;

use engine::Cap;
use execution::{ProcessTarget, TargetError};

use scenario::testkit::{SMALL, Stage, trial};

/// Returns the command line of a trial, without the paths of this machine.
fn line(stage: &Stage, text: &str, cap: Cap) -> String {
    let scenario = Arc::new(stage.read(text));
    let target = ProcessTarget::new(Arc::clone(&scenario));
    let line = target.command_line(&trial(&scenario, 0, cap)).unwrap().to_string();
    stage.hidden(&line.replace(scenario.target.command.program.found().unwrap().to_str().unwrap(), "PROGRAM"))
}

#[test]
fn placeholders_are_filled_in() {
    let stage = Stage::new();
    stage.file("it's.cnf", "");
    let text = SMALL
        .replace(
            "\"{seed}\"",
            "\"-s={seed}\", \"{cap}\", \"{{{param:alpha}}}\", \"{folder}/x\", \"{instance}\"",
        )
        .replace("[objective]", "env = { A = \"b c\" }\n[objective]");
    let text = format!("{text}[instances]\nfiles = \"*.cnf\"\n");
    let expected = r"A='b c' PROGRAM --fast=false -s=17 1.235 {0.5} FOLDER/x 'FOLDER/it'\''s.cnf'";
    assert_eq!(line(&stage, &text, Cap::at(1.2345)), expected);
    // If the cap is above the cutoff, the target gets the cutoff.
    assert!(line(&stage, &text, Cap::NONE).contains(" 5.000 "));
}

#[test]
fn a_cap_in_steps_is_rounded_up_to_a_whole_number() {
    let stage = Stage::new();
    let objective = "minimise = \"cpu_time\"\ncutoff = \"5s\"\n";
    let steps = "minimise = \"steps\"\ncutoff = 1000000000000\ncapped_by = \"argument\"\n[outputs]\nsteps = { pattern = '([0-9]+)' }\n";
    let text = SMALL.replace(objective, steps).replace("{seed}", "{cap}");
    let cap_argument = |cap| line(&stage, &text, cap).rsplit(' ').next().unwrap().to_owned();
    assert_eq!(cap_argument(Cap::at(1000.0)), "1000");
    assert_eq!(cap_argument(Cap::at(1000.2)), "1001");
    assert_eq!(cap_argument(Cap::NONE), "1000000000000");
}

#[test]
fn a_fractional_cap_has_the_decimals_of_the_grain() {
    let stage = Stage::new();
    let objective = "minimise = \"cpu_time\"\ncutoff = \"5s\"\n";
    let cap_argument = |grain: &str, cap: f64| {
        let steps = format!(
            "minimise = \"steps\"\ncutoff = 9000.125\ncapped_by = \"argument\"\ngrain = {grain}\n\
             [outputs]\nsteps = {{ pattern = '(\\S+)' }}\n"
        );
        let text = SMALL.replace(objective, &steps).replace("{seed}", "{cap}");
        line(&stage, &text, Cap::at(cap)).rsplit(' ').next().unwrap().to_owned()
    };
    assert_eq!(cap_argument("0.1", 0.5), "0.5");
    assert_eq!(cap_argument("0.1", 0.512), "0.6");
    assert_eq!(cap_argument("0.25", 0.51), "0.51");
    assert_eq!(cap_argument("1e-6", 0.0000001), "0.000001");
    assert_eq!(cap_argument("0.001", 1e9), "9000.125");
    assert_eq!([cap_argument("1", 0.5), cap_argument("2.5", 7.1), cap_argument("10", 7.1)], ["1", "8", "8"]);
}

#[test]
fn inactive_parameters_are_left_out() {
    let stage = Stage::new();
    let text = format!("{SMALL}deep = {{ integer = [1, 5], when = \"fast\" }}\n");
    assert_eq!(line(&stage, &text, Cap::NONE), "PROGRAM --alpha=0.5 --fast=false 17");
}

/// A command line that is pasted into a shell gives the same arguments.
#[test]
fn a_pasted_command_line_is_the_command() {
    let stage = Stage::new();
    let text = SMALL
        .replace("\"true\"", "\"printf\", \"%s|\"")
        .replace("\"{seed}\"", r#""a b", "it's", "$HOME", "", "*", "\"q\"", "é\\n", "{seed}""#);
    let line = line(&stage, &text, Cap::NONE).replace("PROGRAM", "printf");
    let output = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(shown, "--alpha=0.5|--fast=false|a b|it's|$HOME||*|\"q\"|é\\n|17|");
}

#[test]
fn a_missing_instance_is_an_error() {
    let stage = Stage::new();
    let scenario = Arc::new(stage.read(SMALL));
    let error = ProcessTarget::new(Arc::clone(&scenario)).command_line(&trial(&scenario, 3, Cap::NONE));
    assert!(matches!(error, Err(TargetError::NoInstance { count: 1, .. })));
}

/// The cap limits the objective. The other limits follow from the cutoff, which applies to all trials.
#[test]
fn limits_follow_from_cap_and_cutoff() {
    let stage = Stage::new();
    let limits = |text: &str| ProcessTarget::new(Arc::new(stage.read(text))).limits(Cap::at(0.5), None);
    let seconds = |duration: Option<Duration>| duration.map(|duration| duration.as_secs_f64());
    let cpu = limits(SMALL);
    assert_eq!((seconds(cpu.cpu), seconds(cpu.wall)), (Some(0.5), Some(15.0)));
    let own = limits(&format!("{SMALL}[limits]\nwall = \"7s\"\nmemory = \"1GiB\"\n"));
    assert_eq!((seconds(own.wall), own.memory), (Some(7.0), Some(1 << 30)));
    let wall = limits(&SMALL.replace("cpu_time", "wall_time"));
    assert_eq!((seconds(wall.cpu), seconds(wall.wall)), (None, Some(0.5)));
    let by_argument = SMALL.replace("cutoff", "capped_by = \"argument\"\ncutoff").replace("{seed}", "{cap}");
    assert_eq!(seconds(limits(&by_argument).cpu), Some(5.0));
}
