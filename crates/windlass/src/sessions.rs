//! What an agent and a client have in common: sessions by name.

use std::sync::Arc;

use crate::agent::Windlass;
#[cfg(feature = "client")]
use crate::client::Client;
use crate::session::AgentSession;

/// Where sessions are: in an agent of this program, or behind a server (`Client`, with the feature `client`). For code
/// that does not care which.
///
/// ```
/// use windlass::prelude::*;
/// use windlass::Sessions;
///
/// async fn greet(place: &dyn Sessions, name: &str) -> Result<String, WindlassError> {
///     Ok(place.session(name).run("Hello.").await?.text)
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), WindlassError> {
/// let agent = Windlass::builder().script("user Hello.\nmodel text Good morning.\n")?.build()?;
/// assert_eq!(greet(&agent, "ada").await?, "Good morning.");
/// # Ok(())
/// # }
/// ```
pub trait Sessions: Send + Sync {
    /// The session of that name, begun when it is first spoken in.
    fn session(&self, name: &str) -> AgentSession;

    /// A session without a name, begun when it is first spoken in.
    fn unnamed_session(&self) -> AgentSession;
}

impl Sessions for Windlass {
    fn session(&self, name: &str) -> AgentSession {
        Windlass::session(self, name)
    }

    fn unnamed_session(&self) -> AgentSession {
        AgentSession::new(Arc::clone(&self.own_session().host), None)
    }
}

#[cfg(feature = "client")]
impl Sessions for Client {
    fn session(&self, name: &str) -> AgentSession {
        Client::session(self, name)
    }

    fn unnamed_session(&self) -> AgentSession {
        Client::unnamed_session(self)
    }
}
