//! Guesses which environment variables a crashed target may have needed.
//!
//! captune passes only a few of its own environment variables to a target, so that trials behave the same
//! everywhere. A program that needs other variables fails at once. This module guesses which ones are
//! missing. It reports only names, never values.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use scenario::TargetSettings;

/// Names and `*` patterns of variables that programs are known to need.
const NEEDED: [&str; 24] = [
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "CLASSPATH",
    "PERL5LIB",
    "R_LIBS*",
    "NODE_PATH",
    "JULIA_*",
    "GRB_*",
    "CPLEX_*",
    "XPRESS*",
    "MOSEK*",
    "CUDA_*",
    "LM_LICENSE_FILE",
    "*_LICENSE*",
    "*_HOME",
    "*_ROOT",
    "SSL_CERT_*",
    "LC_ALL",
    "TZDIR",
    "MODULEPATH",
];

/// Parts of messages with which programs report that something is missing.
const CLUES: [&str; 8] =
    ["not found", "no such file", "no module", "licen", "environment", "shared object", "not set", "import"];

/// Returns variables that captune did not pass to the target and whose absence may explain its failure: first
/// those that the target's output names, then those that programs are known to need. The latter are left out if
/// the target complained about something else, such as an unknown option.
pub fn suspects(output_tail: &[u8], target: &TargetSettings) -> Vec<String> {
    let set = target.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
    among(std::env::vars_os(), output_tail, &target.pass_env, &set)
}

fn among(
    ours: impl IntoIterator<Item = (OsString, OsString)>,
    output_tail: &[u8],
    pass: &[String],
    set: &BTreeMap<OsString, OsString>,
) -> Vec<String> {
    let ours: BTreeMap<OsString, OsString> = ours.into_iter().collect();
    let passed = confine::environment::compose(ours.clone(), pass, set);
    let missing = ours.keys().filter(|name| !passed.contains_key(name.as_os_str()));
    let missing: Vec<&str> = missing.filter_map(|name| OsStr::to_str(name)).collect();
    let text = String::from_utf8_lossy(output_tail);
    // A short name without an underscore is weak evidence: many messages contain a word such as `USER`.
    let is_distinctive = |name: &str| name.len() > 5 || (name.contains('_') && name.len() > 2);
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: Vec<&str> = text.split(|c| !is_word(c)).collect();
    let named = |name: &str| is_distinctive(name) && words.contains(&name);
    let lower = text.to_lowercase();
    let may_lack = lower.trim().is_empty() || CLUES.iter().any(|clue| lower.contains(clue));
    let known = |name: &str| may_lack && NEEDED.iter().any(|pattern| matches(pattern, name));
    let first = missing.iter().copied().filter(|&name| named(name));
    let then = missing.iter().copied().filter(|&name| known(name) && !named(name));
    first.chain(then).map(str::to_owned).collect()
}

/// Returns whether a name matches a pattern with `*` at its start, its end or both.
fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(rest), Some(_)) => name.contains(rest.trim_end_matches('*')),
        (Some(end), None) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(tail: &str, pass: &[&str], set: &[&str]) -> Vec<String> {
        let ours = ["PATH", "HOME", "USER", "SHLVL", "MYTOOL_CONFIG", "GRB_LICENSE_FILE", "JAVA_HOME"];
        let ours = ours.map(|name| (name.into(), "secret".into()));
        let pass: Vec<String> = pass.iter().map(|&name| name.to_owned()).collect();
        let set = set.iter().map(|&name| (name.into(), "x".into())).collect();
        among(ours, tail.as_bytes(), &pass, &set)
    }

    #[test]
    fn variables_known_to_be_needed_are_suspected_unless_passed() {
        assert_eq!(found("", &[], &[]), ["GRB_LICENSE_FILE", "JAVA_HOME"]);
        assert_eq!(found("", &["GRB_*"], &[]), ["JAVA_HOME"]);
        assert_eq!(found("", &["GRB_*"], &["JAVA_HOME"]), Vec::<String>::new());
    }

    #[test]
    fn variables_that_the_output_names_come_first() {
        let tail = "error: $MYTOOL_CONFIG is not set for this USER (MYTOOL_CONFIGS?)";
        assert_eq!(found(tail, &[], &[]), ["MYTOOL_CONFIG", "GRB_LICENSE_FILE", "JAVA_HOME"]);
        assert_eq!(found("no license for MYTOOL_CONFIGS", &[], &[]), ["GRB_LICENSE_FILE", "JAVA_HOME"]);
        assert_eq!(found("unknown option --fast", &[], &[]), Vec::<String>::new());
    }
}
