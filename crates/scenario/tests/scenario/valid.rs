//! Reading valid scenarios.

use std::time::Duration;

use engine::propose::{Dependence, Learner};
use scenario::testkit::{SMALL, Stage};
use scenario::{
    Argument, Budget, CappedBy, Measure, Parallel, Piece, Racing, Scenario, Surrogate, SurrogateKind,
    Treatment,
};
use surrogate::forest::ForestSettings;

fn names(list: &[scenario::Instance]) -> Vec<&str> {
    list.iter().map(|instance| instance.name.as_str()).collect()
}

/// Returns the arguments for the default configuration.
fn params(scenario: &Scenario) -> Vec<String> {
    let configuration = scenario.space.default_configuration();
    let written = scenario.space.ids().zip(&scenario.target.writing);
    written.flat_map(|(id, writing)| writing.arguments(&configuration.value(id).unwrap())).collect()
}

#[test]
fn keys_that_are_left_out_have_their_defaults() {
    let stage = Stage::new();
    let scenario = stage.read(SMALL);
    assert_eq!((scenario.name.as_str(), scenario.seed), ("test", 1));
    assert_eq!(scenario.objective.par, 10.0);
    assert_eq!(scenario.objective.capped_by, CappedBy::Time);
    assert_eq!(scenario.objective.grain, 0.001);
    assert_eq!(
        scenario.racing,
        Racing { slack: 1.3, min_pairs: 1, max_pairs: 2000, deterministic: false, measured_once: false }
    );
    assert_eq!(
        scenario.parallel,
        Parallel { workers: None, cores_per_trial: 1, gpus_per_trial: 0, gpus: None, repeatable: false }
    );
    assert_eq!(
        scenario.surrogate,
        Surrogate {
            kind: SurrogateKind::Unspecified,
            treatment: Treatment::Likelihood,
            acquisition: scenario::Acquisition::Improvement,
            dependence: Dependence::Independent,
            trees: ForestSettings::default().trees as u32,
            overhead: 0.1,
        }
    );
    assert_eq!(scenario.limits, confine::Limits::default());
    assert_eq!(scenario.target.success.exit, Some(vec![0]));
    assert_eq!(params(&scenario), ["--alpha=0.5", "--fast=false"]);
    assert!(!scenario.instances.are_given() && scenario.instances.train.len() == 1);
    assert!(scenario.warnings.list().is_empty(), "{}", scenario.warnings);
}

