//! The ports: traits by which the outside plugs in. Each is small enough to implement in an
//! afternoon; nothing here is implemented in this crate, but that a shared tool is a tool.

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_core::Stream;
use serde_json::{Map, Value};

use crate::event::Record;
use crate::ids::{CallId, Millis, RunId, SessionId};
use crate::model::{ModelDelta, ModelFailure, ModelRequest, Sampling, ToolChoice};
use crate::permission::{HeldTargets, Inspection, Rule};
use crate::profile::Dialect;
use crate::step::WrittenRequest;
use crate::task::{Task, TaskStatus};
use crate::tool::{ToolFailure, ToolOutcome, ToolOutput, ToolSpec};

/// A future that can be sent between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
/// A stream that can be sent between threads.
pub type BoxStream<'a, T> = Pin<Box<dyn Stream<Item = T> + Send + 'a>>;

/// A tool that can be run.
pub trait ToolPort: Send + Sync {
    /// Its declaration; must not change while it is registered.
    fn spec(&self) -> &ToolSpec;

    /// Runs one approved call. Dropping the future must stop the work; blocking work looks at
    /// `context.cancel`.
    fn run<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>>;

    /// What a call would touch, canonicalised, and a preview of it: asked before the user is.
    /// A failure refuses the call (a path outside the root, a forbidden address). Only called when the
    /// spec says `inspected`.
    fn inspect<'a>(
        &'a self,
        _args: &'a Map<String, Value>,
        _context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Inspection, ToolFailure>> {
        Box::pin(async { Ok(Inspection::default()) })
    }

    /// Whether a call that was running when the program stopped has happened. Asked only for calls that
    /// change something and are not idempotent; `context.idempotency_key()` is that of the first time.
    fn probe<'a>(
        &'a self,
        _args: &'a Map<String, Value>,
        _context: &'a ToolContext,
    ) -> BoxFuture<'a, Probed> {
        Box::pin(async { Probed::Unknown })
    }

    /// The values of a kind that exist now, all of them, for arguments whose schema says
    /// `"x-windlass-live": KIND`: a model in the process can then write nothing else there. Asked before each
    /// step of such a model, so it looks at what is in memory and waits for nothing. None means that the
    /// argument stays free.
    fn live_values(&self, _kind: &str, _state: &LiveState<'_>) -> Vec<String> {
        Vec::new()
    }

    /// The line of a text dialect about an output that has none of its own (E-26). `None` leaves it at the beginning of
    /// the readable text.
    fn summary(&self, _output: &ToolOutput) -> Option<String> {
        None
    }

    /// What a person reads of an outcome, as Markdown: `value` is what a model was shown of it, which may be its JSON, its
    /// text or a cut of either. `None` leaves it at the value in a block under the tool's name.
    fn display(&self, _args: &Map<String, Value>, _value: &Value) -> Option<String> {
        None
    }
}

/// What a tool may look at to say which values exist now.
#[derive(Clone, Copy)]
pub struct LiveState<'a> {
    /// The session's task list.
    pub tasks: &'a dyn TasksPort,
    /// Outcomes of earlier calls.
    pub results: &'a dyn ResultsPort,
}

/// What became of a call that was running when the program stopped.
#[derive(Debug, Clone, PartialEq)]
pub enum Probed {
    /// It happened, and gave this.
    Happened(Box<ToolOutput>),
    /// Nothing happened: it may run now.
    NotHappened,
    /// Nobody knows.
    Unknown,
}

impl<T: ToolPort + ?Sized> ToolPort for Arc<T> {
    fn spec(&self) -> &ToolSpec {
        (**self).spec()
    }

    fn run<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        (**self).run(args, context)
    }

    fn inspect<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Inspection, ToolFailure>> {
        (**self).inspect(args, context)
    }

    fn probe<'a>(&'a self, args: &'a Map<String, Value>, context: &'a ToolContext) -> BoxFuture<'a, Probed> {
        (**self).probe(args, context)
    }

    fn live_values(&self, kind: &str, state: &LiveState<'_>) -> Vec<String> {
        (**self).live_values(kind, state)
    }

    fn summary(&self, output: &ToolOutput) -> Option<String> {
        (**self).summary(output)
    }

    fn display(&self, args: &Map<String, Value>, value: &Value) -> Option<String> {
        (**self).display(args, value)
    }
}

/// Everything a running call may use; nothing is global (Z-19).
#[derive(Clone)]
pub struct ToolContext {
    /// The call.
    pub call_id: CallId,
    /// Its run.
    pub run_id: RunId,
    /// Its session.
    pub session_id: SessionId,
    /// The project root; files are only reached below it.
    pub root: PathBuf,
    /// The last thing the user said; empty where nobody said anything.
    pub user_message: Arc<str>,
    /// When the call will be stopped.
    pub deadline_ms: Millis,
    /// Most bytes of output a tool should make; what is above is cut by the engine.
    pub output_bytes_max: usize,
    /// What the call is held to: a tool that opens something checks it against these before it uses it.
    pub targets: HeldTargets,
    /// Turns true when the call must stop.
    pub cancel: CancelFlag,
    /// Where progress goes.
    pub progress: Arc<dyn ProgressPort>,
    /// Outcomes of earlier calls.
    pub results: Arc<dyn ResultsPort>,
    /// The session's task list.
    pub tasks: Arc<dyn TasksPort>,
    /// The other tools, for a tool that is made of them.
    pub calls: Arc<dyn CallsPort>,
}

