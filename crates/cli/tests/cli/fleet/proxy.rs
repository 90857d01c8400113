//! A bad network: a proxy in front of a server that can hold back all traffic, or repeat every message.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::time::Duration;

/// The state of the network.
#[derive(Default)]
pub(super) struct Weather {
    /// Nothing gets through.
    pub(super) is_cut: AtomicBool,
    /// Every message of a worker arrives twice.
    pub(super) stutters: AtomicBool,
    /// Port of the server.
    pub(super) server: AtomicU16,
}

/// Starts a proxy, and returns its port.
pub(super) fn start(weather: &Arc<Weather>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let weather = Arc::clone(weather);
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            weather.await_sun();
            let Ok(server) = TcpStream::connect(("127.0.0.1", weather.server.load(Ordering::SeqCst))) else {
                continue;
            };
            let [from_client, to_client] = [client.try_clone().unwrap(), client];
            let [from_server, to_server] = [server.try_clone().unwrap(), server];
            let (there, back) = (Arc::clone(&weather), Arc::clone(&weather));
            std::thread::spawn(move || there.pass_reports(from_client, to_server));
            std::thread::spawn(move || back.pass_bytes(from_server, to_client));
        }
    });
    port
}

impl Weather {
    fn await_sun(&self) {
        while self.is_cut.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn pass_bytes(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut chunk = [0; 4096];
        while let Ok(read @ 1..) = from.read(&mut chunk) {
            self.await_sun();
            if to.write_all(&chunk[..read]).is_err() {
                break;
            }
        }
        close(&from, &to);
    }

    /// Passes on what a worker sends, line by line, since a message must be repeated as a whole.
    fn pass_reports(&self, from: TcpStream, mut to: TcpStream) {
        let mut reader = BufReader::new(from.try_clone().unwrap());
        let mut frame = Vec::new();
        while let Ok(1..) = reader.read_until(b'\n', &mut frame) {
            let line = String::from_utf8_lossy(&frame).into_owned();
            let is_message = line.starts_with("PUB ");
            if is_message {
                let length: usize = line.trim_end().rsplit(' ').next().unwrap().parse().unwrap();
                let start = frame.len();
                frame.resize(start + length + 2, 0);
                if reader.read_exact(&mut frame[start..]).is_err() {
                    break;
                }
            }
            self.await_sun();
            let times = if is_message && self.stutters.load(Ordering::SeqCst) { 2 } else { 1 };
            if (0..times).any(|_| to.write_all(&frame).is_err()) {
                break;
            }
            frame.clear();
        }
        close(&from, &to);
    }
}

fn close(from: &TcpStream, to: &TcpStream) {
    // They may be closed already.
    let _ = from.shutdown(std::net::Shutdown::Both);
    let _ = to.shutdown(std::net::Shutdown::Both);
}
