//! `captune run --fleet`, `captune worker` and `captune fleet up`.

use std::os::unix::fs::PermissionsExt as _;
#[cfg(feature = "tls")]
use std::process::Command;
use std::time::Duration;

use super::stage::{Process, SCENARIO, await_that, count, nats_server, processes, sleepers};
#[cfg(feature = "tls")]
use crate::campaign::stage::Stage;
use crate::{code, stderr};

const PATIENCE: Duration = Duration::from_secs(90);

#[test]
fn a_fleet_on_this_machine_runs_a_campaign_and_leaves_nothing() {
    let Some(nats) = nats_server() else { return };
    let stage = sleepers(SCENARIO);
    let line = format!("fleet up 3 --any-core count.toml --nats {}", nats.display());
    let output = stage.captune(&line);
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    for part in [
        "workers that join",
        "! Waiting for workers; `captune worker count.campaign` starts one",
        "worker joined",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(count(&stage, "SELECT count(*) FROM trial"), 60);
    assert_eq!(count(&stage, "SELECT count(*) FROM worker"), 3);
    assert_eq!(count(&stage, "SELECT count(*) FROM lease"), 0);
    let strangers = "SELECT count(*) FROM trial WHERE slot NOT IN (SELECT first_slot FROM worker)";
    assert_eq!(count(&stage, strangers), 0, "the slot of every trial identifies its worker");
    let status = stage.status("count.toml");
    let workers = status["workers"].as_array().unwrap();
    assert_eq!(workers.len(), 3);
    let trials: u64 = workers.iter().map(|worker| worker["trials"].as_u64().unwrap()).sum();
    assert_eq!(trials, 60);
    assert!(stage.said("status count.toml").contains("workers"), "{}", stage.said("status count.toml"));
    assert!(processes(&stage.folder.display().to_string()).is_empty());
}

#[test]
fn workers_wait_for_the_campaign_and_end_with_it() {
    let Some(nats) = nats_server() else { return };
    let stage = sleepers(&SCENARIO.replace("trials = 60", "trials = 6"));
    let worker = stage.command("worker count.toml --slots 1 --any-core");
    let mut worker = Process::start(worker, &stage.folder.join("worker.log"));
    await_that("a word on what is awaited", PATIENCE, || {
        worker
            .said()
            .contains("waiting for `captune run --fleet`, which writes count.campaign/fleet/join.json")
    });
    let line = format!("run count.toml --fleet --listen 127.0.0.1 --nats {}", nats.display());
    let output = stage.captune(&line);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(worker.code(PATIENCE), 0, "{}", worker.said());
    assert!(worker.said().ends_with("the campaign is over\n"), "{}", worker.said());
    // A pilot that comes too late ends at once.
    let late = stage.captune("worker count.toml --slots 1 --any-core");
    assert_eq!((code(&late), stderr(&late).as_str()), (0, "the campaign is over\n"));
}

#[test]
fn an_invitation_that_others_can_read_is_refused() {
    let stage = sleepers(SCENARIO);
    let path = stage.write("join.json", "{}");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let output = stage.captune("worker --connect join.json --scenario count.toml");
    let said = stderr(&output);
    assert!(
        said.contains("other users may read join.json (mode 644)") && said.contains("`chmod 600`"),
        "{said}"
    );
    assert_ne!(code(&output), 0);
}

#[test]
fn the_number_of_local_workers_is_refused_with_a_fleet() {
    let stage = sleepers(SCENARIO);
    for line in ["run count.toml --fleet --workers 3", "fleet up 2 count.toml --workers 3"] {
        let output = stage.captune(line);
        let said = stderr(&output);
        assert_eq!(code(&output), 2, "{said}");
        assert!(said.contains("--workers counts trials on this machine"), "{said}");
    }
}

#[test]
fn fleet_up_leaves_a_running_campaign_alone() {
    let stage = sleepers(&SCENARIO.replace("trials = 60", "trials = 1"));
    assert_eq!(code(&stage.captune("run count.toml")), 0);
    let folder = stage.folder.join("count.campaign");
    let _running = store::Store::open(&folder).unwrap();
    stage.write("count.campaign/fleet/join.json", "{}");
    let output = stage.captune("fleet up 1 --any-core count.toml");
    assert!(stderr(&output).contains("is in use"), "{}", stderr(&output));
    assert!(folder.join("fleet/join.json").exists(), "the running campaign keeps its invitation");
}

#[test]
fn options_of_a_fleet_need_a_fleet() {
    let stage = sleepers(SCENARIO);
    let output = stage.captune("run count.toml --lease 5s");
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("hint: add --fleet, or leave them out"), "{}", stderr(&output));
    let output = stage.captune("run count.toml --fleet --nats /no/such/program");
    assert!(stderr(&output).contains("cannot run /no/such/program"), "{}", stderr(&output));
}

