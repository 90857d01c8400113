//! Encrypted connections. The coordinator makes a certificate, and workers accept only that certificate, which
//! they know from the invitation. So no authority is needed, and no host name has to match.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};

/// The name in every certificate.
const NAME: &str = "captune-fleet";

/// A certificate and its private key, as PEM.
pub(super) struct Certificate {
    pub(super) certificate: String,
    pub(super) key: String,
}

impl Certificate {
    /// Makes a new certificate.
    pub(super) fn make() -> Result<Self, String> {
        let made =
            rcgen::generate_simple_self_signed([NAME.to_owned()]).map_err(|error| error.to_string())?;
        Ok(Self { certificate: made.cert.pem(), key: made.signing_key.serialize_pem() })
    }
}

/// Starts a connection to a server that must present this certificate.
pub(crate) fn client(certificate: &str) -> Result<ClientConnection, String> {
    let mut roots = RootCertStore::empty();
    let certificate = CertificateDer::from_pem_slice(certificate.as_bytes());
    let certificate = certificate.map_err(|error| format!("the certificate is not valid PEM: {error}"))?;
    roots.add(certificate).map_err(|error| error.to_string())?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let settings = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(NAME).map_err(|error| error.to_string())?;
    ClientConnection::new(Arc::new(settings), name).map_err(|error| error.to_string())
}
