//! Reads `scenario.txt` from ParamILS, SMAC 1 and 2, and SMAC3 before version 2.
//!
//! The targets are wrappers that are called as `wrapper INSTANCE SPECIFICS CUTOFF LENGTH SEED -name value …`.
//! Wrappers answer with a line that contains status, runtime and quality. captune calls this the protocol
//! `aclib`.

use std::path::Path;

use super::assignments::{self, plain};
use super::paths::Paths;
use super::{ForeignError, Found, Origin, text_of};
use crate::draft::{Draft, value, words};

/// Normalised spellings of the key for the wrapper.
pub(super) const ALGO: &[&str] = &["algo", "algoexec", "ta", "algorithm"];
/// Normalised spellings of the key for the space.
pub(super) const SPACE: &[&str] = &["paramfile", "pcsfile", "pcs", "pcsfn", "paramfn"];

/// Keys that control the other configurator's search. These keys do not apply to captune's search.
const OF_SEARCH: [&str; 6] = [
    "alwaysracedefault",
    "initialincumbent",
    "inputpsmacdirs",
    "intensificationpercentage",
    "rfdoboot",
    "sharedmodel",
];
/// Keys that control what the other configurator prints and writes, and where.
const OF_OUTPUT: [&str; 5] = ["outdir", "outputdir", "outputdirectory", "runidx", "verboselevel"];

/// Smallest number that means "no limit".
const NO_LIMIT: f64 = 2_147_483_647.0;

pub(super) fn read(file: &Path, paths: &Paths) -> Result<Found, ForeignError> {
    let text = text_of(file)?;
    let mut reader = Reader { draft: Draft::default(), paths, given: Vec::new() };
    let lines = assignments::read(&text);
    lines.lose_others(&mut reader.draft);
    reader.given = lines.assigned.into_iter().map(|line| (plain(&line.key), line.key, line.value)).collect();
    reader.draft.about.push(format!("From the SMAC scenario `{}`.", paths.shown(file)));
    reader.target();
    reader.objective();
    reader.instances()?;
    reader.budget();
    reader.racing();
    reader.rest();
    let history = paths.from.join("runhistory.json");
    let runs = history.is_file().then_some(history);
    Ok(Found { origin: Origin::Smac, draft: reader.draft, runs })
}

struct Reader<'a> {
    draft: Draft,
    paths: &'a Paths,
    /// Settings that have not been converted yet: normalised key, key and value.
    given: Vec<(String, String, String)>,
}

