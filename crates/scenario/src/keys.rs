//! The list of all scenario keys. The reader rejects any other key. The reference page shows this list.
//! [`change`](super::change) looks up what a changed key means for a stored campaign.

/// Effect of a changed key on the stored trials of a campaign.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Row {
    /// The campaign continues.
    Continue,
    /// A new campaign begins and re-uses the stored trials.
    Reuse,
    /// The stored trials measure something else, so only a new campaign without them is possible.
    Refuse,
}

impl Row {
    /// Returns the row's name, as shown in messages and in the reference.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Reuse => "reuse",
            Self::Refuse => "refuse",
        }
    }
}

/// Rule that decides the effect of a changed key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// The effect is always the same.
    Always(Row),
    /// Re-use if the value grows or is removed; refuse if it shrinks. A trial stopped at a smaller cutoff
    /// still gives a lower bound, but a trial that ran longer than the new cutoff does not fit.
    Growing,
    /// The instances themselves are compared: continue if some were added, refuse if some were removed.
    Instances,
    /// Refuse if the objective or a constraint uses this output; continue if the output is only recorded.
    Outputs,
    /// Re-use if a bound is changed or removed. Refuse if an output, or a side of it, that had no bound
    /// before gets one, because the stored trials have no readings for it.
    Constraints,
    /// The configuration itself is compared: re-use if it differs.
    Baseline,
    /// The space itself is compared: re-use if it differs, but refuse if a parameter is passed to the target
    /// differently.
    Space,
}

impl Judgement {
    /// Returns the rule's description for the reference.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Always(row) => row.name(),
            Self::Growing => "larger: reuse; smaller: refuse",
            Self::Instances => "added: continue; removed: refuse",
            Self::Outputs => "refuse if the objective or a constraint uses the output, else continue",
            Self::Constraints => "changed or removed: reuse; added: refuse",
            Self::Baseline => "reuse if the configuration differs",
            Self::Space => "reuse; refuse if a parameter is passed to the target differently",
        }
    }
}

/// Type of a key's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// A string.
    Text,
    /// One string or several.
    Texts,
    /// An integer.
    Integer,
    /// One integer or several.
    Integers,
    /// A number.
    Number,
    /// True or false.
    Truth,
    /// A duration.
    Duration,
    /// A number of bytes.
    Size,
    /// A cost, in the unit of the objective.
    Cost,
    /// The way a parameter is written: one string, several, or a pair of `on` and `off`.
    Writing,
    /// A bound on an output, alone or in a table with further settings, or a list of bounds.
    Bound,
    /// A parameter in the TOML form of spaces.
    Parameter,
}

impl Form {
    /// Returns the type's description for the reference.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Texts => "string or list of strings",
            Self::Integer => "integer",
            Self::Integers => "integer or list of integers",
            Self::Number => "number",
            Self::Truth => "boolean",
            Self::Duration => "duration, such as \"30s\"",
            Self::Size => "size, such as \"2GiB\"",
            Self::Cost => "duration, size or number, depending on the objective",
            Self::Writing => "string, list of strings, or `{ on = \"…\", off = \"…\" }`",
            Self::Bound => "bound such as \"<= 0.05\", table with `bound`, or list of these",
            Self::Parameter => "parameter",
        }
    }
}

/// A key of the scenario.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Full path of the key: tables and name, separated by dots. `NAME` matches any name.
    pub path: &'static str,
    /// Type of its value.
    pub form: Form,
    /// Default value, as TOML or in words.
    pub default: &'static str,
    /// Description for the reference.
    pub meaning: &'static str,
    /// Effect of a change to this key.
    pub judgement: Judgement,
}

const fn key(
    path: &'static str,
    form: Form,
    default: &'static str,
    judgement: Judgement,
    meaning: &'static str,
) -> Key {
    Key { path, form, default, meaning, judgement }
}

const CONTINUE: Judgement = Judgement::Always(Row::Continue);
const REUSE: Judgement = Judgement::Always(Row::Reuse);
const REFUSE: Judgement = Judgement::Always(Row::Refuse);

