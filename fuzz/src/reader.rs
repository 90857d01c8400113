//! What every target asks of a reader: it never panics, its mistakes can be shown, and a space that
//! it accepts can be sampled, and written in the same format to be read as an equal one.

use engine::Rng;
use engine::space::format::{Format, read_bytes, write};

/// Reads arbitrary bytes.
pub(crate) fn check(bytes: &[u8], format: Format) {
    let space = match read_bytes(bytes, "input", format) {
        Ok(space) => space,
        Err(mistakes) => {
            assert!(!mistakes.list().is_empty() && mistakes.to_string().starts_with("error: "));
            return;
        }
    };
    space.check(space.default_configuration().codes()).expect("the default is valid");
    if let Ok(sample) = space.sample(&mut Rng::new(1, "fuzz", 0)) {
        space.check(sample.codes()).expect("samples are valid");
        assert!(space.encode(&sample).iter().all(|unit| (-1.0..=1.0).contains(unit)));
    }
    // A reader may accept more than its writer can say, as steps of old ConfigSpace.
    let Ok(text) = write(&space, format) else { return };
    let again = read_bytes(text.as_bytes(), "written", format).unwrap_or_else(|e| panic!("{text}\n{e}"));
    assert_eq!(again.parameters(), space.parameters(), "{text}");
    let text_again = write(&again, format).expect("what was written can be written");
    let third = read_bytes(text_again.as_bytes(), "written", format).unwrap_or_else(|e| panic!("{text_again}\n{e}"));
    assert!(third == again, "{text}\n{text_again}");
}
