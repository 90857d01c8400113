//! Entry points for fuzzing the parsers of target output, compiled only for the fuzzer.

use confine::{Control, Finished};
use engine::{Cap, TrialId};
use scenario::Scenario;

use super::protocol::server;
use super::{Account, TargetError, outcome};

/// Returns the result of a run with this cap.
pub fn account(scenario: &Scenario, cap: Cap, finished: &Finished) -> Result<Account, TargetError> {
    outcome::account(scenario, cap, &Control::new(), finished)
}

/// Returns which lines answer which trial. `turns` contains each trial with the lines that the server writes
/// after its request.
pub fn answered<'l>(turns: &[(TrialId, Vec<&'l str>)]) -> Vec<(TrialId, &'l str)> {
    server::answered(turns)
}
