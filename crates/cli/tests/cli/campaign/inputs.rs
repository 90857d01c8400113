//! Campaigns with held-out and staged instances.

use std::collections::BTreeSet;

use store::Store;

use super::stage::{SCENARIO, Stage};
use super::validation::validations;
use crate::{code, stderr};

fn names(stage: &Stage) -> (BTreeSet<String>, BTreeSet<String>) {
    let reader = Store::read(&stage.folder.join("count.campaign")).unwrap();
    let train = reader.charter().unwrap().instances;
    (train.into_iter().collect(), reader.test_instances().unwrap().unwrap().into_iter().collect())
}

#[test]
fn a_split_survives_new_instances_and_the_test_set_is_never_tuned_on() {
    let list = |count: usize| {
        let words: Vec<String> = (0..count).map(|number| format!("\"i{number:02}\"")).collect();
        let test = "test = [\"c\", \"d\", \"e\", \"f\", \"g\", \"h\"]";
        SCENARIO
            .replace("list = [\"a\", \"b\"]", &format!("list = [{}]", words.join(", ")))
            .replace(test, "test = \"50%\"")
    };
    let stage = Stage::new(&list(6));
    let said = stderr(&stage.captune("run count.toml --trials 20"));
    assert!(said.contains("3 instances + 3 unseen"), "{said}");
    let (train, test) = names(&stage);
    assert_eq!((train.len(), test.len()), (3, 3));
    assert!(train.is_disjoint(&test));
    stage.write("count.toml", &list(10));
    let output = stage.captune("run count.toml --trials 40");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let (more_train, more_test) = names(&stage);
    assert_eq!((more_train.len(), more_test.len()), (5, 5));
    assert!(more_train.is_superset(&train) && more_test.is_superset(&test));
    assert!(more_train.is_disjoint(&more_test));
    let rows = validations(&stage);
    assert!(!rows.is_empty() && rows.iter().all(|row| more_test.contains(&row.instance)), "{rows:?}");
    assert!(stage.said("status count.campaign").contains("unseen instances"));
}

#[test]
fn instances_are_used_from_their_copies() {
    let scenario = SCENARIO
        .replace("list = [\"a\", \"b\"]", "files = \"cnf\"\nstage = true\nfamily = \"{parent}\"")
        .replace("test = [\"c\", \"d\", \"e\", \"f\", \"g\", \"h\"]\n", "");
    let stage = Stage::new(&scenario);
    stage.write("cnf/a/1", "");
    stage.write("cnf/b/2", "");
    let said = stage.said("check count.toml");
    assert!(said.contains("\n2 families: a 1, b 1\n") && said.contains("/captune-run-"), "{said}");
    let output = stage.captune("run count.toml --trials 10");
    let said = stage.hidden(&stderr(&output));
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains("instances are copied to FOLDER/count.campaign/stage\n"), "{said}");
    let copies = stage.folder.join("count.campaign/stage/files");
    let source = stage.folder.join("cnf/b/2").canonicalize().unwrap();
    assert!(copies.join(source.strip_prefix("/").unwrap()).exists());
    let said = stage.hidden(&stderr(&stage.captune("rerun count.campaign 0")));
    assert!(said.contains(" FOLDER/count.campaign/stage/filesFOLDER/cnf/"), "{said}");
}
