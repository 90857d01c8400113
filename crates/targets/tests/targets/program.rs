//! The program `captune-saps`.

use std::path::PathBuf;
use std::process::Command;

use math::Rng;
use space::Literal;
use targets::saps::{Saps, solve, space};
use targets::{Quasigroup, dimacs};

/// Runs the program. Returns exit code, stdout and stderr.
fn run(words: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_captune-saps")).args(words).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn with_file<T>(name: &str, content: &str, use_it: impl FnOnce(&str) -> T) -> T {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    std::fs::write(&path, content).unwrap();
    let result = use_it(path.to_str().unwrap());
    std::fs::remove_file(&path).unwrap();
    result
}

#[test]
fn the_program_prints_the_result_of_the_function() {
    let quasigroup = Quasigroup { order: 14, holes: 95, seed: 3 };
    let formula = quasigroup.formula();
    let (code, generated, _) = run(&["--generate", "qwh:14,95,3"]);
    assert_eq!((code, dimacs::read(&generated).as_ref()), (0, Ok(&formula)));
    let expected = solve(&formula, &Saps { alpha: 1.2, rho: 0.5, ps: 0.1, wp: 0.03 }, 9, 1_000_000);
    let words =
        ["-alpha", "1.2", "-rho", "0.5", "-ps", "0.1", "-wp", "0.03", "-seed", "9", "-cutoff", "1000000"];
    let (code, from_file, _) =
        with_file("f.cnf", &generated, |path| run(&[words.as_slice(), &[path]].concat()));
    assert_eq!(code, 10);
    assert_eq!(run(&[["qwh:14,95,3"].as_slice(), &words].concat()).1, from_file);

    let mut lines = from_file.lines();
    assert_eq!(lines.next(), Some(format!("c steps = {}", expected.steps).as_str()));
    assert_eq!(lines.next(), Some("s SATISFIABLE"));
    let numbers: Vec<i64> = lines
        .flat_map(|line| line.strip_prefix("v ").unwrap().split(' '))
        .map(|word| word.parse().unwrap())
        .collect();
    let (last, literals) = numbers.split_last().unwrap();
    assert_eq!(*last, 0);
    let values: Vec<bool> = literals.iter().map(|&number| number > 0).collect();
    assert!((1..).zip(literals).all(|(variable, number)| number.abs() == variable));
    assert_eq!(Some(values), expected.solved);
}

#[test]
fn the_program_stops_at_its_cutoff() {
    let (code, out, _) = run(&["-cutoff", "1000", "qwh:27,262,1"]);
    assert_eq!((code, out.as_str()), (0, "c steps = 1000\ns UNKNOWN\n"));
}

#[test]
fn the_program_accepts_configurations_of_its_space() {
    let space = space();
    let mut rng = Rng::new(1, "space", 0);
    for _ in 0..20 {
        let configuration = space.sample(&mut rng).unwrap();
        let mut words = Vec::new();
        for (name, value) in configuration.iter() {
            let switch = space.parameter(space.find(name).unwrap()).switch().unwrap();
            words.push(switch.trim_end().to_owned());
            words.push(match value {
                Literal::Float(number) => format!("{number:?}"),
                other => panic!("{other:?}"),
            });
        }
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        words.extend(["-cutoff", "100", "qwh:12,70,1"]);
        let (code, _, err) = run(&words);
        assert!(code != 2 && err.is_empty(), "{words:?}: {err}");
    }
}

#[test]
fn invalid_arguments_are_reported() {
    let cases: [(&[&str], &str); 12] = [
        (&[], "no formula given"),
        (&["-alpha"], "-alpha needs a value"),
        (&["-alpha", "fast", "f.cnf"], "-alpha: `fast` is not a valid number"),
        (&["-alpha", "0.9", "f.cnf"], "-alpha is 0.9, but must be between 1 and 1000000"),
        (&["-ps", "NaN", "f.cnf"], "-ps is NaN, but must be between 0 and 1"),
        (&["-seed", "-1", "f.cnf"], "-seed: `-1` is not a valid number"),
        (&["-cutoff", "1e7", "f.cnf"], "-cutoff: `1e7` is not a valid number"),
        (&["-walk", "1", "f.cnf"], "unknown argument `-walk`"),
        (&["f.cnf", "g.cnf"], "unexpected second formula `g.cnf`"),
        (&["no-such.cnf"], "no-such.cnf: No such file or directory"),
        (&["qwh:5,99,1"], "`qwh:5,99,1` is not `qwh:ORDER,HOLES,SEED`"),
        (&["--generate", "qwh:5,5,1", "x"], "--generate takes no further arguments, but got `x`"),
    ];
    for (words, message) in cases {
        let (code, out, err) = run(words);
        assert_eq!((code, out.as_str()), (2, ""), "{words:?}");
        assert!(err.starts_with(&format!("captune-saps: {message}")), "{words:?}: {err}");
    }
    let (code, _, err) = with_file("bad.cnf", "p cnf 1 1\n2 0\n", |path| run(&[path]));
    assert_eq!(code, 2);
    assert!(err.ends_with("bad.cnf: line 2: `2` is not a literal: a whole number from -1 to 1\n"), "{err}");
    assert_eq!(run(&["--help"]).0, 0);
}
