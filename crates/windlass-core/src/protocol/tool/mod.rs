//! What a tool is, what a call asks, what an outcome says.
//!
//! Plain data and its meaning; running anything is the engine's business.

mod call;
mod declare;
mod failure;
mod inside;
mod label;
mod live;
mod outcome;
mod reached;
mod spec;

pub use call::{CheckedCall, ProviderState, RawArgs, RawCall, ToolCall};
pub use failure::{ErrorKind, RetryAdvice, ToolFailure};
pub(crate) use inside::tell_inside;
pub use inside::{InnerCall, concerns_inside, inner_end, inside_of, see_inside};
pub use label::{Integrity, Label, Secrecy};
pub use live::{LIVE_KEYWORD, SINK_KEYWORD, live_kinds, told_schema, without_live};
pub use outcome::{Link, OutcomeMeta, OutcomeStatus, ToolOutcome, ToolOutput, Trust};
pub use reached::{ReachLog, ReachedHost};
pub use spec::{
    ArgSpec, ArgType, Category, Effects, Risk, Scope, SpecError, ToolSpec, Visibility, is_tool_name,
};
