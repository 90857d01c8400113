use crate::{captune, code, stderr, stdout};

#[test]
fn every_limit_is_tested() {
    let output = captune("doctor");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let said = stdout(&output);
    for limit in ["CPU time", "wall time", "memory", "output", "file size", "processes"] {
        let line = said.lines().find(|line| line.trim_start().starts_with(limit)).unwrap_or_default();
        assert!(line.contains("holds:"), "{limit}: {said}");
    }
    assert!(said.lines().any(|line| line.starts_with('*')), "{said}");
}

#[test]
fn limits_that_cannot_be_enforced_give_exit_code_4() {
    let output = captune("doctor --cores 1000");
    assert_eq!(code(&output), 4, "{}", stderr(&output));
    assert!(stderr(&output).contains("hint: choose from cores"), "{}", stderr(&output));
    assert_eq!(code(&captune("exec --cores 1000 -- true")), 4);
}

#[test]
fn limits_that_can_be_enforced_give_exit_code_0() {
    assert_eq!(code(&captune("doctor --cpu 1s --memory 1GiB --processes 5")), 0);
}
