//! The certificate that the coordinator makes. Workers accept only that certificate, which they know from the
//! invitation. So no authority is needed, and no host name has to match.

use crate::nats::OWN_NAME;

/// A certificate and its private key, as PEM.
pub(super) struct Certificate {
    pub(super) certificate: String,
    pub(super) key: String,
}

impl Certificate {
    /// Makes a new certificate.
    pub(super) fn make() -> Result<Self, String> {
        let made =
            rcgen::generate_simple_self_signed([OWN_NAME.to_owned()]).map_err(|error| error.to_string())?;
        Ok(Self { certificate: made.cert.pem(), key: made.signing_key.serialize_pem() })
    }
}
