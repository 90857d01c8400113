//! Instances: files, lists, families, features, held-out sets and folds.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use scenario::Instance;
use scenario::testkit::{SMALL, Stage};

fn scenario(instances: &str) -> String {
    format!("{}[instances]\n{instances}\n", SMALL.replace("\"{seed}\"", "\"{seed}\", \"{instance}\""))
}

fn names(instances: &[Instance]) -> Vec<&str> {
    instances.iter().map(|instance| instance.name.as_str()).collect()
}

fn forest() -> Stage {
    let stage = Stage::new();
    for file in ["cnf/b/2.cnf", "cnf/b/1.cnf", "cnf/a/deep/3.cnf", "cnf/.hidden", "cnf/c.cnf"] {
        stage.file(file, file);
    }
    stage
}

#[test]
fn a_folder_stands_for_all_files_in_it() {
    let stage = forest();
    let all = ["cnf/a/deep/3.cnf", "cnf/b/1.cnf", "cnf/b/2.cnf", "cnf/c.cnf"];
    for files in ["\"cnf\"", "\"cnf/**/*.cnf\"", "[\"cnf/c.cnf\", \"cnf\", \"cnf/b/*\"]"] {
        let read = stage.read(&scenario(&format!("files = {files}")));
        assert_eq!(names(&read.instances.train), all, "{files}");
    }
    std::fs::create_dir(stage.folder.join("empty")).unwrap();
    assert!(stage.mistakes(&scenario("files = \"empty\"")).contains("the folder `empty` has no files"));
}

