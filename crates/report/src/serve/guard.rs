//! Who may read the pages: a browser on this machine that knows the token.
//!
//! A page of another site can make the user's browser send requests to this server, and can give it another
//! host name (DNS rebinding). So the host, the origin and the token are all checked, in this order.

use std::io;

use super::request::Request;

/// A secret that the URL contains once and a cookie afterwards.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(hidden)")
    }
}

impl Token {
    /// Draws a token of 128 random bits from the operating system.
    pub fn random() -> io::Result<Self> {
        use std::io::Read as _;
        let mut bytes = [0; 16];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Returns a token with this text.
    pub fn of(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns its text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Compares in a time that depends only on the lengths, so that a guess learns nothing from it.
    fn is(&self, guess: &str) -> bool {
        let (own, guess) = (self.0.as_bytes(), guess.as_bytes());
        let mut difference = own.len() ^ guess.len();
        for (place, byte) in own.iter().enumerate() {
            difference |= usize::from(byte ^ guess.get(place).copied().unwrap_or(!byte));
        }
        std::hint::black_box(difference) == 0
    }
}

/// Reason why a request is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages explain the variants")]
pub enum Refusal {
    #[error("this server answers only to its own address; open the address that `captune serve` printed")]
    Host,
    #[error("another site must not read these pages")]
    Origin,
    #[error("the token is missing or wrong; open the address that `captune serve` printed")]
    Token,
}

impl Refusal {
    pub(crate) fn status(self) -> u16 {
        match self {
            Self::Host => 421,
            Self::Origin => 403,
            Self::Token => 401,
        }
    }
}

/// The checks of one server.
#[derive(Debug)]
pub(crate) struct Guard {
    token: Token,
    port: u16,
}

impl Guard {
    pub(crate) fn new(token: Token, port: u16) -> Self {
        Self { token, port }
    }

    pub(crate) fn token(&self) -> &Token {
        &self.token
    }

    /// Checks a request. Returns the cookie to set if the token was in the query.
    pub(crate) fn admit(&self, request: &Request) -> Result<Option<String>, Refusal> {
        let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", self.port));
        let mut named = request.header("host");
        let host = named.next().filter(|host| hosts.iter().any(|own| own == host)).ok_or(Refusal::Host)?;
        if named.next().is_some() {
            return Err(Refusal::Host);
        }
        if request.header("origin").any(|origin| origin != format!("http://{host}")) {
            return Err(Refusal::Origin);
        }
        let is_foreign = |site: &str| !matches!(site, "same-origin" | "none");
        // Cookies do not depend on the port, so the name contains it.
        let name = format!("captune-{}", self.port);
        if let Some(guess) = request.asked("token") {
            if !self.token.is(guess) {
                return Err(Refusal::Token);
            }
            let attributes = "Path=/; HttpOnly; SameSite=Strict";
            return Ok(Some(format!("{name}={}; {attributes}", self.token.text())));
        }
        if request.header("sec-fetch-site").any(is_foreign) {
            return Err(Refusal::Origin);
        }
        let cookies = request.header("cookie").flat_map(|line| line.split(';'));
        let mut guesses = cookies.filter_map(|cookie| cookie.trim().strip_prefix(&name)?.strip_prefix('='));
        if guesses.any(|guess| self.token.is(guess)) { Ok(None) } else { Err(Refusal::Token) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(lines: &str) -> Result<Option<String>, Refusal> {
        let text = format!("{}\r\n\r\n", lines.replace('\n', "\r\n"));
        Guard::new(Token::of("secret"), 81).admit(&Request::read(&mut text.as_bytes()).unwrap())
    }

    #[test]
    fn only_a_browser_on_this_machine_with_the_token_is_admitted() {
        let own = "GET / HTTP/1.1\nHost: 127.0.0.1:81\nCookie: a=b; captune-81=secret";
        assert_eq!(admitted(own), Ok(None));
        assert_eq!(admitted(&own.replace("127.0.0.1", "localhost")), Ok(None));
        assert_eq!(admitted(&format!("{own}\nOrigin: http://127.0.0.1:81")), Ok(None));
        for host in ["evil.example:81", "127.0.0.1", "127.0.0.1:82", "127.0.0.1:81.evil.example"] {
            assert_eq!(admitted(&own.replace("127.0.0.1:81", host)), Err(Refusal::Host), "{host}");
        }
        assert_eq!(admitted(&format!("{own}\nHost: evil.example")), Err(Refusal::Host));
        assert_eq!(admitted(&own.replace("Host: 127.0.0.1:81\n", "")), Err(Refusal::Host));
        for origin in ["http://evil.example", "null", "http://localhost:81", "https://127.0.0.1:81"] {
            assert_eq!(admitted(&format!("{own}\nOrigin: {origin}")), Err(Refusal::Origin), "{origin}");
        }
        assert_eq!(admitted(&format!("{own}\nSec-Fetch-Site: cross-site")), Err(Refusal::Origin));
        for cookie in
            ["captune-81=secre", "captune-81=secretx", "captune-81=", "captune-82=secret", "x=secret"]
        {
            assert_eq!(admitted(&own.replace("captune-81=secret", cookie)), Err(Refusal::Token), "{cookie}");
        }
    }

    #[test]
    fn the_token_in_the_query_sets_a_cookie_and_a_wrong_one_does_not() {
        let line = |token: &str| format!("GET /?token={token} HTTP/1.1\nHost: localhost:81");
        let cookie = admitted(&line("secret")).unwrap().unwrap();
        assert_eq!(cookie, "captune-81=secret; Path=/; HttpOnly; SameSite=Strict");
        for wrong in ["", "secre", "secrets", "Secret"] {
            assert_eq!(admitted(&line(wrong)), Err(Refusal::Token));
        }
    }

    #[test]
    fn tokens_are_long_and_different() {
        let [one, other] = [Token::random().unwrap(), Token::random().unwrap()];
        assert!(one.text().len() == 32 && one != other);
        assert_eq!(format!("{one:?}"), "Token(hidden)");
    }
}
