//! The client's side of an encrypted connection: which servers it accepts.

use std::path::PathBuf;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};

use super::Trust;

/// The name in the certificates that coordinators make. Workers know the certificate itself, so no host name has to
/// match.
pub(crate) const OWN_NAME: &str = "captune-fleet";
/// Variable with the path of the authorities, as other programs use it.
const VARIABLE: &str = "SSL_CERT_FILE";
/// Where distributions keep the authorities that the machine trusts.
const BUNDLES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// Starts a connection to a server on this host.
pub(super) fn client(trust: &Trust, host: &str) -> Result<ClientConnection, String> {
    let (roots, name) = match trust {
        Trust::Certificate(text) => (roots(text)?, OWN_NAME),
        Trust::Authorities(text) => (roots(text)?, host),
        Trust::System => (roots(&bundle()?)?, host),
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let settings = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).map_err(|error| error.to_string())?;
    ClientConnection::new(Arc::new(settings), name).map_err(|error| error.to_string())
}

/// Reads certificates.
fn roots(text: &str) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(text.as_bytes()) {
        let certificate = certificate.map_err(|error| format!("a certificate is not valid PEM: {error}"))?;
        // Bundles of systems have old authorities that cannot be used; the others are enough.
        let _ = roots.add(certificate);
    }
    if roots.is_empty() {
        return Err("no certificate of an authority can be read".to_owned());
    }
    Ok(roots)
}

/// Reads the authorities that this machine trusts.
fn bundle() -> Result<String, String> {
    let given = std::env::var_os(VARIABLE).map(PathBuf::from);
    let path = given.or_else(|| BUNDLES.iter().map(PathBuf::from).find(|path| path.exists()));
    let path = path.ok_or_else(|| {
        format!(
            "this machine has no list of authorities; set {VARIABLE}, or start the coordinator with --nats-ca"
        )
    })?;
    std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}
