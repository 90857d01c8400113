//! Tests what a changed scenario means for a campaign that has started.

use scenario::Scenario;
use scenario::change::{Difference, Stored, compare, verdict};
use scenario::keys::Row;
use space::format::{Format, write};

use scenario::testkit::{SMALL, Stage};

fn names(scenario: &Scenario) -> Vec<String> {
    scenario.instances.train.iter().map(|instance| instance.name.clone()).collect()
}

fn differences(stage: &Stage, before: &str, after: &str) -> Vec<Difference> {
    let (old, new) = (stage.read(before), stage.read(after));
    let space = write(&old.space, Format::Toml).unwrap();
    let baseline = old.baseline();
    let stored = Stored { text: before, space: &space, instances: &names(&old), baseline: Some(&baseline) };
    compare(&stored, after, &new).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// Returns the keys that differ, and the worst row of all differences.
fn judged(before: &str, after: &str) -> (Vec<String>, Row) {
    let list = differences(&Stage::new(), before, after);
    (list.iter().map(|difference| difference.key.clone()).collect(), verdict(&list))
}

#[test]
fn the_same_meaning_in_other_words_is_no_difference() {
    let wordy = SMALL
        .replace("[target]", "seed = 1\n[target]\nparams = [\"--{name}={value}\"]\nsuccess = { exit = 0 }")
        .replace("\"5s\"", "\"5000ms\"\npar = 10\ncapped_by = \"time\"\ngrain = \"1ms\"")
        + "[racing]\nslack = 1.30\n[limits]\ngrace = \"0s\"\n[parallel]\nrepeatable = false\n";
    assert_eq!(judged(SMALL, &wordy), (vec![], Row::Continue));
    assert_eq!(judged(&wordy, SMALL), (vec![], Row::Continue));
}

#[test]
fn an_output_may_change_unless_the_objective_uses_it() {
    let with = |minimise: &str, output: &str| {
        let objective = format!("minimise = \"{minimise}\"\n[outputs]\n{output}\n");
        SMALL.replace("minimise = \"cpu_time\"\ncutoff = \"5s\"\n", &objective) + "[limits]\nwall = \"9s\"\n"
    };
    let (one, first) = ("x = { pattern = '(a)' }", "x = { pattern = '(a)', take = \"first\" }");
    let take = vec!["outputs.x.take".to_owned()];
    assert_eq!(judged(&with("x", one), &with("x", first)), (take.clone(), Row::Refuse));
    assert_eq!(judged(&with("memory", one), &with("memory", first)), (take, Row::Continue));
    let last = "x = { pattern = '(a)', take = \"last\" }";
    assert_eq!(judged(&with("x", one), &with("x", last)), (vec![], Row::Continue));
    let (none, some) = (with("memory", ""), with("memory", "y = { file = \"m.json\", key = \"a.b\" }"));
    let keys = ["outputs.y.file", "outputs.y.key"].map(str::to_owned).to_vec();
    assert_eq!(judged(&none, &some), (keys, Row::Continue));
}

#[test]
fn each_key_has_its_row() {
    let first = |line: &str| format!("{line}\n{SMALL}");
    let last = |lines: &str| format!("{SMALL}{lines}\n");
    let target = |line: &str| SMALL.replace("[objective]", &format!("{line}\n[objective]"));
    let objective = |line: &str| SMALL.replace("[budget]", &format!("{line}\n[budget]"));
    for (key, row, text) in [
        ("name", Row::Continue, first("name = \"other\"")),
        ("seed", Row::Reuse, first("seed = 2")),
        ("target.command", Row::Refuse, SMALL.replace("\"{seed}\"", "\"-s{seed}\"")),
        ("target.params", Row::Refuse, target("params = \"-{name}={value}\"")),
        ("target.env.A", Row::Refuse, target("env = { A = \"1\" }")),
        ("target.success.exit", Row::Refuse, target("success = { exit = [0, 1] }")),
        ("target.parameter.alpha", Row::Refuse, target("parameter = { alpha = \"-a{value}\" }")),
        ("objective.minimise", Row::Refuse, SMALL.replace("cpu_time", "wall_time")),
        ("objective.cutoff", Row::Reuse, SMALL.replace("5s", "6s")),
        ("objective.cutoff", Row::Refuse, SMALL.replace("5s", "4s")),
        ("objective.par", Row::Reuse, objective("par = 2")),
        ("objective.grain", Row::Continue, objective("grain = \"10ms\"")),
        ("objective.capped_by", Row::Refuse, objective("capped_by = \"none\"")),
        ("budget.trials", Row::Continue, SMALL.replace("trials = 10", "trials = 20")),
        ("limits.memory", Row::Refuse, last("[limits]\nmemory = \"1GB\"")),
        ("limits.output", Row::Continue, last("[limits]\noutput = \"1GB\"")),
        ("racing.slack", Row::Continue, last("[racing]\nslack = 2")),
        ("racing.deterministic", Row::Refuse, last("[racing]\ndeterministic = true")),
        ("parallel.workers", Row::Continue, last("[parallel]\nworkers = 8")),
        ("surrogate.kind", Row::Continue, last("[surrogate]\nkind = \"random\"")),
        ("surrogate.treatment", Row::Continue, last("[surrogate]\ntreatment = \"mean\"")),
        (
            "surrogate.acquisition",
            Row::Continue,
            last("[surrogate]\nacquisition = \"improvement-per-budget\""),
        ),
        ("surrogate.trees", Row::Continue, last("[surrogate]\ntrees = 11")),
        ("surrogate.overhead", Row::Continue, last("[surrogate]\noverhead = 1")),
        ("space", Row::Reuse, SMALL.replace("[0.0, 1.0]", "[0.0, 2.0]")),
        ("space", Row::Reuse, last("more = { integer = [1, 2] }")),
        ("space.alpha", Row::Refuse, SMALL.replace("default = 0.5", "default = 0.5, switch = \"-a\"")),
    ] {
        assert_eq!(judged(SMALL, &text), (vec![key.to_owned()], row), "{text}");
    }
    let gaussian = last("[surrogate]\nkind = \"gaussian\"\n");
    let dependent = format!("{gaussian}dependence = \"residuals\"\n");
    assert_eq!(judged(&gaussian, &dependent), (vec!["surrogate.dependence".to_owned()], Row::Continue));
}

#[test]
fn instances_may_be_added_but_not_removed() {
    let text = SMALL.replace("{seed}", "{seed}{instance}");
    let with = |list: &str| format!("{text}[instances]\nlist = [{list}]\n");
    let rows = |before: &str, after: &str| judged(&with(before), &with(after)).1;
    assert_eq!(rows("'b'", "'a', 'b', 'c'"), Row::Continue);
    assert_eq!(rows("'a', 'b'", "'b', 'c'"), Row::Refuse);
    assert_eq!(rows("'a', 'b'", "'b', 'a'"), Row::Continue);
}

/// The scenario's text is the same, but files that it refers to have changed.
#[test]
fn added_files_and_a_changed_space_are_detected() {
    let stage = Stage::new();
    stage.file("a.cnf", "");
    stage.file("s.toml", "x = { integer = [1, 5] }\n");
    let space = SMALL.find("alpha").unwrap();
    let text = SMALL[..space].replace("{seed}", "{seed}{instance}");
    let text = format!("{text}from = \"s.toml\"\n[instances]\nfiles = \"*.cnf\"\n");
    let old = stage.read(&text);
    let (space, instances) = (write(&old.space, Format::Toml).unwrap(), names(&old));
    let stored = Stored { text: &text, space: &space, instances: &instances, baseline: None };
    let judged = || {
        let list = compare(&stored, &text, &stage.read(&text)).unwrap();
        list.into_iter().map(|d| (d.key, d.row, d.after)).collect::<Vec<_>>()
    };
    assert_eq!(judged(), []);
    stage.file("b.cnf", "");
    stage.file("s.toml", "x = { integer = [1, 6] }\n");
    let expected = [
        ("instances".to_owned(), Row::Continue, Some("b.cnf".to_owned())),
        ("space".to_owned(), Row::Reuse, Some("1 parameters".to_owned())),
    ];
    assert_eq!(judged(), expected);
    // Words are not files, even if the texts are the same.
    let words = text.replace("files = \"*.cnf\"", "list = [\"a.cnf\", \"b.cnf\"]");
    let list = compare(&stored, &words, &stage.read(&words)).unwrap();
    assert_eq!(verdict(&list), Row::Refuse);
}

#[test]
fn another_baseline_starts_a_new_campaign_and_another_file_with_the_same_values_does_not() {
    let stage = Stage::new();
    stage.file("one.conf", "alpha 0.5\n");
    stage.file("two.conf", "{\"alpha\": 0.25}");
    stage.file("three.conf", "alpha = 0.25\nfast = false\n");
    let with = |name: &str| format!("baseline = \"{name}.conf\"\n{SMALL}");
    let keys = |before: &str, after: &str| -> Vec<String> {
        differences(&stage, before, after).into_iter().map(|it| format!("{} {:?}", it.key, it.row)).collect()
    };
    assert!(keys(SMALL, &with("one")).is_empty(), "without a baseline, the default is the baseline");
    assert_eq!(keys(SMALL, &with("two")), ["baseline Reuse"]);
    assert!(keys(&with("two"), &with("three")).is_empty());
}

#[test]
fn a_changed_bound_reuses_the_trials_and_a_new_bound_does_not() {
    let with = |constraints: &str| {
        format!("{SMALL}[outputs]\nx = {{ pattern = '(a)' }}\n[constraints]\n{constraints}\n")
    };
    let keys = vec!["constraints.x".to_owned()];
    let row = |before: &str, after: &str| judged(&with(before), &with(after));
    for (before, after) in [
        ("x = \"<= 1\"", "x = { bound = \"<=1.0\", over = \"mean\", confidence = 0.975 }"),
        ("x = \"<= 1\"\nmemory = \"<= 1MiB\"", "memory = \"<= 1024KiB\"\nx = [\"<= 1\"]"),
        ("x = [\"<= 2\", \">= 1\"]", "x = [\">= 1\", \"<= 2\"]"),
    ] {
        assert_eq!(row(before, after), (vec![], Row::Continue), "the same meaning in other words");
    }
    assert_eq!(row("x = \"<= 1\"", "x = \"<= 2\""), (keys.clone(), Row::Reuse));
    assert_eq!(row("x = \"<= 1\"", "x = { bound = \"<= 1\", over = \"max\" }"), (keys.clone(), Row::Reuse));
    let modelled = "x = { bound = \"<= 1\", surrogate = \"gaussian\" }";
    assert_eq!(row("x = \"<= 1\"", modelled), (keys.clone(), Row::Reuse));
    assert_eq!(row("x = \"<= 1\"", ""), (keys.clone(), Row::Reuse), "its readings are ignored");
    assert_eq!(
        row("", "x = \"<= 1\""),
        (keys.clone(), Row::Refuse),
        "the stored trials have no readings for it"
    );
    assert_eq!(row("x = \"<= 1\"", "x = [\"<= 1\", \">= 0\"]"), (keys, Row::Refuse));
    let other = with("x = \"<= 1\"").replace("'(a)'", "'(b)'");
    let (keys, row) = judged(&with("x = \"<= 1\""), &other);
    assert_eq!((keys, row), (vec!["outputs.x.pattern".to_owned()], Row::Refuse), "a bound uses this output");
}