/// All keys, in the order of the reference.
#[rustfmt::skip]
pub const KEYS: &[Key] = &[
    key("name", Form::Text, "the file's name", CONTINUE, "name of the campaign"),
    key("seed", Form::Integer, "1", REUSE, "random seed for the campaign"),
    key("baseline", Form::Text, "the default configuration", Judgement::Baseline, "file with the configuration that gains are measured against; it is tried first"),
    key("initial", Form::Texts, "none", CONTINUE, "files with configurations to race before all others"),
    key("target.command", Form::Texts, "required", REFUSE, "program and arguments, with placeholders; no shell is involved"),
    key("target.protocol", Form::Text, "\"command\"", REFUSE, "protocol for calling the target and reading its answer: `command`, or [one from another configurator](../guides/protocols.md): `aclib`, `aclib2`, `irace`, `smac3`, `json`, `json-server`"),
    key("target.restart_after", Form::Integer, "never", REFUSE, "restart a `json-server` after this many trials"),
    key("target.setup", Form::Texts, "none", REFUSE, "command to run before each trial; it does not count towards the cost, and processes that it starts live until the trial ends"),
    key("target.setup_limit", Form::Duration, "60s", CONTINUE, "wall time limit for `setup`, or for a `json-server` to become ready"),
    key("target.teardown", Form::Texts, "none", CONTINUE, "command to run after each trial, whatever its outcome; it does not count towards the cost"),
    key("target.teardown_limit", Form::Duration, "60s", CONTINUE, "wall time limit for `teardown`"),
    key("target.workdir", Form::Text, "\"private\"", REFUSE, "working directory of a trial: `private` (a fresh folder, removed afterwards), `scenario` (the scenario's folder) or a path relative to that folder"),
    key("target.config_file", Form::Text, "none", REFUSE, "format of the file `{config_file}`: a line template such as `\"{name} = {value}\"` for each parameter, or `json`, `toml`, `env`"),
    key("target.params", Form::Texts, "\"--{name}={value}\", or set by the protocol", REFUSE, "text that `{params}` writes for each parameter without a `switch`; a list writes several arguments"),
    key("target.flags.on", Form::Text, "like `params`", REFUSE, "text to write for a boolean parameter that is true; `\"\"` writes nothing"),
    key("target.flags.off", Form::Text, "like `params`", REFUSE, "text to write for a boolean parameter that is false; `\"\"` writes nothing"),
    key("target.parameter.NAME", Form::Writing, "like `params`", REFUSE, "text to write for this parameter"),
    key("target.success.exit", Form::Integers, "0; any code if `pattern` is given, or with some protocols", REFUSE, "exit codes that mean success"),
    key("target.success.pattern", Form::Text, "none", REFUSE, "regular expression that a line of standard output must match"),
    key("target.verify", Form::Texts, "none", REFUSE, "program and arguments that check the answer of a successful trial; exit code 0 means that it is correct"),
    key("target.verify_limit", Form::Duration, "60s", CONTINUE, "time limit for `verify`"),
    key("target.known", Form::Text, "none", REFUSE, "file with known answers: lines `name,answer`, or TOML"),
    key("target.answer", Form::Text, "required with `known`", REFUSE, "regular expression with one group, which captures the target's answer; the last matching line of standard output counts"),
    key("target.retry.exit", Form::Integers, "none", CONTINUE, "exit codes for which a failed run is withdrawn and repeated"),
    key("target.retry.pattern", Form::Text, "none", CONTINUE, "regular expression; a failed run is withdrawn and repeated if a line of its standard output or standard error matches"),
    key("target.retry.times", Form::Integer, "5", CONTINUE, "number of times a run is repeated before the campaign stops"),
    key("target.retry.wait", Form::Duration, "30s", CONTINUE, "time to wait before each repetition"),
    key("target.env.NAME", Form::Text, "none", REFUSE, "environment variable to set"),
    key("target.pass_env", Form::Texts, "none", REFUSE, "variables from your environment to pass on; `*` matches anything"),
    key("objective.minimise", Form::Text, "required, unless `maximise` is given", REFUSE, "`cpu_time`, `wall_time`, `memory`, or the name of an output (from `[outputs]` or from the protocol)"),
    key("objective.maximise", Form::Text, "required, unless `minimise` is given", REFUSE, "name of an output; more is better"),
    key("objective.then", Form::Text, "none", REFUSE, "name of an output that breaks ties between timeouts; less is better"),
    key("objective.cutoff", Form::Cost, "required if trials are capped", Judgement::Growing, "largest cost any trial may reach"),
    key("objective.par", Form::Number, "10", REUSE, "a timeout or a failed trial counts as this many times the cutoff"),
    key("objective.capped_by", Form::Text, "\"time\" for times, else \"none\"", REFUSE, "mechanism that stops a trial at its cap: `time` (captune stops it), `argument` (the target stops itself; it gets the cap as `{cap}`) or `none`"),
    key("objective.grain", Form::Cost, "1ms for times, 1 for outputs, or set by the protocol", CONTINUE, "smallest cost that the measurement resolves"),
    key("outputs.NAME.pattern", Form::Text, "required, unless `key` or `size_of` is given", Judgement::Outputs, "regular expression with one group, which captures the number; it is matched against lines of standard output or standard error"),
    key("outputs.NAME.stream", Form::Text, "`stdout`, then `stderr`", Judgement::Outputs, "look for `pattern` only in `stdout` or only in `stderr`"),
    key("outputs.NAME.take", Form::Text, "\"last\"", Judgement::Outputs, "match of `pattern` that counts: `first` or `last`"),
    key("outputs.NAME.file", Form::Text, "required with `key`, unless the answer is JSON", Judgement::Outputs, "JSON or TOML file that the target writes, relative to its working directory"),
    key("outputs.NAME.key", Form::Text, "required with `file`", Judgement::Outputs, "path to the number: names separated by dots; list positions start at 0; without `file`, a path in the `outputs` of a JSON answer"),
    key("outputs.NAME.size_of", Form::Text, "none", Judgement::Outputs, "file that the target writes, relative to its working directory; the output is its size in bytes"),
    key("constraints.NAME", Form::Bound, "none", Judgement::Constraints, "bound on an output, on `cpu_time`, `wall_time` or `memory`, or on `solved`, the share of trials that finish"),
    key("constraints.NAME.bound", Form::Text, "required in a table", Judgement::Constraints, "`<=` or `>=` and a number; memory needs a unit, and times without one are seconds; `<= 1.02x default` is relative to the default on the same pair"),
    key("constraints.NAME.over", Form::Text, "\"mean\"", Judgement::Constraints, "number compared with the bound: the `mean` over all pairs or the worst value (`max`)"),
    key("constraints.NAME.confidence", Form::Number, "0.975", Judgement::Constraints, "a race drops a challenger early once its mean is beyond the bound with this confidence; above 0.5 and below 1"),
    key("constraints.NAME.surrogate", Form::Text, "same as for the cost", Judgement::Constraints, "model for this output: `forest` or `gaussian`; the default is the model for the cost, or a forest if that model is `neural`"),
    key("instances.files", Form::Texts, "none", Judgement::Instances, "paths, folders and glob patterns, relative to the scenario's folder"),
    key("instances.list", Form::Texts, "none", Judgement::Instances, "names to pass to the target instead of files"),
    key("instances.from", Form::Text, "none", Judgement::Instances, "text file with one instance per line: paths or names"),
    key("instances.test", Form::Texts, "none", CONTINUE, "instances reserved for the final validation, written like `files` or `list`; or a share of the instances such as `\"25%\"`; or `\"folds: 4\"` for cross-validation"),
    key("instances.family", Form::Text, "none", CONTINUE, "rule that groups similar instances: `{parent}` (by folder), `{column:NAME}` (by a column of `features`), or a regular expression with one group; `test` takes the same share from each family"),
    key("instances.features", Form::Text, "none", CONTINUE, "CSV file with a header line; each row has the name of an instance, then numbers that describe it"),
    key("instances.stage", Form::Truth, "false", REFUSE, "copy the instances to a local disk once, and unpack those that end in `.gz`, `.xz`, `.bz2` or `.zst`"),
    key("instances.stage_folder", Form::Text, "`stage` in the campaign's folder", CONTINUE, "folder for the staged copies"),
    key("validation.cutoff", Form::Cost, "the objective's cutoff", CONTINUE, "cutoff for validation trials; not below the objective's"),
    key("validation.seeds", Form::Integer, "enough for 20 pairs", CONTINUE, "measurements per instance, each with its own seed"),
    key("validation.budget", Form::Duration, "same as `budget.wall`, if given", CONTINUE, "wall time for the validation, in addition to `[budget]`"),
    key("validation.when", Form::Text, "\"end\"", CONTINUE, "`end`: validate when the campaign ends; `never`: only when you run `captune validate`"),
    key("budget.wall", Form::Duration, "none", CONTINUE, "wall time"),
    key("budget.cpu", Form::Duration, "none", CONTINUE, "CPU time of all trials together"),
    key("budget.trials", Form::Integer, "none", CONTINUE, "number of trials"),
    key("limits.memory", Form::Size, "none", REFUSE, "memory of a trial's whole process tree"),
    key("limits.wall", Form::Duration, "twice the cutoff plus 5s if `cpu_time` is minimised", REFUSE, "wall time of one trial"),
    key("limits.output", Form::Size, "none", CONTINUE, "bytes on standard output and standard error together"),
    key("limits.processes", Form::Integer, "none", CONTINUE, "processes alive at the same time"),
    key("limits.file_size", Form::Size, "none", CONTINUE, "bytes in any one file"),
    key("limits.grace", Form::Duration, "0s", CONTINUE, "time between asking a target to end and killing it"),
    key("racing.slack", Form::Number, "1.3", CONTINUE, "stop a challenger when its sum of costs exceeds this factor times the incumbent's"),
    key("racing.max_pairs", Form::Integer, "2000; if deterministic, 3 per instance but at least 20", CONTINUE, "maximum number of pairs for the incumbent"),
    key("racing.deterministic", Form::Truth, "false", REFUSE, "true if the target does the same work whatever its seed; one trial per instance is then enough if the target reports its cost, but times and memory are still measured several times"),
    key("racing.repeats", Form::Integers, "1 to `max_pairs`", CONTINUE, "minimum and maximum number of measurements per configuration, or one number for both"),
    key("parallel.workers", Form::Integer, "one per core", CONTINUE, "number of trials to run at the same time"),
    key("parallel.cores_per_trial", Form::Integer, "1", REFUSE, "cores per trial"),
    key("parallel.gpus_per_trial", Form::Integer, "0", REFUSE, "GPUs per trial, passed in CUDA_VISIBLE_DEVICES"),
    key("parallel.gpus", Form::Integers, "from CUDA_VISIBLE_DEVICES", CONTINUE, "indices of the GPUs to use"),
    key("parallel.repeatable", Form::Truth, "false", CONTINUE, "process results in the order in which trials were submitted, so that a rerun makes the same decisions"),
    key("surrogate.kind", Form::Text, "depends on the target", CONTINUE, "method that proposes configurations: `forest` (largest expected improvement under a random forest), `neural` (lowest cost predicted by a network that is trained from scratch for each proposal), `gaussian` (largest expected improvement under a Gaussian process; for few parameters and up to one or two thousand trials), `auto` (whichever of these predicts trials best), `local` (neighbours of the incumbent) or `random`"),
    key("surrogate.treatment", Form::Text, "`sample`, `tobit` or `likelihood`, depending on the model", CONTINUE, "treatment of stopped trials by the model: `sample` (forest), `tobit` (networks), `likelihood` (Gaussian process), `mean` (not for a Gaussian process), `drop` or `ignore`"),
    key("surrogate.acquisition", Form::Text, "\"improvement\"", CONTINUE, "acquisition function for a forest or a Gaussian process: `improvement` (expected improvement) or `improvement-per-budget` (expected improvement per unit of budget that a trial is expected to use)"),
    key("surrogate.dependence", Form::Text, "\"independent\"", CONTINUE, "rule by which a Gaussian process combines constraints: `independent` (multiplies the probabilities of satisfying each of them) or `residuals` (accounts for correlations between the residuals of their models)"),
    key("surrogate.trees", Form::Integer, "10", CONTINUE, "number of trees in the forest"),
    key("surrogate.overhead", Form::Number, "0.1", CONTINUE, "largest share of the wall time that the optimizer may use, above 0 and at most 1"),
    key("space.from", Form::Text, "none", Judgement::Space, "file with the space, in any format that `captune space` reads"),
    key("space.NAME", Form::Parameter, "none", Judgement::Space, "a parameter in [the TOML form of a space](space-toml.md), instead of `from`"),
];

