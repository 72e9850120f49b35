//! The port of tools: what can be run, and everything a running call may use. Knows no tool and no session.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::permission::{HeldTargets, Inspection};
use crate::protocol::ids::{CallId, Millis, RunId, SessionId};
use crate::protocol::task::{Task, TaskStatus};
use crate::protocol::tool::{ReachLog, ToolFailure, ToolOutcome, ToolOutput, ToolSpec};

/// A tool that can be run.
#[async_trait]
pub trait ToolPort: Send + Sync {
    /// Its declaration; must not change while it is registered.
    fn spec(&self) -> &ToolSpec;

    /// Runs one approved call. Dropping the future must stop the work; blocking work looks at
    /// `context.cancel`.
    async fn run(&self, args: &Map<String, Value>, context: &ToolContext) -> Result<ToolOutput, ToolFailure>;

    /// What a call would touch, canonicalised, and a preview of it: asked before the user is.
    /// A failure refuses the call (a path outside the root, a forbidden address). Only called when the
    /// spec says `inspected`.
    async fn inspect(
        &self,
        _args: &Map<String, Value>,
        _context: &ToolContext,
    ) -> Result<Inspection, ToolFailure> {
        Ok(Inspection::default())
    }

    /// Whether a call that was running when the program stopped has happened. Asked only for calls that
    /// change something and are not idempotent; `context.idempotency_key()` is that of the first time.
    async fn probe(&self, _args: &Map<String, Value>, _context: &ToolContext) -> Probed {
        Probed::Unknown
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

#[async_trait]
impl<T: ToolPort + ?Sized> ToolPort for Arc<T> {
    fn spec(&self) -> &ToolSpec {
        (**self).spec()
    }

    async fn run(&self, args: &Map<String, Value>, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        (**self).run(args, context).await
    }

    async fn inspect(
        &self,
        args: &Map<String, Value>,
        context: &ToolContext,
    ) -> Result<Inspection, ToolFailure> {
        (**self).inspect(args, context).await
    }

    async fn probe(&self, args: &Map<String, Value>, context: &ToolContext) -> Probed {
        (**self).probe(args, context).await
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
    /// When the call will be stopped, unless it waits for somebody.
    pub deadline_ms: Millis,
    /// Where a tool says that it waits for somebody: its time limit is put off by that.
    pub waiting: WaitingTime,
    /// Where a tool says which hosts it has sent something to.
    pub reached: ReachLog,
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

/// How long a call has waited for somebody who is asked: that is no work, and no time limit of the tool counts it.
#[derive(Debug, Clone, Default)]
pub struct WaitingTime(Arc<WaitingCounts>);

#[derive(Debug, Default)]
struct WaitingCounts {
    open: AtomicU32,
    over_ms: AtomicU64,
}

impl WaitingTime {
    /// The call waits from now on. Whoever says so says by [`end`](Self::end) when it is over.
    pub fn begin(&self) {
        self.0.open.fetch_add(1, Ordering::AcqRel);
    }

    /// A wait is over, and it took so long.
    pub fn end(&self, waited_ms: u64) {
        // Before the count: whoever sees that nobody waits any more sees the whole time.
        self.0.over_ms.fetch_add(waited_ms, Ordering::AcqRel);
        self.0.open.fetch_sub(1, Ordering::AcqRel);
    }

    /// Whether it waits now.
    pub fn is_open(&self) -> bool {
        self.0.open.load(Ordering::Acquire) > 0
    }

    /// The time of all waits that are over.
    pub fn over_ms(&self) -> u64 {
        self.0.over_ms.load(Ordering::Acquire)
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
#[async_trait]
pub trait CallsPort: Send + Sync {
    /// Runs one call to its end. Dropping the future stops it.
    async fn call(&self, tool: &str, args: Map<String, Value>) -> Result<ToolOutput, ToolFailure>;
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
