//! Modules as scripts of a host program call them: blocking, and from any thread.

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::ports::ToolPort;

use crate::module::Module;

/// What can go wrong for a script that calls modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallerErrorType {
    /// There is no such module.
    ModuleNotFound,
    /// A module names a signature that nobody registered.
    SignatureNotFound,
    /// The module may not use tools.
    ToolsNotEnabled,
    /// The module called a tool that is not there.
    ToolNotFound,
    ToolExecutionFailed,
    /// It took too long.
    Timeout,
    /// The model failed, or gave no output that fits.
    InferenceError,
    /// A value of the script has no JSON form, or is not what the function takes.
    ConversionError,
    RuntimeError,
}

impl CallerErrorType {
    /// All of them, for tables and tests.
    pub const ALL: [Self; 9] = [
        Self::ModuleNotFound,
        Self::SignatureNotFound,
        Self::ToolsNotEnabled,
        Self::ToolNotFound,
        Self::ToolExecutionFailed,
        Self::Timeout,
        Self::InferenceError,
        Self::ConversionError,
        Self::RuntimeError,
    ];

    /// The `error_type` that scripts see.
    pub fn word(self) -> &'static str {
        match self {
            Self::ModuleNotFound => "ModuleNotFound",
            Self::SignatureNotFound => "SignatureNotFound",
            Self::ToolsNotEnabled => "ToolsNotEnabled",
            Self::ToolNotFound => "ToolNotFound",
            Self::ToolExecutionFailed => "ToolExecutionFailed",
            Self::Timeout => "Timeout",
            Self::InferenceError => "InferenceError",
            Self::ConversionError => "ConversionError",
            Self::RuntimeError => "RuntimeError",
        }
    }
}

/// Why a script got nothing from a module.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CallerError {
    /// What kind of error.
    pub error_type: CallerErrorType,
    /// What was wrong and what to do.
    pub message: String,
}

impl CallerError {
    pub fn new(error_type: CallerErrorType, message: impl Into<String>) -> Self {
        Self { error_type, message: message.into() }
    }
}

/// Modules for scripts. Every function blocks its thread and must be safe on any: on one of an async runtime too.
pub trait ModuleCaller: Send + Sync {
    /// Runs a module on inputs, perhaps for no longer than some time.
    fn invoke(&self, module_id: &str, input: Value, timeout_ms: Option<u64>) -> Result<Value, CallerError>;

    /// The same with tools.
    fn invoke_with_tools(
        &self,
        module_id: &str,
        input: Value,
        timeout_ms: Option<u64>,
    ) -> Result<Value, CallerError>;

    /// Puts in a tool; one of the same name is replaced.
    fn register_tool(&self, tool: Arc<dyn ToolPort>) -> Result<(), CallerError>;

    /// The names of all modules, sorted.
    fn module_ids(&self) -> Vec<String>;

    /// The names of all tools, sorted.
    fn tool_names(&self) -> Vec<String>;

    /// What a module is: an object with `module_id`, `signature_name`, `instruction`, `predictor_type`,
    /// `tool_enabled` and more.
    fn module_info(&self, module_id: &str) -> Result<Value, CallerError>;
}

/// A module as [`ModuleCaller::module_info`] tells of it.
pub fn describe_module(module: &Module) -> Value {
    json!({
        "module_id": module.module_id,
        "signature_name": module.signature_name,
        "instruction": module.instruction,
        "predictor_type": module.predictor.word(),
        "tool_enabled": module.tool_enabled,
        "tools": module.tools,
        "inputs": module.signature.inputs,
        "outputs": module.signature.outputs,
        "demo_count": module.demos.len(),
        "metadata": module.metadata,
    })
}
