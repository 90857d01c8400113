//! Frames between a caller, the guardian and a supervisor. The first byte chooses what they are taken for.
//!
//! No length makes the receiver take more memory than bytes have come. What is understood is the same when it is sent
//! again.

pub fn put(bytes: &[u8]) {
    let Some((sort, rest)) = bytes.split_first() else { return };
    confine::fuzzing::put(*sort, rest);
}
