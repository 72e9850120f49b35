//! Windlass hauls a language model through its tool calls, step by step, and never loses one.
//!
//! ```
//! use windlass::prelude::*;
//!
//! /// Adds two integers.
//! #[tool(effects = "pure")]
//! async fn add(a: i64, b: i64) -> Result<i64, ToolError> {
//!     Ok(a + b)
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let script = "user What is 19 + 23?\nmodel call 1 add {\"a\":19,\"b\":23}\nmodel end\nmodel text It is 42.\n";
//! let agent = Windlass::builder().script(script)?.tool(add).build()?;
//! let answer = agent.run_sync("What is 19 + 23?")?;
//! assert_eq!(answer.text, "It is 42.");
//! assert_eq!(answer.trace.tools[0].output_raw, 42);
//! # Ok(())
//! # }
//! ```
//!
//! # Layout
//!
//! - [`Windlass`], [`Builder`]: an agent with a model, tools and sessions
//! - [`AgentSession`]: a conversation that is found again by its name; [`RunOrder`]: what is said, with wishes for the run
//! - `Client`, with the feature `client`: sessions behind a server; [`Sessions`]: either
//! - [`Windlass::run_as`], [`TypedAnswer`]: answers that are values of a Rust type
//! - `Builder::store` (feature `store`), [`Windlass::resume_all`], [`TakenUp`]: sessions that outlive the program
//! - [`macro@tool`]: a function becomes a tool; [`macro@tools`]: methods do; [`tool_fn`]: a closure does; [`State`]: what a
//!   program hands to its tools; [`CurrentRun`], [`AskUser`]: who calls, and what the user is asked meanwhile; [`ToolGroup`]: tools that share a prefix, limits and layers
//! - [`layers`]: what happens around calls and requests: cache, mask, log, record, rate, retry
//! - [`Executor`]: this program takes calls one by one and answers them
//! - [`dspy`]: a declarative module engine, its tools, registry and wrapper; the last three re-exported here
//! - [`ModelSource`], [`models`]: models of providers and of servers on this machine
//! - `OtelConfig`, with the feature `otel`: runs as OpenTelemetry spans
//! - `search`, with the feature of that name: an index of a folder and of documents, for tools, programs and answers
//! - `server`, with the feature of that name: the agent over HTTP, inside a server of your own
//! - `local` (features `builtin`, `local`): models that run in this process
//! - `testing`, with the feature of that name: scripted models, recordings of real ones, and what must have happened
//! - [`core`], [`engine`]: everything beneath, for those who need it

#![warn(missing_docs)]

#[doc(hidden)]
pub mod __private;
mod agent;
mod agent_host;
mod answer;
mod asking;
mod builder;
#[cfg(feature = "client")]
mod client;
pub mod dspy;
mod error;
mod following;
#[cfg(feature = "local")]
mod in_process;
pub mod layers;
#[cfg(feature = "models")]
mod model_source;
mod order;
mod resume;
#[cfg(any(feature = "search", feature = "client"))]
pub mod search;
#[cfg(feature = "server")]
pub mod server;
mod session;
mod session_host;
mod sessions;
#[cfg(feature = "testing")]
pub mod testing;
mod toolkit;
mod typed;
mod worker;

