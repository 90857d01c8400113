//! Which servers a client accepts.

use fleet::nats::{Address, Trust};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

use crate::admission::{Folder, connect, refusal};
use crate::stage::Server;

/// An authority.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: String,
}

impl Authority {
    fn new() -> Self {
        let mut parameters = CertificateParams::new(Vec::<String>::new()).unwrap();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(parameters, key), certificate }
    }

    fn trust(&self) -> Option<Trust> {
        Some(Trust::Authorities(self.certificate.clone()))
    }

    /// Starts a server with a certificate for these names.
    fn server(&self, folder: &Folder, names: &[&str]) -> Option<Server> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &self.issuer).unwrap();
        encrypted(folder, &certificate.pem(), &key)
    }
}

fn encrypted(folder: &Folder, certificate: &str, key: &KeyPair) -> Option<Server> {
    let certificate = folder.write("certificate.pem", certificate);
    let key = folder.write("key.pem", &key.serialize_pem());
    let text = format!(
        "tls {{ cert_file: \"{}\", key_file: \"{}\", timeout: 5 }}",
        certificate.display(),
        key.display()
    );
    Server::with_settings(Some(folder.write("server.conf", &text)))
}

#[test]
fn a_server_needs_a_certificate_of_a_known_authority_for_its_own_name() {
    let (folder, ours, other) = (Folder::new("authorities"), Authority::new(), Authority::new());
    let Some(server) = ours.server(&folder, &["127.0.0.1", "localhost"]) else { return };
    let at = |host: &str, trust| Address { place: format!("{host}:{}", server.port), login: None, trust };
    for host in ["127.0.0.1", "localhost"] {
        connect(at(host, ours.trust()), &[]).1.unwrap();
    }
    let why = refusal(at("127.0.0.1", other.trust()));
    assert!(why.contains("cannot be encrypted") && why.contains("invalid peer certificate"), "{why}");
    // No public authority has signed it.
    let why = refusal(at("127.0.0.1", Some(Trust::System)));
    assert!(why.contains("UnknownIssuer") || why.contains("list of authorities"), "{why}");
    // Without encryption, nothing is sent to a server that requires it.
    let why = refusal(at("127.0.0.1", None));
    assert!(why.contains("the server requires it; use a URL with tls://"), "{why}");
    drop(server);
    let Some(server) = ours.server(&folder, &["localhost"]) else { return };
    let why = refusal(Address { trust: ours.trust(), ..server.address() });
    assert!(why.contains("not valid for name"), "{why}");
}

#[test]
fn workers_accept_only_the_certificate_of_their_coordinator() {
    let folder = Folder::new("pinned");
    let make = || {
        let key = KeyPair::generate().unwrap();
        let parameters = CertificateParams::new(["captune-fleet".to_owned()]).unwrap();
        (parameters.self_signed(&key).unwrap().pem(), key)
    };
    let ((certificate, key), (impostor, _)) = (make(), make());
    let Some(server) = encrypted(&folder, &certificate, &key) else { return };
    let with = |text: String| Address { trust: Some(Trust::Certificate(text)), ..server.address() };
    connect(with(certificate), &[]).1.unwrap();
    let why = refusal(with(impostor));
    assert!(why.contains("invalid peer certificate"), "{why}");
    let why = refusal(with("not a certificate".to_owned()));
    assert!(why.contains("no certificate"), "{why}");
}

#[test]
fn a_server_without_encryption_is_refused_if_encryption_is_wanted() {
    let Some(server) = Server::start() else { return };
    let why = refusal(Address { trust: Some(Trust::System), ..server.address() });
    assert!(why.contains("the server does not offer it"), "{why}");
}
