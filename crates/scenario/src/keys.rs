//! Every key of a scenario, once: the reader refuses others, the reference shows these, and
//! [`change`](super::change) looks here what a changed one means for a stored campaign.

/// What a changed key means for the trials that a campaign has stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Row {
    /// The campaign goes on.
    Continue,
    /// A new campaign begins, which re-uses the stored trials.
    Reuse,
    /// The stored trials measure something else: only a new campaign without them.
    Refuse,
}

impl Row {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Reuse => "reuse",
            Self::Refuse => "refuse",
        }
    }
}

/// How a change of one key is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// Always the same.
    Always(Row),
    /// Re-use if it grows (or goes away), refuse if it shrinks: a trial stopped at a smaller cutoff
    /// still tells a lower bound, one that ran longer than allowed does not fit.
    Growing,
    /// By the instances themselves: continue if some are added, refuse if some are removed.
    Instances,
    /// Refuse if the objective or a constraint uses this output, continue if it is only kept.
    Outputs,
    /// Re-use if another bound is put on the same side, or none any more; refuse if something is bounded
    /// that no trial was asked for.
    Constraints,
    /// By the configuration itself: re-use if it is another.
    Baseline,
    /// By the space itself: re-use, but refuse if a parameter is written differently.
    Space,
}

impl Judgement {
    /// The words for it in the reference.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Always(row) => row.name(),
            Self::Growing => "larger: reuse; smaller: refuse",
            Self::Instances => "added: continue; removed: refuse",
            Self::Outputs => "used by the objective or a constraint: refuse; else continue",
            Self::Constraints => "another bound, or none: reuse; a new one: refuse",
            Self::Baseline => "another: reuse",
            Self::Space => "reuse; written differently: refuse",
        }
    }
}

/// What sort of value a key takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Any text.
    Text,
    /// One text or several.
    Texts,
    /// A whole number.
    Integer,
    /// A whole number or several.
    Integers,
    /// A number.
    Number,
    /// True or false.
    Truth,
    /// A length of time.
    Duration,
    /// A number of bytes.
    Size,
    /// A cost: its unit is that of the objective.
    Cost,
    /// How a parameter is written: one text, several, or a pair of `on` and `off`.
    Writing,
    /// A bound on an output, alone or with what else is said of it, or a list of bounds.
    Bound,
    /// A parameter in the TOML form of spaces.
    Parameter,
}

