//! Reads an irace folder: `scenario.txt`, `parameters.txt`, `target-runner`, instances, and optionally
//! initial configurations and forbidden expressions.
//!
//! irace calls the target runner as `target-runner CONFIGURATION INSTANCE-ID SEED INSTANCE (BOUND) …`, and
//! the runner prints `cost (time)`. captune calls this the protocol `irace`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use engine::{Configuration, Space};
use space::format::{self, Format};
use space::{ConfigurationError, Literal, parse_number};

use super::assignments::{self, plain};
use super::paths::Paths;
use super::{ForeignError, Found, Origin, text_of};
use crate::draft::{Draft, value, words};

/// Keys that control irace's search. These keys do not apply to captune's search.
const OF_SEARCH: [&str; 24] = [
    "boundastimeout",
    "bounddigits",
    "boundtype",
    "budgetestimation",
    "cappingtype",
    "confidence",
    "eachtest",
    "elitist",
    "elitistlimit",
    "elitistnewinstances",
    "firsttest",
    "loadbalancing",
    "minmeasurabletime",
    "minnbsurvival",
    "mu",
    "nbconfigurations",
    "nbexperimentsperiteration",
    "nbiterations",
    "postselection",
    "sampleinstances",
    "softrestart",
    "softrestartthreshold",
    "testnbelites",
    "testtype",
];
/// Keys that control what irace prints and writes.
const OF_OUTPUT: [&str; 3] = ["debuglevel", "logfile", "quiet"];

pub(super) fn read(path: &Path, paths: &Paths) -> Result<Found, ForeignError> {
    let text = if path.is_dir() { String::new() } else { text_of(path)? };
    let lines = assignments::read(&text);
    let mut reader = Reader { draft: Draft::default(), paths, space: None, given: BTreeMap::new() };
    lines.lose_others(&mut reader.draft);
    reader.given =
        lines.assigned.into_iter().map(|line| (plain(&line.key), (line.key, line.value))).collect();
    reader.draft.about.push(format!("From the irace scenario `{}`.", paths.shown(path)));
    reader.target();
    reader.objective();
    reader.space()?;
    reader.initial()?;
    for (key, prefix) in [("instances.files", "train"), ("instances.test", "test")] {
        reader.instances(key, prefix)?;
    }
    reader.budget();
    reader.rest();
    Ok(Found { origin: Origin::Irace, draft: reader.draft, runs: None })
}

struct Reader<'a> {
    draft: Draft,
    paths: &'a Paths,
    /// The space, once it has been read.
    space: Option<Space>,
    /// Keys and values that have not been converted yet, by normalised key.
    given: BTreeMap<String, (String, String)>,
}