impl Reader<'_> {
    /// Takes the last value of a key, under any of its spellings.
    fn take(&mut self, names: &[&str]) -> Option<String> {
        let mut value = None;
        self.given.retain(|(plain, _, given)| {
            let found = names.contains(&plain.as_str());
            if found {
                value = Some(given.clone());
            }
            !found
        });
        value.filter(|value| !value.is_empty())
    }

    /// Takes a number; `None` if it means "no limit".
    fn limit(&mut self, names: &[&str]) -> Option<f64> {
        let text = self.take(names)?;
        if matches!(text.to_lowercase().as_str(), "max" | "none") {
            return None;
        }
        match text.parse::<f64>() {
            Ok(number) => Some(number).filter(|number| *number > 0.0 && *number < NO_LIMIT),
            Err(_) => {
                self.draft.lose(format!("`{} = {text}`: not a number", names[0]));
                None
            }
        }
    }

    fn truth(&mut self, names: &[&str]) -> bool {
        self.take(names).is_some_and(|text| matches!(text.to_lowercase().as_str(), "1" | "true" | "yes"))
    }

    fn target(&mut self) {
        let execution = self.take(&["execdir", "algoexecdir"]).unwrap_or_else(|| ".".to_owned());
        let algo = self.take(ALGO).unwrap_or_default();
        let mut command = words(&algo);
        // Find the folder that the paths in the wrapper's command are relative to.
        let file = command.iter().find(|word| word.contains('/')).cloned();
        let joined = |word: &str| Path::new(&execution).join(word).to_string_lossy().into_owned();
        let base = file.as_ref().and_then(|word| {
            let base = self.paths.base_of(&joined(word))?;
            Some(base.join(&execution))
        });
        match (&base, command.first().cloned()) {
            (_, None) => {
                self.draft.to_do.push("target.command: the scenario did not name the wrapper".into());
                command = vec!["./wrapper".to_owned()];
            }
            (Some(base), Some(program)) if program.contains('/') => {
                command[0] = self.paths.program(&base.join(&program));
            }
            (None, Some(_)) if file.is_some() => {
                let missing = file.as_deref().unwrap_or_default();
                let item = format!("target.command: `{missing}` was not found; correct the path");
                self.draft.to_do.push(item);
            }
            _ => {}
        }
        let workdir = base.as_ref().map_or_else(|| "scenario".to_owned(), |base| self.paths.shown(base));
        let workdir = if workdir == "." { "scenario".to_owned() } else { workdir };
        self.draft.set("target.command", value::texts(&command)).set("target.protocol", value::text("aclib"));
        self.draft.set("target.workdir", value::text(&workdir));
        match self.take(SPACE) {
            Some(space) => match self.paths.find(&space) {
                Some(path) => {
                    let shown = self.paths.shown(&path);
                    self.draft.space_from(&shown);
                }
                None => {
                    self.draft.space_from(&space);
                    self.draft.to_do.push(format!("space.from: `{space}` was not found; correct the path"));
                }
            },
            None => {
                self.draft.space_from("parameters.pcs");
                self.draft.to_do.push("space.from: the scenario did not name the parameters".into());
            }
        }
    }

    fn objective(&mut self) {
        let cutoff = self.limit(&["cutofftime", "targetruncputimelimit", "cutoff", "algocutofftime"]);
        let overall = self.take(&["overallobj", "intraobj", "intrainstanceobj", "overallobjective"]);
        let run = self.take(&["runobj", "runobjective"]).unwrap_or_else(|| "runtime".to_owned());
        let is_time = run.to_lowercase() == "runtime";
        if let Some(length) = self.limit(&["cutofflength"]) {
            self.draft.lose(format!("`cutoff_length = {length}`: the protocol always passes 2147483647"));
        }
        if is_time {
            self.draft.set("objective.minimise", value::text("runtime"));
            self.draft.set("objective.capped_by", value::text("argument"));
            match cutoff {
                Some(cutoff) => {
                    self.draft.set("objective.cutoff", value::number(cutoff));
                }
                None => {
                    self.draft.set("objective.cutoff", "300");
                    self.draft
                        .to_do
                        .push("objective.cutoff: the scenario had no cutoff; 300 seconds is a guess".into());
                }
            }
        } else {
            if run.to_lowercase() != "quality" {
                self.draft.lose(format!("`run_obj = {run}`: treated as quality"));
            }
            self.draft.set("objective.minimise", value::text("quality"));
            if let Some(cutoff) = cutoff {
                self.draft.set("limits.wall", value::duration(cutoff));
                self.draft.note("limits.wall", "was cutoff_time");
            }
        }
        if let Some(overall) = overall {
            let digits = overall.trim_start_matches(|c: char| !c.is_ascii_digit());
            let word = overall[..overall.len() - digits.len()].to_lowercase();
            match (word.as_str(), digits.parse::<u32>()) {
                ("par" | "mean", Ok(par)) if is_time => {
                    self.draft.set("objective.par", par.to_string());
                }
                ("mean", Err(_)) if is_time => {
                    self.draft.set("objective.par", "1");
                }
                ("par" | "mean", _) => {}
                _ => {
                    self.draft.lose(format!("`overall_obj = {overall}`: captune compares means"));
                }
            }
        }
        if let Some(cost) = self.take(&["costforcrash"]) {
            self.draft.lose(format!(
                "`cost_for_crash = {cost}`: a crash counts as `par` x cutoff; without a cutoff, the configuration \
                 loses"
            ));
        }
    }

    fn instances(&mut self) -> Result<(), ForeignError> {
        let train =
            self.take(&["instancefile", "instances", "instanceseedfile", "traininstfn", "traininstancefile"]);
        let test = self.take(&["testinstancefile", "testinstances", "testinstanceseedfile", "testinstfn"]);
        let mut are_files = true;
        for (key, list) in [("instances.files", train), ("instances.test", test)] {
            let Some(list) = list else { continue };
            let Some(path) = self.paths.find(&list) else {
                self.draft.set(key, value::text(&list));
                self.draft.to_do.push(format!("{key}: `{list}` was not found; list the inputs"));
                continue;
            };
            let names = self.names(&text_of(&path)?);
            let found: Vec<Option<String>> =
                names.iter().map(|name| self.paths.find(name).map(|path| self.paths.shown(&path))).collect();
            let all: Option<Vec<String>> = found.into_iter().collect();
            // If a name is not a file, it may be a name that only the wrapper knows.
            let (key, names) = match (all, key) {
                (Some(files), key) if are_files => (key, files),
                (_, "instances.files") => {
                    are_files = false;
                    ("instances.list", names)
                }
                (_, key) => (key, names),
            };
            self.draft.set(key, value::list(names));
        }
        if !are_files {
            let note =
                "No such files were found, so these are passed as words. For files, write: files = […]";
            self.draft.note("instances.list", note);
        }
        if let Some(features) = self.take(&["featurefile", "features", "instancefeatures", "featurefn"]) {
            match self.paths.find(&features) {
                Some(path) => {
                    let shown = self.paths.shown(&path);
                    self.draft.set("instances.features", value::text(&shown));
                }
                None => {
                    self.draft.lose(format!("`feature_file = {features}`: file not found"));
                }
            }
        }
        Ok(())
    }

    /// Returns the first word of each line. The rest of a line applies to one instance only, which a scenario
    /// cannot express.
    fn names(&mut self, text: &str) -> Vec<String> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut specifics = 0;
        let names: Vec<String> = lines
            .map(|line| {
                let mut words = words(line);
                specifics += usize::from(words.len() > 1);
                if words.is_empty() { line.to_owned() } else { words.swap_remove(0) }
            })
            .collect();
        if specifics > 0 {
            let count = names.len();
            self.draft.lose(format!("text after the instance's name, in {specifics} of {count} lines"));
        }
        names
    }

    fn budget(&mut self) {
        let wall = self.limit(&["wallclocklimit", "runtimelimit", "wallclock", "walllimit"]);
        let cpu = self.limit(&["tunertimeout", "cputimelimit", "algorunstimelimit"]);
        let trials = self.limit(&["runcountlimit", "totalnumrunslimit", "numrunslimit", "numberofrunslimit"]);
        self.draft.set_some("budget.wall", wall.map(value::duration));
        self.draft.set_some("budget.cpu", cpu.map(value::duration));
        self.draft.set_some("budget.trials", trials.map(|trials| (trials as u64).to_string()));
        if wall.is_none() && cpu.is_none() && trials.is_none() {
            self.draft.set("budget.wall", value::text("1h"));
            self.draft.note("budget.wall", "The scenario had no limit; an hour is a guess.");
        }
        if let Some(memory) = self.limit(&["memorylimit", "memlimit"]) {
            self.draft.set("limits.memory", value::text(&format!("{}MiB", value::number(memory))));
        }
    }

    fn racing(&mut self) {
        if self.truth(&["deterministic", "algodeterministic"]) {
            self.draft.set("racing.deterministic", "true");
        }
        let least = self.limit(&["minr"]).filter(|least| *least > 1.0);
        let most = self.limit(&["maxr", "maxconfigcalls"]);
        match (least, most) {
            (Some(least), most) => {
                let most = most.unwrap_or(2000.0).max(least);
                self.draft.set("racing.repeats", format!("[{}, {}]", least as u64, most as u64));
            }
            (None, Some(most)) => {
                self.draft.set("racing.max_pairs", (most as u64).to_string());
            }
            (None, None) => {}
        }
        if let Some(seed) = self.take(&["seed", "numrun"]) {
            match seed.parse::<u32>() {
                Ok(seed) => self.draft.set("seed", seed.to_string()),
                Err(_) => self.draft.lose(format!("`seed = {seed}`: not a whole number below 2^32")),
            };
        }
    }

    /// Adds the remaining settings, which have no counterpart in captune, to the list of settings that could
    /// not be converted.
    fn rest(&mut self) {
        for (plain, key, given) in std::mem::take(&mut self.given) {
            let why = match plain.as_str() {
                plain if OF_SEARCH.contains(&plain) => "captune has its own search method",
                plain if OF_OUTPUT.contains(&plain) => "captune writes its own record",
                _ => "captune has no such setting",
            };
            self.draft.lose(format!("`{key} = {given}`: {why}"));
        }
    }
}