#[cfg(feature = "tls")]
#[test]
fn connections_to_other_addresses_are_encrypted() {
    let Some(nats) = nats_server() else { return };
    let stage = sleepers(&SCENARIO.replace("trials = 60", "trials = 6"));
    let line = format!("fleet up 2 --any-core count.toml --listen 0.0.0.0 --nats {}", nats.display());
    let output = stage.captune(&line);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(count(&stage, "SELECT count(*) FROM trial"), 6);
    let files = stage.folder.join("count.campaign/fleet");
    let invitation = std::fs::read_to_string(files.join("join.json")).unwrap();
    assert!(invitation.contains("BEGIN CERTIFICATE"), "{invitation}");
    assert!(std::fs::read_to_string(files.join("server.conf")).unwrap().contains("tls {"));
    for secret in ["join.json", "server.conf", "key.pem"] {
        let mode = std::fs::metadata(files.join(secret)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{secret}");
    }
}

/// Makes a certificate for this address that is its own authority. Returns false where openssl is missing.
#[cfg(feature = "tls")]
fn certificate(stage: &Stage) -> bool {
    if !crate::installed("openssl") {
        assert!(std::env::var_os("EXPECT_NATS").is_none(), "openssl is missing");
        println!("skipped: the test needs openssl");
        return false;
    }
    let line = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -addext subjectAltName=IP:127.0.0.1 \
        -addext basicConstraints=critical,CA:FALSE -keyout key.pem -out ca.pem";
    let mut openssl = Command::new("openssl");
    let output = openssl.args(line.split_whitespace()).current_dir(&stage.folder).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    true
}

#[cfg(feature = "tls")]
#[test]
fn a_running_server_is_used_by_its_url_with_an_authority_and_a_login() {
    let Some(nats) = nats_server() else { return };
    let stage = sleepers(&SCENARIO.replace("trials = 60", "trials = 6"));
    if !certificate(&stage) {
        return;
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    stage.write(
        "server.conf",
        &format!(
            "listen: \"127.0.0.1:{port}\"\ntls {{ cert_file: ca.pem, key_file: key.pem }}\n\
             authorization {{ users = [ {{ user: boss, password: b }}, {{ user: worker, password: w }} ] }}\n"
        ),
    );
    let mut server = Command::new(&nats);
    server.args(["--config", "server.conf"]).current_dir(&stage.folder);
    let _server = Process::start(server, &stage.folder.join("server.log"));
    let login = stage.write(
        "login.json",
        r#"{ "user": "boss", "password": "b", "worker": { "user": "worker", "password": "w" } }"#,
    );
    let run = |url: &str, options: &str| {
        stage.captune(&format!("fleet up 2 --any-core count.toml --nats {url} {options}"))
    };
    let tls = format!("tls://127.0.0.1:{port}");
    let output = run(&tls, "--nats-ca ca.pem --nats-login login.json");
    assert!(stderr(&output).contains("other users may read login.json"), "{}", stderr(&output));
    std::fs::set_permissions(&login, std::fs::Permissions::from_mode(0o600)).unwrap();
    for (url, options, part) in [
        (format!("nats://127.0.0.1:{port}"), "--nats-ca ca.pem", "hint: write tls:// instead"),
        (format!("tls://a:b@127.0.0.1:{port}"), "--nats-login login.json", "hint: leave one of them out"),
        (format!("https://127.0.0.1:{port}"), "", "must begin with nats:// or tls://"),
        (nats.display().to_string(), "--nats-ca ca.pem", "hint: add --nats URL, or leave them out"),
        (tls.clone(), "--nats-ca nowhere.pem", "cannot read nowhere.pem"),
    ] {
        let output = run(&url, options);
        assert_eq!(code(&output), 2, "{url} {options}: {}", stderr(&output));
        assert!(stderr(&output).contains(part), "{url} {options}: {}", stderr(&output));
    }
    let line =
        format!("fleet up 2 --any-core count.toml --nats {tls} --nats-ca ca.pem --nats-login login.json");
    let mut fleet = Process::start(stage.command(&line), &stage.folder.join("fleet.log"));
    assert_eq!(fleet.code(PATIENCE), 0, "{}", fleet.said());
    assert_eq!(count(&stage, "SELECT count(*) FROM trial"), 6);
    let invitation = std::fs::read_to_string(stage.folder.join("count.campaign/fleet/join.json")).unwrap();
    assert!(invitation.contains("\"worker\"") && !invitation.contains("boss"), "{invitation}");
}

#[cfg(not(feature = "tls"))]
#[test]
fn without_encryption_other_machines_cannot_connect() {
    let Some(nats) = nats_server() else { return };
    let stage = sleepers(SCENARIO);
    let output = stage.captune(&format!("run count.toml --fleet --listen 0.0.0.0 --nats {}", nats.display()));
    let said = stderr(&output);
    assert_ne!(code(&output), 0);
    assert!(
        said.contains("0.0.0.0 is reachable from other machines, so connections must be encrypted"),
        "{said}"
    );
}
