//! Errors have the right exit code and a hint.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use super::stage::{SCENARIO, Stage};
use crate::documents::{blocks, document};
use crate::{code, stderr};

#[test]
fn all_errors_in_a_scenario_are_shown_at_once() {
    let stage = Stage::new(&SCENARIO.replace("cutoff", "cutof").replace("trials = 40", "trails = 40"));
    for verb in ["run", "check"] {
        let output = stage.captune(&format!("{verb} count.toml"));
        let said = stderr(&output);
        assert_eq!(code(&output), 2, "{said}");
        assert!(said.contains("error: unknown key `objective.cutof`\n --> count.toml:6:1"), "{said}");
        assert!(said.contains("hint: did you mean `cutoff`?"), "{said}");
        assert!(said.contains("unknown key `budget.trails`"), "{said}");
        assert!(said.ends_with("captune: count.toml: 4 errors\n"), "{said}");
    }
    assert!(!stage.folder.join("count.campaign").exists());
}

/// The guide shows a scenario with common errors, and the messages that captune prints for it.
#[test]
fn common_errors_are_explained_as_in_the_guide() {
    let guide = document("docs/guides/your-first-scenario.md");
    let stage = Stage::new(SCENARIO);
    stage.write("first.toml", &blocks(&guide, "toml")[0]);
    stage.write("cnf/a.cnf", "p cnf 1 1\n1 0\n");
    let output = stage.captune("check first.toml");
    assert_eq!(code(&output), 2);
    let said = stage.hidden(&stderr(&output));
    assert!(blocks(&guide, "text").contains(&said), "{said}");
}

#[test]
fn another_objective_needs_another_folder() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --trials 3")), 0);
    stage.write("count.toml", &SCENARIO.replace("cpu_time", "wall_time"));
    let output = stage.captune("run count.toml");
    assert_eq!(code(&output), 2);
    insta::assert_snapshot!(stderr(&output));
}

/// The scenario itself is unchanged, but the program or an instance has new content.
#[test]
fn a_replaced_program_or_instance_needs_another_folder() {
    let stage = Stage::with_files();
    let write = |name: &str, text: &str| drop(stage.write(name, text));
    assert_eq!(code(&stage.captune("run count.toml --trials 3")), 0);
    let program = std::fs::read_to_string(stage.folder.join("counter")).unwrap();
    // A program that is rewritten with the same content counts as the same.
    write("counter", &program);
    assert_eq!(code(&stage.captune("run count.toml --trials 4")), 0);
    let refused = |name: &str| {
        for line in ["run count.toml --trials 5", "run count.campaign --trials 5"] {
            let output = stage.captune(line);
            let said = stderr(&output);
            assert_eq!(code(&output), 2, "{said}");
            assert!(said.contains(&format!("  the content of {name}: ")), "{said}");
            assert!(said.contains("(refuse)\nhint: start a new campaign"), "{said}");
        }
    };
    write("counter", &format!("{program}\n"));
    refused("counter (target)");
    write("counter", &program);
    write("in/b", "4");
    refused("in/b (instances)");
    write("in/b", "2");
    write("unseen", "5");
    let said = stderr(&stage.captune("run count.toml --trials 5"));
    assert!(
        said.contains("the content of unseen (instances.test): ") && said.contains("(continue)"),
        "{said}"
    );
    let said = stderr(&stage.captune("run count.toml --trials 6"));
    assert!(!said.contains("the content of"), "reported once: {said}");
}

/// A script is a file that the command names: `captune run -- sh count.sh` writes `{folder}/count.sh`.
#[test]
fn a_replaced_script_needs_another_folder() {
    let command = SCENARIO.lines().find(|line| line.starts_with("command")).unwrap();
    let scripts = "command = [\"sh\", \"{folder}/counter\", \"{params}\", \"{instance}\", \"--seed={seed}\"]\n\
                   verify = [\"sh\", \"{folder}/checker\", \"{instance}\"]";
    let stage = Stage::new(&SCENARIO.replace(command, scripts));
    let counter = std::fs::read_to_string(stage.folder.join("counter")).unwrap();
    for (name, content) in [("counter", counter.as_str()), ("checker", "exit 0\n")] {
        stage.write("checker", "exit 0\n");
        let folder = format!("{name}.campaign");
        let output = stage.captune(&format!("run count.toml --trials 3 --dir {folder}"));
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stage.write(name, &format!("{content}\n"));
        let output = stage.captune(&format!("run count.toml --trials 4 --dir {folder}"));
        assert_eq!(code(&output), 2, "{name}: {}", stderr(&output));
        let said = stderr(&output);
        assert!(said.contains(&format!("  the content of {name} (target): ")), "{said}");
        stage.write(name, content);
    }
}

#[test]
fn folders_without_a_campaign_are_rejected() {
    let stage = Stage::new(SCENARIO);
    std::fs::create_dir(stage.folder.join("empty")).unwrap();
    stage.write(
        "other/campaign.sqlite",
        "this is no database, and longer than its header of a hundred bytes ........................",
    );
    let mut said = Vec::new();
    for (line, expected) in [
        ("status empty", 2),
        ("best count.toml", 2),
        ("failures none", 2),
        ("rerun empty 1", 2),
        ("run none.toml", 2),
        ("run empty", 2),
        ("status other", 5),
        ("run other", 5),
        ("run count.toml --dir other", 5),
        ("run count.toml --workers 100000", 2),
        ("run count.toml --budget -1s", 2),
        ("run count.toml --trials 0", 2),
    ] {
        let output = stage.captune(line);
        assert_eq!(code(&output), expected, "{line}: {}", stderr(&output));
        said.push(format!("$ captune {line}\n{}", stage.hidden(&stderr(&output))));
    }
    let allowed = confine::Cores::allowed().unwrap().len();
    insta::assert_snapshot!(said.join("\n").replace(&format!("only {allowed} may"), "only N may"));
}

#[test]
fn a_limit_that_cannot_be_enforced_is_rejected_before_anything_runs() {
    let stage = Stage::new(&SCENARIO.replace("[budget]", "[limits]\nmemory = \"64MiB\"\n[budget]"));
    let output = stage.captune("run count.toml --trials 3");
    match code(&output) {
        0 => println!("skipped: this machine can enforce all limits"),
        4 => assert!(!stderr(&output).contains("new campaign in"), "{}", stderr(&output)),
        other => panic!("{other}: {}", stderr(&output)),
    }
}

/// Commands contain the folder as text, so trials in such a folder would get a path that does not exist.
#[test]
fn a_folder_whose_name_is_not_utf_8_is_refused() {
    let stage = Stage::new(SCENARIO);
    let folder = stage.folder.join(OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::rename(stage.folder.join("count.toml"), folder.join("count.toml")).unwrap();
    let output = stage.command("run count.toml").current_dir(&folder).output().unwrap();
    let said = stderr(&output);
    assert_eq!(code(&output), 2, "{said}");
    assert!(said.contains("is not UTF-8\nhint: rename the folder, or move the scenario"), "{said}");
    assert!(!folder.join("count.campaign").exists());
}
