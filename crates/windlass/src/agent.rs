//! An agent: a model, tools and conversations.

use std::sync::Arc;

use windlass_core::ports::host::ExecutorOffer;
use windlass_core::ports::{BoxStream, ToolPort};
use windlass_core::protocol::event::Event;
use windlass_core::protocol::tool::ToolSpec;
use windlass_engine::executor::Executor;
use windlass_engine::host::Host;

use crate::agent_host::AgentHost;
use crate::answer::Answer;
use crate::builder::Builder;
use crate::error::WindlassError;
use crate::order::RunOrder;
use crate::resume::{Resuming, TakenUp};
use crate::session::AgentSession;
use crate::session_host::SessionHost;
use crate::worker;

/// An agent: a model, tools, rules and any number of sessions. It has one conversation of its own, in which
/// [`run`](Self::run) speaks; [`session`](Self::session) gives others. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Windlass {
    pub(crate) agent: Arc<AgentHost>,
    own: AgentSession,
}

impl Windlass {
    /// Puts an agent together.
    pub fn builder() -> Builder {
        Builder::new()
    }

    pub(crate) fn new(agent: Arc<AgentHost>, host: Arc<SessionHost>) -> Self {
        Self { agent, own: AgentSession::new(host, None) }
    }

    /// Says something and waits for the answer.
    ///
    /// ```
    /// use windlass::prelude::*;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), WindlassError> {
    /// let agent = Windlass::builder().script("user Hello.\nmodel text Good morning.\n")?.build()?;
    /// let answer = agent.run("Hello.").await?;
    /// assert_eq!((answer.text.as_str(), answer.outcome), ("Good morning.", RunOutcome::Completed));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn run(&self, order: impl Into<RunOrder>) -> Result<Answer, WindlassError> {
        self.own.run(order).await
    }

    /// Says something and waits for the answer, blocking this thread. Works everywhere: in plain threads,
    /// in scripts, and inside another runtime (R-15).
    pub fn run_sync(&self, order: impl Into<RunOrder>) -> Result<Answer, WindlassError> {
        self.own.run_sync(order)
    }

    /// Says something and gives everything that happens until the run has ended. Dropping the stream does
    /// not stop the run; [`cancel`](Self::cancel) does.
    ///
    /// ```
    /// use windlass::prelude::*;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), WindlassError> {
    /// use futures::StreamExt;
    ///
    /// let agent = Windlass::builder().script("user Hello.\nmodel text Good morning.\n")?.build()?;
    /// let mut events = agent.stream("Hello.");
    /// let mut text = String::new();
    /// while let Some(event) = events.next().await {
    ///     if let Event::Delta(DeltaEvent::TextDelta { text: piece }) = event {
    ///         text.push_str(&piece);
    ///     }
    /// }
    /// assert_eq!(text, "Good morning.");
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream(&self, order: impl Into<RunOrder>) -> BoxStream<'static, Event> {
        self.own.stream(order)
    }

    /// Stops the run that goes on in the agent's own conversation.
    pub async fn cancel(&self) -> Result<(), WindlassError> {
        self.own.cancel().await
    }

    /// The session of that name, begun when it is first spoken in. With a store it is found again when the program was
    /// started anew.
    pub fn session(&self, name: impl Into<String>) -> AgentSession {
        AgentSession::new(Arc::clone(&self.own.host), Some(name.into()))
    }

    /// The agent's own conversation, as a session.
    pub fn own_session(&self) -> &AgentSession {
        &self.own
    }

    /// The same agent with another conversation of its own.
    pub fn new_session(&self) -> Result<Self, WindlassError> {
        Ok(Self { own: AgentSession::new(Arc::clone(&self.own.host), None), ..self.clone() })
    }

    /// Takes up all runs of the store that stopped in the middle because their program did. Calls that have an outcome
    /// on record are not run again; one that had begun and may run twice runs again; of any other nobody knows whether
    /// it happened, and the model is told so. Runs that go on in this agent are left alone.
    pub async fn resume_all(&self) -> Result<TakenUp, WindlassError> {
        let resuming = Resuming { agent: Arc::clone(&self.agent), host: Arc::clone(&self.own.host) };
        worker::inside(resuming.resume_all()).await
    }

    /// Takes no more runs, brings those that go on to a point at which they can be taken up again, and sends what is left
    /// of telemetry, for a few seconds at most. Dropping the last
    /// clone of an agent and of its sessions does the same, but nobody can wait for it then.
    pub async fn close(&self) -> Result<(), WindlassError> {
        let closing = self.agent.close();
        worker::inside(async move { Ok(closing.await?) }).await
    }

    /// The host behind the agent: everything that a server or a screen can ask. Its futures want a tokio runtime.
    pub fn host(&self) -> &Arc<Host> {
        &self.agent.host
    }

    /// Registers a tool; the next step can use it. One of the same name is replaced.
    pub fn register_tool(&self, tool: impl ToolPort + 'static) -> Result<(), WindlassError> {
        self.agent.registry.register(Arc::new(tool))?;
        Ok(())
    }

    /// Removes a tool; says whether there was one.
    pub fn remove_tool(&self, name: &str) -> bool {
        self.agent.registry.remove(name)
    }

    /// Offers tools whose calls this program takes and answers itself, wherever and whenever it likes. They pass the
    /// same gates as the calls of every other tool; the next step can use them, until the executor is dropped.
    ///
    /// ```
    /// use windlass::prelude::*;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let script = "user How warm?\nmodel call 1 read_sensor {\"room\":\"hall\"}\nmodel end\nmodel text 21 degrees.\n";
    /// let agent = Windlass::builder().script(script)?.build()?;
    /// let sensor = ToolSpec::new("read_sensor", "Reads the thermometer of a room.").with_schema(serde_json::json!({
    ///     "type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"],
    /// }));
    /// let mut executor = agent.executor("house", vec![sensor])?;
    /// tokio::spawn(async move {
    ///     while let Some(taken) = executor.next().await {
    ///         let room = taken.call().arguments["room"].clone();
    ///         // One that was cancelled meanwhile needs no answer.
    ///         let _ = taken.complete(ToolOutput::json(serde_json::json!({"room": room, "celsius": 21})));
    ///     }
    /// });
    /// let answer = agent.run("How warm?").await?;
    /// assert_eq!(answer.trace.tools[0].output_raw["celsius"], 21);
    /// # Ok(())
    /// # }
    /// ```
    pub fn executor(&self, name: impl Into<String>, tools: Vec<ToolSpec>) -> Result<Executor, WindlassError> {
        Ok(self.agent.executors.connect(ExecutorOffer { name: name.into(), tools })?)
    }
}