pub use agent::Windlass;
pub use answer::Answer;
/// For implementing ports: their methods are async functions.
pub use async_trait::async_trait;
pub use builder::Builder;
#[cfg(feature = "client")]
pub use client::{Client, ClientConfig};
pub use dspy::{Tool, ToolCall, ToolError, ToolRegistry, ToolWrapper, ToolWrapperConfig};
pub use error::{WindlassError, WrongAnswer};
pub use following::OngoingRun;
#[cfg(feature = "models")]
pub use model_source::ModelSource;
pub use order::RunOrder;
pub use resume::TakenUp;
pub use session::AgentSession;
pub use sessions::Sessions;
pub use toolkit::{
    AskUser, ClosureTool, CurrentRun, IntoTool, IntoToolGroup, MissingState, PendingTool, State, StateSet,
    ToolGroup, ToolMethods, UserAsk, tool_fn, tool_fn_with_context,
};
pub use typed::{TypedAnswer, TypedPart, TypedParts};
pub use windlass_core as core;
pub use windlass_engine as engine;
pub use windlass_engine::executor::{CallOver, Executor, TakenCall};
#[cfg(feature = "local")]
pub use windlass_local as local;
/// Makes a tool of a function.
///
/// The doc comment (or `description = "…"`) is what the model reads, the parameters are the schema, the
/// body is the run. `Option<T>` parameters may be left out; parameters `&ToolContext`, [`State<T>`](State),
/// [`CurrentRun`] and [`AskUser`] are filled in by the program and are no part of the schema. The function may return a `Result` or a plain value. One that is not `async` runs in a pool of
/// threads, so it may block.
///
/// | option | meaning |
/// |---|---|
/// | `effects = "pure" \| "read" \| "write" \| "external"` | what it does to the world; pure unless given |
/// | `risk = "safe" \| "low" \| "medium" \| "high" \| "critical"` | what is asked; safe for pure, low for read, high for the rest |
/// | `name = "…"`, `alias = "…"` | other names |
/// | `timeout_ms = N` | its own limit |
/// | `idempotent`, `repeatable`, `untrusted`, `own_output` | see `ToolSpec` |
///
/// ```
/// use windlass::prelude::*;
///
/// /// Greets somebody.
/// #[tool(effects = "pure", alias = "hello")]
/// fn greet(
///     /// Whom to greet.
///     name: String,
///     /// How often; once unless given.
///     times: Option<u32>,
/// ) -> String {
///     format!("Hello, {name}! ").repeat(times.unwrap_or(1) as usize)
/// }
///
/// let spec = windlass::core::ports::ToolPort::spec(&greet);
/// assert_eq!(spec.description, "Greets somebody.");
/// assert_eq!(spec.property("name").unwrap()["description"], "Whom to greet.");
/// assert!(spec.requires("name") && !spec.requires("times"));
/// ```
///
/// A tool without a description is refused when it is compiled:
///
/// ```compile_fail
/// use windlass::prelude::*;
///
/// #[tool]
/// fn nameless(a: i64) -> i64 { a }
/// ```
///
/// and so is an option that does not exist:
///
/// ```compile_fail
/// use windlass::prelude::*;
///
/// /// Adds.
/// #[tool(efects = "pure")]
/// fn add(a: i64) -> i64 { a }
/// ```
#[cfg(feature = "macros")]
pub use windlass_macros::tool;
/// Makes tools of the methods of a struct: those that say `#[tool]`, with the options of [`macro@tool`].
///
/// The struct is the state of its tools. It is held in an `Arc` and given to
/// [`Builder::tool_group`], in one of the program's own where the program goes on using it. Methods take `&self`, for
/// calls may run side by side; what changes is kept behind a lock. Methods without `#[tool]` stay what they are.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use windlass::prelude::*;
///
/// struct OrderDesk {
///     orders: Mutex<Vec<String>>,
/// }
///
/// #[tools]
/// impl OrderDesk {
///     /// Takes an order.
///     #[tool(effects = "write", risk = "safe")]
///     async fn take_order(
///         &self,
///         /// What is ordered.
///         item: String,
///     ) -> Result<usize, ToolError> {
///         let mut orders = self.orders.lock().map_err(|_| ToolError::ExecutionFailed("the desk is closed".into()))?;
///         orders.push(item);
///         Ok(orders.len())
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let desk = Arc::new(OrderDesk { orders: Mutex::default() });
/// let script = "user q\nmodel call 1 take_order {\"item\":\"tea\"}\nmodel end\nmodel text Coming.\n";
/// let agent = Windlass::builder().script(script)?.tool_group(Arc::clone(&desk)).build()?;
/// assert_eq!(agent.run_sync("q")?.trace.tools[0].output_raw, 1);
/// assert_eq!(desk.orders.lock().unwrap().as_slice(), ["tea"]);
/// # Ok(())
/// # }
/// ```
///
/// A method that would change the struct is refused when it is compiled:
///
/// ```compile_fail
/// use windlass::prelude::*;
///
/// struct Counter(u64);
///
/// #[tools]
/// impl Counter {
///     /// Counts.
///     #[tool]
///     fn count(&mut self) -> u64 { self.0 += 1; self.0 }
/// }
/// ```
///
/// and so is a block without tools:
///
/// ```compile_fail
/// use windlass::prelude::*;
///
/// struct Counter(u64);
///
/// #[tools]
/// impl Counter {
///     /// Counts.
///     fn count(&self) -> u64 { self.0 }
/// }
/// ```
#[cfg(feature = "macros")]
pub use windlass_macros::tools;
#[cfg(feature = "models")]
pub use windlass_models as models;
/// Where runs are sent as OpenTelemetry spans, and what they carry.
#[cfg(feature = "otel")]
pub use windlass_otlp::OtelConfig;

/// What most programs need.
pub mod prelude {
    pub use windlass_core::permission::{ApproveMode, Decision, PermissionAnswer, Question};
    pub use windlass_core::ports::ToolContext;
    pub use windlass_core::profile::{Profile, ProfileName};
    pub use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, RunOutcome, StopReason};
    pub use windlass_core::protocol::tool::{ToolFailure, ToolOutput, ToolSpec};
    pub use windlass_core::protocol::trace::RunTrace;

    #[cfg(feature = "models")]
    pub use crate::ModelSource;
    #[cfg(feature = "search")]
    pub use crate::search::SearchConfig;
    #[cfg(any(feature = "search", feature = "client"))]
    pub use crate::search::{CitedAnswer, Passage, SearchQuery};
    pub use crate::{
        AgentSession, Answer, AskUser, Builder, CurrentRun, Executor, IntoTool, OngoingRun, RunOrder, State,
        TakenCall, TakenUp, Tool, ToolCall, ToolError, ToolGroup, ToolRegistry, ToolWrapper,
        ToolWrapperConfig, TypedAnswer, TypedPart, UserAsk, Windlass, WindlassError, tool_fn,
        tool_fn_with_context,
    };
    #[cfg(feature = "macros")]
    pub use crate::{tool, tools};
}

/// The Rust of `docs/coming-from.md`, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/coming-from.md")]
struct ComingFrom;

/// The Rust of `docs/library.md`, compiled and run.
#[cfg(all(doctest, feature = "full"))]
#[doc = include_str!("../../../docs/library.md")]
struct LibraryGuide;
