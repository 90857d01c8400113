//! Comparing campaigns side by side.

use serde_json::Value;

use super::stage::{SCENARIO, Stage};
use crate::code;

#[test]
fn campaigns_with_the_same_seed_are_compared_on_common_pairs() {
    let stage = Stage::new(SCENARIO);
    assert_eq!(code(&stage.captune("run count.toml --dir one --trials 12")), 0);
    assert_eq!(code(&stage.captune("run count.toml --dir two --trials 40")), 0);
    let found: Value = serde_json::from_str(&stage.said("compare one two --json")).unwrap();
    assert_eq!(found["ranked"], true, "{found}");
    assert_eq!((&found["common"]["ground"], &found["common"]["pairs"]), (&"validation".into(), &24.into()));
    let [one, two] = [&found["campaigns"][0], &found["campaigns"][1]];
    assert_eq!((&one["spent"]["trials"], &two["spent"]["trials"]), (&12.into(), &40.into()));
    assert!(one["against_first"].is_null(), "{one}");
    let ratio = two["against_first"]["ratio"].as_f64().unwrap();
    let means = one["common_cost"].as_f64().unwrap() / two["common_cost"].as_f64().unwrap();
    assert!((ratio / means - 1.0).abs() < 1e-9, "{ratio} {means}");
    let said = stage.said("compare one two");
    assert!(said.contains("compared on 24 pairs from the validations\n"), "{said}");
}

#[test]
fn campaigns_with_different_objectives_are_not_ranked() {
    let stage = Stage::new(SCENARIO);
    stage.write(
        "other.toml",
        &SCENARIO.replace("cutoff = \"2s\"", "cutoff = \"3s\"").replace("\"a\", \"b\"", "\"a\", \"z\""),
    );
    assert_eq!(code(&stage.captune("run count.toml --trials 8")), 0);
    assert_eq!(code(&stage.captune("run other.toml --trials 8")), 0);
    let said = stage.said("compare count.toml other.toml");
    assert!(
        said.contains("not ranked: other.campaign has `objective.cutoff` 3, but the first campaign has 2\n"),
        "{said}"
    );
    assert!(
        said.contains(
            "is not tuned on the same instances as the first campaign: 1 added, 1 missing, such as b\n"
        ),
        "{said}"
    );
    assert!(!said.contains("against the first") && !said.contains("compared on"), "{said}");
    let found: Value = serde_json::from_str(&stage.said("compare count.toml other.toml --json")).unwrap();
    assert_eq!((&found["ranked"], &found["common"]), (&false.into(), &Value::Null));
    assert_eq!(found["campaigns"][1]["obstacles"].as_array().unwrap().len(), 2);
}

#[test]
fn the_column_of_gains_names_the_default_or_the_baseline() {
    let stage = Stage::new(SCENARIO);
    stage.write("mine.conf", "loops 4000\nmode slow\n");
    stage.write("mine.toml", &format!("baseline = \"mine.conf\"\n{SCENARIO}"));
    for line in ["run count.toml", "run mine.toml", "run mine.toml --dir again"] {
        assert_eq!(code(&stage.captune(&format!("{line} --trials 6"))), 0);
    }
    for (folders, column) in [
        ("count.campaign count.campaign", " against the default"),
        ("mine.campaign again", " against the baseline"),
        ("count.campaign mine.campaign", " against its default or baseline"),
    ] {
        let said = stage.said(&format!("compare {folders}"));
        assert!(said.lines().next().unwrap().contains(column), "{said}");
    }
}

#[test]
fn of_several_seeds_the_largest_gain_in_training_is_named_with_its_own_verdict() {
    let stage = Stage::new(SCENARIO);
    for seed in [1, 2, 3] {
        assert_eq!(
            code(&stage.captune(&format!("run count.toml --seed {seed} --dir s{seed} --trials 30"))),
            0
        );
    }
    let found: Value = serde_json::from_str(&stage.said("compare s1 s2 s3 --json")).unwrap();
    let campaigns = found["campaigns"].as_array().unwrap();
    let chosen = found["chosen"].as_u64().unwrap() as usize;
    let gain = |place: usize| campaigns[place]["training"].as_f64().unwrap_or(0.0);
    assert!((0..3).all(|place| gain(place) <= gain(chosen)), "{found}");
    let said = stage.said("compare s1 s2 s3");
    let named = format!("\nbest of 3: s{}, with the largest gain over the default in training\n", chosen + 1);
    assert!(said.contains(&named), "{said}");
    let verdict = said.lines().find(|line| line.starts_with("verdict: ")).unwrap();
    let pairs = format!(" on {} pairs of ", campaigns[chosen]["verdict"]["pairs"]);
    assert!(verdict.contains(&pairs), "{verdict}");
}
