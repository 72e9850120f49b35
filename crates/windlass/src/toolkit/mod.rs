//! Tools as programs write them: functions with state, methods of a struct, closures, groups of them.
//!
//! - `additions`: what the builder takes of all this, and how it becomes tools of an agent
//! - `builtin`: the tools of Windlass itself, and the index that they ask
//! - `closure`: a closure as a tool
//! - `group`: tools that share a prefix, limits and layers
//! - `pending`: a tool before its state is known
//! - `state`: what a program hands to its tools
//!
//! Everything here ends as a `ToolPort`, which is all that the engine sees: it knows no state and no group.

pub(crate) mod additions;
pub(crate) mod builtin;
mod closure;
mod group;
mod pending;
mod state;

pub use closure::{ClosureTool, tool_fn, tool_fn_with_context};
pub use group::{IntoToolGroup, ToolGroup, ToolMethods};
pub use pending::{IntoTool, PendingTool};
pub use state::{FromStates, MissingState, State, StateSet};
