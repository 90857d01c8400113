//! Wrappers for ParamILS, SMAC 1 and 2, and AClib.

use engine::{Cap, Reading, Status};
use execution::TargetError;
use scenario::testkit::Stage;

use super::{called, observed, reason, recording, run, scenario, try_run};

const RUNTIME: &str = "minimise = \"runtime\"\ncutoff = 30\ncapped_by = \"argument\"";

fn answering(answer: &str) -> String {
    format!("echo chatter; echo 'Result for ParamILS: {answer}'; echo more; exit 7")
}

#[test]
fn a_wrapper_is_called_as_by_smac() {
    let stage = Stage::new();
    let answer = answering("SAT, 1.25, 3, 0.5, 17");
    let scenario = scenario(&stage, "aclib", &recording(&stage, &answer), RUNTIME);
    let account = run(&scenario, Cap::at(2.000_1));
    let call = ["always", "one", "0", "2.001", "2147483647", "17"];
    let parameters = ["-x", "2.5", "-fast", "true", "-mode", "a b"];
    assert_eq!(called(&stage), [call.as_slice(), &parameters].concat());
    assert_eq!(observed(&account), (Status::Finished, Some(Reading::Exact(1.25))));
    let outputs: Vec<(&str, f64)> =
        account.detail.outputs.iter().map(|(name, number)| (name.as_str(), *number)).collect();
    assert_eq!(outputs, [("quality", 0.5), ("runlength", 3.0), ("runtime", 1.25)]);
}

#[test]
fn every_status_of_an_answer_has_its_result() {
    let stage = Stage::new();
    let at =
        |answer: &str, cap: f64| run(&scenario(&stage, "aclib", &answering(answer), RUNTIME), Cap::at(cap));
    let bound = |seconds| Some(Reading::AtLeast(seconds));
    assert_eq!(observed(&at("TIMEOUT, 4.1, 0, 0, 17", 4.0)), (Status::Capped, bound(4.0)));
    assert_eq!(observed(&at("TIMEOUT, 30, 0, 0, 17", 30.0)), (Status::Timeout, bound(30.0)));
    // The wrapper gave up by itself, so only this lower bound is known.
    assert_eq!(observed(&at("TIMEOUT, 3, 0, 0, 17", 4.0)), (Status::Timeout, bound(3.0)));
    assert_eq!(observed(&at("KILLED, 4, 0, 0, 17", 4.0)), (Status::Capped, bound(4.0)));
    assert_eq!(observed(&at("UNSAT, 31, 0, 0, 17", 30.0)), (Status::Timeout, bound(30.0)));
    let crashed = at("CRASHED, 1, 0, 0, 17, details 4711", 4.0);
    assert_eq!((observed(&crashed).0, reason(&crashed)), (Status::Crashed, "the target reported a crash"));
    let silent = run(&scenario(&stage, "aclib", "echo nothing", RUNTIME), Cap::at(4.0));
    assert_eq!((observed(&silent).0, reason(&silent)), (Status::Crashed, "exit 0 but no answer"));
    let odd = at("SAT, soon, 0, 0, 17", 4.0);
    assert_eq!(reason(&odd), "output `runtime` is not a finite number");
}

#[test]
fn abort_stops_the_campaign() {
    let stage = Stage::new();
    let script = answering("ABORT, 0, 0, 0, 17, the solver is not installed");
    let error = try_run(&scenario(&stage, "aclib", &script, RUNTIME), Cap::NONE).unwrap_err();
    assert!(
        matches!(&error, TargetError::Aborted { message } if message == "the solver is not installed"),
        "{error}"
    );
}

/// If a wrapper reports the quality that it had found when its time ran out, that quality counts, as in
/// SMAC.
#[test]
fn the_quality_at_a_timeout_counts() {
    let stage = Stage::new();
    let objective = "minimise = \"quality\"\n[limits]\nwall = \"20s\"";
    let script = recording(&stage, &answering("TIMEOUT, 20, 0, -0.5, 17"));
    let account = run(&scenario(&stage, "aclib", &script, objective), Cap::NONE);
    assert_eq!(observed(&account), (Status::Finished, Some(Reading::Exact(-0.5))));
    assert_eq!(called(&stage)[3], "20.000");
}

#[test]
fn time_can_be_measured_instead_of_trusting_the_wrapper() {
    let stage = Stage::new();
    let objective = "minimise = \"wall_time\"\ncutoff = \"30s\"";
    let account = run(&scenario(&stage, "aclib", &answering("SAT, 99, 0, 0, 17"), objective), Cap::NONE);
    assert_eq!(observed(&account), (Status::Finished, Some(Reading::Exact(account.detail.wall.unwrap()))));
    let hanging = "minimise = \"wall_time\"\ncutoff = \"100ms\"";
    let account = run(&scenario(&stage, "aclib", "exec sleep 60", hanging), Cap::NONE);
    assert_eq!(observed(&account), (Status::Timeout, Some(Reading::AtLeast(0.1))));
}

/// A wrapper that should stop at its cap gets some time to answer, and is then killed.
#[test]
fn a_wrapper_that_does_not_answer_costs_at_least_its_cap() {
    let stage = Stage::new();
    let objective = format!("{RUNTIME}\n[limits]\nwall = \"200ms\"");
    let hanging = scenario(&stage, "aclib", "exec sleep 60", &objective);
    let account = run(&hanging, Cap::at(0.1));
    assert_eq!(observed(&account), (Status::Capped, Some(Reading::AtLeast(0.1))));
    assert!(account.observation.spent() >= 0.1);
    // The wrapper was killed before its cap, so its time is unknown.
    let account = run(&hanging, Cap::at(20.0));
    assert_eq!(observed(&account), (Status::Timeout, Some(Reading::AtLeast(0.0))));
    let scenario = scenario(&stage, "aclib", "exit 0", RUNTIME);
    let limits = super::target(&scenario).limits(Cap::at(3.0), None);
    assert_eq!(limits.wall.unwrap().as_secs_f64(), 11.0);
}

#[test]
fn the_second_version_of_the_protocol_works_too() {
    let stage = Stage::new();
    let objective = "minimise = \"cost\"\ncutoff = 30\ncapped_by = \"argument\"";
    let answer = r#"echo 'Result of this algorithm run: {"status": "SUCCESS", "cost": 4.5, "runtime": 1}'"#;
    let scenario = scenario(&stage, "aclib2", &recording(&stage, answer), objective);
    let account = run(&scenario, Cap::at(9.0));
    assert_eq!(observed(&account), (Status::Finished, Some(Reading::Exact(4.5))));
    let call = ["always", "--instance", "one", "--cutoff", "9.000", "--seed", "17", "--config"];
    assert_eq!(called(&stage), [call.as_slice(), &["-x", "2.5", "-fast", "true", "-mode", "a b"]].concat());
}
