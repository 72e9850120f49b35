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
//! - [`Windlass`], [`Builder`]: an agent with a model, tools and a conversation
//! - [`tool`]: a function becomes a tool; [`Executor`]: this program takes calls one by one and answers them
//! - [`dspy`]: a declarative module engine, its tools, registry and wrapper; the last three re-exported here
//! - [`ModelSource`], [`models`]: models of providers and of servers on this machine
//! - [`core`], [`engine`]: everything beneath, for those who need it

#![warn(missing_docs)]

#[doc(hidden)]
pub mod __private;
mod agent;
mod answer;
mod builder;
pub mod dspy;
mod error;
#[cfg(feature = "models")]
mod model_source;
mod worker;

pub use agent::Windlass;
pub use answer::Answer;
/// For implementing ports: their methods are async functions.
pub use async_trait::async_trait;
pub use builder::Builder;
pub use dspy::{Tool, ToolCall, ToolError, ToolRegistry, ToolWrapper, ToolWrapperConfig};
pub use error::WindlassError;
#[cfg(feature = "models")]
pub use model_source::ModelSource;
pub use windlass_core as core;
pub use windlass_engine as engine;
pub use windlass_engine::executor::{CallOver, Executor, TakenCall};
/// Makes a tool of a function.
///
/// The doc comment (or `description = "…"`) is what the model reads, the parameters are the schema, the
/// body is the run. `Option<T>` parameters may be left out; a parameter `&ToolContext` is filled in by the
/// engine. The function may return a `Result` or a plain value. One that is not `async` runs in a pool of
/// threads, so it may block.
///
/// | option | meaning |
/// |---|---|
/// | `effects = "pure" \| "read" \| "write" \| "external"` | what it does to the world; pure unless given |
/// | `risk = "safe" \| "low" \| "medium" \| "high" \| "critical"` | what is asked; safe for pure, low for read, high for the rest |
/// | `name = "…"`, `alias = "…"` | other names |
/// | `timeout_ms = N` | its own limit |
/// | `idempotent`, `repeatable`, `untrusted` | see `ToolSpec` |
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
pub use windlass_macros::tool;
#[cfg(feature = "models")]
pub use windlass_models as models;

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
    pub use crate::{
        Answer, Builder, Executor, TakenCall, Tool, ToolCall, ToolError, ToolRegistry, ToolWrapper,
        ToolWrapperConfig, Windlass, WindlassError, tool,
    };
}

/// The Rust of `docs/coming-from.md`, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/coming-from.md")]
struct ComingFrom;
