//! The spaces in `spaces/` are valid, and their programs accept them.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use engine::Rng;
use space::format::{Format, read};

use crate::{captune_with, in_folder, installed, root, stderr, stdout};

const ALL: [&str; 7] = ["cadical", "cbc", "gcc", "highs", "minisat", "saps", "sqlite"];

fn path(name: &str) -> String {
    root().join("spaces").join(name).with_extension("toml").to_str().unwrap().to_owned()
}

#[test]
fn every_ready_made_space_is_valid() {
    let mut files: Vec<String> = std::fs::read_dir(root().join("spaces"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ALL.map(|name| format!("{name}.toml")));
    for name in ALL {
        let text = std::fs::read_to_string(path(name)).unwrap();
        let space = read(&text, name, Format::Toml).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        assert!(space.check(space.default_configuration().codes()).is_ok());
        let mut rng = Rng::new(1, "ready-made", 0);
        for _ in 0..1000 {
            let sample = space.sample(&mut rng).unwrap();
            space.check(sample.codes()).unwrap_or_else(|error| panic!("{name}: {error}: {sample}"));
        }
        for word in ["# Pass:     ", "# Left out: "] {
            assert!(text.contains(word), "{name} does not contain `{word}`");
        }
        assert!(space.parameters().iter().all(|parameter| parameter.default_is_given()), "{name}");
    }
}

/// Returns the default configuration and twenty random ones, one line each.
fn configurations(name: &str, form: &str) -> Vec<String> {
    let sample = |more: &[&str]| {
        let path = path(name);
        let words = ["space", "sample", &path, "--as", form];
        let output = captune_with(words.into_iter().chain(more.iter().copied()));
        stdout(&output).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let all = [sample(&["--default"]), sample(&["-n", "20"])].concat();
    assert_eq!(all.len(), 21);
    all
}

fn shell(line: &str, folder: &Path) -> Output {
    Command::new("sh").args(["-c", line]).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// Runs a program once for every configuration, which replaces `{}` in the command. Each time, `is_accepted`
/// checks the output.
fn every_configuration_is_accepted(
    name: &str,
    program: &str,
    files: &[(&str, &str)],
    line: &str,
    is_accepted: impl Fn(&str, &Output) -> bool,
) {
    if !installed(program) {
        return;
    }
    in_folder(&format!("ready-{name}"), |folder| {
        let mut accepted = 0;
        for words in configurations(name, "cmd") {
            for (file, content) in files {
                std::fs::write(folder.join(file), content).unwrap();
            }
            let output = shell(&line.replace("{}", &words), folder);
            let said = format!("{}{}", stdout(&output), stderr(&output));
            assert!(is_accepted(&words, &output), "{program} {words}: {:?}\n{said}", output.status);
            accepted += 1;
        }
        println!("{program} accepted {accepted} configurations");
    });
}

const FORMULA: &str = "p cnf 4 6\n1 2 0\n-1 3 0\n-2 -3 0\n3 4 0\n-3 -4 1 0\n2 3 4 0\n";

/// A knapsack problem with an optimum of 10.
const KNAPSACK: &str = "Maximize\n obj: 5 a + 4 b + 3 c + 7 d\nSubject To\n c1: 2 a + 3 b + c + 4 d <= 5\n \
                        c2: 4 a + b + 2 c + 3 d <= 11\nBinary\n a b c d\nEnd\n";

#[test]
fn minisat_accepts_its_space() {
    let files = [("f.cnf", FORMULA)];
    every_configuration_is_accepted("minisat", "minisat", &files, "minisat {} f.cnf", |_, output| {
        output.status.code() == Some(10)
    });
}

#[test]
fn cadical_accepts_its_space() {
    let files = [("f.cnf", FORMULA)];
    // CaDiCaL silently clamps values that are out of range, but it lists all values that differ from the
    // default.
    let defaults = configurations("cadical", "cmd").swap_remove(0);
    let number = |value: &str| value.parse::<f64>().unwrap_or(f64::from(u8::from(value == "true")));
    every_configuration_is_accepted("cadical", "cadical", &files, "cadical {} f.cnf", |words, output| {
        let said = stdout(output);
        let listed = said.lines().filter_map(|line| line.strip_prefix("c   --")?.split_whitespace().next());
        let listed: Vec<(&str, &str)> = listed.filter_map(|word| word.split_once('=')).collect();
        let is_given = |(name, value): &(&str, &str)| {
            let given = words
                .split(' ')
                .find_map(|word| word.strip_prefix("--")?.strip_prefix(name)?.strip_prefix('='));
            given.is_some_and(|given| number(given) == number(value))
        };
        let is_default = words == defaults;
        output.status.code() == Some(10) && listed.is_empty() == is_default && listed.iter().all(is_given)
    });
}

#[test]
fn cbc_accepts_its_space() {
    let files = [("k.lp", KNAPSACK)];
    let line = "cbc k.lp {} -solve -quit";
    every_configuration_is_accepted("cbc", "cbc", &files, line, |_, output| {
        let said = stdout(output);
        // The program reports invalid values and ignores them.
        let refusals = ["Possible options for", "valid range is", "No match for"];
        output.status.success()
            && said.contains("Objective value:                10.0")
            && !refusals.iter().any(|refusal| said.contains(refusal))
    });
}

#[test]
fn gcc_accepts_its_space() {
    let source = "int main(int count, char **words) { int sum = 0; for (int i = 0; i < 100 * count; i++) \
                  sum += i % 7 ? i : words[0][0]; switch (sum % 5) { case 0: return 0; case 1: return 0; \
                  case 2: return 0; default: return 0; } }\n";
    let line = "gcc {} -Werror m.c -o m && ./m";
    every_configuration_is_accepted("gcc", "gcc", &[("m.c", source)], line, |_, output| {
        output.status.success() && output.stderr.is_empty()
    });
}

/// The default configuration is equivalent to `-O2`.
#[test]
fn the_default_of_gcc_12_equals_o2() {
    let version = Command::new("gcc").arg("-dumpversion").output();
    if !version.is_ok_and(|output| stdout(&output).trim() == "12") {
        println!("skipped: gcc 12 is not installed");
        return;
    }
    let words = &configurations("gcc", "cmd")[0];
    let state =
        |words: &str| stdout(&shell(&format!("gcc {words} -Q --help=optimizers --help=params"), root()));
    assert!(state("-O2").lines().count() > 400);
    assert_eq!(state(words), state("-O2"));
}

#[test]
fn sqlite_accepts_its_space() {
    let work = "'create table t (a, b); insert into t values (1, 2), (3, 4); select sum(a * b) from t'";
    let asked = ["page_size", "cache_size", "mmap_size", "threads", "wal_autocheckpoint", "journal_mode"];
    let asked: Vec<String> =
        asked.iter().map(|name| format!("'select \"{name}=\"; pragma {name}'")).collect();
    let line = format!("rm -f d.db*; sqlite3 d.db {{}} {work} {}", asked.join(" "));
    every_configuration_is_accepted("sqlite", "sqlite3", &[], &line, |words, output| {
        // Every value that was set must be reported back.
        let said = stdout(output).replace("=\n", "=");
        let kept = |word: &str| match word.trim_matches('\'').strip_prefix("PRAGMA ") {
            Some(pragma)
                if asked.iter().any(|asked| {
                    asked.contains(&format!("pragma {}'", pragma.split('=').next().unwrap()))
                }) =>
            {
                said.lines().any(|line| line == pragma)
            }
            _ => true,
        };
        output.status.success()
            && output.stderr.is_empty()
            && said.lines().any(|line| line == "14")
            && words.split("' '").all(kept)
    });
}

#[test]
fn highs_accepts_its_space() {
    let program = "\
import json, sys
import highspy
for line in sys.stdin:
    solver = highspy.Highs()
    solver.setOptionValue('output_flag', False)
    for name, value in json.loads(line).items():
        assert solver.setOptionValue(name, value) == highspy.HighsStatus.kOk, (name, value)
    assert solver.readModel(sys.argv[1]) == highspy.HighsStatus.kOk
    assert solver.run() == highspy.HighsStatus.kOk
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal, line
    assert abs(solver.getObjectiveValue() - 10) < 1e-6, line
    print('accepted')
";
    let import = Command::new("python3").args(["-c", "import highspy"]).stderr(Stdio::null()).status();
    if !import.is_ok_and(|status| status.success()) {
        println!("skipped: Python has no package highspy");
        return;
    }
    in_folder("ready-highs", |folder| {
        std::fs::write(folder.join("p.py"), program).unwrap();
        std::fs::write(folder.join("k.lp"), KNAPSACK).unwrap();
        std::fs::write(folder.join("c.json"), configurations("highs", "json").join("\n")).unwrap();
        let output = shell("python3 p.py k.lp < c.json", folder);
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(stdout(&output).lines().filter(|line| *line == "accepted").count(), 21);
    });
}
