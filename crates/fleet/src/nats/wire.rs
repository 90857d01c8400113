//! The text of the protocol. Each frame is a line; a message is followed by its payload.

use std::str;

/// Longest line that a server may send. `INFO` is the longest: it lists the servers of a cluster.
const LONGEST_LINE: usize = 64 << 10;
/// Largest payload that is accepted.
const LARGEST_PAYLOAD: usize = 8 << 20;

/// A frame from a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Frame<'a> {
    /// Facts about the server, as JSON.
    Info(&'a str),
    /// A message.
    Message {
        /// The subject to which it was published.
        subject: &'a str,
        /// Its content.
        payload: &'a [u8],
    },
    /// A request for a `PONG`.
    Ping,
    /// The answer to a `PING`.
    Pong,
    /// A confirmation.
    Ok,
    /// An error. The server may close the connection.
    Error(&'a str),
}

/// Reason why the bytes from a server are not valid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WireError {
    /// A line is too long or is not text.
    #[error("the server sent a line that is not text of at most {LONGEST_LINE} bytes")]
    Line,
    /// A line has an unknown form.
    #[error("the server sent an unknown line: {0}")]
    Unknown(String),
    /// A message is too large or has no end.
    #[error("the server sent a message that is larger than {LARGEST_PAYLOAD} bytes or has no end")]
    Payload,
}

/// Returns the first frame of the buffer and the number of bytes that it takes; `None` if it is incomplete.
pub fn next_frame(buffer: &[u8]) -> Result<Option<(Frame<'_>, usize)>, WireError> {
    let window = &buffer[..buffer.len().min(LONGEST_LINE)];
    let Some(end) = window.windows(2).position(|two| two == b"\r\n") else {
        return if buffer.len() >= LONGEST_LINE { Err(WireError::Line) } else { Ok(None) };
    };
    let line = str::from_utf8(&buffer[..end]).map_err(|_| WireError::Line)?;
    let after = end + 2;
    let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let frame = match word.to_ascii_uppercase().as_str() {
        "INFO" => Frame::Info(rest.trim()),
        "PING" => Frame::Ping,
        "PONG" => Frame::Pong,
        "+OK" => Frame::Ok,
        "-ERR" => Frame::Error(rest.trim().trim_matches('\'')),
        "MSG" => return message(buffer, rest, after),
        _ => return Err(WireError::Unknown(line.chars().take(80).collect())),
    };
    Ok(Some((frame, after)))
}

/// Reads a message: `subject subscription [reply] length`, and its payload.
fn message<'a>(
    buffer: &'a [u8],
    rest: &'a str,
    after: usize,
) -> Result<Option<(Frame<'a>, usize)>, WireError> {
    let unknown = || WireError::Unknown(format!("MSG {}", rest.chars().take(80).collect::<String>()));
    let parts: Vec<&str> = rest.split_whitespace().collect();
    let ([subject, _, length] | [subject, _, _, length]) = parts[..] else { return Err(unknown()) };
    let length: usize = length.parse().map_err(|_| unknown())?;
    if length > LARGEST_PAYLOAD {
        return Err(WireError::Payload);
    }
    let Some(end) = buffer.get(after + length..after + length + 2) else { return Ok(None) };
    if end != b"\r\n" {
        return Err(WireError::Payload);
    }
    let payload = &buffer[after..after + length];
    Ok(Some((Frame::Message { subject, payload }, after + length + 2)))
}

/// Appends the frame that publishes a message.
pub(super) fn publish(subject: &str, payload: &[u8], to: &mut Vec<u8>) {
    to.extend_from_slice(format!("PUB {subject} {}\r\n", payload.len()).as_bytes());
    to.extend_from_slice(payload);
    to.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(mut bytes: &[u8]) -> Result<Vec<String>, WireError> {
        let mut all = Vec::new();
        while let Some((frame, length)) = next_frame(bytes)? {
            all.push(match frame {
                Frame::Message { subject, payload } => {
                    format!("{subject}: {}", String::from_utf8_lossy(payload))
                }
                other => format!("{other:?}"),
            });
            bytes = &bytes[length..];
        }
        Ok(all)
    }

    #[test]
    fn frames_are_read_one_after_the_other() {
        let text = b"INFO {\"version\":\"2.15.1\"} \r\n+OK\r\nMSG a.b 1 3\r\nx\r\n\r\nMSG a 1 back 2\r\nhi\r\nping\r\n\
            PONG\r\n-ERR 'Authorization Violation'\r\n";
        assert_eq!(
            frames(text).unwrap(),
            [
                "Info(\"{\\\"version\\\":\\\"2.15.1\\\"}\")",
                "Ok",
                "a.b: x\r\n",
                "a: hi",
                "Ping",
                "Pong",
                "Error(\"Authorization Violation\")",
            ]
        );
        // Whatever the split, an incomplete frame is not read.
        for end in 0..text.len() {
            frames(&text[..end]).unwrap();
        }
    }

    #[test]
    fn invalid_text_is_an_error() {
        let long = vec![b'a'; LONGEST_LINE];
        for (bytes, error) in [
            (&b"HMSG a 1 2 3\r\n"[..], WireError::Unknown("HMSG a 1 2 3".to_owned())),
            (b"MSG a 1\r\n", WireError::Unknown("MSG a 1".to_owned())),
            (b"MSG a 1 -3\r\n", WireError::Unknown("MSG a 1 -3".to_owned())),
            (b"MSG a 1 99999999999\r\n", WireError::Payload),
            (b"MSG a 1 1\r\nxyz\r\n", WireError::Payload),
            (b"\xff\r\n", WireError::Line),
            (&long, WireError::Line),
        ] {
            assert_eq!(frames(bytes), Err(error));
        }
    }

    #[test]
    fn a_published_message_has_its_length() {
        let mut bytes = Vec::new();
        publish("a.b", b"hello", &mut bytes);
        assert_eq!(bytes, b"PUB a.b 5\r\nhello\r\n");
    }
}
