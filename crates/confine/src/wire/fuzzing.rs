//! Entry point for fuzzing the frame format; compiled only for the fuzzer.

use std::io::Write;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Reply, Request, RunSpec, receive, send};

/// Receives bytes as frames of one kind. Each valid frame is sent again and must come back unchanged.
pub fn check_frames(kind: u8, bytes: &[u8]) {
    match kind % 3 {
        0 => frames::<RunSpec>(bytes),
        1 => frames::<Request>(bytes),
        _ => frames::<Reply>(bytes),
    }
}

#[allow(clippy::expect_used, reason = "only the fuzzer calls it")]
fn frames<T: Serialize + DeserializeOwned>(bytes: &[u8]) {
    let (mut theirs, ours) = UnixStream::pair().expect("a pair of sockets");
    theirs.write_all(bytes).expect("room for a few kilobytes");
    theirs.shutdown(Shutdown::Write).expect("an open socket");
    while let Ok(Some((frame, files))) = receive::<T>(&ours) {
        assert!(files.is_empty(), "files that nobody sent");
        let (one, other) = UnixStream::pair().expect("a pair of sockets");
        send(&one, &frame, &[]).expect("what was received can be sent");
        let again = receive::<T>(&other).expect("what was sent can be received").expect("a whole frame").0;
        let written = |frame: &T| postcard::to_allocvec(frame).expect("what was received can be written");
        assert!(written(&again) == written(&frame), "changed when sent again");
    }
}
