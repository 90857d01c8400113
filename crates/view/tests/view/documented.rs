//! Tests that every key in the JSON output is documented.

use std::collections::BTreeSet;

use campaign::ablation::StoredPlan;
use execution::testkit::record;
use scenario::testkit::root;
use serde_json::{Value, json};
use store::{Batch, StoredValidation};
use view::compare::compare;
use view::pages::Pages;
use view::{Ablation, Importance, Kept, Picture, Records};

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
    let pairs: Vec<(String, u32)> = vec![("a".to_owned(), 1), ("b".to_owned(), 2)];
    let plan = StoredPlan { from: 0, to: 1, order: vec!["x".to_owned()], fresh: pairs.clone(), pairs };
    let measured = |(config, cost): (u32, f64)| {
        let one = move |(name, seed): &(String, u32)| StoredValidation {
            instance: name.clone(),
            record: record(config, 0, *seed, self::cost(cost, 1.0)),
            host: None,
            session: None,
        };
        plan.pairs.iter().map(one).collect::<Vec<_>>()
    };
    let ablations = [(0, 2.0), (1, 1.0)].into_iter().flat_map(measured).collect();
    let batch = Batch {
        configurations: stage.configurations(&[5, 3]),
        trials: trials(&[(0, cost(4.0, 1.0)), (0, cost(2.0, 1.0)), (1, cost(1.0, 2.0)), (1, cost(2.0, 2.0))]),
        incumbents: vec![best(1, 4, 1.5)],
        validations: stage.validations(SCENARIO),
        events: vec![plan.event(3.0).unwrap()],
        ablations,
        ..Batch::default()
    };
    stage.session(batch, "interrupted");
    let kept = [Kept::open(&stage.folder).unwrap(), Kept::open(&stage.folder).unwrap()];
    let mut found = BTreeSet::new();
    keys(&json!(Picture::of(&kept[0]).unwrap()), &mut found);
    keys(&json!(compare(&kept).unwrap()), &mut found);
    let records = Records::of(&kept[0]).unwrap();
    let mut pages = json!(Pages::of(&records).unwrap());
    // The outcomes of races are counted by name.
    pages["races"]["outcomes"] = json!(null);
    keys(&pages, &mut found);
    let importance = Importance::of(&records, 0.5).unwrap().unwrap();
    assert_eq!(importance.parameters[0].name, "x", "only x was varied");
    keys(&json!(importance), &mut found);
    let ablation = Ablation::of(&records).unwrap().unwrap();
    assert_eq!((ablation.end, ablation.steps[0].cost), (Some("whole"), 1.0));
    keys(&json!(ablation), &mut found);
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
