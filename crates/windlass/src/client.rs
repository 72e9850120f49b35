//! Sessions of a Windlass behind a server: the same handles as those of an agent in this program, over HTTP.
//!
//! Owns how a server is found and who answers its questions. What is asked over HTTP, `windlass-client` knows.

use std::sync::Arc;

use windlass_client::RemoteHost;
use windlass_core::permission::{PermissionAnswer, Question};
use windlass_core::ports::host::HostPort;
use windlass_core::protocol::ids::SessionId;
use windlass_core::text::secret::Secret;

use crate::builder::PermissionAsker;
use crate::error::WindlassError;
use crate::session::AgentSession;
use crate::session_host::SessionHost;
use crate::worker;

/// A Windlass behind a server: `windlass serve`, or the router of an agent in another program. Its sessions are used as
/// those of an agent are; model, tools and rules are the server's. Cheap to clone.
///
/// A connection that breaks while a run is followed is taken up again; a run goes on without its client. What can go wrong
/// is [`HostError::Unreachable`](windlass_core::ports::host::HostError::Unreachable), `Unauthorised` and `Incompatible`,
/// in [`WindlassError::Host`].
///
/// ```
/// use windlass::prelude::*;
/// use windlass::Client;
///
/// # #[cfg(all(feature = "server", feature = "scripted"))]
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = Windlass::builder().script("user Hello.\nmodel text Good morning.\n")?.build()?;
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
/// let url = format!("http://{}", listener.local_addr()?);
/// let app = agent.router()?;
/// tokio::spawn(async move { windlass::server::axum::serve(listener, app).await });
///
/// let client = Client::connect(&url, None).await?;
/// assert_eq!(client.session("ada").run("Hello.").await?.text, "Good morning.");
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "server", feature = "scripted")))]
/// # fn main() {}
/// ```
#[derive(Clone)]
pub struct Client {
    remote: Arc<RemoteHost>,
    pub(crate) host: Arc<SessionHost>,
}

impl Client {
    /// Looks whether a Windlass is there and lets us in: `http://127.0.0.1:4117`, and its token if it wants one.
    pub async fn connect<'t>(url: &str, token: impl Into<Option<&'t str>>) -> Result<Self, WindlassError> {
        Self::connect_with(ClientConfig::with(url, token.into())).await
    }

    /// The same, blocking this thread. Works everywhere, as [`AgentSession::run_sync`] does.
    pub fn connect_sync<'t>(url: &str, token: impl Into<Option<&'t str>>) -> Result<Self, WindlassError> {
        worker::block(Self::connect_with(ClientConfig::with(url, token.into())))?
    }

    /// Like [`connect`](Self::connect), with everything that can be said of the way.
    pub async fn connect_with(config: ClientConfig) -> Result<Self, WindlassError> {
        let ClientConfig { url, token, ca_pem, asker } = config;
        let remote =
            worker::inside(async move { Ok(RemoteHost::connect(&url, token, ca_pem).await?) }).await?;
        let host = SessionHost::behind_server(Arc::clone(&remote) as Arc<dyn HostPort>, asker);
        Ok(Self { remote, host })
    }

    /// Where the server is, without anything secret.
    pub fn url(&self) -> &str {
        self.remote.url()
    }

    /// The session of that name on the server, begun when it is first spoken in.
    pub fn session(&self, name: impl Into<String>) -> AgentSession {
        AgentSession::new(Arc::clone(&self.host), Some(name.into()))
    }

    /// A session without a name, begun when it is first spoken in. It stays on the server:
    /// [`session_by_id`](Self::session_by_id) finds it again.
    pub fn unnamed_session(&self) -> AgentSession {
        AgentSession::new(Arc::clone(&self.host), None)
    }

    /// A session that somebody has begun, by its id.
    pub fn session_by_id(&self, session_id: &SessionId) -> AgentSession {
        AgentSession::known(Arc::clone(&self.host), session_id.clone(), true)
    }
}

/// A server and the way to it.
///
/// ```
/// use windlass::ClientConfig;
/// use windlass::prelude::*;
///
/// let config = ClientConfig::new("https://box.example")
///     .token("correct horse battery staple")
///     .on_permission(|question| async move {
///         println!("{} wants {}", question.tool, question.arguments);
///         PermissionAnswer::new(Decision::Deny)
///     });
/// ```
#[derive(Clone)]
#[must_use]
pub struct ClientConfig {
    url: String,
    token: Option<Secret>,
    ca_pem: Option<Vec<u8>>,
    asker: Option<PermissionAsker>,
}

impl ClientConfig {
    /// A server by its address: `http://127.0.0.1:4117`, `https://box.example/windlass`.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), token: None, ca_pem: None, asker: None }
    }

    fn with(url: &str, token: Option<&str>) -> Self {
        let config = Self::new(url);
        Self { token: token.map(Secret::from), ..config }
    }

    /// The token that the server wants.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(Secret::from(token.into()));
        self
    }

    /// Trusts these authorities beside the system's: certificates in PEM.
    pub fn ca_pem(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.ca_pem = Some(pem.into());
        self
    }

    /// Asks `asker` about calls that need asking, of runs that this client begins. Whether something is asked at all, the
    /// server decides, or [`RunOrder::approve`](crate::RunOrder::approve).
    pub fn on_permission<F>(mut self, asker: impl Fn(Question) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = PermissionAnswer> + Send + 'static,
    {
        self.asker = Some(Arc::new(move |question| Box::pin(asker(question))));
        self
    }
}