#[test]
fn a_scenario_with_many_keys_is_read() {
    let stage = Stage::new();
    for file in ["cnf/b.cnf", "cnf/a.cnf", "cnf/deep/c.cnf", "cnf/note.txt", "test/d.cnf", "odd [1].cnf"] {
        stage.file(file, "p cnf 0 0\n");
    }
    std::os::unix::fs::symlink("b.cnf", stage.folder.join("cnf/z.cnf")).unwrap();
    stage.file("solver.pcs", "alpha real [0.0, 1.0] [0.5]\nmode categorical {a, b} [a]\n");
    let scenario = stage.read(
        r#"
        name = "all"
        seed = 7
        [target]
        command = ["sh", "run.sh", "{params}", "-s={seed}", "--steps={cap}", "{{{instance}}}", "m={param:mode}"]
        params = ["--{name}", "{value}"]
        success = { exit = [10, 20], pattern = "s (UN)?SAT" }
        env = { A = "b" }
        pass_env = ["LD_LIBRARY_PATH", "GRB_*"]
        [target.parameter]
        alpha = "-a{value}"
        [outputs]
        noise = { pattern = 'noise ([0-9.]+)' }
        steps = { pattern = 'c steps = ([0-9]+)' }
        [objective]
        minimise = "steps"
        cutoff = 1000
        par = 2
        capped_by = "argument"
        [instances]
        files = ["cnf/**/*.cnf", "cnf/a.cnf", "odd [1].cnf"]
        test = "test/*.cnf"
        [budget]
        wall = "1h"
        cpu = "8h"
        trials = 1000
        [limits]
        memory = "2GiB"
        wall = "60s"
        output = "10MB"
        processes = 100
        file_size = "1GiB"
        grace = "0s"
        [racing]
        slack = 1.5
        repeats = [2, 6]
        [parallel]
        workers = 2
        cores_per_trial = 2
        repeatable = true
        [surrogate]
        kind = "forest"
        treatment = "drop"
        trees = 30
        overhead = 0.02
        [space]
        from = "solver.pcs"
        "#,
    );
    assert_eq!(scenario.objective.minimise, Measure::Output(1));
    assert_eq!(scenario.objective.cutoff, Some(1000.0));
    assert_eq!(scenario.objective.grain, 1.0);
    assert_eq!(names(&scenario.instances.train), ["cnf/a.cnf", "cnf/b.cnf", "cnf/deep/c.cnf", "odd [1].cnf"]);
    assert_eq!(names(&scenario.instances.test), ["test/d.cnf"]);
    assert!(scenario.instances.train[0].argument.starts_with('/'));
    let budget = Budget {
        wall: Some(Duration::from_secs(3600)),
        cpu: Some(Duration::from_secs(8 * 3600)),
        trials: Some(1000),
    };
    assert_eq!(scenario.budget, budget);
    assert_eq!((scenario.racing.min_pairs, scenario.racing.max_pairs), (2, 6));
    let Surrogate { kind, treatment, trees, overhead, .. } = scenario.surrogate;
    assert_eq!((kind, treatment), (SurrogateKind::Learner(Learner::Forest), Treatment::Drop));
    assert_eq!((trees, overhead), (30, 0.02));
    assert_eq!(scenario.limits.memory, Some(2 << 30));
    assert_eq!(scenario.limits.grace, None);
    let mode = scenario.space.find("mode").unwrap();
    let literal = |text: &str| Piece::Literal(text.to_owned());
    let command = &scenario.target.command;
    let program = command.program.found().unwrap();
    assert!(program.is_absolute() && program.ends_with("sh"));
    assert_eq!(command.arguments[1], Argument::Params);
    assert_eq!(command.arguments[4], Argument::Pieces(vec![literal("{"), Piece::Instance, literal("}")]));
    assert_eq!(command.arguments[5], Argument::Pieces(vec![literal("m="), Piece::Param(mode)]));
    assert!(command.names(mode));
    assert_eq!(params(&scenario), ["-a0.5", "--mode", "a"]);
}

/// A parameter's own form takes precedence over a switch, a switch over `flags`, and `flags` over `params`.
#[test]
fn the_most_specific_form_of_a_parameter_applies() {
    let stage = Stage::new();
    let scenario = stage.read(
        r#"
        [target]
        command = ["true", "{params}", "{seed}"]
        params = "-{name}={value}"
        flags = { on = "-{name}", off = "-no-{name}" }
        [target.parameter]
        luby = { on = "", off = "-linear" }
        rinc = "-r{value}"
        [objective]
        minimise = "wall_time"
        cutoff = "5s"
        [budget]
        trials = 10
        [space]
        luby  = { boolean = false, switch = "-ignored=" }
        elim  = { boolean = true }
        asymm = { boolean = false }
        old   = { boolean = true, switch = "-old " }
        rinc  = { float = [1.0, 2.0], default = 1.5, switch = "-ignored=" }
        pre   = { choices = ["-pre", "-no-pre"], switch = "" }
        grow  = { integer = [-5, 5], default = -1 }
        "#,
    );
    let expected = ["-linear", "-elim", "-no-asymm", "-old", "true", "-r1.5", "-pre", "-grow=-1"];
    assert_eq!(params(&scenario), expected);
}

