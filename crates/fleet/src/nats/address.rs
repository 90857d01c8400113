//! Where a server is, how to trust it, and how to be admitted.

use serde::{Deserialize, Serialize};

/// The port of a server whose URL has none.
const PORT: u16 = 4222;

/// The address of a server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Address {
    /// Host and port, such as `10.0.0.7:4222`.
    pub place: String,
    /// How to be admitted; `None`: the server admits everyone.
    pub login: Option<Login>,
    /// How to recognise the server; `None`: the connection is not encrypted.
    pub trust: Option<Trust>,
}

/// What admits a client.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Login {
    /// Name and password.
    Password(String, String),
    /// A password without a name.
    Token(String),
    /// The seed of a key pair, `SU…`.
    Nkey(String),
}

/// How a client recognises a server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// The server presents this certificate, as PEM, whatever its host name.
    Certificate(String),
    /// One of these authorities, as PEM, has signed the server's certificate, which names its host.
    Authorities(String),
    /// An authority that the machine trusts has signed the server's certificate, which names its host.
    System,
}

impl std::fmt::Debug for Login {
    /// Secrets do not belong in messages.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Password(..) => "a password",
            Self::Token(_) => "a token",
            Self::Nkey(_) => "an nkey",
        })
    }
}

/// Reason why a text is not the URL of a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UrlError {
    /// It has another scheme.
    #[error("the URL of a NATS server must begin with nats:// or tls://")]
    Scheme,
    /// It has no host.
    #[error("the URL of the NATS server names no host")]
    Host,
}

impl Address {
    /// Parses a URL: `nats://[USER:PASSWORD@|TOKEN@]HOST[:PORT]`. With `tls://`, the connection is encrypted, and the
    /// machine's own authorities are trusted.
    pub fn of_url(url: &str) -> Result<Self, UrlError> {
        let (scheme, rest) = url.split_once("://").ok_or(UrlError::Scheme)?;
        let trust = match scheme {
            "nats" => None,
            "tls" => Some(Trust::System),
            _ => return Err(UrlError::Scheme),
        };
        let (login, place) = match rest.rsplit_once('@') {
            Some((login, place)) => (Some(login), place),
            None => (None, rest),
        };
        let login = login.map(|login| match login.split_once(':') {
            Some((user, password)) => Login::Password(user.to_owned(), password.to_owned()),
            None => Login::Token(login.to_owned()),
        });
        let place = place.trim_end_matches('/');
        let has_port = place.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']'));
        let place = if has_port { place.to_owned() } else { format!("{place}:{PORT}") };
        let address = Self { place, login, trust };
        if address.host().is_empty() {
            return Err(UrlError::Host);
        }
        Ok(address)
    }

    /// Returns the host without its port.
    pub fn host(&self) -> &str {
        let host = self.place.rsplit_once(':').map_or(self.place.as_str(), |(host, _)| host);
        host.trim_start_matches('[').trim_end_matches(']')
    }

    /// Returns whether everything that is sent stays on this machine.
    pub fn is_local(&self) -> bool {
        let host = self.host();
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_scheme_login_host_and_port() {
        let password = || Some(Login::Password("me".to_owned(), "p@ss:word".to_owned()));
        let token = || Some(Login::Token("secret".to_owned()));
        for (url, place, host, login, trust) in [
            ("nats://here", "here:4222", "here", None, None),
            ("nats://me:p@ss:word@10.0.0.7:99/", "10.0.0.7:99", "10.0.0.7", password(), None),
            ("tls://secret@nats.example", "nats.example:4222", "nats.example", token(), Some(Trust::System)),
            ("tls://[::1]", "[::1]:4222", "::1", None, Some(Trust::System)),
            ("nats://[::1]:5", "[::1]:5", "::1", None, None),
        ] {
            let address = Address::of_url(url).unwrap();
            assert_eq!(address, Address { place: place.to_owned(), login, trust }, "{url}");
            assert_eq!(address.host(), host, "{url}");
        }
        for url in ["http://here", "here:4222"] {
            assert_eq!(Address::of_url(url), Err(UrlError::Scheme), "{url}");
        }
        for url in ["nats://", "tls://me:secret@:4222"] {
            assert_eq!(Address::of_url(url), Err(UrlError::Host), "{url}");
        }
    }

    #[test]
    fn only_the_loopback_address_is_local() {
        let is_local = |url| Address::of_url(url).unwrap().is_local();
        assert!(["nats://localhost", "nats://127.0.0.1:1", "nats://[::1]"].into_iter().all(is_local));
        assert!(!["nats://10.0.0.7", "nats://[fe80::1]", "nats://node"].into_iter().any(is_local));
    }

    #[test]
    fn secrets_are_not_printed() {
        let address = Address::of_url("tls://me:secret@here").unwrap();
        assert!(!format!("{address:?}").contains("secret"));
    }
}
