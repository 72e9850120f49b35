//! Tools as programs write them: functions with state, methods of a struct, closures, groups of them.
//!
//! - `additions`: what the builder takes of all this, and how it becomes tools of an agent
//! - `ask_user`: a tool asks the user in the middle of a call
//! - `builtin`: the tools of Windlass itself, and the index that they ask
//! - `closure`: a closure as a tool
//! - `group`: tools that share a prefix, limits and layers
//! - `parameter`: parameters of a tool that the model does not fill
//! - `pending`: a tool before its state is known
//! - `state`: what a program hands to its tools
//!
//! Everything here ends as a `ToolPort`, which is all that the engine sees: it knows no state and no group.

pub(crate) mod additions;
mod ask_user;
pub(crate) mod builtin;
mod closure;
mod group;
mod parameter;
mod pending;
mod state;

pub use ask_user::{AskUser, UserAsk};
pub use closure::{ClosureTool, tool_fn, tool_fn_with_context};
pub use group::{IntoToolGroup, ToolGroup, ToolMethods};
pub use parameter::{CurrentRun, ToolParameter};
pub use pending::{IntoTool, PendingTool};
pub use state::{MissingState, State, StateSet};
