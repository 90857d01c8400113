//! A real solver on generated formulas: the example in the guide.

use targets::{Quasigroup, dimacs};

use super::stage::{SCENARIO, Stage};
use crate::{code, installed, root, stderr};

#[test]
fn the_example_tunes_minisat() {
    if !installed("minisat") {
        return;
    }
    let stage = Stage::new(SCENARIO);
    let example = std::fs::read_to_string(root().join("examples/minisat/minisat.toml")).unwrap();
    let space = std::fs::read_to_string(root().join("spaces/minisat.toml")).unwrap();
    stage.write("minisat.toml", &example.replace("../../spaces/minisat.toml", "space.toml"));
    stage.write("space.toml", &space);
    // The formulas are smaller than those in the guide, so all trials together take a fraction of a second.
    for (folder, seeds) in [("train", 1..=3), ("test", 4..=9)] {
        for seed in seeds {
            let quasigroup: Quasigroup = format!("qwh:12,60,{seed}").parse().unwrap();
            let text = dimacs::write(&quasigroup.formula(), &quasigroup.to_string());
            stage.write(&format!("{folder}/{seed}.cnf"), &text);
        }
    }
    let output = stage.captune("check minisat.toml");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let output = stage.captune("run minisat.toml --trials 30");
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains("3 instances + 6 unseen"), "{said}");
    assert!(said.contains("Stopped: the budget of 30 trials is spent."), "{said}");
    assert!(said.contains("Verdict: "), "{said}");
    let pasted = stage.said("best minisat.toml --as cmd").replace("{seed}", "1");
    let pasted = pasted.replace("{instance}", "test/4.cnf");
    let ran =
        std::process::Command::new("sh").args(["-c", &pasted]).current_dir(&stage.folder).output().unwrap();
    assert_eq!(code(&ran), 10, "{pasted}: {ran:?}");
}
