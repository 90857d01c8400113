//! One connection to a server, from the first line to the confirmed subscriptions.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::wire::{Frame, WireError, next_frame};

/// The oldest supported server, as major and minor version.
pub const OLDEST_SERVER: (u32, u32) = (2, 12);
/// Longest wait for a connection and for each answer while it is being set up.
const PATIENCE: Duration = Duration::from_secs(5);

/// The address of a server, and how to be admitted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Address {
    /// Host and port, such as `10.0.0.7:4222`.
    pub place: String,
    /// User name and password.
    pub user: Option<(String, String)>,
    /// The certificate that the server must present, as PEM. Without one, the connection is not encrypted.
    pub certificate: Option<String>,
}

/// Reason why a connection cannot be made.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages explain the variants")]
pub enum ConnectError {
    #[error("cannot connect to {place}: {source}")]
    Io { place: String, source: io::Error },
    #[error("{place} is not a NATS server: {source}")]
    Wire { place: String, source: WireError },
    #[error("the NATS server at {place} refused the connection: {message}")]
    Refused { place: String, message: String },
    #[error(
        "the NATS server at {place} has version {version}; captune needs at least {}.{}",
        OLDEST_SERVER.0, OLDEST_SERVER.1
    )]
    Old { place: String, version: String },
    #[error("the connection to {place} cannot be encrypted: {message}")]
    Tls { place: String, message: String },
}

/// A connection, plain or encrypted.
pub(super) enum Link {
    Plain(TcpStream),
    #[cfg(feature = "tls")]
    Encrypted(Box<rustls::StreamOwned<rustls::ClientConnection, TcpStream>>),
}

impl Link {
    /// Connects, and subscribes to these subjects.
    pub(super) fn open(address: &Address, name: &str, subjects: &[String]) -> Result<Self, ConnectError> {
        let place = &address.place;
        let failed = |source| ConnectError::Io { place: place.clone(), source };
        let mut stream = connect(place).map_err(failed)?;
        let (info, needs_tls) = first_line(&mut stream, place)?;
        if !is_supported(&info) {
            return Err(ConnectError::Old { place: place.clone(), version: info });
        }
        let mut link = match &address.certificate {
            Some(certificate) => Self::encrypted(stream, certificate, place)?,
            None if needs_tls => {
                let message = "the server requires it, but no certificate is known".to_owned();
                return Err(ConnectError::Tls { place: place.clone(), message });
            }
            None => Self::Plain(stream),
        };
        let user = address.user.as_ref();
        let hello = json!({
            "verbose": false, "pedantic": false, "lang": "rust", "version": env!("CARGO_PKG_VERSION"),
            "name": name, "protocol": 1, "echo": false,
            "user": user.map(|(name, _)| name), "pass": user.map(|(_, password)| password),
        });
        let mut text = format!("CONNECT {hello}\r\n");
        for (number, subject) in subjects.iter().enumerate() {
            text += &format!("SUB {subject} {}\r\n", number + 1);
        }
        link.write_all(format!("{text}PING\r\n").as_bytes()).map_err(failed)?;
        link.await_pong(place)?;
        link.stream().set_nonblocking(true).map_err(failed)?;
        Ok(link)
    }

    /// Reads until the server has confirmed everything so far.
    fn await_pong(&mut self, place: &str) -> Result<(), ConnectError> {
        let failed = |source| ConnectError::Io { place: place.to_owned(), source };
        let mut buffer = Vec::new();
        loop {
            let mut consumed = 0;
            while let Some((frame, length)) = next_frame(&buffer[consumed..])
                .map_err(|source| ConnectError::Wire { place: place.to_owned(), source })?
            {
                consumed += length;
                match frame {
                    // Messages to the new subscriptions cannot come before this answer.
                    Frame::Pong => return Ok(()),
                    Frame::Error(message) => {
                        let (place, message) = (place.to_owned(), message.to_owned());
                        return Err(ConnectError::Refused { place, message });
                    }
                    Frame::Ping => self.write_all(b"PONG\r\n").map_err(failed)?,
                    _ => {}
                }
            }
            buffer.drain(..consumed);
            let mut chunk = [0; 4096];
            match self.read(&mut chunk).map_err(failed)? {
                0 => return Err(failed(io::ErrorKind::UnexpectedEof.into())),
                read => buffer.extend_from_slice(&chunk[..read]),
            }
        }
    }

