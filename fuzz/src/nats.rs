//! Fuzzes the parsers for what a NATS server sends: its frames, and the messages of coordinator and workers in them.
//!
//! Invariants: a frame takes at least one byte and at most all of them. A frame that is complete stays the same if more
//! bytes follow. A message that is read is unchanged after a round trip.

use fleet::message::{Order, Report};
use fleet::nats::{Frame, next_frame};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub fn check(bytes: &[u8]) {
    let mut rest = bytes;
    while let Ok(Some((frame, length))) = next_frame(rest) {
        assert!(length > 0 && length <= rest.len());
        assert_eq!(next_frame(&rest[..length]), Ok(Some((frame.clone(), length))));
        if let Frame::Message { payload, .. } = frame {
            round_trip::<Report>(payload);
            round_trip::<Order>(payload);
        }
        rest = &rest[length..];
    }
}

/// Compares texts, because NaN is not equal to itself.
fn round_trip<T: Serialize + DeserializeOwned>(payload: &[u8]) {
    if let Ok(message) = serde_json::from_slice::<T>(payload) {
        let text = serde_json::to_string(&message).unwrap();
        let again: T = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), text);
    }
}