impl Reader<'_> {
    fn take(&mut self, name: &str) -> Option<String> {
        let (_, value) = self.given.remove(name)?;
        Some(value).filter(|value| !matches!(value.as_str(), "" | "NA" | "NULL"))
    }

    /// Takes a number above zero. In irace, zero means "not set".
    fn number(&mut self, name: &str) -> Option<f64> {
        let key = self.given.get(name).map(|(key, _)| key.clone())?;
        let text = self.take(name)?;
        let number = parse_number(&text);
        if number.is_none() {
            self.draft.lose(format!("`{key} = {text}`: not a number"));
        }
        number.filter(|number| *number > 0.0)
    }

    fn truth(&mut self, name: &str) -> bool {
        self.take(name).is_some_and(|text| matches!(text.as_str(), "1" | "TRUE" | "T" | "true"))
    }

    fn path(&self, path: &str) -> Option<PathBuf> {
        self.paths.find(path)
    }

    fn target(&mut self) {
        let runner = self.take("targetrunner").unwrap_or_else(|| "./target-runner".to_owned());
        let shown = match self.path(&runner) {
            Some(path) => self.paths.program(&path),
            None => {
                self.draft.to_do.push(format!("target.command: `{runner}` was not found; correct the path"));
                self.paths.program(&self.paths.from.join(&runner))
            }
        };
        let command = match self.take("targetrunnerlauncher") {
            Some(launcher) => vec![launcher, format!("{{folder}}/{shown}")],
            None => vec![shown],
        };
        self.draft.set("target.command", value::texts(command)).set("target.protocol", value::text("irace"));
        if self.truth("aclib") {
            self.draft.set("target.protocol", value::text("aclib2"));
        }
        self.workdir();
        if let Some(evaluator) = self.take("targetevaluator") {
            let what = "the runner must print the cost itself";
            self.draft.to_do.push(format!("targetEvaluator `{evaluator}` is not supported: {what}"));
        }
        if let Some(retries) = self.number("targetrunnerretries") {
            self.draft.set("target.retry", format!("{{ exit = [1], times = {retries}, wait = \"1s\" }}"));
        }
    }

    /// Sets the working directory. irace runs all targets in the same folder, and runners use paths relative
    /// to it. By default, that is the folder in which irace was started; here it is taken to be the
    /// scenario's folder.
    fn workdir(&mut self) {
        let given = self.take("execdir").unwrap_or_else(|| "./".to_owned());
        let shown = match self.path(&given) {
            Some(path) => self.paths.shown(&path),
            None => {
                self.draft
                    .to_do
                    .push(format!("target.workdir: the folder `{given}` was not found; create it"));
                self.paths.shown(&self.paths.from.join(&given))
            }
        };
        let shown = if shown == "." { "scenario".to_owned() } else { shown };
        self.draft.set("target.workdir", value::text(&shown));
    }

    fn objective(&mut self) {
        self.draft.set("objective.minimise", value::text("cost"));
        let (bound, par) = (self.number("boundmax"), self.number("boundpar"));
        let capping = self.truth("capping");
        if capping && bound.is_none() {
            self.draft.lose("`capping`: needs `boundMax`, which is not set");
        }
        if let Some(par) = par.filter(|_| bound.is_none() || !capping) {
            self.draft.lose(format!("`boundPar = {par}`: trials are not capped"));
        }
        if let Some(bound) = bound.filter(|_| capping) {
            self.draft.set("objective.cutoff", value::number(bound));
            self.draft.set("objective.capped_by", value::text("argument"));
            self.draft.set("objective.par", value::number(par.unwrap_or(1.0)));
        } else if let Some(bound) = bound {
            self.draft.set("limits.wall", value::duration(bound));
            self.draft.note("limits.wall", "was boundMax");
        }
    }

    fn space(&mut self) -> Result<(), ForeignError> {
        let file = self.take("parameterfile").unwrap_or_else(|| "parameters.txt".to_owned());
        let forbidden = self.take("forbiddenfile");
        let digits = self.number("digits");
        let Some(path) = self.path(&file) else {
            self.draft.space_from(&self.paths.shown(&self.paths.from.join(&file)));
            self.draft.to_do.push(format!("space.from: `{file}` was not found; correct the path"));
            return Ok(());
        };
        let forbidden = match forbidden.as_deref().map(|file| (file, self.path(file))) {
            Some((file, None)) => {
                self.draft.lose(format!("`forbiddenFile = \"{file}\"`: file not found"));
                None
            }
            Some((_, Some(path))) => Some(text_of(&path)?),
            None => None,
        };
        let mut text = text_of(&path)?;
        let unchanged = forbidden.is_none() && digits.is_none();
        // Newer versions of irace's format have a separate section for each of these.
        if let Some(forbidden) = forbidden {
            text += &format!("\n[forbidden]\n{forbidden}\n");
        }
        if let Some(digits) = digits {
            text += &format!("\n[global]\ndigits = {digits}\n");
        }
        let space = format::read(&text, &file, Format::Irace).map_err(ForeignError::Space)?;
        if unchanged {
            let shown = self.paths.shown(&path);
            self.draft.space_from(&shown);
        } else {
            self.draft.space(&space, "space.toml").map_err(ForeignError::Express)?;
        }
        self.space = Some(space);
        Ok(())
    }

    /// Converts a table of initial configurations, which has a column per parameter, to one file per row.
    fn initial(&mut self) -> Result<(), ForeignError> {
        let Some(file) = self.take("configurationsfile") else { return Ok(()) };
        let Some(path) = self.path(&file) else {
            self.draft.lose(format!("`configurationsFile = \"{file}\"`: file not found"));
            return Ok(());
        };
        let text = text_of(&path)?;
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        let mut lines = lines.filter(|line| !line.is_empty()).map(words);
        let head = lines.next().unwrap_or_default();
        let mut names = Vec::new();
        for (number, row) in lines.enumerate() {
            let cells = head.iter().zip(&row).filter(|(_, cell)| *cell != "NA");
            let cells: Vec<(&str, Literal)> =
                cells.map(|(name, cell)| (name.as_str(), Literal::from(cell.as_str()))).collect();
            let configuration = match self.configuration(cells) {
                Ok(configuration) => configuration,
                Err(why) => {
                    self.draft.lose(format!("initial configuration {}: {why}", number + 1));
                    continue;
                }
            };
            let lines = configuration.iter().map(|(name, value)| {
                let value = match value {
                    Literal::Text(text) => value::text(&text),
                    other => other.to_string(),
                };
                format!("{} = {value}\n", value::key(name))
            });
            let name = format!("initial-{}.toml", number + 1);
            let text = lines.collect();
            self.draft.files.push((name.clone(), text));
            names.push(name);
        }
        if !names.is_empty() {
            self.draft.set("initial", value::texts(names));
        }
        Ok(())
    }

    /// Returns the configuration with these values. Values of inactive parameters are ignored.
    fn configuration(&self, mut values: Vec<(&str, Literal)>) -> Result<Configuration, String> {
        let space = self.space.as_ref().ok_or("the parameters were not found")?;
        loop {
            match space.configuration(values.clone()) {
                Ok(configuration) => return Ok(configuration),
                Err(ConfigurationError::NotActive(name)) => values.retain(|(other, _)| *other != name),
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    fn instances(&mut self, key: &str, prefix: &str) -> Result<(), ForeignError> {
        let is_train = prefix == "train";
        let folder = self.take(&format!("{prefix}instancesdir"));
        let list = self.take(&format!("{prefix}instancesfile"));
        let folder = folder.or_else(|| (is_train && list.is_none()).then(|| "./Instances".to_owned()));
        if let Some(list) = list {
            let Some(path) = self.path(&list) else {
                self.draft.set(key, value::text(&list));
                self.draft.to_do.push(format!("{key}: `{list}` was not found; list the inputs"));
                return Ok(());
            };
            let names = self.names(&text_of(&path)?);
            let inside = |name: &String| match &folder {
                Some(folder) => Path::new(folder).join(name).to_string_lossy().into_owned(),
                None => name.clone(),
            };
            let found: Option<Vec<String>> = names
                .iter()
                .map(|name| self.path(&inside(name)).map(|path| self.paths.shown(&path)))
                .collect();
            let words_before = self.draft.get("instances.list").is_some();
            match found.filter(|_| !words_before) {
                Some(files) => {
                    self.draft.set(key, value::list(files));
                }
                None => {
                    let key = if is_train { "instances.list" } else { key };
                    self.draft.set(key, value::list(names));
                    self.draft.note(key, "No such files were found, so these are passed as words.");
                }
            }
        } else if let Some(folder) = folder {
            match self.path(&folder) {
                Some(path) => {
                    let shown = self.paths.shown(&path);
                    self.draft.set(key, value::text(&format!("{shown}/*")));
                }
                None => {
                    let shown = self.paths.shown(&self.paths.from.join(&folder));
                    self.draft.set(key, value::text(&format!("{shown}/*")));
                    self.draft.to_do.push(format!("{key}: the folder `{folder}` was not found"));
                }
            }
        }
        Ok(())
    }

    /// Returns the first word of each line. The rest of a line applies to one instance only, which a scenario
    /// cannot express.
    fn names(&mut self, text: &str) -> Vec<String> {
        let lines = text.lines().map(|line| words(line.split('#').next().unwrap_or_default()));
        let lines: Vec<Vec<String>> = lines.filter(|words| !words.is_empty()).collect();
        let more = lines.iter().filter(|words| words.len() > 1).count();
        if more > 0 {
            let count = lines.len();
            self.draft.lose(format!("text after the instance's name, in {more} of {count} lines"));
        }
        lines.into_iter().map(|mut words| words.swap_remove(0)).collect()
    }

    fn budget(&mut self) {
        let trials = self.number("maxexperiments").map(|trials| trials as u64);
        let time = self.number("maxtime");
        self.draft.set_some("budget.trials", trials.map(|trials| trials.to_string()));
        self.draft.set_some("budget.cpu", time.map(value::duration));
        self.draft.note("budget.cpu", "was maxTime");
        if trials.is_none() && time.is_none() {
            self.draft.set("budget.wall", value::text("1h"));
            self.draft.note("budget.wall", "The scenario had no limit; an hour is a guess.");
        }
        if self.truth("deterministic") {
            self.draft.set("racing.deterministic", "true");
        }
        let workers = self.number("parallel").filter(|workers| *workers >= 1.0);
        self.draft.set_some("parallel.workers", workers.map(value::number));
        if let Some(seed) = self.take("seed") {
            match seed.parse::<u32>() {
                Ok(seed) => self.draft.set("seed", seed.to_string()),
                Err(_) => self.draft.lose(format!("`seed = {seed}`: not a whole number below 2^32")),
            };
        }
    }

    fn rest(&mut self) {
        for (plain, (key, given)) in std::mem::take(&mut self.given) {
            if matches!(given.as_str(), "" | "NA" | "NULL") {
                continue;
            }
            let why = match plain.as_str() {
                plain if OF_SEARCH.contains(&plain) => "captune has its own racing method",
                plain if OF_OUTPUT.contains(&plain) => "captune writes its own record",
                _ => "captune has no such setting",
            };
            self.draft.lose(format!("`{key} = {given}`: {why}"));
        }
    }
}
