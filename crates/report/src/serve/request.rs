//! Reads the head of an HTTP/1.1 request. Bodies are never read, because only GET is answered.

use std::io::{self, Read};

/// Largest size of a request's head.
const LARGEST: usize = 16 * 1024;

/// A GET request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Request {
    /// The path without the query.
    pub(crate) path: String,
    /// The query, without the question mark.
    pub(crate) query: String,
    /// Names in lower case, with values.
    headers: Vec<(String, String)>,
}

/// Reason why a request is not answered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RequestError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("the request is too long")]
    Long,
    #[error("the request is not valid HTTP")]
    Invalid,
    #[error("only GET is supported")]
    Method,
}

impl RequestError {
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::Io(_) | Self::Invalid => 400,
            Self::Long => 431,
            Self::Method => 405,
        }
    }
}

impl Request {
    /// Reads a request's head.
    pub(crate) fn read(stream: &mut impl Read) -> Result<Self, RequestError> {
        let (mut head, mut piece) = (Vec::new(), [0; 1024]);
        while !head.windows(4).any(|four| four == b"\r\n\r\n") {
            if head.len() > LARGEST {
                return Err(RequestError::Long);
            }
            match stream.read(&mut piece)? {
                0 => return Err(RequestError::Invalid),
                size => head.extend_from_slice(&piece[..size]),
            }
        }
        Self::parse(&head)
    }

    fn parse(head: &[u8]) -> Result<Self, RequestError> {
        let text = std::str::from_utf8(head).map_err(|_| RequestError::Invalid)?;
        let mut lines = text.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (method, target, version) = (words.next(), words.next(), words.next());
        let (Some(method), Some(target), Some(version)) = (method, target, version) else {
            return Err(RequestError::Invalid);
        };
        if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
            return Err(RequestError::Invalid);
        }
        if method != "GET" {
            return Err(RequestError::Method);
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut headers = Vec::new();
        for line in lines.take_while(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':').ok_or(RequestError::Invalid)?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Ok(Self { path: path.to_owned(), query: query.to_owned(), headers })
    }

    /// Returns all values of a header.
    pub(crate) fn header<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Returns the value of a key in the query.
    pub(crate) fn asked(&self, key: &str) -> Option<&str> {
        self.query.split('&').find_map(|part| part.strip_prefix(key)?.strip_prefix('='))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_parsed_and_rubbish_is_refused() {
        let text = b"GET /c/0?token=ab&x=1 HTTP/1.1\r\nHost: localhost:8\r\nCookie: a=b\r\n\r\n";
        let request = Request::read(&mut &text[..]).unwrap();
        assert_eq!((request.path.as_str(), request.asked("token")), ("/c/0", Some("ab")));
        assert_eq!(request.header("host").collect::<Vec<_>>(), ["localhost:8"]);
        let status = |text: &[u8]| Request::read(&mut &text[..]).unwrap_err().status();
        assert_eq!(status(b"POST / HTTP/1.1\r\n\r\n"), 405);
        assert_eq!(status(b"GET http://evil/ HTTP/1.1\r\n\r\n"), 400);
        assert_eq!(status(b"GET /\r\n\r\n"), 400);
        assert_eq!(status(&vec![b'a'; 40_000]), 431);
        assert_eq!(status(b"GET / HTTP/1.1\r\nHost"), 400);
        assert_eq!(status(b"\xff\xfe\r\n\r\n"), 400);
    }
}