/// Result of looking up a path.
pub(super) enum Place {
    /// A key.
    Key(&'static Key),
    /// A table that contains keys.
    Table,
    /// Neither a key nor a table.
    Unknown,
}

/// Looks up a path, given as a list of its parts.
pub(super) fn place(parts: &[&str]) -> Place {
    let mut table = false;
    let mut any = None;
    for key in KEYS {
        let mut own = key.path.split('.');
        let fits = parts.iter().all(|&part| own.next().is_some_and(|name| name == part || name == "NAME"));
        if !fits {
            continue;
        }
        match own.next() {
            Some(_) => table = true,
            // A key with exactly this name takes precedence over `NAME`.
            None if !key.path.ends_with("NAME") => return Place::Key(key),
            None => any = Some(key),
        }
    }
    match any {
        Some(key) => Place::Key(key),
        None if table => Place::Table,
        None => Place::Unknown,
    }
}

/// Returns whether a path is a key or a table in a scenario. Its parts are separated by dots.
pub fn is_known(path: &str) -> bool {
    let parts: Vec<&str> = path.split('.').collect();
    !matches!(place(&parts), Place::Unknown)
}

/// Returns the names of keys and tables in a table, without `NAME`.
pub(super) fn names(table: &[&str]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for key in KEYS {
        let mut own = key.path.split('.');
        let fits = table.iter().all(|&part| own.next().is_some_and(|name| name == part || name == "NAME"));
        if let Some(name) = own.next().filter(|&name| fits && name != "NAME" && !names.contains(&name)) {
            names.push(name);
        }
    }
    names
}

/// Returns the rows of the reference for the keys in one table. `""` stands for keys outside any table.
pub fn reference(table: &str) -> String {
    let of_table = |path: &str| path.split_once('.').map_or("", |(table, _)| table) == table;
    let keys = KEYS.iter().filter(|key| of_table(key.path));
    keys.map(|key| {
        format!(
            "| `{}` | {} | {} | {} | {} |\n",
            key.path,
            key.form.words(),
            key.default,
            key.meaning,
            key.judgement.words()
        )
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_to_a_key_a_table_or_nowhere() {
        let key = |parts: &[&str]| match place(parts) {
            Place::Key(key) => key.path,
            Place::Table => "table",
            Place::Unknown => "unknown",
        };
        assert_eq!(key(&["target"]), "table");
        assert_eq!(key(&["target", "success", "exit"]), "target.success.exit");
        assert_eq!(key(&["target", "parameter", "x"]), "target.parameter.NAME");
        assert_eq!(key(&["outputs", "steps"]), "table");
        assert_eq!(key(&["outputs", "steps", "pattern"]), "outputs.NAME.pattern");
        assert_eq!(key(&["space", "from"]), "space.from");
        assert_eq!(key(&["space", "alpha"]), "space.NAME");
        assert_eq!(key(&["constraints", "error"]), "constraints.NAME");
        assert_eq!(key(&["budget", "walls"]), "unknown");
        assert_eq!(names(&["target", "success"]), ["exit", "pattern"]);
    }

    #[test]
    fn no_key_is_listed_twice() {
        let mut paths: Vec<_> = KEYS.iter().map(|key| key.path).collect();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), KEYS.len());
    }
}
