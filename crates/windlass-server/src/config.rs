//! What the server is told by the binary: it reads no file and no environment itself.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use windlass_core::text::redact::SecretRegistry;
use windlass_core::text::secret::Secret;

use crate::folder_trust::FolderTrustPort;
use crate::limits::ServerLimits;

/// How the server behaves.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// Whether only this machine can reach it; otherwise every request needs the token.
    pub is_loopback: bool,
    /// Whether requests from elsewhere are refused, as far as that can be seen: by the name of this machine that they
    /// use, and by their address where the connection tells it. For routes that somebody else's server serves, at an
    /// address that is not known here.
    pub is_local_only: bool,
    /// Whether the web app is there beside the interfaces. It wants to be at the root of its server.
    pub has_web_app: bool,
    /// The token that requests must bring; needed on every address that others can reach.
    pub token: Option<Secret>,
    /// Where it listens, if that is known: requests must name that address, or a name of `hosts`. Listening on all
    /// addresses, it takes any.
    pub address: Option<IpAddr>,
    /// Whether clients speak TLS with it.
    pub is_tls: bool,
    /// Names under which the server is reached, beside its address and `localhost`: `box.lan`, `box.lan:8080`.
    pub hosts: Vec<String>,
    /// Pages of other origins that may use it: `https://app.example`.
    pub origins: Vec<String>,
    /// Keys that must not appear in events, traces or logs. The server adds its own to it, and whoever else adds to it is heard
    /// from then on.
    pub secrets: SecretRegistry,
    /// The version that `/api/about` and the API document name.
    pub version: String,
    /// What the project's folder brings of its own that does not count, for people: `/api/about` says it.
    pub folder_notice: Option<String>,
    /// The folder of the project, which can be trusted through this server; nothing where there is none.
    pub trust: Option<Arc<dyn FolderTrustPort>>,
    pub limits: ServerLimits,
}

/// Why a configuration would be unsafe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsafeAddress(SocketAddr);

impl std::fmt::Display for UnsafeAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} can be reached by other machines, and there is no token; leave out --no-token, or listen on 127.0.0.1",
            self.0
        )
    }
}

impl std::error::Error for UnsafeAddress {}

impl ServerConfig {
    /// The configuration for an address. An address that others can reach needs a token.
    pub fn for_address(address: SocketAddr, token: Option<Secret>) -> Result<Self, UnsafeAddress> {
        // An empty file is no token: everybody would know it.
        let token = token.filter(|token| !token.expose().is_empty());
        let is_loopback = address.ip().is_loopback();
        if !is_loopback && token.is_none() {
            return Err(UnsafeAddress(address));
        }
        Ok(Self { is_loopback, token, address: Some(address.ip()), ..Self::default() })
    }
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            is_loopback: true,
            is_local_only: false,
            has_web_app: true,
            token: None,
            address: None,
            is_tls: false,
            hosts: Vec::new(),
            origins: Vec::new(),
            secrets: SecretRegistry::default(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            folder_notice: None,
            trust: None,
            limits: ServerLimits::default(),
        }
    }
}
