//! Frames between a caller, the guardian and a supervisor. The first byte chooses the kind of frames.
//!
//! Whatever the length of a frame, the receiver allocates no more memory than bytes have arrived. A message
//! that was decoded is equal after a round trip.

pub fn check(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else { return };
    confine::fuzzing::check_frames(*kind, rest);
}
