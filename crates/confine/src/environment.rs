//! The environment of a target: a few default values, those of the caller's variables that are on an
//! allow-list, and the variables that the caller sets. Nothing else is passed on.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Variables that every target gets if the caller has them.
pub const ALWAYS_PASSED: [&str; 4] = ["PATH", "HOME", "LANG", "TMPDIR"];

/// Variables that every target gets with these values, unless the caller sets or passes others. Without them,
/// a target might start one thread per core and would be charged for the CPU time of all threads.
pub const ALWAYS_SET: [(&str, &str); 1] = [("OMP_NUM_THREADS", "1")];

/// Builds the environment of a target: [`ALWAYS_SET`], then the variables in `ours` that are in
/// [`ALWAYS_PASSED`] or match a name or `*` pattern in `pass`, then the variables in `set`. Later values
/// replace earlier ones.
pub fn compose(
    ours: impl IntoIterator<Item = (OsString, OsString)>,
    pass: &[String],
    set: &BTreeMap<OsString, OsString>,
) -> BTreeMap<OsString, OsString> {
    let mut environment: BTreeMap<OsString, OsString> =
        ALWAYS_SET.iter().map(|&(name, value)| (name.into(), value.into())).collect();
    let passed = |name: &OsStr| {
        ALWAYS_PASSED.iter().any(|&always| name == always)
            || pass.iter().any(|pattern| matches(pattern.as_bytes(), name.as_bytes()))
    };
    environment.extend(ours.into_iter().filter(|(name, _)| passed(name)));
    environment.extend(set.iter().map(|(name, value)| (name.clone(), value.clone())));
    environment
}

/// Returns whether a variable name matches one of the names and `*` patterns in `pass`.
pub fn passes(pass: &[String], name: &str) -> bool {
    pass.iter().any(|pattern| matches(pattern.as_bytes(), name.as_bytes()))
}

/// Returns whether `name` matches `pattern`, where `*` matches any bytes.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => (0..=name.len()).any(|skipped| matches(rest, &name[skipped..])),
        Some((byte, rest)) => name.first() == Some(byte) && matches(rest, &name[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(pass: &[&str], set: &[(&str, &str)]) -> Vec<(String, String)> {
        let ours = [("PATH", "/bin"), ("SECRET_TOKEN", "x"), ("GRB_LICENSE", "file"), ("GRB_HOME", "/opt")];
        let ours = ours.map(|(k, v)| (k.into(), v.into()));
        let pass: Vec<String> = pass.iter().map(|&p| p.into()).collect();
        let set = set.iter().map(|&(k, v)| (k.into(), v.into())).collect();
        let text = |s: OsString| s.into_string().expect("utf-8");
        compose(ours, &pass, &set).into_iter().map(|(k, v)| (text(k), text(v))).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|&(k, v)| (k.into(), v.into())).collect()
    }

    #[test]
    fn other_variables_are_not_passed() {
        assert_eq!(names(&[], &[]), pairs(&[("OMP_NUM_THREADS", "1"), ("PATH", "/bin")]));
    }

    #[test]
    fn patterns_pass_several_variables_and_set_values_win() {
        let expected =
            [("GRB_HOME", "/opt"), ("GRB_LICENSE", "file"), ("OMP_NUM_THREADS", "4"), ("PATH", "/bin")];
        assert_eq!(names(&["GRB_*"], &[("OMP_NUM_THREADS", "4")]), pairs(&expected));
    }

    #[test]
    fn a_star_matches_any_bytes() {
        assert!(matches(b"*", b"") && matches(b"A*Z", b"AZ") && matches(b"A*Z", b"AbcZ"));
        assert!(!matches(b"A*Z", b"AbcY") && !matches(b"A", b"AB"));
    }
}
