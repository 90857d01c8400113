//! What a target sees of our environment: nothing, plus an allow-list, plus what the caller names.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Variables every target gets if we have them.
pub const ALWAYS_PASSED: [&str; 4] = ["PATH", "HOME", "LANG", "TMPDIR"];

/// Values every target gets unless the caller says otherwise: a target that quietly starts a
/// thread for every core would be charged for all of them.
pub const ALWAYS_SET: [(&str, &str); 1] = [("OMP_NUM_THREADS", "1")];

/// Builds the environment of a target from `ours`, the names or `*` patterns in `pass`, and the
/// values in `set`; later ones win.
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

/// Whether a variable of this name is passed by the names and `*` patterns in `pass`.
pub fn passes(pass: &[String], name: &str) -> bool {
    pass.iter().any(|pattern| matches(pattern.as_bytes(), name.as_bytes()))
}

/// Whether `name` fits `pattern`, in which `*` stands for any bytes.
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
    fn secrets_stay_with_us() {
        assert_eq!(names(&[], &[]), pairs(&[("OMP_NUM_THREADS", "1"), ("PATH", "/bin")]));
    }

    #[test]
    fn patterns_pass_families_and_set_values_win() {
        let expected =
            [("GRB_HOME", "/opt"), ("GRB_LICENSE", "file"), ("OMP_NUM_THREADS", "4"), ("PATH", "/bin")];
        assert_eq!(names(&["GRB_*"], &[("OMP_NUM_THREADS", "4")]), pairs(&expected));
    }

    #[test]
    fn a_star_stands_for_any_bytes() {
        assert!(matches(b"*", b"") && matches(b"A*Z", b"AZ") && matches(b"A*Z", b"AbcZ"));
        assert!(!matches(b"A*Z", b"AbcY") && !matches(b"A", b"AB"));
    }
}
