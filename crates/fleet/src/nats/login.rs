//! The file with what admits coordinator and workers to a server that is already running.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Login;
use crate::private::{PrivateError, read_private};

/// What admits coordinator and workers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Logins {
    /// The coordinator.
    pub coordinator: Login,
    /// Workers.
    pub worker: Login,
}

/// Reason why a login cannot be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages explain the variants")]
pub enum LoginError {
    #[error(transparent)]
    Private(#[from] PrivateError),
    #[error("{} does not exist", path.display())]
    Missing { path: PathBuf },
    #[error("{}: {source}", path.display())]
    Json { path: PathBuf, source: serde_json::Error },
    #[error(
        "{}{place}: expected `user` and `password`, or `token`, or `nkey`",
        path.display()
    )]
    Kind { path: PathBuf, place: &'static str },
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    user: Option<String>,
    password: Option<String>,
    token: Option<String>,
    nkey: Option<String>,
    worker: Option<Box<Self>>,
}

impl Text {
    fn login(&self) -> Option<Login> {
        match (&self.user, &self.password, &self.token, &self.nkey) {
            (Some(user), Some(password), None, None) => Some(Login::Password(user.clone(), password.clone())),
            (None, None, Some(token), None) => Some(Login::Token(token.clone())),
            (None, None, None, Some(seed)) => Some(Login::Nkey(seed.clone())),
            _ => None,
        }
    }
}

/// Reads a file that only its owner may read: a JSON object with `user` and `password`, `token`, or `nkey`. `worker`
/// is another such object, if workers have a login of their own.
pub fn read_logins(path: &Path) -> Result<Logins, LoginError> {
    let missing = || LoginError::Missing { path: path.to_owned() };
    let text = read_private(path)?.ok_or_else(missing)?;
    let text: Text =
        serde_json::from_str(&text).map_err(|source| LoginError::Json { path: path.to_owned(), source })?;
    let kind = |place| LoginError::Kind { path: path.to_owned(), place };
    let coordinator = text.login().ok_or_else(|| kind(""))?;
    let worker = match &text.worker {
        Some(worker) if worker.worker.is_none() => worker.login().ok_or_else(|| kind(", worker"))?,
        Some(_) => return Err(kind(", worker")),
        None => coordinator.clone(),
    };
    Ok(Logins { coordinator, worker })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn read(text: &str, mode: u32) -> Result<Logins, String> {
        let path = std::env::temp_dir().join(format!("captune-login-{}.json", std::process::id()));
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let logins = read_logins(&path);
        fs::remove_file(&path).unwrap();
        logins.map_err(|error| error.to_string().replace(&path.display().to_string(), "login.json"))
    }

    #[test]
    fn a_login_is_a_password_a_token_or_a_key() {
        let token = Login::Token("t".to_owned());
        let both = Logins { coordinator: token.clone(), worker: token.clone() };
        assert_eq!(read(r#"{"token": "t"}"#, 0o600), Ok(both));
        let me = Login::Password("me".to_owned(), "p".to_owned());
        let logins = read(r#"{"user": "me", "password": "p", "worker": {"nkey": "SU"}}"#, 0o600).unwrap();
        assert_eq!(logins, Logins { coordinator: me, worker: Login::Nkey("SU".to_owned()) });
    }

    #[test]
    fn errors_name_the_file_and_what_is_expected() {
        let expected = "expected `user` and `password`, or `token`, or `nkey`";
        for (text, error) in [
            ("{}", format!("login.json: {expected}")),
            (r#"{"user": "me"}"#, format!("login.json: {expected}")),
            (r#"{"token": "t", "nkey": "SU"}"#, format!("login.json: {expected}")),
            (r#"{"token": "t", "worker": {}}"#, format!("login.json, worker: {expected}")),
            (
                r#"{"token": "t", "worker": {"token": "t", "worker": {}}}"#,
                format!("login.json, worker: {expected}"),
            ),
        ] {
            assert_eq!(read(text, 0o600), Err(error), "{text}");
        }
        let error = read(r#"{"passwort": "t"}"#, 0o600).unwrap_err();
        assert!(error.starts_with("login.json: unknown field `passwort`"), "{error}");
        let error = read(r#"{"token": "t"}"#, 0o640).unwrap_err();
        assert!(error.contains("other users may read login.json (mode 640)"), "{error}");
        let error = read_logins(Path::new("/no/login.json")).unwrap_err().to_string();
        assert_eq!(error, "/no/login.json does not exist");
    }
}
