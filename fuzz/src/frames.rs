//! Fuzzes the parser for frames exchanged by a caller, the guardian and a supervisor. The first byte
//! determines the kind of frame.
//!
//! Invariants: whatever length a frame announces, the receiver allocates memory only for bytes that have
//! arrived. A decoded message is unchanged after a round trip.

pub fn check(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else { return };
    confine::fuzzing::check_frames(*kind, rest);
}
