//! Who is admitted to a server, and what they may do there.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use fleet::message::{to_all, to_coordinator, to_worker};
use fleet::nats::{Address, Client, Delivery, Login, Options};
use fleet::server::configuration;

use crate::stage::Server;

const PATIENCE: Duration = Duration::from_secs(10);

/// What a client has heard: `Ok` is a message, `Err` why it is not connected.
pub(crate) type Heard = Receiver<Result<String, String>>;

/// A folder that is removed at the end of a test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("captune-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The next run of the tests uses another folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Connects, and waits until that succeeds or the server says why not. A server may close a connection before the client
/// has read the reason; the client then connects again.
pub(crate) fn connect(address: Address, subjects: &[String]) -> (Client, Result<Heard, String>) {
    let (send, heard) = channel();
    let handler = move |delivery: Delivery<'_>, _: &_| {
        let news = match delivery {
            Delivery::Connected => Ok("connected".to_owned()),
            Delivery::Disconnected(why) => Err(why),
            Delivery::Message { payload, .. } => Ok(String::from_utf8_lossy(payload).into_owned()),
            Delivery::Tick => return,
        };
        // The test may have ended.
        let _ = send.send(news);
    };
    let options = Options {
        name: "test".to_owned(),
        subjects: subjects.to_vec(),
        addresses: Box::new(move || vec![address.clone()]),
        tick: Duration::from_millis(50),
    };
    let client = Client::start(options, handler).unwrap();
    loop {
        match heard.recv_timeout(PATIENCE).unwrap() {
            Ok(_) => return (client, Ok(heard)),
            Err(why) if ["Broken pipe", "Connection reset"].iter().any(|lost| why.contains(lost)) => {}
            Err(why) => return (client, Err(why)),
        }
    }
}

/// Returns the reason why a client is not admitted.
pub(crate) fn refusal(address: Address) -> String {
    connect(address, &[]).1.map(|_| "admitted").unwrap_err()
}

#[test]
fn tokens_and_passwords_are_checked() {
    let folder = Folder::new("tokens");
    for (settings, right, wrong) in [
        (
            "authorization { token: \"t o k e n\" }",
            Login::Token("t o k e n".to_owned()),
            Login::Token("token".to_owned()),
        ),
        (
            "authorization { users = [ { user: me, password: secret } ] }",
            Login::Password("me".to_owned(), "secret".to_owned()),
            Login::Password("me".to_owned(), "guess".to_owned()),
        ),
    ] {
        let settings = folder.write("server.conf", settings);
        let Some(server) = Server::with_settings(Some(settings)) else { return };
        let with = |login| Address { login, ..server.address() };
        connect(with(Some(right)), &[]).1.unwrap();
        for login in [Some(wrong), None] {
            let why = refusal(with(login));
            assert!(why.contains("Authorization Violation"), "{why}");
        }
    }
}

#[cfg(feature = "tls")]
#[test]
fn a_key_admits_without_being_sent() {
    let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
    let public = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";
    let folder = Folder::new("keys");
    let text = format!("authorization {{ users = [ {{ nkey: {public} }} ] }}");
    let Some(server) = Server::with_settings(Some(folder.write("server.conf", &text))) else { return };
    let with = |seed: &str| Address { login: Some(Login::Nkey(seed.to_owned())), ..server.address() };
    connect(with(seed), &[]).1.unwrap();
    // Another seed, and one with a typing error, which never reaches the server.
    let other = "SUAACAQDAQCQMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4DUPB6IC5CQ";
    let why = refusal(with(other));
    assert!(why.contains("Authorization Violation"), "{why}");
    let why = refusal(with(&seed.replace("VUZRF", "VUZRG")));
    assert!(why.contains("typing error"), "{why}");
}

#[test]
fn workers_may_talk_only_to_the_coordinator_of_their_campaign() {
    let folder = Folder::new("roles");
    // The settings of the server that a coordinator starts.
    let text = configuration(([127, 0, 0, 1], 0).into(), "mine", ["first", "second"], &folder.0, false);
    let Some(server) = Server::with_settings(Some(folder.write("server.conf", &text))) else { return };
    let with = |user: &str, password: &str| {
        let login = Some(Login::Password(user.to_owned(), password.to_owned()));
        Address { login, ..server.address() }
    };
    let worker = with("worker", "second");
    let (_own, coordinator) = connect(with("coordinator", "first"), &[to_coordinator("mine")]);
    let coordinator = coordinator.unwrap();
    let (client, heard) = connect(worker.clone(), &[to_worker("mine", "w"), to_all("mine")]);
    heard.unwrap();
    assert!(client.outbox().publish(&to_coordinator("mine"), b"report"));
    assert_eq!(coordinator.recv_timeout(PATIENCE).unwrap().unwrap(), "report");
    // Orders to workers, and anything in another campaign, are refused.
    for subject in [to_worker("mine", "v"), to_all("mine"), to_coordinator("other"), "anything".to_owned()] {
        let (client, heard) = connect(worker.clone(), &[]);
        let heard = heard.unwrap();
        client.outbox().publish(&subject, b"order");
        let why = heard.recv_timeout(PATIENCE).unwrap().unwrap_err();
        assert!(why.contains("Permissions Violation for Publish"), "{subject}: {why}");
    }
    // So is listening to the reports of others.
    for subject in [to_coordinator("mine"), to_all("other"), ">".to_owned()] {
        let (_client, heard) = connect(worker.clone(), std::slice::from_ref(&subject));
        let why = heard.unwrap_err();
        assert!(why.contains("Permissions Violation for Subscription"), "{subject}: {why}");
    }
    let stranger = Address { login: None, ..worker };
    assert!(refusal(stranger).contains("Authorization Violation"));
}
