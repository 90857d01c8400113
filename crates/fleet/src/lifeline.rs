//! The line between a worker and the process that started it: the worker's standard input.
//!
//! The process sends [`ALIVE`] every [`BEAT`], and [`DRAIN`] to let the worker end its trials. When the input is
//! closed, or nothing arrives for a time that the worker chooses, the process or the connection to it is gone, and
//! the worker gives its trials back. So no worker stays behind on a machine that its starter cannot reach.

use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};

/// Line that says that the sender exists.
pub const ALIVE: &str = "alive\n";
/// Line that asks the worker to take no more trials.
pub const DRAIN: &str = "drain\n";
/// Time between two lines.
pub const BEAT: Duration = Duration::from_secs(1);
/// Silence after which a worker that ssh started ends. The connection must be given up later than that, or a second
/// worker would start while the first one runs.
pub const SILENCE: Duration = Duration::from_secs(10);
/// Number of bytes of a line that are kept.
const LONGEST_LINE: usize = 64;

/// What a worker hears on its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heard {
    /// Take no more trials.
    Drain,
    /// Nobody is there any more.
    Gone,
}

/// Reads the line until it ends or is silent for too long. The last call of `act` is always with [`Heard::Gone`].
pub fn follow(input: impl AsFd, silence: Option<Duration>, mut act: impl FnMut(Heard)) {
    let (mut line, mut chunk) = (Vec::new(), [0; 256]);
    while let Some(count) = next(&input, silence, &mut chunk) {
        for &byte in &chunk[..count] {
            if line.len() < LONGEST_LINE {
                line.push(byte);
            }
            if byte == b'\n' {
                if line == DRAIN.as_bytes() {
                    act(Heard::Drain);
                }
                line.clear();
            }
        }
    }
    act(Heard::Gone);
}

/// Waits for bytes. Returns `None` at the end, after an error, and after too long a silence.
fn next(input: &impl AsFd, silence: Option<Duration>, chunk: &mut [u8]) -> Option<usize> {
    loop {
        let mut waiting = [PollFd::new(input, PollFlags::IN)];
        let time = silence.map(|silence| Timespec {
            tv_sec: silence.as_secs().cast_signed(),
            tv_nsec: i64::from(silence.subsec_nanos()),
        });
        match poll(&mut waiting, time.as_ref()) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return None,
        }
        match read(input, &mut *chunk) {
            Ok(0) => return None,
            Ok(count) => return Some(count),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::net::UnixStream;
    use std::sync::mpsc::channel;
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_worker_hears_requests_and_the_end() {
        let (mut one, other) = UnixStream::pair().unwrap();
        let (news, heard) = channel();
        std::thread::spawn(move || follow(other, None, |what| news.send(what).unwrap()));
        let long = "x".repeat(500);
        one.write_all(format!("{ALIVE}dr").as_bytes()).unwrap();
        one.write_all(format!("ain\n{ALIVE}{long}\n{long}{DRAIN}undrain\n").as_bytes()).unwrap();
        assert_eq!(heard.recv().unwrap(), Heard::Drain);
        drop(one);
        assert_eq!(heard.iter().collect::<Vec<_>>(), [Heard::Gone]);
    }

    #[test]
    fn silence_means_the_same_as_the_end() {
        let (mut one, other) = UnixStream::pair().unwrap();
        let (news, heard) = channel();
        let (silence, began) = (Duration::from_millis(200), Instant::now());
        std::thread::spawn(move || follow(other, Some(silence), |what| news.send(what).unwrap()));
        // Any sign of life counts, in whatever pieces it comes.
        while began.elapsed() < 2 * silence {
            one.write_all(b"a").unwrap();
            std::thread::sleep(silence / 20);
        }
        assert!(heard.try_recv().is_err(), "it gave up too early");
        assert_eq!(heard.recv().unwrap(), Heard::Gone);
        assert!(began.elapsed() > 5 * silence / 2);
    }
}
