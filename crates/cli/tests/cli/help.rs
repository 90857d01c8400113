use std::process::Command;

use crate::{captune, captune_with, installed, stderr, stdout};

#[test]
fn help_texts() {
    insta::assert_snapshot!("help", stdout(&captune("--help")));
    for verb in [
        "run",
        "check",
        "status",
        "best",
        "try",
        "validate",
        "rerun",
        "failures",
        "compare",
        "export",
        "report",
        "serve",
        "demo",
        "importance",
        "ablate",
        "worker",
        "fleet",
    ] {
        insta::assert_snapshot!(format!("help_{verb}"), stdout(&captune(&format!("{verb} --help"))));
    }
    insta::assert_snapshot!("help_fleet_slurm", stdout(&captune("fleet slurm --help")));
    insta::assert_snapshot!("help_fleet_ssh", stdout(&captune("fleet ssh --help")));
    insta::assert_snapshot!("help_fleet_up", stdout(&captune("fleet up --help")));
    insta::assert_snapshot!("help_exec", stdout(&captune("exec --help")));
    insta::assert_snapshot!("help_doctor", stdout(&captune("doctor --help")));
    insta::assert_snapshot!("help_space", stdout(&captune("space --help")));
    for verb in ["show", "check", "convert", "sample", "discover"] {
        insta::assert_snapshot!(
            format!("help_space_{verb}"),
            stdout(&captune(&format!("space {verb} --help")))
        );
    }
}

/// Lets each installed shell check its own completions.
#[test]
fn shells_accept_the_completions() {
    for (shell, check) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        let output = captune_with(["completions", shell]);
        assert!(output.status.success() && stdout(&output).contains("success-pattern"), "{shell}");
        assert!(!stdout(&output).contains("__saps"), "{shell} offers a verb that is not meant for people");
        if installed(shell) {
            let file =
                std::env::temp_dir().join(format!("captune-completions-{shell}-{}", std::process::id()));
            std::fs::write(&file, &output.stdout).unwrap();
            let checked = Command::new(shell).arg(check).arg(&file).output().unwrap();
            std::fs::remove_file(&file).unwrap();
            assert!(checked.status.success(), "{shell}: {}", stderr(&checked));
        }
    }
}

#[test]
fn every_verb_has_a_manual_page() {
    let folder = std::env::temp_dir().join(format!("captune-man-{}", std::process::id()));
    let output = captune_with(["man", folder.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    for page in ["captune", "captune-run", "captune-space-convert"] {
        let text = std::fs::read_to_string(folder.join(format!("{page}.1"))).unwrap();
        assert!(text.contains(".TH") && text.contains("SYNOPSIS"), "{page}");
    }
    let pages = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(pages, 33, "hidden verbs have no page");
    std::fs::remove_dir_all(folder).unwrap();
    assert!(stdout(&captune_with(["man"])).starts_with(".ie"));
}

/// Returns the names of the subcommands in a help text.
fn verbs(help: &str) -> Vec<String> {
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let names = commands.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn help_fits_into_80_columns() {
    let mut all = ["--help", "space --help", "fleet --help", "fleet up --help", "fleet slurm --help"]
        .map(str::to_owned)
        .to_vec();
    all.extend(verbs(&stdout(&captune("--help"))).iter().map(|verb| format!("{verb} --help")));
    all.extend(verbs(&stdout(&captune("space --help"))).iter().map(|verb| format!("space {verb} --help")));
    assert!(all.len() > 20, "{all:?}");
    // The paragraphs after the options must not be wrapped. So they have the same lines at 100 columns.
    let paragraphs = |text: String| -> Vec<String> {
        let after = text.lines().skip_while(|line| !line.contains("Print help"));
        after.filter(|line| !line.starts_with(' ')).map(str::to_owned).collect()
    };
    for line in all {
        let words: Vec<&str> = line.split_whitespace().collect();
        let wide = Command::new(crate::CAPTUNE).args(words).env("COLUMNS", "100").output().unwrap();
        assert_eq!(paragraphs(stdout(&captune(&line))), paragraphs(stdout(&wide)), "{line}");
        for text in [stdout(&captune(&line)), stdout(&captune(&line.replace("--help", "-h")))] {
            assert!(text.contains("Usage: captune"), "{line}: {text}");
            let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
            assert!(long.is_empty(), "{line}: {long:#?}");
        }
    }
}