/// `glob` skips such names silently, so the scenario's reader looks for them itself.
#[test]
fn names_that_are_not_utf8_are_reported_and_not_skipped() {
    let stage = forest();
    let odd = |bytes: &[u8]| Path::new(OsStr::from_bytes(bytes)).to_owned();
    let mistakes = |files: &str| stage.mistakes(&scenario(&format!("files = \"{files}\"")));
    let path = stage.folder.join("cnf/b").join(odd(b"\xff3.cnf"));
    std::fs::write(&path, "").unwrap();
    for pattern in ["cnf/b/*.cnf", "cnf/*/?3.cnf", "cnf/**/*.cnf", "cnf/b/[!x]*", "cnf"] {
        assert!(mistakes(pattern).contains("3.cnf`"), "{pattern}: {}", mistakes(pattern));
        assert!(mistakes(pattern).contains("not UTF-8"), "{pattern}: {}", mistakes(pattern));
    }
    for pattern in ["cnf/b/1*", "cnf/*.cnf", "cnf/a/**/*.cnf"] {
        stage.read(&scenario(&format!("files = \"{pattern}\"")));
    }
    std::fs::remove_file(path).unwrap();
    let folder = stage.folder.join(odd(b"cnf/\xfe"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("4.cnf"), "").unwrap();
    assert!(mistakes("cnf/*/*.cnf").contains("4.cnf`, which is not UTF-8"), "{}", mistakes("cnf/*/*.cnf"));
}

#[test]
fn a_file_names_one_instance_per_line() {
    let stage = forest();
    stage.file("list.txt", "# a comment\n\n  cnf/c.cnf\ncnf/b/1.cnf\ncnf/c.cnf\n");
    let read = stage.read(&scenario("from = \"list.txt\""));
    assert_eq!(names(&read.instances.train), ["cnf/b/1.cnf", "cnf/c.cnf"]);
    assert_eq!(read.instances.train[1].argument, stage.folder.join("cnf/c.cnf").to_str().unwrap());
    stage.file("list.txt", "small\nlarge\n");
    let read = stage.read(&scenario("from = \"list.txt\"\ntest = [\"huge\"]"));
    assert_eq!(names(&read.instances.train), ["large", "small"]);
    assert_eq!(read.instances.train[0].argument, "large");
    stage.file("list.txt", "cnf/c.cnf\ncnf/d.cnf\n");
    insta::assert_snapshot!(stage.mistakes(&scenario("from = \"list.txt\"")));
    stage.file("list.txt", "cnf/d.cnf\n");
    assert!(
        stage
            .mistakes(&scenario("from = \"list.txt\""))
            .contains("there is no file `cnf/d.cnf`\n --> list.txt:1:1")
    );
}

#[test]
fn every_family_holds_out_its_share() {
    let stage = Stage::new();
    for family in ["large", "small"] {
        for number in 0..8 {
            stage.file(&format!("cnf/{family}/{family}-{number}.cnf"), "");
        }
    }
    stage.file("features.csv", &{
        let rows = (0..8).map(|n| format!("large-{n}.cnf,L,{n}\ncnf/small/small-{n}.cnf,S,-{n}e3\n"));
        format!("instance, kind, size\n{}", rows.collect::<String>())
    });
    for family in ["'{parent}'", "'([a-z]+)-\\d'", "'{column:kind}'"] {
        let text = format!("files = \"cnf\"\ntest = \"25%\"\nfamily = {family}\nfeatures = \"features.csv\"");
        let text =
            if family.contains("column") { text } else { text.replace("\nfeatures = \"features.csv\"", "") };
        let read = stage.read(&scenario(&text));
        let counts: Vec<(usize, usize)> = read.instances.families().into_values().collect();
        assert_eq!(counts, [(6, 2), (6, 2)], "{family}");
    }
    let text = "files = \"cnf\"\ntest = \"25%\"\nfamily = '{column:kind}'\nfeatures = \"features.csv\"";
    let read = stage.read(&scenario(text));
    let features = read.instances.features.unwrap();
    assert_eq!(features.numbers(), ["size"]);
    for instance in &read.instances.train {
        let row: Vec<f64> = features.row(instance).collect();
        let number: f64 = instance.name[instance.name.len() - 5..instance.name.len() - 4].parse().unwrap();
        assert_eq!(row, [if instance.family() == "L" { number } else { -1000.0 * number }], "{instance:?}");
    }
}

#[test]
fn mistakes_in_families_shares_and_features_are_reported() {
    let stage = forest();
    for (text, part) in [
        ("files = \"cnf\"\ntest = \"100%\"", "`instances.test` is 100 %"),
        ("files = \"cnf/c.cnf\"\ntest = \"25%\"", "one instance cannot be split"),
        ("files = \"cnf\"\nfamily = \"x\"", "must have one group"),
        ("files = \"cnf\"\nfamily = \"(\"", "is not a regular expression"),
        ("files = \"cnf\"\nfamily = \"b/(.)\"", "finds no family for `cnf/a/deep/3.cnf` and 1 more"),
        ("files = \"cnf\"\nfamily = \"{column:x}\"", "there is no features file"),
        ("list = [\"a\"]\nfamily = \"{parent}\"", "words have no folder"),
        ("list = [\"a\"]\nstage = true", "words cannot be copied"),
        ("files = \"cnf\"\nstage_folder = \"x\"", "but `instances.stage` is off"),
        ("files = \"cnf\"\nfrom = \"x\"", "both `instances.files` and `instances.from` are given"),
    ] {
        let mistakes = stage.mistakes(&scenario(text));
        assert!(mistakes.contains(part), "{text}: {mistakes}");
    }
    stage.file("features.csv", "name,a,b\nc.cnf,1,x\n1.cnf,2\nc.cnf,nan,4\n");
    insta::assert_snapshot!(stage.mistakes(&scenario("files = \"cnf\"\nfeatures = \"features.csv\"")));
    stage.file("features.csv", "name,a,b\n1.cnf,1,7\n2.cnf,2,7\n3.cnf,3,7\nc.cnf,4,7\n");
    let read = stage.read(&scenario("files = \"cnf\"\nfeatures = \"features.csv\""));
    assert!(read.warnings.to_string().contains("the feature `b` is the same for all instances"));
    stage.file("features.csv", "name,a,b,c\n1.cnf,1,7,8\n2.cnf,2,7,8\n3.cnf,3,7,8\nc.cnf,4,7,8\n");
    let read = stage.read(&scenario("files = \"cnf\"\nfeatures = \"features.csv\""));
    let shown = read.warnings.to_string();
    assert!(shown.contains("2 features are the same for all instances: `b`, `c`\n"), "{shown}");
}

#[test]
fn held_out_instances_stay_held_out_when_others_are_added() {
    let stage = Stage::new();
    let text = scenario("files = \"cnf\"\ntest = \"40%\"");
    (0..10).for_each(|number| drop(stage.file(&format!("cnf/{number}0"), "")));
    let first = stage.read(&text).instances;
    assert_eq!((first.train.len(), first.test.len()), (6, 4));
    (0..10).for_each(|number| drop(stage.file(&format!("cnf/{number}5"), "")));
    let mut second = stage.read(&text).instances;
    let owned = |list: &[Instance]| list.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
    second.keep_split(&owned(&first.train), &owned(&first.test));
    assert_eq!((second.train.len(), second.test.len()), (12, 8));
    let all = |list: &[Instance]| owned(list).into_iter().collect::<BTreeSet<_>>();
    assert!(all(&second.train).is_superset(&all(&first.train)));
    assert!(all(&second.test).is_superset(&all(&first.test)));
}

#[test]
fn every_instance_is_held_out_once_and_new_instances_belong_to_no_campaign() {
    let stage = Stage::new();
    let text = scenario("files = \"cnf\"\ntest = \"folds: 3\"");
    (0..7).for_each(|number| drop(stage.file(&format!("cnf/{number}0"), "")));
    let first = stage.read(&text).instances;
    assert_eq!((first.folds, first.train.len(), first.test.len()), (Some(3), 7, 0));
    let folds = first.assigned_to_folds(3, &[]);
    let owned = |list: &[Instance]| list.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
    let all = |list: &[Instance]| owned(list).into_iter().collect::<BTreeSet<_>>();
    let parts: Vec<_> = folds.iter().map(|fold| first.of_fold(fold)).collect();
    for part in &parts {
        assert!(all(&part.train).is_disjoint(&all(&part.test)));
        assert_eq!(part.train.len() + part.test.len(), 7);
    }
    let tested: BTreeSet<String> = parts.iter().flat_map(|part| all(&part.test)).collect();
    assert_eq!(tested, all(&first.train), "every instance is held out once");
    stage.file("cnf/new", "");
    let mut second = stage.read(&text).instances;
    second.keep_split(&owned(&parts[1].train), &owned(&parts[1].test));
    assert_eq!((all(&second.train), all(&second.test)), (all(&parts[1].train), all(&parts[1].test)));
}

#[test]
fn mistakes_in_folds_are_reported() {
    let stage = forest();
    for (text, part) in [
        ("files = \"cnf\"\ntest = \"folds: 1\"", "asks for 1 folds, which leaves nothing to tune on"),
        ("files = \"cnf\"\ntest = \"folds: 5\"", "4 instances cannot fill 5 folds"),
        ("files = \"cnf\"\ntest = \"folds: many\"", "`many` is not a number of folds"),
        ("files = \"cnf\"\ntest = [\"folds: 2\", \"x\"]", "has folds in a list"),
        ("list = [\"a\", \"b\"]\ntest = \"folds:1\"", "asks for 1 folds"),
        ("list = [\"a\", \"b\"]\ntest = \"folds: 3\"", "2 instances cannot fill 3 folds"),
        ("files = \"cnf\"\ntest = \"folds: 2\"\n[validation]\nwhen = \"never\"", "but validation is off"),
    ] {
        let mistakes = stage.mistakes(&scenario(text));
        assert!(mistakes.contains(part), "{text}: {mistakes}");
    }
    let two = stage.read(&scenario("list = [\"a\", \"b\"]\ntest = \"folds: 2\""));
    assert_eq!(two.instances.folds, Some(2));
}
