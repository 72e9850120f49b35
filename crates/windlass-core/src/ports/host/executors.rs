//! Executors: programs of a user's own that offer tools to a host, take calls of them and answer. What is asked and
//! given; calls are checked, judged and limited before an executor hears of them, as those of every tool are.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::HostError;
use crate::protocol::ids::{CallId, Millis, RunId, SessionId};
use crate::protocol::tool::{ToolFailure, ToolOutput, ToolSpec};

/// What an executor gives for a call.
pub type ExecutorAnswer = Result<ToolOutput, ToolFailure>;

/// What an executor offers.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecutorOffer {
    /// What people know it by.
    pub name: String,
    /// Its tools. Their output is text from outside, unless their specs claim it as their own.
    pub tools: Vec<ToolSpec>,
}

/// What an executor gets that was let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutorTicket {
    /// Its id.
    pub executor_id: String,
    /// What it shows with every request; nobody else knows it.
    pub secret: String,
    /// How long it may be silent before it counts as gone.
    pub lease_ms: u64,
}

/// Who asks: an executor by its ticket.
#[derive(Debug, Clone, Copy)]
pub struct ExecutorBadge<'a> {
    /// Its id.
    pub executor_id: &'a str,
    /// Its secret.
    pub secret: &'a str,
}

/// A call that an executor is to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequestedCall {
    /// Its number at this executor: what the answer names.
    pub call: u64,
    /// The tool.
    pub tool: String,
    /// Complete arguments: they fit the schema, and whoever had to be asked has agreed to them.
    pub arguments: Map<String, Value>,
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The call as the run's events name it.
    pub call_id: CallId,
    /// The same when the call is sent again after a stop, and never that of another call.
    pub idempotency_key: String,
    /// When it will be stopped.
    pub deadline_ms: Millis,
}

/// What is new for an executor.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExecutorNews {
    /// Calls to run.
    pub calls: Vec<RequestedCall>,
    /// Numbers of calls that nobody waits for any more: cancelled, or out of time.
    pub stopped: Vec<u64>,
    /// What to name next time, as a sign that this has arrived.
    pub after: u64,
}

/// An executor, for lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Executor"))]
pub struct ExecutorRow {
    /// Its id.
    pub executor_id: String,
    /// What people know it by.
    pub name: String,
    /// Its tools.
    pub tools: Vec<String>,
    /// Calls that wait for it or that it runs.
    pub calls: usize,
}

/// The programs of a user's own that run tools for a host.
#[async_trait]
pub trait ExecutorsPort: Send + Sync {
    /// Lets one in: its tools are those of all sessions from now on. It is gone after `lease_ms` of silence.
    fn register(&self, offer: ExecutorOffer, lease_ms: u64) -> Result<ExecutorTicket, HostError>;
    /// What is new for one since `after`; waits for it. One request at a time: a newer one ends an older one.
    async fn poll(
        &self,
        badge: ExecutorBadge<'_>,
        after: u64,
        wait_ms: u64,
    ) -> Result<ExecutorNews, HostError>;
    /// Takes the answer to a call; a call has one, and none once it was stopped.
    fn answer(&self, badge: ExecutorBadge<'_>, call: u64, answer: ExecutorAnswer) -> Result<(), HostError>;
    /// Lets one go: its tools are gone, and so are its calls.
    fn leave(&self, badge: ExecutorBadge<'_>) -> Result<(), HostError>;
    /// All that are there.
    fn list(&self) -> Vec<ExecutorRow>;
}
