//! Tests a campaign of real processes that is killed with SIGKILL at random moments. No reported trial is
//! lost or duplicated, the store is intact, and no process of the target is left running.

use scenario::testkit::Stage;

use crate::session::{SCENARIO, kill_and_go_on};

/// The target's script. Each of its processes, including children that it leaves behind, holds a lock on a
/// file.
const SCRIPT: &str = "exec 9< \"${0%/*}/alive\"\nflock -s 9\n[ $1 -gt 7 ] && sleep 60 &\nsleep 0.00$1\n";

const TEXT: &str = r#"
[target]
command = ["sh", "{folder}/script.sh", "{param:x}", "{param:y}", "{seed}"]
[objective]
minimise = "wall_time"
cutoff = "1s"
[budget]
trials = 1
[space]
x = { integer = [1, 9], default = 5 }
y = { float = [0.0, 1.0], default = 0.5 }
"#;

#[test]
fn a_killed_campaign_loses_no_trial_and_leaves_no_process() {
    let stage = Stage::new();
    stage.file(SCENARIO, TEXT);
    stage.file("script.sh", SCRIPT);
    stage.file("alive", "");
    kill_and_go_on(&stage.folder, 50, "killed");
}
