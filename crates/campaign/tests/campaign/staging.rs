//! Tests staged instances and large numbers of instances.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use campaign::conduct::{Opening, Order, open, settings};
use campaign::staging::{Staged, Staging, StagingError};
use scenario::Instance;
use scenario::testkit::{SMALL, Stage};

fn scenario(instances: &str) -> String {
    format!("{}[instances]\n{instances}\n", SMALL.replace("\"{seed}\"", "\"{seed}\", \"{instance}\""))
}

/// Waits until any change to these files would get a later time stamp.
fn await_settled(instances: &[Instance]) {
    let changed = |instance: &Instance| {
        let about = std::fs::metadata(&instance.argument).unwrap();
        Duration::new(about.ctime() as u64, about.ctime_nsec() as u32)
    };
    let last = instances.iter().map(changed).max().unwrap();
    while SystemTime::now().duration_since(UNIX_EPOCH).unwrap() <= last + Duration::from_millis(60) {
        std::thread::yield_now();
    }
}

#[test]
fn a_change_that_keeps_size_and_modification_time_is_noticed() {
    let stage = Stage::new();
    let source = stage.file("cnf/a", "before");
    let read = stage.read(&scenario("files = \"cnf\"\nstage = true"));
    let staging = Staging::of(&read, &stage.folder.join("campaign")).unwrap();
    let train = &read.instances.train;
    let copied = || std::fs::read_to_string(&staging.staged(train)[0].argument).unwrap();
    await_settled(train);
    staging.stage(train).unwrap();
    let change = |path: &Path, text: &str| {
        let time = std::fs::metadata(path).unwrap().modified().unwrap();
        std::fs::write(path, text).unwrap();
        File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    };
    change(&source, "after.");
    assert_eq!(staging.stage(train).unwrap().files, 1);
    assert_eq!(copied(), "after.");
    // A change to the copy is noticed, too.
    await_settled(train);
    staging.stage(train).unwrap();
    await_settled(&staging.staged(train));
    assert_eq!(staging.stage(train).unwrap().kept, 1);
    change(Path::new(&staging.staged(train)[0].argument), "spoilt");
    assert_eq!(staging.stage(train).unwrap().files, 1);
    assert_eq!(copied(), "after.");
}

