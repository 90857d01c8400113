//! `captune space discover` with installed programs.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{captune_reading, captune_with, code, in_folder, installed, stderr, stdout};

/// A proposal from `captune space discover`, which must be a valid space.
struct Proposal {
    text: String,
    said: String,
}

impl Proposal {
    fn of(words: &[&str]) -> Self {
        let output = captune_with(["space", "discover"].into_iter().chain(words.iter().copied()));
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let check = captune_reading("space check -", &stdout(&output));
        assert_eq!(code(&check), 0, "{}", stderr(&check));
        println!("{}", stderr(&output).trim());
        Self { text: stdout(&output), said: stderr(&output) }
    }

    fn line(&self, name: &str) -> &str {
        let starts = [format!("{name} = "), format!("\"{name}\" = ")];
        let line = self.text.lines().find(|line| starts.iter().any(|start| line.starts_with(start)));
        line.unwrap_or_else(|| panic!("no {name} in\n{}", self.text))
    }

    /// Runs a program with the default and `others` random configurations from the proposal.
    fn accepted(&self, line: &str, others: u32, code: i32) {
        let draw =
            |more: &str| stdout(&captune_reading(&format!("space sample - --as cmd {more}"), &self.text));
        let words = format!(
            "{}{}",
            draw("--default"),
            if others > 0 { draw(&format!("-n {others}")) } else { String::new() }
        );
        assert_eq!(words.lines().count(), 1 + others as usize);
        for words in words.lines() {
            let mut command = Command::new("sh");
            let output =
                command.args(["-c", &line.replace("{}", words)]).current_dir(std::env::temp_dir()).output();
            let output = output.unwrap();
            assert_eq!(output.status.code(), Some(code), "{line} {words}: {}", stderr(&output));
        }
    }

    fn parameters(&self) -> usize {
        self.text.lines().filter(|line| !line.starts_with('#') && line.contains(" = { ")).count()
    }
}

#[test]
fn minisat() {
    if !installed("minisat") {
        return;
    }
    let proposal = Proposal::of(&["--", "minisat", "--help"]);
    assert!(
        proposal.said.starts_with("captune: minisat: 18 parameters from 18 of 23 options"),
        "{}",
        proposal.said
    );
    assert!(proposal.line("rinc").contains("float = [1.001, 200.0], log = true, default = 2.0"));
    assert!(proposal.line("luby").contains("choices = [\"-luby\", \"-no-luby\"], default = \"-luby\""));
    proposal.accepted("printf 'p cnf 1 1\\n1 0\\n' | minisat {} /dev/stdin", 20, 10);
    let long = Proposal::of(&["--", "minisat", "--help-verb"]);
    assert_eq!(long.parameters(), proposal.parameters());
}

#[test]
fn cadical() {
    if !installed("cadical") {
        return;
    }
    let proposal = Proposal::of(&["--", "cadical", "--help"]);
    assert!(proposal.parameters() >= 100, "{}", proposal.said);
    assert!(proposal.line("elim").contains("boolean = true, switch = \"--elim=\""));
    assert!(proposal.line("elimint").contains("log = true, default = 2000"));
    proposal.accepted("printf 'p cnf 1 1\\n1 0\\n' | cadical {}", 20, 10);
}

#[test]
fn gcc() {
    if !installed("gcc") {
        return;
    }
    let proposal = Proposal::of(&["--", "gcc", "-O2", "-Q", "--help=optimizers", "--help=params"]);
    assert!(proposal.parameters() >= 200, "{}", proposal.said);
    assert!(proposal.line("fgcse").contains("default = \"-fgcse\", switch = \"\""));
    assert!(proposal.line("max-unroll-times").contains("switch = \"--param=max-unroll-times=\""));
    assert!(!proposal.text.contains("\nfassociative-math = "));
    proposal.accepted("echo 'int main(void) { return 0; }' | gcc -O2 {} -Werror -x c - -S -o -", 20, 0);
}

#[test]
fn java() {
    if !installed("java") {
        return;
    }
    let proposal = Proposal::of(&["--", "java", "-XX:+PrintFlagsFinal", "-version"]);
    assert!(proposal.parameters() >= 200, "{}", proposal.said);
    assert!(proposal.line("gc").contains("\"-XX:+UseSerialGC\""));
    assert!(proposal.line("MaxInlineLevel").contains("switch = \"-XX:MaxInlineLevel=\""));
    // Flags of the virtual machine depend on each other, so only the defaults are certain to work.
    proposal.accepted("java {} -version", 0, 0);
}

