//! The first message of TLS: whom a connection is for, in its own words. Nothing is carried before that is known.

use rustls::server::Acceptor;
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::web::net_guard::canonical_host;

/// Longest first message: with the keys of newer TLS it has two or three thousand bytes.
const HELLO_BYTES_MAX: usize = 32 * 1024;

/// What TLS says to a program whose name is not accepted: a fatal alert, `unrecognized_name`.
pub(super) const NAME_REFUSED: [u8; 7] = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x70];

/// The first message, and the name in it.
#[derive(Debug)]
pub(super) struct TlsHello {
    /// In canonical form.
    pub(super) name: Option<String>,
    /// All that was read, to be carried on as it came.
    pub(super) bytes: Vec<u8>,
}

/// Why there is no first message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HelloFailure {
    /// The program went away without a word.
    Silent,
    /// It is something else, or does not end.
    NotTls,
}

/// Reads the first message; `early` came before.
pub(super) async fn read_hello(
    from: &mut (impl AsyncRead + Unpin),
    early: Vec<u8>,
) -> Result<TlsHello, HelloFailure> {
    let mut acceptor = Acceptor::default();
    let mut bytes = early;
    let mut seen = 0;
    let mut piece = [0_u8; 4_096];
    loop {
        let mut fresh = bytes.get(seen..).unwrap_or_default();
        seen = bytes.len();
        while !fresh.is_empty() {
            if acceptor.read_tls(&mut fresh).is_ok_and(|count| count > 0)
                && let Ok(accepted) = acceptor.accept()
            {
                if let Some(accepted) = accepted {
                    let name = accepted.client_hello().server_name().map(canonical_host);
                    return Ok(TlsHello { name, bytes });
                }
            } else {
                return Err(HelloFailure::NotTls);
            }
        }
        match from.read(&mut piece).await {
            Ok(0) | Err(_) if bytes.is_empty() => return Err(HelloFailure::Silent),
            Ok(0) | Err(_) => return Err(HelloFailure::NotTls),
            Ok(count) => bytes.extend_from_slice(piece.get(..count).unwrap_or_default()),
        }
        if bytes.len() > HELLO_BYTES_MAX {
            return Err(HelloFailure::NotTls);
        }
    }
}

/// The first message of TLS to a host, as a client of this program's own sends it: for proofs.
#[cfg(any(test, target_os = "linux"))]
pub(crate) fn first_message(host: &str) -> std::io::Result<Vec<u8>> {
    use std::io::Error;
    use std::sync::Arc;

    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(Error::other)?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    let name = rustls::pki_types::ServerName::try_from(host.to_owned()).map_err(Error::other)?;
    let mut connection = rustls::ClientConnection::new(Arc::new(config), name).map_err(Error::other)?;
    let mut message = Vec::new();
    connection.write_tls(&mut message)?;
    Ok(message)
}

#[cfg(test)]
#[path = "hello_tests.rs"]
mod tests;
