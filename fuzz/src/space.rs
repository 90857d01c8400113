//! Fuzzes the parser for each space format.
//!
//! Invariants: an accepted space has a valid default, and sampling it gives valid configurations or an error.
//! The space is unchanged after a round trip through captune's own format. If it can also be written in the
//! format it was read from, its parameters are unchanged after a round trip through that format. (Clauses may
//! be rewritten, but a second round trip does not change them.)

use engine::Rng;
use space::format::{Format, read, read_bytes, write};

use crate::fixtures::check_diagnostics;

pub fn check(bytes: &[u8], format: Format) {
    let space = match read_bytes(bytes, "fuzzed", format) {
        Ok(space) => space,
        Err(mistakes) => return check_diagnostics(&mistakes),
    };
    let default = space.default_configuration();
    assert!(space.check(default.codes()).is_ok(), "the default is not valid");
    let mut rng = Rng::new(1, "fuzz", 0);
    for _ in 0..5 {
        match space.sample(&mut rng) {
            Ok(sample) => assert!(space.check(sample.codes()).is_ok(), "a sample is not valid"),
            Err(_) => break,
        }
    }
    let text = write(&space, Format::Toml).expect("captune's own format can express every space");
    let again = read(&text, "written", Format::Toml).unwrap_or_else(|mistakes| panic!("{text}\n{mistakes}"));
    assert!(again == space, "not equal after a round trip:\n{text}");
    let Ok(text) = write(&space, format) else { return };
    let again = read(&text, "written", format).unwrap_or_else(|mistakes| panic!("{text}\n{mistakes}"));
    assert_eq!(again.parameters(), space.parameters(), "{text}");
    let words = write(&again, format).unwrap_or_else(|refused| panic!("{text}\n{refused}"));
    let third = read(&words, "written", format).unwrap_or_else(|mistakes| panic!("{words}\n{mistakes}"));
    assert!(third == again, "changed by a second round trip:\n{text}\n{words}");
}
