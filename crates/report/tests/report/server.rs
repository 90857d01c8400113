//! The server: who is answered, and with what.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use report::serve::{Server, Token};

use crate::stage::{Stage, hostile};

/// A server that answers in the background until the test program ends.
pub(crate) struct Served {
    pub(crate) port: u16,
    pub(crate) url: String,
}

pub(crate) fn serve(stages: &[&Stage]) -> Served {
    let folders = stages.iter().map(|stage| stage.folder.clone()).collect();
    let server = Server::bind(0, Token::of("secret"), folders).unwrap();
    let (port, url) = (server.port(), server.url());
    std::thread::spawn(move || server.run());
    Served { port, url }
}

impl Served {
    /// Sends a request and returns the whole answer.
    fn ask(&self, path: &str, headers: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let host = if headers.contains("Host:") {
            String::new()
        } else {
            format!("Host: 127.0.0.1:{}\r\n", self.port)
        };
        write!(stream, "GET {path} HTTP/1.1\r\n{host}{headers}\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8(answer).unwrap()
    }

    fn cookie(&self) -> String {
        format!("Cookie: captune-{}=secret\r\n", self.port)
    }
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn only_requests_with_the_token_from_this_machine_are_answered() {
    let (one, other) = (hostile(), hostile());
    let served = serve(&[&one, &other]);
    let cookie = served.cookie();
    let first = served.ask("/?token=secret", "");
    assert_eq!(status(&first), 303);
    assert!(first.contains("HttpOnly; SameSite=Strict") && first.contains("Location: /\r\n"), "{first}");
    for (path, headers, expected) in [
        ("/", String::new(), 401),
        ("/?token=wrong", String::new(), 401),
        ("/c/0/events", String::new(), 401),
        ("/c/0", format!("Host: evil.example\r\n{cookie}"), 421),
        ("/c/0", format!("Origin: http://evil.example\r\n{cookie}"), 403),
        ("/c/7", cookie.clone(), 404),
        ("/c/-1", cookie.clone(), 404),
        ("/../../etc/passwd", cookie.clone(), 404),
        ("/c/0/../../../etc/passwd", cookie.clone(), 404),
        ("/%2e%2e/%2e%2e/etc/passwd", cookie.clone(), 404),
        ("/c/0", cookie.clone(), 200),
        ("/", cookie.clone(), 200),
    ] {
        let answer = served.ask(path, &headers);
        assert_eq!(status(&answer), expected, "{path} {headers} {answer}");
        assert!(answer.contains("Content-Security-Policy: default-src 'none'"), "{answer}");
        assert!(!answer.contains("root:"));
    }
    let list = served.ask("/", &cookie);
    for stage in [&one, &other] {
        assert!(list.contains(&format!("({})</a>", stage.folder.display())), "the same name twice: {list}");
    }
    assert!(list.contains("href=\"/c/1\"") && !list.contains("<script>alert"), "{list}");
}

#[test]
fn a_page_that_cannot_be_drawn_is_an_error_and_not_the_end() {
    let stage = hostile();
    let served = serve(&[&stage]);
    let file = stage.folder.join("campaign.sqlite");
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, b"rubbish").unwrap();
    assert_eq!(status(&served.ask("/c/0", &served.cookie())), 503);
    std::fs::write(&file, whole).unwrap();
    assert_eq!(status(&served.ask("/c/0", &served.cookie())), 200);
}
