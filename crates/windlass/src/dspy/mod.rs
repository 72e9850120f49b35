//! A declarative module engine, its tools, registry and wrapper (D-1…D-30).
//!
//! A [`Tool`] is a host function; a [`ToolRegistry`] holds them; a [`ToolWrapper`] hauls any predictor, a
//! function from fields to fields, through its tool calls. A `ModuleEngine` does so with modules that are declared
//! in files. Neither has a loop of its own: both drive the run machine under the profile `dspy` (R-20).
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
//!
//! - `call`: a call as a structured output writes it
//! - `engine`: modules of a folder, one model, tools of the host (D-21…D-26)
//! - `engine_caller`: the module engine as scripts of a host program call it: blocking, with errors by their type
//! - `engine_invoke`: from its inputs to its outputs, in every shape that callers need
//! - `engine_typed`: modules with inputs and outputs of Rust types, for programs that know them when they are compiled
//! - `error`: what can go wrong, in the words of the module engine (D-1, D-2, D-25, Appendix A.2)
//! - `host`: a host function behind the port that the engine runs tools by
//! - `invocation`: a session that lives for one run
//! - `model`: a predictor behind the port that the engine asks models by
//! - `nesting`: a tool may invoke a module, whose tool may invoke a module, and so on
//! - `registry`: the tools of a module engine, by name
//! - `tool`: a host function as a tool
//! - `wrapper`: any predictor, hauled through its tool calls

mod call;
#[cfg(feature = "modules")]
mod engine;
#[cfg(feature = "modules")]
mod engine_caller;
#[cfg(feature = "modules")]
mod engine_invoke;
#[cfg(feature = "modules")]
mod engine_typed;
mod error;
mod host;
mod invocation;
mod model;
#[cfg_attr(
    not(feature = "modules"),
    expect(dead_code, reason = "without modules nothing stands inside another")
)]
mod nesting;
mod registry;
mod tool;
mod wrapper;

pub use async_trait::async_trait;
pub use call::ToolCall;
#[cfg(feature = "modules")]
pub use engine::{ModuleEngine, ModuleEngine as DSPyEngine};
#[cfg(feature = "modules")]
pub use engine_invoke::ModuleRequest;
#[cfg(feature = "modules")]
pub use engine_typed::TypedSignature;
pub use error::{DSPyEngineError, ErrorKind, ToolError, ToolErrorKind};
pub use host::HostTool;
pub use registry::ToolRegistry;
pub use tool::Tool;
/// Makes the signature of a module of a struct.
///
/// Each field is an `#[input]` or an `#[output]`; its doc comment is what the model reads, and its Rust type says
/// what it holds: text, whole numbers, numbers, `bool`, lists, maps, and for `Value` and `Option` any JSON, which may
/// be absent. A type of your own is named by `#[output(kind = "object")]` (or `string`, `array`, …); `name = "…"` and
/// `description = "…"` say otherwise than the field does.
///
/// With `#[signature(typed)]` there are also two structs, `NAMEInputs` and `NAMEOutputs`, for
/// [`ModuleEngine::invoke_typed`].
///
/// ```
/// use windlass::dspy::{FieldType, Signature, SignatureRegistry, SignatureType};
///
/// #[derive(Signature)]
/// #[signature(typed)]
/// pub struct Haggle {
///     /// What the player says.
///     #[input]
///     pub query: String,
///     /// The merchant's price, if he names one.
///     #[output]
///     pub price: Option<u32>,
/// }
///
/// let mut signatures = SignatureRegistry::new();
/// signatures.register::<Haggle>("npc.haggle");
/// let signature = Haggle::signature();
/// assert_eq!(signature.inputs[0].description.as_deref(), Some("What the player says."));
/// assert_eq!(signature.outputs[0].field_type, FieldType::Json);
/// let outputs: HaggleOutputs = serde_json::from_str(r#"{"price": 12}"#).unwrap();
/// assert_eq!(outputs.price, Some(12));
/// ```
///
/// A type that says nothing to a model is refused when it is compiled:
///
/// ```compile_fail
/// use windlass::dspy::Signature;
///
/// struct Own;
///
/// #[derive(Signature)]
/// struct Unclear {
///     #[output]
///     own: Own,
/// }
/// ```
#[cfg(feature = "modules")]
#[cfg(feature = "macros")]
pub use windlass_macros::Signature;
#[cfg(feature = "modules")]
pub use windlass_modules::script::{
    CallerError, CallerErrorType, EngineSetup, ModuleCaller, ScriptGrants, ScriptLibrary, ScriptLimits,
    ScriptReport, ScriptTool, register_dspy_engine, register_dspy_engine_with,
};
#[cfg(feature = "modules")]
pub use windlass_modules::{
    Demo, Field, FieldType, HotReload, HotReloadConfig, HotReloadEvent, HotReloadEvents, HotReloadHandle,
    HotReloadStats, LoadReport, Module, ModuleError, ModuleLibrary, ModuleModel, ModuleOrigin, Predictor,
    Signature, SignatureRegistry, SignatureType, ToolUse, rhai,
};
pub use wrapper::{ToolWrapper, ToolWrapperConfig};
