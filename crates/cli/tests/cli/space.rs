//! `captune space` with small files.

use serde_json::Value;

use crate::{captune, captune_reading, captune_with, code, in_folder, stderr, stdout};

const SWEEPER: &str = r#"
broom   = { choices = ["soft", "hard"], weights = [3, 1], default = "soft", note = "which one" }
force   = { float = [0.001, 10.0], log = true, default = 0.5, switch = "--force ", when = "broom == 'hard'" }
rounds  = { integer = [0, 100], step = 5, default = 10, switch = "-r" }
order   = { ordinal = ["in", "out"], switch = "--order=the way " }
corners = { boolean = true }
rooms   = { integer = [1, "rounds + 1"], default = 2 }
house   = { constant = "it's ours", switch = "" }
pinned  = { integer = [0, 9], fixed = 3 }
forbidden = ["broom == 'hard' && rounds > 50"]
"#;

const BROKEN: &str = r#"
broom = { choises = ["soft", "hard"] }
force = { float = [0, 10], log = true, default = 11 }
rooms = { integer = [1, 2], when = "brom == 'soft'" }
"#;

#[test]
fn show_is_a_table_with_counts() {
    insta::assert_snapshot!(stdout(&captune_reading("space show -", SWEEPER)));
}

#[test]
fn check_lists_every_error_in_every_file() {
    in_folder("check", |folder| {
        let write = |name: &str, content: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, content).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let good = write("good.toml", SWEEPER.as_bytes());
        let bad = write("bad.toml", BROKEN.as_bytes());
        let latin = write("latin.toml", b"caf\xe9 = { boolean = true }\n");
        let missing = folder.join("missing.toml").to_str().unwrap().to_owned();
        let output = captune_with(["space", "check", &good, &bad, &latin, &missing, &good]);
        assert_eq!(code(&output), 2);
        let said = format!("{}---\n{}", stdout(&output), stderr(&output));
        insta::assert_snapshot!(said.replace(folder.to_str().unwrap(), "FOLDER"));
        assert_eq!(code(&captune_with(["space", "check", &good])), 0);
    });
}

#[test]
fn convert_keeps_everything_or_refuses() {
    let output = captune_reading("space convert - --to toml", SWEEPER);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let again = captune_reading("space convert - --from toml --to toml", &stdout(&output));
    assert_eq!(stdout(&again), stdout(&output));
    let refused = captune_reading("space convert - --to pcs-old", SWEEPER);
    assert_eq!((code(&refused), stdout(&refused).as_str()), (2, ""));
    let said = stderr(&refused);
    assert!(said.starts_with("captune: error: the format pcs-old cannot express\n  - "), "{said}");
    assert!(said.contains("\nhint: "), "{said}");
}

#[test]
fn convert_writes_a_file_only_if_it_succeeds() {
    in_folder("convert", |folder| {
        let (source, target) = (folder.join("a.toml"), folder.join("b.toml"));
        std::fs::write(&source, SWEEPER).unwrap();
        let words = |to: &'static str| {
            [["space", "convert", source.to_str().unwrap()], ["--to", to, "-o"]]
                .concat()
                .into_iter()
                .chain([target.to_str().unwrap()])
                .collect::<Vec<_>>()
        };
        assert_eq!(code(&captune_with(words("pcs-old"))), 2);
        assert!(!target.exists());
        let output = captune_with(words("toml"));
        assert_eq!((code(&output), stdout(&output).as_str()), (0, ""), "{}", stderr(&output));
        let show = |path: &std::path::Path| stdout(&captune_with(["space", "show", path.to_str().unwrap()]));
        assert_eq!(show(&target), show(&source));
    });
}

#[test]
fn the_space_of_a_scenario_is_read() {
    let scenario = "[target]\ncommand = [\"true\", \"{params}\"]\n[objective]\nminimise = \"wall_time\"\n\
                    cutoff = \"1s\"\n[budget]\ntrials = 9\n[space]\n";
    let space = "x = { integer = [1, 9], default = 3 }\n\"a.b\" = { choices = [\"u\", \"v\"] }\n";
    for line in ["space show -", "space sample - -n 9 --seed 2", "space convert - --to configspace-json"] {
        let output = captune_reading(line, &format!("{scenario}{space}"));
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(stdout(&output), stdout(&captune_reading(line, space)), "{line}");
    }
    let mistaken = captune_reading("space show -", &scenario.replace("cutoff", "cutof"));
    assert!(stderr(&mistaken).contains("cutof"), "{}", stderr(&mistaken));
}

#[test]
fn samples_are_reproducible() {
    for design in ["uniform", "latin", "sobol"] {
        let line = format!("space sample - -n 64 --seed 7 --design {design}");
        let output = captune_reading(&line, SWEEPER);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(stdout(&output), stdout(&captune_reading(&line, SWEEPER)));
        assert_ne!(stdout(&output), stdout(&captune_reading(&line.replace("seed 7", "seed 8"), SWEEPER)));
        let all: Vec<Value> = stdout(&output).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        assert_eq!(all.len(), 64);
        for one in &all {
            let hard = one["broom"] == "hard";
            assert_eq!(one.get("force").is_some_and(Value::is_f64), hard, "{one}");
            assert!(!hard || one["rounds"].as_i64().unwrap() <= 50, "{one}");
            assert!(one["rooms"].as_i64().unwrap() <= one["rounds"].as_i64().unwrap() + 1, "{one}");
            assert_eq!((&one["pinned"], &one["corners"].is_boolean()), (&3.into(), &true));
        }
    }
    assert_eq!(stdout(&captune_reading("space sample -", SWEEPER)).lines().count(), 10);
}

/// Parameters are in the order of the file.
#[test]
fn the_default_configuration_as_json_and_as_words() {
    let output = captune_reading("space sample - --default", SWEEPER);
    insta::assert_snapshot!(stdout(&output), @r#"{"broom":"soft","rounds":10,"order":"in","corners":true,"rooms":2,"house":"it's ours","pinned":3}"#);
    let output = captune_reading("space sample - --default --as cmd", SWEEPER);
    insta::assert_snapshot!(stdout(&output), @r"--broom=soft -r10 '--order=the way' in --corners=true --rooms=2 'it'\''s ours' --pinned=3");
}

#[test]
fn a_space_without_valid_configurations_is_explained() {
    let narrow = "a = { integer = [0, 1000000] }\nb = { integer = [0, 1000000], default = 500000 }\nforbidden = [\"a != b\"]\n";
    let output = captune_reading("space sample -", narrow);
    assert_eq!((code(&output), stdout(&output).as_str()), (2, ""));
    insta::assert_snapshot!(stderr(&output));
}

#[test]
fn wrong_arguments_are_explained() {
    let said = [
        captune("space"),
        captune("space show"),
        captune("space show no/such.toml"),
        captune("space check"),
        captune("space convert a.toml"),
        captune("space convert a.toml --to pcs"),
        captune("space sample a.toml --design random"),
        captune("space sample a.toml -n -1"),
        captune("space discover"),
        captune("space discover a.txt -- true"),
        captune("space discover --kind kissat a.txt"),
        captune("space discover -- ./no/such"),
        captune("space discover -- echo nothing known"),
        captune("space discover --kind minisat -- echo nothing known"),
        captune_reading("space discover -", "  -verb         = <int32>  [   0 ..    2] (default: 1)\n"),
    ];
    let said = said.map(|output| {
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        stderr(&output)
    });
    insta::assert_snapshot!(said.join("\n"));
}
