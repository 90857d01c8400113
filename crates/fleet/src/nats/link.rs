//! One connection to a server, from the first line to the confirmed subscriptions.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::address::{Address, Login, Trust};
use super::wire::{Frame, WireError, next_frame};

/// The oldest supported server, as major and minor version.
pub const OLDEST_SERVER: (u32, u32) = (2, 12);
/// Longest wait for a connection and for each answer while it is being set up.
const PATIENCE: Duration = Duration::from_secs(5);

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
    #[error("cannot log in to {place} with a key: {message}")]
    Key { place: String, message: String },
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
        let info = first_line(&mut stream, place)?;
        if !is_supported(&info.version) {
            return Err(ConnectError::Old { place: place.clone(), version: info.version });
        }
        let tls = |message: &str| ConnectError::Tls { place: place.clone(), message: message.to_owned() };
        let mut link = match &address.trust {
            Some(trust) if info.tls_required || info.tls_available => {
                Self::encrypted(stream, trust, address.host(), place)?
            }
            Some(_) => return Err(tls("the server does not offer it")),
            None if info.tls_required => return Err(tls("the server requires it; use a URL with tls://")),
            None => Self::Plain(stream),
        };
        let mut hello = json!({
            "verbose": false, "pedantic": false, "lang": "rust", "version": env!("CARGO_PKG_VERSION"),
            "name": name, "protocol": 1, "echo": false, "tls_required": address.trust.is_some(),
        });
        for (key, value) in admission(address.login.as_ref(), &info.nonce, place)? {
            hello[key] = value;
        }
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
    fn encrypted(
        mut stream: TcpStream,
        trust: &Trust,
        host: &str,
        place: &str,
    ) -> Result<Self, ConnectError> {
        let failed = |message: String| ConnectError::Tls { place: place.to_owned(), message };
        let mut connection = super::tls::client(trust, host).map_err(failed)?;
        while connection.is_handshaking() {
            connection.complete_io(&mut stream).map_err(|error| failed(error.to_string()))?;
        }
        Ok(Self::Encrypted(Box::new(rustls::StreamOwned::new(connection, stream))))
    }

    #[cfg(not(feature = "tls"))]
    fn encrypted(_: TcpStream, _: &Trust, _: &str, place: &str) -> Result<Self, ConnectError> {
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

/// What a server says about itself.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Info {
    version: String,
    tls_required: bool,
    tls_available: bool,
    /// Text to be signed by a client with a key.
    nonce: String,
}

/// Returns the fields with which a client asks to be admitted.
fn admission(
    login: Option<&Login>,
    nonce: &str,
    place: &str,
) -> Result<Vec<(&'static str, Value)>, ConnectError> {
    Ok(match login {
        None => Vec::new(),
        Some(Login::Password(user, password)) => {
            vec![("user", user.as_str().into()), ("pass", password.as_str().into())]
        }
        Some(Login::Token(token)) => vec![("auth_token", token.as_str().into())],
        Some(Login::Nkey(seed)) => {
            let (public, signature) = sign(seed, nonce).map_err(|message| {
                let (place, message) = (place.to_owned(), message.to_owned());
                ConnectError::Key { place, message }
            })?;
            vec![("nkey", public.into()), ("sig", signature.into())]
        }
    })
}

#[cfg(feature = "tls")]
use super::nkey::sign;

#[cfg(not(feature = "tls"))]
fn sign(_: &str, _: &str) -> Result<(String, String), &'static str> {
    Err("this captune was built without the feature `tls`")
}

/// Reads the line with which a server begins.
fn first_line(stream: &mut TcpStream, place: &str) -> Result<Info, ConnectError> {
    let mut buffer = Vec::new();
    loop {
        let wire = |source| ConnectError::Wire { place: place.to_owned(), source };
        if let Some((frame, _)) = next_frame(&buffer).map_err(wire)? {
            let Frame::Info(text) = frame else {
                return Err(wire(WireError::Unknown(format!("{frame:?}"))));
            };
            return serde_json::from_str(text).map_err(|error| wire(WireError::Unknown(error.to_string())));
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
