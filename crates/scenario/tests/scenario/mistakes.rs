//! All mistakes are reported at once, each with its place and a hint.

use scenario::testkit::{SMALL, Stage};

#[test]
fn every_mistake_in_a_scenario_is_reported() {
    let stage = Stage::new();
    stage.file("a.cnf", "");
    stage.file("plain", "");
    insta::assert_snapshot!(stage.mistakes(
        r#"nmae = "wrong"
seed = -3
workers = 4
[target]
command = ["./plain", "{parms}", "x{params}", "{param:aplha}", "{param:deep}", "{seed", "}"]
params = "--{name}"
flags = { on = "-{naem}" }
success = { exit = [], pattern = "s (UN?SAT" }
env = { OMP_NUM_THREADS = 1, "A=B" = "x" }
pass_env = []
[target.parameter]
alpha = { on = "a", off = "b" }
lubi = "-l{value}"
success = "-{value}"
[objective]
minimise = "cputime"
par = 0.5
[outputs]
steps = { pattern = 'steps' }
more = { pattern = '(a)(b)' }
memory = { pattern = '([0-9]+)' }
none = 3
[instances]
files = ["nothing/*.cnf", "a.cnf", "[", 3]
test = []
[budget]
wall = "1 hour"
cpu = 3600
trials = 0
[limits]
memory = "2 gigs"
wall = "0s"
processes = 0
[racing]
slack = 0.9
max_pairs = 3
repeats = [1, 6]
deterministic = "yes"
[parallel]
workers = 0
cores = 2
[surrogate]
kind = "lokal"
treatment = "censor"
trees = 0
overhead = 0
[space]
alpha = { flaot = [0.0, 1.0] }
luby = { boolean = true }
deep = { integer = [1, 3], when = "lubi" }
"#
    ));
}

/// The space is valid, but the other tables contradict each other.
#[test]
fn contradictions_between_tables_are_reported() {
    let stage = Stage::new();
    stage.file("a.cnf", "");
    insta::assert_snapshot!(stage.mistakes(
        r#"
[target]
command = ["surely-not-installed", "{cap}", "{param:deep}", "x{params}"]
[target.parameter]
alpha = { on = "a", off = "b" }
lubi = "-l{value}"
success = "-{value}"
[objective]
minimise = "cpu_time"
cutoff = "2h"
capped_by = "argument"
grain = "3h"
[instances]
files = "*.cnf"
test = ["./a.cnf"]
[budget]
wall = "1h"
cpu = "30m"
[limits]
wall = "1s"
[racing]
max_pairs = 3
repeats = [1, 6]
[space]
alpha = { float = [0.0, 1.0] }
luby = { boolean = true }
deep = { integer = [1, 3], when = "luby" }
"#
    ));
}

