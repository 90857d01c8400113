//! Turns a panic into an error, for code whose result another thread waits for. Without this, that thread
//! would wait forever.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a function. If it panics, returns the first line of the panic message.
///
/// If the function panics, do not use state that it may have left inconsistent.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| text(&*payload))
}

fn text(payload: &(dyn Any + Send)) -> String {
    let whole = payload.downcast_ref::<&str>().copied();
    let whole = whole.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    whole.and_then(|text| text.lines().next()).unwrap_or("without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_one_line_error() {
        assert_eq!(caught(|| 3), Ok(3));
        assert_eq!(caught(|| panic!("no")), Err::<(), _>("no".to_owned()));
        let number = 7;
        assert_eq!(caught(|| panic!("no {number}\nmore")), Err::<(), _>("no 7".to_owned()));
        let odd: Result<(), String> = caught(|| std::panic::panic_any(7));
        assert_eq!(odd, Err("without a message".to_owned()));
    }
}