#[test]
fn a_program_is_found_in_the_scenarios_folder_or_in_path() {
    let stage = Stage::new();
    let path = stage.file("bin/solver", "#!/bin/sh\n");
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let scenario = stage.read(&SMALL.replace("\"true\"", "\"bin/solver\""));
    assert_eq!(scenario.target.command.program.found(), Some(path.as_path()));
    // The program is in the PATH of the target, not in captune's own.
    let own = SMALL.replace("\"true\"", "\"solver\"");
    let bin = stage.folder.join("bin");
    let own = own.replace("[objective]", &format!("env = {{ PATH = {:?} }}\n[objective]", bin));
    assert_eq!(stage.read(&own).target.command.program.found(), Some(path.as_path()));
}

/// `setup` runs a compiler that builds the program.
#[test]
fn a_program_that_setup_builds_is_named_in_the_trials_folder() {
    let stage = Stage::new();
    let built = |name: &str| SMALL.replace("\"true\"", &format!("{name:?}"));
    let with_setup =
        |name: &str| built(name).replace("[objective]", "setup = [\"true\", \"{params}\"]\n[objective]");
    let command = stage.read(&with_setup("{workdir}/bin/a")).target.command;
    assert_eq!(command.program, scenario::Program::Built("bin/a".into()));
    insta::assert_snapshot!(stage.mistakes(&built("{workdir}/a")));
    insta::assert_snapshot!(stage.mistakes(&with_setup("{workdir}/../a")));
    insta::assert_snapshot!(stage.mistakes(&with_setup("./a")));
}

#[test]
fn an_instance_named_twice_counts_once() {
    let stage = Stage::new();
    let text = SMALL.replace("\"{seed}\"", "\"{instance}\"");
    let scenario =
        stage.read(&(text + "[instances]\nlist = [\"b\", \"a\", \"b\"]\n[racing]\ndeterministic = true\n"));
    assert_eq!(names(&scenario.instances.train), ["a", "b"]);
    assert!(scenario.warnings.list().is_empty());
}

#[test]
fn a_cost_that_is_not_capped_needs_no_cutoff() {
    let stage = Stage::new();
    let objective = "minimise = \"cpu_time\"\ncutoff = \"5s\"\n";
    let scenario = stage.read(&SMALL.replace(objective, "minimise = \"memory\"\n[limits]\nwall = \"9s\"\n"));
    assert_eq!(scenario.objective.capped_by, CappedBy::Nobody);
    assert_eq!((scenario.objective.cutoff, scenario.objective.grain), (None, 0.0));
    let scenario = stage.read(&SMALL.replace(objective, "minimise = \"memory\"\ncutoff = \"2MiB\"\n"));
    assert_eq!(scenario.objective.cutoff, Some(f64::from(2 << 20)));
    assert_eq!(scenario.warnings.list()[0].message, "a target that hangs would never be stopped");
    // A target that gets its cap in seconds is killed only some time after the cap.
    let objective = "minimise = \"runtime\"\ncutoff = 5\ncapped_by = \"argument\"\n";
    let text = "[target]\ncommand = [\"true\"]\nprotocol = \"aclib\"\n[budget]\ntrials = 1\n[space]\nx = { integer = [1, 9] }\n";
    let scenario = stage.read(&format!("{text}[objective]\n{objective}"));
    assert!(scenario.warnings.list().is_empty(), "{}", scenario.warnings);
}

#[test]
fn doubtful_settings_give_warnings() {
    let stage = Stage::new();
    stage.file("solve.py", "");
    let scenario = stage.read(
        r#"
        [target]
        command = ["bash", "-ec", "solver {instance}", "solve.py", "{params}"]
        [objective]
        minimise = "cpu_time"
        cutoff = "5s"
        [instances]
        list = ["a"]
        [budget]
        trials = 10
        [limits]
        wall = "1s"
        [surrogate]
        kind = "local"
        trees = 5
        [space]
        alpha = { float = [0.0, 1.0], default = 0.5 }
        "#,
    );
    insta::assert_snapshot!(scenario.warnings);
}
