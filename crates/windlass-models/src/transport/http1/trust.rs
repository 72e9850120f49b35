//! Trust: whose certificates are believed.
//!
//! Those of the system (or of `SSL_CERT_FILE`), and some of one's own beside them. Loading takes
//! milliseconds, so it is done when the first https address is asked.

use std::fmt;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls_platform_verifier::Verifier;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::HttpFault;

/// How a server is recognised.
#[derive(Clone)]
pub(crate) struct TrustRoots(Arc<ClientConfig>);

impl TrustRoots {
    /// Loads the authorities of the system, and those of `ca_pem`.
    pub(crate) fn load(ca_pem: Option<&[u8]>) -> Result<Self, String> {
        let provider = Arc::new(ring::default_provider());
        let verifier = match ca_pem {
            None => Verifier::new(Arc::clone(&provider)),
            Some(pem) => {
                let own: Vec<_> =
                    CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>().unwrap_or_default();
                if own.is_empty() {
                    return Err("ca_file has no certificate in PEM form".to_owned());
                }
                Verifier::new_with_extra_roots(own, Arc::clone(&provider))
            }
        };
        let verifier = verifier.map_err(|error| format!("certificates cannot be loaded: {error}"))?;
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.map_err(|error| error.to_string())?;
        // The verifier of the platform is as strict as the default one; it only has other roots.
        let config = config.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
        let mut config = config.with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(Arc::new(config)))
    }

    pub(super) async fn greet(
        &self,
        host: &str,
        socket: TcpStream,
    ) -> Result<TlsStream<TcpStream>, HttpFault> {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| HttpFault::Unusable(format!("'{host}' is no name that a certificate can have")))?;
        TlsConnector::from(Arc::clone(&self.0)).connect(name, socket).await.map_err(|error| {
            let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
            match cause {
                Some(rustls::Error::InvalidCertificate(_)) => HttpFault::Untrusted(error.to_string()),
                _ => HttpFault::Unreachable(error.to_string()),
            }
        })
    }
}

impl fmt::Debug for TrustRoots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Trust")
    }
}