#[test]
fn sources_with_the_same_name_have_separate_copies() {
    let stage = Stage::new();
    let staged = |folder: &str, files: &str| {
        let place = stage.folder.join("staged");
        let text = scenario(&format!("files = {files}\nstage = true\nstage_folder = {place:?}"));
        let path = stage.file(&format!("{folder}/s.toml"), &text);
        let read = scenario::read(&text, path.parent().unwrap(), "s.toml").unwrap();
        let staging = Staging::of(&read, Path::new("campaign")).unwrap();
        staging.stage(&read.instances.train).unwrap();
        staging.staged(&read.instances.train)
    };
    for file in ["a.cnf", "one/up/a.cnf", "one/x.cnf", "two/x.cnf"] {
        stage.file(file, file);
    }
    let [up, down, one] = &staged("one", r#"["../a.cnf", "up/a.cnf", "x.cnf"]"#)[..] else { panic!() };
    let [two] = &staged("two", r#"["x.cnf"]"#)[..] else { panic!() };
    let copies = [up, down, one, two].map(|copy| std::fs::read_to_string(&copy.argument).unwrap());
    assert_eq!(copies, ["a.cnf", "one/up/a.cnf", "one/x.cnf", "two/x.cnf"]);
    // A link is resolved to its source, even if the link points elsewhere later.
    std::os::unix::fs::symlink("one", stage.folder.join("now")).unwrap();
    assert_eq!(staged("three", r#"["../now/x.cnf"]"#)[0].argument, one.argument);
}

#[test]
fn a_fifo_is_refused_without_waiting() {
    let stage = Stage::new();
    stage.file("cnf/a", "");
    let read = stage.read(&scenario("files = \"cnf\"\nstage = true"));
    std::fs::remove_file(stage.folder.join("cnf/a")).unwrap();
    let made = Command::new("mkfifo").arg(stage.folder.join("cnf/a")).status().unwrap();
    assert!(made.success());
    let staging = Staging::of(&read, &stage.folder.join("campaign")).unwrap();
    let error = staging.stage(&read.instances.train).unwrap_err();
    assert!(matches!(error, StagingError::NotAFile { .. }), "{error}");
}

#[test]
fn staged_files_are_copied_once_and_again_after_a_change() {
    let stage = Stage::new();
    for file in ["cnf/b/2.cnf", "cnf/b/1.cnf", "cnf/a/deep/3.cnf", "cnf/.hidden", "cnf/c.cnf"] {
        stage.file(file, file);
    }
    let read = stage.read(&scenario("files = \"cnf\"\nstage = true"));
    let staging = Staging::of(&read, &stage.folder.join("campaign")).unwrap();
    let train = &read.instances.train;
    await_settled(train);
    assert_eq!(staging.stage(train).unwrap(), Staged { files: 4, bytes: 47, kept: 0 });
    assert_eq!(staging.stage(train).unwrap(), Staged { files: 0, bytes: 0, kept: 4 });
    for (source, copy) in train.iter().zip(staging.staged(train)) {
        assert_eq!(std::fs::read_to_string(&copy.argument).unwrap(), source.name);
        assert!(copy.argument.contains("/campaign/stage/files/"), "{copy:?}");
        assert_eq!(copy.name, source.name);
    }
    stage.file("cnf/c.cnf", "longer than before");
    // A damaged copy is replaced, too.
    std::fs::write(&staging.staged(train)[0].argument, "").unwrap();
    assert_eq!(staging.stage(train).unwrap(), Staged { files: 2, bytes: 34, kept: 2 });
}

#[test]
fn compressed_files_are_unpacked() {
    let stage = Stage::new();
    for (program, ending) in [("gzip", "gz"), ("xz", "xz"), ("bzip2", "bz2"), ("zstd", "zst")] {
        let path = stage.file(&format!("{program}/a.cnf"), "p cnf 0 0\n");
        // Parallel compression programs write several streams, one after the other, into one file.
        let pack = format!("{program} -c a.cnf > x && cat x x > a.cnf.{ending} && rm x");
        let packed = Command::new("sh").args(["-c", &pack]).current_dir(path.parent().unwrap()).output();
        if !packed.is_ok_and(|output| output.status.success()) {
            println!("skipped: {program} is not installed");
            continue;
        }
        let text = scenario(&format!("files = \"{program}\"\nstage = true\nstage_folder = \"staged\""));
        let read = stage.read(&text);
        let staging = Staging::of(&read, &stage.folder).unwrap();
        assert_eq!(staging.stage(&read.instances.train).unwrap().files, 2, "{program}");
        let staged = staging.staged(&read.instances.train);
        let content = |place: usize| std::fs::read_to_string(&staged[place].argument).unwrap();
        assert_eq!((content(0), content(1)), ("p cnf 0 0\n".to_owned(), "p cnf 0 0\n".repeat(2)));
        assert!(staged[1].argument.ends_with("/a.cnf"), "{staged:?}");
        stage.file(&format!("{program}/a.cnf.{ending}"), "nonsense");
        let error = staging.stage(&read.instances.train).unwrap_err();
        assert!(matches!(error, StagingError::Damaged { .. }), "{error}");
    }
}

/// Anything that takes quadratic time in the number of instances would take hours here.
#[test]
fn many_instances_with_many_features_are_opened_twice_in_time() {
    const COUNT: usize = 20_000;
    let stage = Stage::new();
    // The rows are in reverse order, and half of the names in them are shorter than the names of the
    // instances.
    let name = |number: usize| format!("in/{number:05}.cnf");
    let row = |number: usize| {
        let name = name(number);
        let name = if number.is_multiple_of(2) { &name } else { &name[3..] };
        let numbers: Vec<String> = (0..20).map(|column| format!("{}.5", number * column % 97)).collect();
        format!("{name},{}\n", numbers.join(","))
    };
    let header: Vec<String> = (0..20).map(|column| format!("f{column}")).collect();
    let rows: String = (0..COUNT).rev().map(row).collect();
    stage.file("features.csv", &format!("instance,{}\n{rows}", header.join(",")));
    (0..COUNT).for_each(|number| drop(stage.file(&name(number), "")));
    let began = Instant::now();
    let path = stage.file("s.toml", &scenario("files = \"in\"\nfeatures = \"features.csv\"\ntest = \"10%\""));
    let order = Order { path, ..Order::default() };
    let first = open(&order).unwrap();
    let (instances, features) = (first.instances.clone(), first.scenario.instances.features.clone().unwrap());
    drop(first);
    let number: usize = instances[7].name[3..8].parse().unwrap();
    let expected: Vec<f64> = (0..20).map(|column| (number * column % 97) as f64 + 0.5).collect();
    assert_eq!(features.row(&instances[7]).collect::<Vec<_>>(), expected);
    let again = open(&order).unwrap();
    assert_eq!((&again.opening, &again.instances), (&Opening::Continue(vec![]), &instances));
    assert_eq!(settings(&again.scenario, &order).problem.instances as usize, COUNT * 9 / 10);
    assert!(began.elapsed() < Duration::from_secs(120), "{:?}", began.elapsed());
}
