//! The agent over HTTP, inside a server of your own: the API and the web app as a router of axum.
//!
//! [`Windlass::router`] gives routes for this machine alone; [`Windlass::router_with`] takes a [`RouterConfig`]. The
//! routes can be nested below a path, or be the fallback of your own, which is where the web app wants to be:
//!
//! | how | where the API is | web app |
//! |---|---|---|
//! | `Router::new().nest("/agent", agent.router()?)` | `/agent/api/…`, `/agent/v1/…` | no: its pages name paths of the root |
//! | `Router::new().fallback_service(agent.router()?)` | `/api/…`, `/v1/…` | yes, at `/` |
//!
//! Runs belong to the agent, not to the server: they go on when a client leaves, and when your server stops. Event
//! streams of runs that go on stay open, so a server that waits for its connections ends after [`Windlass::close`].
//! Questions about calls go to whoever asks over HTTP, if the agent was built with
//! [`ApproveMode::Ask`](windlass_core::permission::ApproveMode::Ask); the callback of `on_permission` hears of runs that
//! this program began.

use std::sync::Arc;

use windlass_core::ports::host::ServedPort;
use windlass_core::text::secret::Secret;

use crate::agent::Windlass;
use crate::error::WindlassError;
use crate::worker;

/// The version of axum whose router this is: use it through here, or depend on the same one.
pub use windlass_server::axum;
pub use windlass_server::axum::Router;
/// Serves a router with bounds for connections, until `shutdown` ends; `axum::serve` does it without.
pub use windlass_server::serve;
pub use windlass_server::{Rate, ServerConfig, ServerLimits};

/// Who may use the routes of an agent, and which there are.
///
/// Unless it is told otherwise, only this machine may: requests must name it by a loopback address or `localhost`, come
/// from there where the connection tells (`into_make_service_with_connect_info::<SocketAddr>()`), and bring no foreign
/// `Origin`. A server that others can reach needs a [`token`](Self::token).
///
/// ```
/// use windlass::server::RouterConfig;
///
/// let config = RouterConfig::new().token("correct horse battery staple").host("box.lan").without_web_app();
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct RouterConfig {
    config: ServerConfig,
}

impl RouterConfig {
    /// For this machine alone, with the web app.
    pub fn new() -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self { config: ServerConfig { is_local_only: true, version, ..ServerConfig::default() } }
    }

    /// Requests must bring this, as `Authorization: Bearer TOKEN`, and may then come from anywhere. An empty one lets
    /// nobody in.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        let token = Some(token.into()).filter(|token| !token.is_empty());
        self.config.token = token.map(Secret::new);
        self.config.is_loopback = false;
        self.config.is_local_only = false;
        self
    }

    /// Lets in whoever reaches the server, without a token: for programs that ask for more themselves, before the
    /// routes. Names and origins are checked all the same.
    pub fn open_to_all(mut self) -> Self {
        self.config.token = None;
        self.config.is_loopback = true;
        self.config.is_local_only = false;
        self
    }

    /// A name by which the server is reached, beside addresses and `localhost`: `box.lan`, `box.lan:8080`.
    pub fn host(mut self, name: impl Into<String>) -> Self {
        self.config.hosts.push(name.into());
        self
    }

    /// Pages of another origin that may use the routes: `https://app.example`.
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.config.origins.push(origin.into());
        self
    }

    /// A key that must not appear in anything that is shown.
    pub fn secret(self, key: impl Into<String>) -> Self {
        self.config.secrets.add(Secret::new(key.into()));
        self
    }

    /// The interfaces alone.
    pub fn without_web_app(mut self) -> Self {
        self.config.has_web_app = false;
        self
    }

    /// Bounds of requests and streams.
    pub fn limits(mut self, limits: ServerLimits) -> Self {
        self.config.limits = limits;
        self
    }
}

impl Default for RouterConfig {
    fn default() -> Self {
        Self::new()
    }
}

impl Windlass {
    /// The agent over HTTP, for this machine alone: the API and the web app, to nest in a server of your own. It needs no
    /// runtime of the library's: any server of axum can serve it.
    ///
    /// ```
    /// use windlass::prelude::*;
    /// use windlass::server::axum::{Router, routing::get};
    ///
    /// # fn main() -> Result<(), WindlassError> {
    /// # #[cfg(feature = "scripted")] {
    /// let agent = Windlass::builder().script("user q\nmodel text Hello.\n")?.build()?;
    /// let app: Router = Router::new().route("/hello", get(|| async { "hello" })).nest("/agent", agent.router()?);
    /// # }
    /// # Ok(())
    /// # }
    /// ```
    pub fn router(&self) -> Result<Router, WindlassError> {
        self.router_with(RouterConfig::new())
    }

    /// The agent over HTTP, for those whom the configuration lets in.
    pub fn router_with(&self, config: RouterConfig) -> Result<Router, WindlassError> {
        let runtime = worker::handle()?;
        let app = {
            let _inside = runtime.enter();
            windlass_server::app(Arc::clone(self.host()) as Arc<dyn ServedPort>, config.config)
        };
        // The host closes when nobody holds its agent any more; the routes do.
        let held = axum::Extension(self.own_session().clone());
        Ok(windlass_server::within(app, runtime.clone()).layer(held))
    }
}
