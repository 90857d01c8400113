//! Spaces in each format.
//!
//! What is accepted must have a valid default, give valid samples or say why not, and come back equal
//! from captune's own format; and from the same format with equal parameters, if its writer accepts it
//! too. (Clauses may come back in other words, but only once.)

use engine::Rng;
use space::format::{Format, read, read_bytes, write};

use crate::ground::shown;

pub fn put(bytes: &[u8], format: Format) {
    let space = match read_bytes(bytes, "fuzzed", format) {
        Ok(space) => space,
        Err(mistakes) => return shown(&mistakes),
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
    let text = write(&space, Format::Toml).expect("captune's own format says everything");
    let again = read(&text, "written", Format::Toml).unwrap_or_else(|mistakes| panic!("{text}\n{mistakes}"));
    assert!(again == space, "not equal after a round trip:\n{text}");
    let Ok(text) = write(&space, format) else { return };
    let again = read(&text, "written", format).unwrap_or_else(|mistakes| panic!("{text}\n{mistakes}"));
    assert_eq!(again.parameters(), space.parameters(), "{text}");
    let words = write(&again, format).unwrap_or_else(|refused| panic!("{text}\n{refused}"));
    let third = read(&words, "written", format).unwrap_or_else(|mistakes| panic!("{words}\n{mistakes}"));
    assert!(third == again, "other words again:\n{text}\n{words}");
}