impl Form {
    /// The words for it in messages and in the reference.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Texts => "text or a list of texts",
            Self::Integer => "a whole number",
            Self::Integers => "a whole number or a list of them",
            Self::Number => "a number",
            Self::Truth => "true or false",
            Self::Duration => "a duration such as \"30s\"",
            Self::Size => "a size such as \"2GiB\"",
            Self::Cost => "a duration, a size or a number, as the objective",
            Self::Writing => "text, a list of texts, or `{ on = \"…\", off = \"…\" }`",
            Self::Bound => "a bound such as \"<= 0.05\", a table with `bound`, or a list of these",
            Self::Parameter => "a parameter",
        }
    }
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its tables and its name, separated by dots; `NAME` stands for any name.
    pub path: &'static str,
    /// What it takes.
    pub form: Form,
    /// What holds without it, as TOML or in words.
    pub default: &'static str,
    /// What it says.
    pub meaning: &'static str,
    /// What a change of it means.
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
    key("name", Form::Text, "the file's name", CONTINUE, "what the campaign is called"),
    key("seed", Form::Integer, "1", REUSE, "where the random numbers of the campaign begin"),
    key("baseline", Form::Text, "the default configuration", Judgement::Baseline, "a file with the configuration that gains are measured against; it is tried first"),
    key("initial", Form::Texts, "none", CONTINUE, "files with configurations to race before all others"),
    key("target.command", Form::Texts, "required", REFUSE, "the program and its arguments, with placeholders; never through a shell"),
    key("target.protocol", Form::Text, "\"command\"", REFUSE, "how a trial is put to the target and how it answers: `command`, or [as other configurators do](../guides/protocols.md): `aclib`, `aclib2`, `irace`, `smac3`, `json`, `json-server`"),
    key("target.restart_after", Form::Integer, "never", REFUSE, "trials after which a `json-server` is started anew"),
    key("target.setup", Form::Texts, "none", REFUSE, "a command before each trial, outside its cost; what it starts lives until the trial is over"),
    key("target.setup_limit", Form::Duration, "60s", CONTINUE, "time on the clock that `setup` may take, or a `json-server` until it is ready"),
    key("target.teardown", Form::Texts, "none", CONTINUE, "a command after each trial, however it ended, outside its cost"),
    key("target.teardown_limit", Form::Duration, "60s", CONTINUE, "time on the clock that `teardown` may take"),
    key("target.workdir", Form::Text, "\"private\"", REFUSE, "where a trial runs: `private` (a fresh folder, removed after), `scenario` (the scenario's folder) or a path from there"),
    key("target.config_file", Form::Text, "none", REFUSE, "how `{config_file}` is written: a line such as `\"{name} = {value}\"` for each parameter, or `json`, `toml`, `env`"),
    key("target.params", Form::Texts, "\"--{name}={value}\", or as the protocol does", REFUSE, "how `{params}` writes a parameter that has no `switch` of its own; a list makes several arguments"),
    key("target.flags.on", Form::Text, "as `params`", REFUSE, "how a boolean parameter is written if true; `\"\"` writes nothing"),
    key("target.flags.off", Form::Text, "as `params`", REFUSE, "how a boolean parameter is written if false; `\"\"` writes nothing"),
    key("target.parameter.NAME", Form::Writing, "as `params`", REFUSE, "how one parameter is written"),
    key("target.success.exit", Form::Integers, "0, without `pattern`; any, if the protocol says so", REFUSE, "exit codes of a success"),
    key("target.success.pattern", Form::Text, "none", REFUSE, "a regular expression that a line of standard output must match"),
    key("target.verify", Form::Texts, "none", REFUSE, "a program that checks the answer of a success, with its arguments; exit code 0: right"),
    key("target.verify_limit", Form::Duration, "60s", CONTINUE, "how long `verify` may take"),
    key("target.known", Form::Text, "none", REFUSE, "a file of known answers: lines `name,answer`, or TOML"),
    key("target.answer", Form::Text, "with `known`", REFUSE, "a regular expression with one group, the target's answer; the last line of standard output that matches counts"),
    key("target.retry.exit", Form::Integers, "none", CONTINUE, "exit codes of a failed run that is withdrawn and repeated"),
    key("target.retry.pattern", Form::Text, "none", CONTINUE, "a regular expression: a failed run with a matching line on standard output or standard error is withdrawn and repeated"),
    key("target.retry.times", Form::Integer, "5", CONTINUE, "how many times a run is repeated before the campaign stops"),
    key("target.retry.wait", Form::Duration, "30s", CONTINUE, "time before each repetition"),
    key("target.env.NAME", Form::Text, "none", REFUSE, "a variable to set"),
    key("target.pass_env", Form::Texts, "none", REFUSE, "variables of your environment to pass; `*` stands for anything"),
    key("objective.minimise", Form::Text, "or `maximise`", REFUSE, "`cpu_time`, `wall_time`, `memory` or the name of an output, of `[outputs]` or of the protocol"),
    key("objective.maximise", Form::Text, "or `minimise`", REFUSE, "the name of an output of which more is better"),
    key("objective.then", Form::Text, "none", REFUSE, "the name of an output that decides between timeouts: less is better"),
    key("objective.cutoff", Form::Cost, "required if capped", Judgement::Growing, "the largest cost of interest: no trial goes on beyond it"),
    key("objective.par", Form::Number, "10", REUSE, "a trial without a cost counts as this many cutoffs"),
    key("objective.capped_by", Form::Text, "\"time\" for times, else \"none\"", REFUSE, "who stops a trial at its cap: `time` (captune), `argument` (the target, told by `{cap}`), `none`"),
    key("objective.grain", Form::Cost, "1ms for times, 1 for outputs, or by the protocol", CONTINUE, "the smallest cost that the measurement resolves"),
    key("outputs.NAME.pattern", Form::Text, "or `file` and `key`", Judgement::Outputs, "a regular expression with one group, the number, for lines of standard output"),
    key("outputs.NAME.take", Form::Text, "\"last\"", Judgement::Outputs, "which match of `pattern` counts: `first` or `last`"),
    key("outputs.NAME.file", Form::Text, "or `pattern`", Judgement::Outputs, "a JSON or TOML file that the target writes, from the folder it runs in"),
    key("outputs.NAME.key", Form::Text, "with `file`", Judgement::Outputs, "the number in it: names with dots between them, numbers from 0 for lists; without `file`, in the `outputs` of a JSON answer"),
    key("constraints.NAME", Form::Bound, "none", Judgement::Constraints, "a bound on an output, on `cpu_time`, `wall_time` or `memory`, or on `solved`, the share of trials that finish"),
    key("constraints.NAME.bound", Form::Text, "required in a table", Judgement::Constraints, "`<=` or `>=` and a number, for times and memory with a unit"),
    key("constraints.NAME.over", Form::Text, "\"mean\"", Judgement::Constraints, "what is bounded of all pairs: their `mean`, or by `max` the worst of them"),
    key("constraints.NAME.confidence", Form::Number, "0.975", Judgement::Constraints, "how sure a race must be that a mean is beyond its bound before it drops a challenger for that, above 0.5 and below 1"),
    key("constraints.NAME.surrogate", Form::Text, "as the cost", Judgement::Constraints, "what models the output: `forest` or `gaussian`; without it what models the cost, and a forest beside networks"),
    key("instances.files", Form::Texts, "none", Judgement::Instances, "paths, folders and glob patterns of the inputs, from the scenario's folder"),
    key("instances.list", Form::Texts, "none", Judgement::Instances, "words in place of files"),
    key("instances.from", Form::Text, "none", Judgement::Instances, "a text file that names one input in each line: paths, or words"),
    key("instances.test", Form::Texts, "none", CONTINUE, "inputs kept for the final validation, as `files` or as `list`; or a share such as `\"25%\"` of the others; or `\"folds: 4\"`, each fold once"),
    key("instances.family", Form::Text, "none", CONTINUE, "which inputs are alike: `{parent}` (their folder), `{column:NAME}` of the features, or a regular expression with one group; each gives its share to `test`"),
    key("instances.features", Form::Text, "none", CONTINUE, "a CSV file with a header: the name of the input, then numbers that describe it"),
    key("instances.stage", Form::Truth, "false", REFUSE, "copy the inputs to a local disk once, and unpack those that end in `.gz`, `.xz`, `.bz2` or `.zst`"),
    key("instances.stage_folder", Form::Text, "`stage` in the campaign's folder", CONTINUE, "where to"),
    key("validation.cutoff", Form::Cost, "that of the objective", CONTINUE, "where a trial of the validation is stopped; not below that of the objective"),
    key("validation.seeds", Form::Integer, "as many as make 20 pairs", CONTINUE, "measurements of each instance, each with a seed of its own"),
    key("validation.budget", Form::Duration, "as much as `budget.wall`, if that is given", CONTINUE, "time on the clock for the validation, besides `[budget]`"),
    key("validation.when", Form::Text, "\"end\"", CONTINUE, "`end`: when the campaign has ended; `never`: only when `captune validate` asks for it"),
    key("budget.wall", Form::Duration, "none", CONTINUE, "time on the clock"),
    key("budget.cpu", Form::Duration, "none", CONTINUE, "CPU time of all trials together"),
    key("budget.trials", Form::Integer, "none", CONTINUE, "how many trials"),
    key("limits.memory", Form::Size, "none", REFUSE, "memory of a trial's whole process tree"),
    key("limits.wall", Form::Duration, "twice the cutoff and 5s, for `cpu_time`", REFUSE, "time on the clock of one trial"),
    key("limits.output", Form::Size, "none", CONTINUE, "bytes on standard output and standard error"),
    key("limits.processes", Form::Integer, "none", CONTINUE, "processes alive at one time"),
    key("limits.file_size", Form::Size, "none", CONTINUE, "bytes in any one file"),
    key("limits.grace", Form::Duration, "0s", CONTINUE, "time between asking a target to end and killing it"),
    key("racing.slack", Form::Number, "1.3", CONTINUE, "a challenger is stopped when its sum passes this factor times the incumbent's"),
    key("racing.max_pairs", Form::Integer, "2000; deterministic: 3 of each instance, 20 at least", CONTINUE, "pairs that the incumbent gets at most"),
    key("racing.deterministic", Form::Truth, "false", REFUSE, "the target does the same whatever its seed: one trial per instance where it tells its cost; times are measured again"),
    key("racing.repeats", Form::Integers, "1 to `max_pairs`", CONTINUE, "measurements per configuration: least and most, or one number for both"),
    key("parallel.workers", Form::Integer, "one per core", CONTINUE, "trials at one time"),
    key("parallel.cores_per_trial", Form::Integer, "1", REFUSE, "cores of each trial"),
    key("parallel.gpus_per_trial", Form::Integer, "0", REFUSE, "GPUs of each trial, told by CUDA_VISIBLE_DEVICES"),
    key("parallel.gpus", Form::Integers, "those of CUDA_VISIBLE_DEVICES", CONTINUE, "numbers of the GPUs to share out"),
    key("parallel.repeatable", Form::Truth, "false", CONTINUE, "results are taken in the order of asking, so that a rerun decides the same"),
    key("surrogate.kind", Form::Text, "depends on the target", CONTINUE, "what proposes configurations: `forest` (where a model of all trials expects most), `neural` (where a network expects least, a new one each time), `gaussian` (where a Gaussian process expects most; for few parameters and up to a thousand or two trials), `auto` (the one of these that foretells trials best), `local` (around the incumbent) or `random`"),
    key("surrogate.treatment", Form::Text, "\"sample\"", CONTINUE, "what the model makes of trials that were stopped: `sample` (of a forest), `tobit` (of networks) or `likelihood` (of a Gaussian process), `mean` (not of that), `drop` or `ignore`"),
    key("surrogate.acquisition", Form::Text, "\"improvement\"", CONTINUE, "what makes a configuration worth a race to a forest or a Gaussian process: `improvement` (what is expected to be gained) or `improvement-per-budget` (the same, for each unit of the budget that a trial is expected to use)"),
    key("surrogate.dependence", Form::Text, "\"independent\"", CONTINUE, "with a Gaussian process: whether the probability of keeping all constraints is the product of those of keeping each (`independent`) or counts how their outputs go together (`residuals`, what models of them left unexplained so far)"),
    key("surrogate.trees", Form::Integer, "10", CONTINUE, "trees of the forest"),
    key("surrogate.overhead", Form::Number, "0.1", CONTINUE, "largest share of the time on the clock for the optimizer, above 0 and at most 1"),
    key("space.from", Form::Text, "none", Judgement::Space, "a file with the space, in any format that `captune space` reads"),
    key("space.NAME", Form::Parameter, "none", Judgement::Space, "in place of `from`: a parameter, in [the TOML form of a space](space-toml.md)"),
];

/// What a path leads to.
pub(super) enum Place {
    /// A key.
    Key(&'static Key),
    /// A table that holds keys.
    Table,
    /// Nothing.
    Unknown,
}

/// Looks up a path, given by its parts.
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
            // A key of this very name goes before one for any name.
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

/// Whether a scenario may have a key or a table of this name, its parts separated by dots.
pub fn is_known(path: &str) -> bool {
    let parts: Vec<&str> = path.split('.').collect();
    !matches!(place(&parts), Place::Unknown)
}

/// The names that a table may hold, without those that stand for any name.
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

/// The rows of the reference for the keys of one table (`""` for those outside any).
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
