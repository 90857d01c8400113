//! Tests servers in a campaign that is killed at random moments. Each trial starts a server, queries it and
//! stops it. No server is left running, and no trial is ever answered by another trial's server.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;

use engine::{Reading, Status};
use scenario::testkit::Stage;
use store::Store;

use crate::session::{GUARDIAN, SCENARIO, kill_and_go_on};

/// Returns the first of `count` consecutive free ports.
fn free_ports(count: u16) -> u16 {
    let start = 20_000 + (std::process::id() % 10_000) as u16;
    let is_free = |port: u16| TcpListener::bind(("127.0.0.1", port)).is_ok();
    (start..32_000).find(|&first| (first..first + count).all(is_free)).unwrap()
}

/// Returns a scenario whose servers listen on the port of their slot and hold the lock of their slot. A
/// server answers with the number of its trial and the `x` of its configuration, which is maximised. The
/// client crashes if the number is not that of its own trial. Every second trial leaves its server running.
fn scenario(ports: u16) -> String {
    format!(
        r#"
        [target]
        setup = ["{GUARDIAN}", "up", "{ports}", "{{slot}}", "{{trial}}", "{{config_file}}", "{{folder}}"]
        command = ["{GUARDIAN}", "ask", "{ports}", "{{slot}}", "{{trial}}", "{{seed}}"]
        teardown = ["{GUARDIAN}", "down", "{ports}", "{{slot}}", "{{trial}}"]
        config_file = "{{name}} = {{value}}"
        [objective]
        maximise = "tps"
        [outputs]
        tps = {{ pattern = 'tps = (\S+)' }}
        [limits]
        wall = "30s"
        [budget]
        trials = 1
        [space]
        x = {{ integer = [1, 900], default = 500 }}
        y = {{ float = [0.0, 1.0], default = 0.5 }}
        "#
    )
}

#[test]
fn servers_of_a_killed_campaign_are_stopped_and_never_confused() {
    let stage = Stage::new();
    stage.file(SCENARIO, &scenario(free_ports(2)));
    stage.file("alive", "");
    let trials = kill_and_go_on(&stage.folder, 50, "servers");
    let history = Store::read(&stage.folder).unwrap().load().unwrap().history;
    for trial in trials {
        assert_eq!(trial.observation.status(), Status::Finished, "{trial:?}");
        // The cost of a maximised output is its negative.
        let x = history.configuration(trial.key.config).get("x").unwrap().number().unwrap();
        assert_eq!(trial.observation.cost(), Some(Reading::Exact(-x)), "{trial:?}");
    }
}

/// A server that holds a lock while it runs and answers with the number of requests so far. For some values
/// of `x`, it kills its supervisor.
const SERVER: &str = r#"#!/bin/sh
exec 9< "${0%/*}/alive"; flock -s 9
echo '{"ready": true}'
count=0
while read -r request; do
  count=$((count+1))
  case $request in
    *'"x":5}'*) echo "{\"cost\": $count}"; kill -9 $PPID; exit 0 ;;
    *'"x":6}'*) kill -9 $PPID; exit 0 ;;
    *'"x":7}'*) printf '{"cost": 7}'; exit 0 ;;
    *) echo "{\"cost\": $count}" ;;
  esac
done
"#;

#[test]
fn no_persistent_server_survives_a_killed_campaign() {
    let stage = Stage::new();
    stage.file("alive", "");
    let server = stage.file("server", SERVER);
    std::fs::set_permissions(server, std::fs::Permissions::from_mode(0o755)).unwrap();
    let text = r#"
[target]
command = ["./server"]
protocol = "json-server"
[objective]
minimise = "wall_time"
cutoff = "1s"
[budget]
trials = 1
[space]
x = { integer = [5, 9], default = 5 }
y = { float = [0.0, 1.0], default = 0.5 }
"#;
    stage.file(SCENARIO, text);
    kill_and_go_on(&stage.folder, 20, "killed");
}
