//! TLS of the server's own, for those who reach it from other machines without a proxy before it.
//!
//! Knows certificates as bytes; which files they are in is the binary's business.

use std::fmt;
use std::io;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// A certificate and its key, by which clients know the server.
#[derive(Clone)]
pub struct TlsIdentity(TlsAcceptor);

/// Why there is no identity in what was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TlsFault {
    /// No certificate in PEM form.
    Certificate,
    /// No private key in PEM form.
    Key,
    /// Both are there, but they do not fit together or cannot be used.
    Unusable(String),
}

impl fmt::Display for TlsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TlsFault::Certificate => f.write_str("it has no certificate in PEM form"),
            TlsFault::Key => f.write_str("it has no private key in PEM form"),
            TlsFault::Unusable(why) => write!(f, "certificate and key cannot be used: {why}"),
        }
    }
}

impl std::error::Error for TlsFault {}

impl TlsIdentity {
    /// The identity of a certificate, those that vouch for it behind it, and its key, all as PEM.
    pub fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Self, TlsFault> {
        let chain: Vec<_> = CertificateDer::pem_slice_iter(certificates)
            .collect::<Result<_, _>>()
            .map_err(|_| TlsFault::Certificate)?;
        if chain.is_empty() {
            return Err(TlsFault::Certificate);
        }
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| TlsFault::Key)?;
        let unusable = |error: rustls::Error| TlsFault::Unusable(error.to_string());
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(unusable)?;
        let mut config = config.with_no_client_auth().with_single_cert(chain, key).map_err(unusable)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    pub(crate) async fn greet(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        self.0.accept(stream).await
    }
}

impl fmt::Debug for TlsIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TlsIdentity")
    }
}
