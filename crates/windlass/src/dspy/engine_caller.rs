//! The module engine as scripts of a host program call it: blocking, with errors by their type.

use std::sync::Arc;

use serde_json::Value;
use windlass_core::ports::ToolPort;
use windlass_modules::script::{CallerError, CallerErrorType, ModuleCaller, describe_module};

use super::engine::ModuleEngine;
use super::engine_invoke::ModuleRequest;
use super::error::{DSPyEngineError, ToolError};
use super::wrapper::ToolWrapperConfig;

impl ModuleEngine {
    fn call(&self, request: ModuleRequest, timeout_ms: Option<u64>) -> Result<Value, CallerError> {
        let request = match timeout_ms {
            Some(timeout_ms) => request.with_timeout(timeout_ms),
            None => request,
        };
        self.invoke_traced_sync(request).0.map_err(CallerError::from)
    }
}

impl ModuleCaller for ModuleEngine {
    fn invoke(&self, module_id: &str, input: Value, timeout_ms: Option<u64>) -> Result<Value, CallerError> {
        self.call(ModuleRequest::new(module_id, input), timeout_ms)
    }

    fn invoke_with_tools(
        &self,
        module_id: &str,
        input: Value,
        timeout_ms: Option<u64>,
    ) -> Result<Value, CallerError> {
        let request = ModuleRequest::new(module_id, input).with_tools(ToolWrapperConfig::default());
        self.call(request, timeout_ms)
    }

    fn register_tool(&self, tool: Arc<dyn ToolPort>) -> Result<(), CallerError> {
        Ok(self.register_port(tool)?)
    }

    fn module_ids(&self) -> Vec<String> {
        self.module_ids()
    }

    fn tool_names(&self) -> Vec<String> {
        self.tool_names()
    }

    fn module_info(&self, module_id: &str) -> Result<Value, CallerError> {
        Ok(describe_module(&*self.inner.require(module_id)?))
    }
}

impl From<DSPyEngineError> for CallerError {
    fn from(error: DSPyEngineError) -> Self {
        let error_type = match &error {
            DSPyEngineError::ModuleNotFound(_) => CallerErrorType::ModuleNotFound,
            DSPyEngineError::SignatureNotFound(_) => CallerErrorType::SignatureNotFound,
            DSPyEngineError::ToolsNotEnabled(_) => CallerErrorType::ToolsNotEnabled,
            DSPyEngineError::ToolError(ToolError::NotFound(_)) => CallerErrorType::ToolNotFound,
            DSPyEngineError::ToolError(
                ToolError::InvalidArgs(_) | ToolError::ExecutionFailed(_) | ToolError::SerializationError(_),
            ) => CallerErrorType::ToolExecutionFailed,
            DSPyEngineError::Timeout(_) => CallerErrorType::Timeout,
            DSPyEngineError::InferenceError(_) => CallerErrorType::InferenceError,
            DSPyEngineError::ParseError(_) | DSPyEngineError::JsonError(_) => {
                CallerErrorType::ConversionError
            }
            DSPyEngineError::MaxIterationsReached(_)
            | DSPyEngineError::IoError(_)
            | DSPyEngineError::RuntimeError(_)
            | DSPyEngineError::ConfigError(_)
            | DSPyEngineError::HashMismatch { .. }
            | DSPyEngineError::InvalidModuleFormat(_)
            | DSPyEngineError::WatcherError(_)
            | DSPyEngineError::HotReloadFailed { .. } => CallerErrorType::RuntimeError,
        };
        Self::new(error_type, error.to_string())
    }
}