    #[cfg(feature = "tls")]
    fn encrypted(stream: TcpStream, certificate: &str, place: &str) -> Result<Self, ConnectError> {
        let failed = |message: String| ConnectError::Tls { place: place.to_owned(), message };
        let connection = crate::server::tls::client(certificate).map_err(failed)?;
        Ok(Self::Encrypted(Box::new(rustls::StreamOwned::new(connection, stream))))
    }

    #[cfg(not(feature = "tls"))]
    fn encrypted(_: TcpStream, _: &str, place: &str) -> Result<Self, ConnectError> {
        let message = "this captune was built without the feature `tls`".to_owned();
        Err(ConnectError::Tls { place: place.to_owned(), message })
    }

    /// Returns the socket, to wait for it.
    pub(super) fn stream(&self) -> &TcpStream {
        match self {
            Self::Plain(stream) => stream,
            #[cfg(feature = "tls")]
            Self::Encrypted(stream) => &stream.sock,
        }
    }

    /// Returns whether encrypted bytes wait to be sent.
    pub(super) fn has_unsent(&self) -> bool {
        match self {
            Self::Plain(_) => false,
            #[cfg(feature = "tls")]
            Self::Encrypted(stream) => stream.conn.wants_write(),
        }
    }

    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(buffer),
            #[cfg(feature = "tls")]
            Self::Encrypted(stream) => stream.read(buffer),
        }
    }

    /// Sends as many bytes as the connection takes. An empty slice sends what it has kept back.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.write(bytes),
            #[cfg(feature = "tls")]
            Self::Encrypted(stream) if bytes.is_empty() => stream.flush().map(|()| 0),
            #[cfg(feature = "tls")]
            Self::Encrypted(stream) => stream.write(bytes),
        }
    }

    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let written = self.write(bytes)?;
            bytes = &bytes[written..];
        }
        self.write(&[]).map(drop)
    }
}

fn connect(place: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in place.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(PATIENCE))?;
                stream.set_write_timeout(Some(PATIENCE))?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Reads the line with which a server begins. Returns its version, and whether it requires encryption.
fn first_line(stream: &mut TcpStream, place: &str) -> Result<(String, bool), ConnectError> {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Info {
        version: String,
        tls_required: bool,
    }
    let mut buffer = Vec::new();
    loop {
        let wire = |source| ConnectError::Wire { place: place.to_owned(), source };
        if let Some((frame, _)) = next_frame(&buffer).map_err(wire)? {
            let Frame::Info(text) = frame else {
                return Err(wire(WireError::Unknown(format!("{frame:?}"))));
            };
            let info: Info =
                serde_json::from_str(text).map_err(|error| wire(WireError::Unknown(error.to_string())))?;
            return Ok((info.version, info.tls_required));
        }
        // Byte by byte, so that nothing of an encrypted connection is read here.
        let mut byte = [0];
        let read = stream.read(&mut byte);
        match read.map_err(|source| ConnectError::Io { place: place.to_owned(), source })? {
            0 => {
                let source = io::ErrorKind::UnexpectedEof.into();
                return Err(ConnectError::Io { place: place.to_owned(), source });
            }
            _ => buffer.push(byte[0]),
        }
    }
}

fn is_supported(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(major), Some(minor)) => (major, minor) >= OLDEST_SERVER,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_servers_are_not_supported() {
        for version in ["2.12.0", "2.15.1", "3.0.0"] {
            assert!(is_supported(version), "{version}");
        }
        for version in ["2.9.10", "2.11.8", "1.99.0", "", "new"] {
            assert!(!is_supported(version), "{version}");
        }
    }
}
