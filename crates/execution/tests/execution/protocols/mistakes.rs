//! Tests that settings that do not fit a protocol are reported.

use scenario::testkit::Stage;

/// Returns the error messages for a scenario, without places and hints.
fn messages(stage: &Stage, target: &str, objective: &str, more: &str) -> Vec<String> {
    let text = format!(
        "[target]\n{target}\n[objective]\n{objective}\n{more}\n[budget]\ntrials = 1\n\
         [space]\nx = {{ integer = [1, 9] }}\n"
    );
    let shown = stage.mistakes(&text);
    shown
        .lines()
        .filter_map(|line| line.split_once("error: ").map(|(_, message)| message.to_owned()))
        .collect()
}

#[test]
fn an_unknown_protocol_is_reported() {
    let stage = Stage::new();
    let shown = messages(&stage, "command = [\"true\"]\nprotocol = \"smac\"", "minimise = \"cost\"", "");
    assert!(shown[0].contains("`target.protocol` cannot be `smac`"), "{shown:?}");
}

#[test]
fn settings_that_duplicate_the_protocol_are_reported() {
    let stage = Stage::new();
    let cost = "minimise = \"cost\"";
    let shown = messages(&stage, "command = [\"true\", \"{params}\"]\nprotocol = \"irace\"", cost, "");
    assert_eq!(shown, ["the command has `{params}`, but the protocol `irace` already passes it"]);
    let output = "[outputs]\ncost = { pattern = '(.)' }";
    let shown = messages(&stage, "command = [\"true\"]\nprotocol = \"irace\"", cost, output);
    assert_eq!(shown, ["an output cannot be named `cost`"]);
}

#[test]
fn settings_that_a_protocol_does_not_support_are_reported() {
    let stage = Stage::new();
    let server = "command = [\"true\"]\nprotocol = \"json-server\"";
    let shown = messages(&stage, &format!("{server}\nsetup = [\"true\"]"), "minimise = \"cost\"", "");
    assert_eq!(shown, ["`setup` and `teardown` cannot be used with `protocol = \"json-server\"`"]);
    let shown = messages(&stage, server, "minimise = \"memory\"", "");
    assert!(shown[0].contains("memory of a server"), "{shown:?}");
    let aclib = "command = [\"true\"]\nprotocol = \"aclib\"";
    let quality = "minimise = \"quality\"\ncutoff = 3\ncapped_by = \"argument\"";
    assert!(messages(&stage, aclib, quality, "")[0].contains("passes only a time"));
    let shown = messages(&stage, &format!("{aclib}\nrestart_after = 3"), "minimise = \"quality\"", "");
    assert_eq!(shown, ["`target.restart_after` is given, but the target is not a server"]);
    // Outputs can have keys only if answers are JSON.
    let shown = messages(&stage, aclib, "minimise = \"y\"", "[outputs]\ny = { key = \"a\" }");
    assert!(shown.iter().any(|message| message.contains("`outputs.y.file` is missing")), "{shown:?}");
}
