//! Tests that every key in the JSON output is documented.

use std::collections::BTreeSet;

use scenario::testkit::root;
use serde_json::{Value, json};
use store::Batch;
use view::compare::compare;
use view::pages::Pages;
use view::{Kept, Picture, Records};

use crate::stage::{SCENARIO, Stage, best, cost, trials};

/// Collects the keys of a value at any depth, except for parameter names.
fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                found.insert(key.clone());
                if key != "values" {
                    keys(value, found);
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

#[test]
fn every_key_of_a_campaign_is_in_the_reference() {
    let stage = Stage::new(SCENARIO);
    let batch = Batch {
        configurations: stage.configurations(&[5, 3]),
        trials: trials(&[(0, cost(4.0, 1.0)), (0, cost(2.0, 1.0)), (1, cost(1.0, 2.0)), (1, cost(2.0, 2.0))]),
        incumbents: vec![best(1, 4, 1.5)],
        validations: stage.validations(SCENARIO),
        ..Batch::default()
    };
    stage.session(batch, "interrupted");
    let kept = [Kept::open(&stage.folder).unwrap(), Kept::open(&stage.folder).unwrap()];
    let mut found = BTreeSet::new();
    keys(&json!(Picture::of(&kept[0]).unwrap()), &mut found);
    keys(&json!(compare(&kept).unwrap()), &mut found);
    let mut pages = json!(Pages::of(&Records::of(&kept[0]).unwrap()).unwrap());
    // The outcomes of races are counted by name.
    pages["races"]["outcomes"] = json!(null);
    keys(&pages, &mut found);
    let reference = std::fs::read_to_string(root().join("docs/reference/campaign-json.md")).unwrap();
    let missing: Vec<&String> = found.iter().filter(|key| !reference.contains(&format!("`{key}`"))).collect();
    assert_eq!(missing, Vec::<&String>::new());
    for key in [
        "state",
        "verdict",
        "unseen_timeouts",
        "session_list",
        "against_first",
        "default_standing",
        "takeovers",
        "quartiles",
    ] {
        assert!(found.contains(key), "{key} in {found:?}");
    }
}