/// Returns whether Python can import a package. If not, prints a note.
fn has_package(package: &str) -> bool {
    let import = format!("import {package}");
    let tried = Command::new("python3").args(["-c", &import]).stderr(Stdio::null()).status();
    let found = tried.is_ok_and(|status| status.success());
    if !found {
        println!("skipped: Python has no package {package}");
    }
    found
}

/// Runs a Python program that writes a file to the path in its argument. Then tests the proposal for that
/// file.
fn written_by(package: &str, program: &str, test: impl FnOnce(Proposal)) {
    if !has_package(package) {
        return;
    }
    in_folder(package, |folder| {
        let path = folder.join("options");
        let path = path.to_str().unwrap();
        assert!(Command::new("python3").args(["-c", program, path]).output().unwrap().status.success());
        test(Proposal::of(&[path]));
    });
}

#[test]
fn highs() {
    let program = "import sys, highspy; highspy.Highs().writeOptions(sys.argv[1])";
    written_by("highspy", program, |proposal| {
        assert!(proposal.said.starts_with("captune: highs: "), "{}", proposal.said);
        assert!(proposal.parameters() >= 20, "{}", proposal.said);
        assert!(
            proposal
                .line("presolve")
                .contains("choices = [\"off\", \"choose\", \"on\"], default = \"choose\"")
        );
        assert!(proposal.line("mip_heuristic_effort").contains("float = [0.0, 1.0], default = 0.05"));
    });
}

#[test]
fn scip() {
    let program =
        "import sys, pyscipopt; pyscipopt.Model().writeParams(sys.argv[1], comments=True, onlychanged=False)";
    written_by("pyscipopt", program, |proposal| {
        assert!(proposal.said.starts_with("captune: scip: "), "{}", proposal.said);
        assert!(proposal.parameters() >= 1000, "{}", proposal.said);
        assert!(
            proposal.line("branching/scorefunc").contains("choices = [\"s\", \"p\", \"q\"], default = \"p\"")
        );
    });
}

/// Returns the folder with the PostgreSQL server's programs, if the server is installed.
fn postgres_programs() -> Option<String> {
    let output = Command::new("pg_config").arg("--bindir").output().ok()?;
    let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Path::new(&folder).join("initdb").exists().then_some(folder)
}

/// Returns a command that runs as the user `nobody` if the test runs as root. PostgreSQL refuses to run as
/// root.
fn unprivileged(program: &str) -> Command {
    let mut command = Command::new(program);
    if rustix::process::geteuid().is_root() {
        command.uid(65534).gid(65534);
    }
    command
}

#[test]
fn postgres() {
    let Some(programs) = postgres_programs() else {
        println!("skipped: the PostgreSQL server is not installed");
        return;
    };
    in_folder("postgres", |folder| {
        std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        let data = folder.join("data");
        let (data, csv) = (data.to_str().unwrap(), folder.join("settings.csv"));
        let initdb = unprivileged(&format!("{programs}/initdb"))
            .args(["-D", data, "--no-sync", "-A", "trust"])
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(initdb.status.success(), "{}", stderr(&initdb));
        let mut server = unprivileged(&format!("{programs}/postgres"))
            .args(["--single", "-D", data, "postgres"])
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let statement = format!("copy (select * from pg_settings) to '{}' csv header\n", csv.display());
        std::io::Write::write_all(&mut server.stdin.take().unwrap(), statement.as_bytes()).unwrap();
        assert!(server.wait().unwrap().success());
        let proposal = Proposal::of(&[csv.to_str().unwrap()]);
        assert!(proposal.said.starts_with("captune: postgres: "), "{}", proposal.said);
        assert!(proposal.parameters() >= 80, "{}", proposal.said);
        assert!(proposal.line("work_mem").contains("integer = [64, 409600], log = true, default = 4096"));
        assert!(!proposal.text.contains("\nfsync = "));
    });
}

#[test]
fn a_command_that_never_ends_is_stopped() {
    let output = captune_with(["space", "discover", "--", "sh", "-c", "yes"]);
    assert_eq!(code(&output), 2);
    let said = stderr(&output);
    assert!(said.contains("reached its output limit") && said.contains("hint: "), "{said}");
}