impl ToolContext {
    /// Names this call for others: the same when it is run again after a stop, and never that of another call.
    pub fn idempotency_key(&self) -> String {
        format!("{}/{}", self.session_id, self.call_id)
    }
}

/// Whether work must stop, for code that cannot be dropped (threads).
#[derive(Debug, Clone, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether it must stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Where a tool reports how far it is.
pub trait ProgressPort: Send + Sync {
    /// One line for the user; may be dropped when too many come.
    fn report(&self, call_id: &CallId, line: &str);
}

/// Outcomes of earlier calls of the session, whole.
pub trait ResultsPort: Send + Sync {
    /// The outcome behind a handle (a call id, or the provider's id of it).
    fn find(&self, reference: &str) -> Option<Arc<ToolOutcome>>;

    /// All outcomes that are held, oldest first: those of a session's past too, after a restart.
    fn all(&self) -> Vec<Arc<ToolOutcome>> {
        Vec::new()
    }

    /// Every handle by which an outcome can be found now.
    fn handles(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The session's task list.
pub trait TasksPort: Send + Sync {
    /// Adds a task and names it `task_1`, `task_2`, …
    fn add(&self, content: &str) -> Task;
    /// All tasks, oldest first.
    fn list(&self) -> Vec<Task>;
    /// Sets a status; `None` when there is no such task.
    fn update(&self, id: &str, status: TaskStatus) -> Option<Task>;
}

/// Calls that a running call makes itself. They go the way of every call: checked, judged and limited; what would
/// need asking is refused, since the user is asked about what the model wants, not about what a tool does next.
pub trait CallsPort: Send + Sync {
    /// Runs one call to its end. Dropping the future stops it.
    fn call<'a>(
        &'a self,
        tool: &'a str,
        args: Map<String, Value>,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>>;
}

/// What an answer must be. The machine asks before it believes that a run has its answer.
pub trait AnswerForm: fmt::Debug + Send + Sync {
    /// What is wrong with an answer and how it should be, for the model that gave it.
    fn check(&self, answer: &str) -> Result<(), String>;
}

/// A model: a request in, a stream of deltas out. Dropping the stream stops the model.
pub trait ModelPort: Send + Sync {
    /// `provider/model`.
    fn name(&self) -> &str;
    /// The model that it stands before, if it stands before one: that of a module.
    fn below(&self) -> Option<&str> {
        None
    }
    /// Asks for one step.
    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>>;
    /// The request as it goes over the wire, without key and headers; nothing is sent, and nothing of the run
    /// changes. A model that is behind no wire writes none.
    fn written(&self, _request: &ModelRequest) -> Option<WrittenRequest> {
        None
    }
    /// Whether it can be held to values that exist now (`ModelRequest::live`). They are gathered for no other.
    fn uses_live_values(&self) -> bool {
        false
    }
    /// Which field of a wish it cannot fulfil and why, before it is asked: the caller is told so at once.
    fn refusal(&self, _choice: &ToolChoice, _sampling: &Sampling) -> Option<(&'static str, String)> {
        None
    }
    /// The one manner of calling that it understands; any, where it does not say.
    fn dialect(&self) -> Option<Dialect> {
        None
    }
    /// What its answers must be, where that is more than text.
    fn form(&self) -> Option<Arc<dyn AnswerForm>> {
        None
    }
}

/// Where durable events go before anybody sees them (wall 6).
pub trait JournalPort: Send + Sync {
    /// Appends records of one session, in order; returns when they are as durable as the journal gets.
    /// Deltas come in the same order, together with the next durable record; alone, they need not be durable.
    fn append<'a>(&'a self, records: &'a [Arc<Record>]) -> BoxFuture<'a, Result<(), JournalFailure>>;
    /// The records of a session with `seq > after`, in order, with the deltas that were appended.
    fn load<'a>(
        &'a self,
        session_id: &'a SessionId,
        after: u64,
    ) -> BoxFuture<'a, Result<Vec<Arc<Record>>, JournalFailure>>;
    /// The first `records_max` of those: for readers that keep little.
    fn load_page<'a>(
        &'a self,
        session_id: &'a SessionId,
        after: u64,
        records_max: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Record>>, JournalFailure>> {
        Box::pin(async move {
            let mut records = self.load(session_id, after).await?;
            records.truncate(records_max);
            Ok(records)
        })
    }
    /// The first `records_max` durable ones of those: enough to fold a view.
    fn load_durable<'a>(
        &'a self,
        session_id: &'a SessionId,
        after: u64,
        records_max: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Record>>, JournalFailure>> {
        Box::pin(async move {
            let mut records = self.load(session_id, after).await?;
            records.retain(|record| record.event.is_durable());
            records.truncate(records_max);
            Ok(records)
        })
    }
    /// What a session is granted at this moment, oldest first; nothing from a journal that does not keep that.
    fn grants<'a>(
        &'a self,
        _session_id: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<Vec<Rule>>, JournalFailure>> {
        Box::pin(async { Ok(None) })
    }
}

/// The journal could not do its work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the journal failed: {message}")]
pub struct JournalFailure {
    /// What happened.
    pub message: String,
}

/// Checks arguments against a tool's full JSON Schema; compiled once when the tool is registered.
pub trait ArgsValidator: Send + Sync {
    /// All violations, worst first; empty when the arguments are right.
    fn check(&self, args: &Value) -> Vec<Violation>;
}

/// One way in which arguments break their schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer to the place.
    pub path: String,
    /// What is wrong there.
    pub message: String,
    /// What was expected.
    pub expected: String,
    /// What was there, cut short.
    pub received: String,
}
