//! Bad input gets a clear error before anything runs.

use std::time::Duration;

use confine::{Command, Control, Cores, Folder, LaunchError, Limits, Stdin};

use crate::stage::{MISBEHAVE, Stage, misbehave, no_limits};

fn error(command: &Command, limits: &Limits) -> LaunchError {
    match confine::run(command, limits, &Control::new()) {
        Err(error) => error,
        Ok(finished) => panic!("it ran: {finished:?}"),
    }
}

/// The message of a command that cannot run.
fn message(command: Command) -> String {
    error(&command.guardian(MISBEHAVE), &no_limits()).to_string()
}

#[test]
fn programs_that_are_not_there() {
    assert_eq!(message(Command::new("")), "there is no program to run");
    assert_eq!(message(Command::new("./no/such")), "program `./no/such` not found");
    let searched = message(Command::new("no-such-program").env("PATH", "/bin:/usr/bin"));
    assert_eq!(searched, "program `no-such-program` not found in PATH (/bin:/usr/bin)");
}

#[test]
fn files_that_are_no_programs() {
    let stage = Stage::new();
    assert!(message(Command::new("/tmp")).ends_with("it is a folder"));
    let text = stage.path("text");
    std::fs::write(&text, "hello").unwrap();
    assert!(message(Command::new(&text)).contains("cannot be executed"));
    std::fs::set_permissions(&text, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let said = message(Command::new(&text));
    assert!(said.contains("neither a program for this machine nor a script"), "{said}");
    let script = stage.path("script");
    std::fs::write(&script, "#!/no/such/shell\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let said = message(Command::new(&script));
    assert!(said.contains("the interpreter it asks for does not exist"), "{said}");
}

#[test]
fn bytes_that_cannot_be_passed() {
    assert_eq!(message(Command::new("echo").arg("fine").arg("a\0b")), "argument 2 holds a NUL byte");
    assert!(message(Command::new("echo").env("A", "x\0")).contains("`A` holds a NUL byte"));
    assert!(message(Command::new("echo").env("A=B", "x")).contains("name that is empty or holds `=`"));
    let long = "x".repeat(200_000);
    assert!(message(Command::new("echo").arg(long)).contains("longer than the kernel takes"));
}

#[test]
fn folders_and_files_that_cannot_be_used() {
    let stage = Stage::new();
    let folder = |path: &str| message(Command::new("true").folder(Folder::Given(path.into())));
    assert_eq!(folder("/no/such"), "working folder `/no/such` cannot be used");
    assert_eq!(folder("/etc/passwd"), "working folder `/etc/passwd` cannot be used");
    let stdin = message(Command::new("true").stdin(Stdin::File("/no/such".into())));
    assert_eq!(stdin, "stdin file `/no/such` cannot be used");
    let device = error(&misbehave("exit 0").stdout_file("/dev/null"), &no_limits());
    assert!(matches!(device, LaunchError::Stream { stream: "stdout", .. }));
    let both = misbehave("exit 0").stdout_file(stage.path("one")).stderr_file(stage.path("one"));
    assert!(matches!(error(&both, &no_limits()), LaunchError::Stream { stream: "stderr", .. }));
    assert!(message(Command::new("true").stdin(Stdin::File("/tmp".into()))).starts_with("stdin file"));
    // A pipe without a reader must not hold us up.
    assert!(message(Command::new("true").stdout_file(stage.path("ready"))).starts_with("stdout file"));
    let missing = stage.path("no/such/file");
    assert!(message(Command::new("true").stderr_file(missing)).starts_with("stderr file"));
}

#[test]
fn limits_that_make_no_sense() {
    let zero = Limits { wall: Some(Duration::ZERO), ..no_limits() };
    assert!(error(&misbehave("exit 0"), &zero).to_string().contains("limit of zero"));
    let absent = Limits { cores: Some([Cores::CEILING - 1].into_iter().collect()), ..no_limits() };
    let refused = error(&misbehave("exit 0"), &absent);
    assert!(refused.is_unenforceable() && refused.hint().is_some(), "{refused}");
}

#[test]
fn a_guardian_that_is_none() {
    let missing = error(&misbehave("exit 0").guardian("/no/such"), &no_limits());
    assert!(matches!(missing, LaunchError::Guardian { .. }), "{missing}");
    let other = error(&misbehave("exit 0").guardian("/bin/true"), &no_limits());
    assert!(matches!(other, LaunchError::SupervisorLost), "{other}");
}
