//! Invalid input is rejected with a clear error before anything runs.

use std::time::Duration;

use confine::{Command, Control, Cores, Folder, LaunchError, Limits, Stdin};

use crate::stage::{MISBEHAVE, Stage, misbehave, no_limits};

fn error(command: &Command, limits: &Limits) -> LaunchError {
    match confine::run(command, limits, &Control::new()) {
        Err(error) => error,
        Ok(finished) => panic!("the command ran: {finished:?}"),
    }
}

/// Returns the error message of a command that cannot run.
fn message(command: Command) -> String {
    error(&command.guardian(MISBEHAVE), &no_limits()).to_string()
}

#[test]
fn programs_that_do_not_exist() {
    assert_eq!(message(Command::new("")), "there is no program to run");
    assert_eq!(message(Command::new("./no/such")), "program `./no/such` not found");
    let searched = message(Command::new("no-such-program").env("PATH", "/bin:/usr/bin"));
    assert_eq!(searched, "program `no-such-program` not found in PATH (/bin:/usr/bin)");
}

#[test]
fn files_that_are_not_programs() {
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
    assert!(said.contains("its interpreter does not exist"), "{said}");
}

#[test]
fn bytes_that_cannot_be_passed() {
    assert_eq!(message(Command::new("echo").arg("fine").arg("a\0b")), "argument 2 contains a NUL byte");
    assert!(message(Command::new("echo").env("A", "x\0")).contains("`A` contains a NUL byte"));
    assert!(message(Command::new("echo").env("A=B", "x")).contains("name that is empty or contains `=`"));
    let long = "x".repeat(200_000);
    assert!(message(Command::new("echo").arg(long)).contains("longer than the kernel allows"));
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
    // A pipe without a reader must not block the caller.
    assert!(message(Command::new("true").stdout_file(stage.path("ready"))).starts_with("stdout file"));
    let missing = stage.path("no/such/file");
    assert!(message(Command::new("true").stderr_file(missing)).starts_with("stderr file"));
}

#[test]
fn invalid_limits() {
    let zero = Limits { wall: Some(Duration::ZERO), ..no_limits() };
    assert!(error(&misbehave("exit 0"), &zero).to_string().contains("limit of zero"));
    let absent = Limits { cores: Some([Cores::CEILING - 1].into_iter().collect()), ..no_limits() };
    let error = error(&misbehave("exit 0"), &absent);
    assert!(error.is_unenforceable() && error.hint().is_some(), "{error}");
}

#[test]
fn an_executable_that_is_not_a_guardian() {
    let missing = error(&misbehave("exit 0").guardian("/no/such"), &no_limits());
    assert!(matches!(missing, LaunchError::Guardian { .. }), "{missing}");
    let other = error(&misbehave("exit 0").guardian("/bin/true"), &no_limits());
    assert!(matches!(other, LaunchError::SupervisorLost), "{other}");
}
