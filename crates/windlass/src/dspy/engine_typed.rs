//! Modules with inputs and outputs of Rust types, for programs that know them when they are compiled.

use serde::Serialize;
use serde::de::DeserializeOwned;
use windlass_modules::SignatureType;

use super::engine::ModuleEngine;
use super::engine_invoke::ModuleRequest;
use super::error::DSPyEngineError;

/// A signature whose inputs and outputs are Rust types; `#[derive(Signature)]` writes this where it says
/// `#[signature(typed)]`.
pub trait TypedSignature: SignatureType {
    /// What it takes.
    type Inputs: Serialize;
    /// What it gives.
    type Outputs: DeserializeOwned;
}

impl ModuleEngine {
    /// The outputs of a module for these inputs, without tools.
    pub async fn invoke_typed<S: TypedSignature>(
        &self,
        module_id: &str,
        inputs: &S::Inputs,
    ) -> Result<S::Outputs, DSPyEngineError> {
        let request = request_of(module_id, inputs)?;
        outputs_of(self.invoke_traced(request).await.0?)
    }

    /// The same, blocking this thread.
    pub fn invoke_typed_sync<S: TypedSignature>(
        &self,
        module_id: &str,
        inputs: &S::Inputs,
    ) -> Result<S::Outputs, DSPyEngineError> {
        let request = request_of(module_id, inputs)?;
        outputs_of(self.invoke_traced_sync(request).0?)
    }

    /// The outputs of a module that may use tools.
    pub async fn invoke_typed_with_tools<S: TypedSignature>(
        &self,
        module_id: &str,
        inputs: &S::Inputs,
    ) -> Result<S::Outputs, DSPyEngineError> {
        let request = request_of(module_id, inputs)?.with_tools(super::ToolWrapperConfig::default());
        outputs_of(self.invoke_traced(request).await.0?)
    }
}

fn request_of(module_id: &str, inputs: &impl Serialize) -> Result<ModuleRequest, DSPyEngineError> {
    let input = serde_json::to_value(inputs).map_err(|error| {
        DSPyEngineError::ParseError(format!("the inputs of {module_id} cannot be written as JSON: {error}"))
    })?;
    Ok(ModuleRequest::new(module_id, input))
}

fn outputs_of<T: DeserializeOwned>(outputs: serde_json::Value) -> Result<T, DSPyEngineError> {
    serde_json::from_value(outputs)
        .map_err(|error| DSPyEngineError::ParseError(format!("the outputs are of another type: {error}")))
}
