//! `captune exec` with a real solver.

use std::fmt::Write;

use serde_json::Value;

use crate::{captune_with, stdout};

/// Returns the pigeonhole principle as a formula. No solver based on resolution refutes it quickly.
fn pigeons(holes: usize) -> String {
    let variable = |pigeon: usize, hole: usize| pigeon * holes + hole + 1;
    let mut clauses = Vec::new();
    for pigeon in 0..=holes {
        clauses.push((0..holes).map(|hole| variable(pigeon, hole) as i64).collect::<Vec<_>>());
    }
    for hole in 0..holes {
        for first in 0..=holes {
            clauses.extend(
                (0..first)
                    .map(|second| vec![-(variable(first, hole) as i64), -(variable(second, hole) as i64)]),
            );
        }
    }
    let mut text = format!("p cnf {} {}\n", (holes + 1) * holes, clauses.len());
    for clause in clauses {
        clause.iter().for_each(|literal| write!(text, "{literal} ").unwrap());
        text.push_str("0\n");
    }
    text
}

#[test]
fn minisat_answers_or_is_stopped_in_time() {
    if std::process::Command::new("minisat").arg("--help").output().is_err() {
        println!("skipped: minisat is not installed");
        return;
    }
    let folder = std::env::temp_dir().join(format!("captune-solver-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let solve = |holes: usize| -> Value {
        let path = folder.join(format!("{holes}.cnf"));
        std::fs::write(&path, pigeons(holes)).unwrap();
        let output = captune_with([
            "exec",
            "--json",
            "--cpu",
            "300ms",
            "--",
            "minisat",
            "-verb=0",
            path.to_str().unwrap(),
        ]);
        serde_json::from_str(&stdout(&output)).unwrap()
    };
    let easy = solve(4);
    assert_eq!((&easy["exit_code"], &easy["stopped"]), (&20.into(), &Value::Null), "{easy}");
    assert!(easy["stdout"]["head"].as_str().unwrap().contains("UNSATISFIABLE"), "{easy}");
    let hard = solve(14);
    assert_eq!(hard["stopped"], "cpu", "{hard}");
    assert!(hard["cpu_seconds"].as_f64().unwrap() >= 0.3, "{hard}");
    std::fs::remove_dir_all(&folder).unwrap();
}