#[test]
fn placeholders_must_match_the_other_tables() {
    let stage = Stage::new();
    let instances = "[instances]\nlist = [\"a\"]\n";
    insta::assert_snapshot!(stage.mistakes(&format!("{SMALL}{instances}")), @r#"
    error: the command has no `{instance}`, but there are `[instances]`
     --> test.toml:3:11
      |
    3 | command = ["true", "{params}", "{seed}"]
      |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    hint: add `{instance}` where the target expects its input
    "#);
    insta::assert_snapshot!(stage.mistakes(&SMALL.replace("{seed}", "{instance}")));
    insta::assert_snapshot!(stage.mistakes(&SMALL.replace("\"{params}\", ", "")));
    insta::assert_snapshot!(stage.mistakes(&SMALL.replace("cutoff", "capped_by = \"argument\"\ncutoff")));
    let none = SMALL.replace("cutoff", "capped_by = \"none\"\ncutoff").replace("{seed}", "{cap}");
    insta::assert_snapshot!(stage.mistakes(&none));
}

#[test]
fn costs_have_the_unit_of_the_objective() {
    let stage = Stage::new();
    let objective = "minimise = \"cpu_time\"\ncutoff = \"5s\"\n";
    let with = |text: &str| stage.mistakes(&SMALL.replace(objective, text));
    let outputs = "[outputs]\nsteps = { pattern = '([0-9]+)' }\n";
    insta::assert_snapshot!(with("minimise = \"cpu_time\"\ncutoff = 5\n"));
    insta::assert_snapshot!(with("minimise = \"cpu_time\"\n"));
    insta::assert_snapshot!(with("minimise = \"memory\"\ncutoff = \"5s\"\ncapped_by = \"time\"\n"));
    insta::assert_snapshot!(with(&format!(
        "minimise = \"steps\"\ncutoff = \"5s\"\ncapped_by = \"time\"\n{outputs}"
    )));
    insta::assert_snapshot!(with(&format!("minimise = \"steps\"\ncutoff = -5\n{outputs}")));
    insta::assert_snapshot!(with("minimise = \"wall_time\"\ncutoff = \"5s\"\n[limits]\nwall = \"1s\"\n"));
}

#[test]
fn mistakes_in_the_space_file_are_shown_in_that_file() {
    let stage = Stage::new();
    stage.file("space.toml", "alpha = { flaot = [0.0, 1.0] }\nbeta = 3\n");
    let text = &SMALL[..SMALL.find("alpha").unwrap()];
    insta::assert_snapshot!(stage.mistakes(&format!("{text}from = \"space.toml\"\n[racing]\nslack = 0\n")));
    insta::assert_snapshot!(stage.mistakes(&format!("{text}from = \"nowhere.pcs\"\n")));
    insta::assert_snapshot!(
        stage.mistakes(&format!("{text}from = \"space.toml\"\nx = {{ boolean = true }}\n"))
    );
}

#[test]
fn missing_tables_are_named() {
    let stage = Stage::new();
    insta::assert_snapshot!(stage.mistakes(""));
    insta::assert_snapshot!(stage.mistakes("space = 3\ntarget = \"minisat\"\n[space2]\n"));
}

#[test]
fn broken_toml_is_shown_where_it_breaks() {
    let stage = Stage::new();
    insta::assert_snapshot!(stage.mistakes("name = \"a\nseed = 1\nseed = 2\n[target\n"));
}

#[test]
fn a_single_string_is_not_a_list_of_arguments() {
    let stage = Stage::new();
    let text = SMALL.replace("[\"true\", \"{params}\", \"{seed}\"]", "\"minisat {params} {seed}\"");
    insta::assert_snapshot!(stage.mistakes(&text));
}

#[test]
fn mistakes_in_configuration_files_are_shown() {
    let stage = Stage::new();
    stage.file("production.conf", "alpha 7\nfsat true\n");
    let text = format!("baseline = \"production.conf\"\ninitial = [\"gone.toml\"]\n{SMALL}");
    insta::assert_snapshot!(stage.mistakes(&text));
}

#[test]
fn the_validation_must_match_the_objective() {
    let stage = Stage::new();
    for (text, part) in [
        ("cutoff = \"4s\"", "`validation.cutoff` is below `objective.cutoff`"),
        ("cutoff = \"60s\"\n[limits]\nwall = \"50s\"", "`validation.cutoff` is above `limits.wall`"),
        ("when = \"always\"", "`validation.when` cannot be `always`"),
    ] {
        let mistakes = stage.mistakes(&format!("{SMALL}[validation]\n{text}\n"));
        assert!(mistakes.contains(part), "{text}: {mistakes}");
    }
    let output = "minimise = \"steps\"\n[limits]\nwall = \"9s\"\n[outputs]\nsteps = { pattern = '([0-9]+)' }";
    let output = SMALL.replace("minimise = \"cpu_time\"\ncutoff = \"5s\"", output);
    let mistakes =
        stage.mistakes(&format!("{output}[validation]\nseeds = 2\n[racing]\ndeterministic = true\n"));
    let part = "`validation.seeds` is 2, but one trial per instance is enough";
    assert!(mistakes.contains(part), "{mistakes}");
    let text = SMALL.replace("cutoff = \"5s\"", "capped_by = \"none\"");
    let mistakes = stage.mistakes(&format!("{text}[validation]\ncutoff = \"9s\"\n"));
    assert!(mistakes.contains("but trials are not capped"), "{mistakes}");
}

#[test]
fn a_misspelt_key_is_not_also_reported_as_missing() {
    let stage = Stage::new();
    let shown = stage.mistakes(&SMALL.replace("minimise", "minimse"));
    assert!(shown.contains("unknown key `objective.minimse`"), "{shown}");
    assert!(shown.contains("did you mean `minimise`?"), "{shown}");
    assert!(!shown.contains("is missing"), "{shown}");
    let shown = stage.mistakes(&SMALL.replace("minimise", "goal"));
    assert!(shown.contains("`objective.minimise` is missing"), "{shown}");
}
