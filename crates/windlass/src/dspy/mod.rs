//! Tools, registry and wrapper in the shapes of a declarative module engine (D-1…D-20).
//!
//! A [`Tool`] is a host function; a [`ToolRegistry`] holds them; a [`ToolWrapper`] hauls any predictor, a
//! function from fields to fields, through its tool calls. The wrapper has no loop of its own: it drives
//! the run machine under the profile `dspy` (R-20).
//!
//! ```
//! use std::sync::Arc;
//! use serde_json::{Value, json};
//! use windlass::prelude::*;
//!
//! struct PlayerGold;
//!
//! #[windlass::dspy::async_trait]
//! impl Tool for PlayerGold {
//!     fn name(&self) -> &str {
//!         "get_player_gold"
//!     }
//!     fn description(&self) -> &str {
//!         "Get player's current gold amount"
//!     }
//!     async fn execute(&self, _args: Value) -> Result<Value, ToolError> {
//!         Ok(json!({"gold": 500}))
//!     }
//! }
//!
//! let mut registry = ToolRegistry::new();
//! registry.register(Arc::new(PlayerGold));
//! let wrapper = ToolWrapper::new(Arc::new(registry), ToolWrapperConfig::default());
//! // A predictor that looks into the purse first, and answers when it has seen it.
//! let predictor = |input: Value| async move {
//!     Ok(match input["context"].as_str() {
//!         Some("") | None => json!({"response": "", "tool_call": {"name": "get_player_gold", "args": {}}}),
//!         Some(context) => json!({"response": context, "tool_call": null}),
//!     })
//! };
//! let output = wrapper.invoke_sync_with_fn(json!({"query": "How rich am I?"}), predictor)?;
//! assert_eq!(output["response"], r#"Tool 'get_player_gold' returned: {"gold":500}"#);
//! # Ok::<(), windlass::dspy::DSPyEngineError>(())
//! ```

mod call;
mod error;
mod host;
mod model;
mod registry;
mod tool;
mod wrapper;

pub use async_trait::async_trait;
pub use call::ToolCall;
pub use error::{DSPyEngineError, ToolError};
pub use host::HostTool;
pub use registry::ToolRegistry;
pub use tool::Tool;
pub use wrapper::{ToolWrapper, ToolWrapperConfig};
