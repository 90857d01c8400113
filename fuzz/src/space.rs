//! Any bytes, read in the format that the environment variable `FORMAT` names.
//!
//! What is accepted must have a valid default, give valid samples or say why not, and come back equal
//! from captune's own format; and from the same format with equal parameters, if its writer accepts it
//! too. (Clauses may come back in other words, but only once.)

#![no_main]

use std::sync::LazyLock;

use engine::Rng;
use engine::space::format::{Format, read, read_bytes, write};

static FORMAT: LazyLock<Format> = LazyLock::new(|| {
    let name = std::env::var("FORMAT").expect("set FORMAT to the name of a format");
    Format::ALL.into_iter().find(|format| format.name() == name).expect("FORMAT names a format")
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let space = match read_bytes(bytes, "fuzzed", *FORMAT) {
        Ok(space) => space,
        Err(mistakes) => {
            // To show them must not fail either.
            assert!(!mistakes.to_string().is_empty());
            return;
        }
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
    let Ok(text) = write(&space, *FORMAT) else { return };
    let again = read(&text, "written", *FORMAT).unwrap_or_else(|mistakes| panic!("{text}\n{mistakes}"));
    assert_eq!(again.parameters(), space.parameters(), "{text}");
    let words = write(&again, *FORMAT).unwrap_or_else(|refused| panic!("{text}\n{refused}"));
    let third = read(&words, "written", *FORMAT).unwrap_or_else(|mistakes| panic!("{words}\n{mistakes}"));
    assert!(third == again, "other words again:\n{text}\n{words}");
});
