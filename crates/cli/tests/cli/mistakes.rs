use crate::{captune, captune_with, code, stderr};

/// Returns the error message for a wrong command line. Fails if the exit code is not 2.
fn complaint(line: &str) -> String {
    let output = captune(line);
    assert_eq!(code(&output), 2, "{line}: {}", stderr(&output));
    stderr(&output)
}

#[test]
fn wrong_limits() {
    let lines = [
        "--cpu 0",
        "--cpu -1s",
        "--wall nan",
        "--memory lots",
        "--cores 3-1",
        "--processes 0",
        "--tier jail",
    ];
    let said = lines.map(|wrong| complaint(&format!("exec {wrong} -- true")));
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn wrong_commands() {
    let said = [
        complaint("exec -- ./no/such"),
        complaint("exec -- /tmp"),
        complaint("exec --folder /no/such -- true"),
        complaint("exec --stdin /no/such -- true"),
        complaint("exec --stdout /dev/null -- true"),
        complaint("exec --env WORD -- true"),
        complaint("exec --cpu 1s"),
    ];
    insta::assert_snapshot!(said.join("\n"));
    let missing = captune_with(["exec", "--env", "PATH=/bin", "--", "no-such-program"]);
    insta::assert_snapshot!(stderr(&missing));
}
