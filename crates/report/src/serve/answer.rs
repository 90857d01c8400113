//! Writes HTTP answers. Every answer forbids caching, framing, sniffing and everything that the content
//! security policy does not name.

use std::io::{self, Write};

use crate::document::content_policy;

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Answer {
    status: u16,
    kind: &'static str,
    more: String,
    body: String,
}

impl Answer {
    /// Returns a page.
    pub(crate) fn page(body: String) -> Self {
        Self { status: 200, kind: "text/html; charset=utf-8", more: String::new(), body }
    }

    /// Returns a refusal with its reason.
    pub(crate) fn refusal(status: u16, why: &str) -> Self {
        let more = if status == 405 { "Allow: GET\r\n".to_owned() } else { String::new() };
        Self { status, kind: "text/plain; charset=utf-8", more, body: format!("{why}\n") }
    }

    /// Returns a redirection that sets a cookie.
    pub(crate) fn redirect(to: &'static str, cookie: &str) -> Self {
        let more = format!("Location: {to}\r\nSet-Cookie: {cookie}\r\n");
        Self { status: 303, kind: "text/plain; charset=utf-8", more, body: String::new() }
    }

    /// Writes the answer.
    pub(crate) fn send(&self, out: &mut impl Write) -> io::Result<()> {
        let Self { status, kind, more, body } = self;
        let (policy, length) = (content_policy("'self'"), body.len());
        write!(
            out,
            "HTTP/1.1 {status} {}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{more}\
             Content-Security-Policy: {policy}; frame-ancestors 'none'\r\n{COMMON}\r\n{body}",
            phrase(*status)
        )?;
        out.flush()
    }

    /// Writes the head of a stream of events.
    pub(crate) fn events(out: &mut impl Write) -> io::Result<()> {
        write!(out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{COMMON}\r\n")?;
        out.flush()
    }
}

const COMMON: &str = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
                      Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n\
                      Connection: close\r\n";

fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        303 => "See Other",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Bad Request",
    }
}
