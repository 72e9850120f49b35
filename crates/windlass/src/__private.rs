//! What `#[tool]` and `#[derive(Signature)]` write their code against. Not for direct use; may change in any version.

pub use async_trait::async_trait;
pub use schemars;
pub use serde;
use serde::Serialize;
pub use serde_json::{Map, Value};
pub use windlass_core::ports::{ToolContext, ToolPort};
pub use windlass_core::protocol::tool::{Effects, Risk, ToolFailure, ToolOutput, ToolSpec};
#[cfg(feature = "modules")]
pub use windlass_modules::{Field, FieldType, Signature, SignatureType};

pub use crate::toolkit::{
    IntoTool, MissingState, PendingTool, StateSet, ToolGroup, ToolMethods, ToolParameter,
};

/// The spec of a tool whose arguments are the fields of `Args`.
pub fn spec_of<Args: schemars::JsonSchema>(name: &str, description: &str) -> ToolSpec {
    ToolSpec::declared(name, description, schemars::schema_for!(Args).to_value())
}

/// The risk of a tool that says none.
pub fn usual_risk(effects: Effects) -> Risk {
    match effects {
        Effects::Pure => Risk::Safe,
        Effects::Read => Risk::Low,
        Effects::Write | Effects::External => Risk::High,
    }
}

/// What a function gave, as an output.
pub fn output_of<T: Serialize, E: Into<ToolFailure>>(
    result: Result<T, E>,
) -> Result<ToolOutput, ToolFailure> {
    let value = result.map_err(Into::into)?;
    serde_json::to_value(value)
        .map(ToolOutput::json)
        .map_err(|error| ToolFailure::internal(format!("The result cannot be written as JSON: {error}")))
}

/// Runs work that blocks in the pool for it. A panic comes back as one.
pub async fn run_blocking(
    work: impl FnOnce() -> Result<ToolOutput, ToolFailure> + Send + 'static,
) -> Result<ToolOutput, ToolFailure> {
    let runtime = crate::worker::handle().map_err(|error| ToolFailure::internal(error.to_string()))?;
    match runtime.spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(payload) => std::panic::resume_unwind(payload),
            Err(_) => Err(ToolFailure::internal("The program went down while the call ran")),
        },
    }
}

/// Tasks that go on in the library's own runtime: what leaks shows here.
pub fn tasks_alive() -> usize {
    crate::worker::handle().map_or(0, |runtime| runtime.metrics().num_alive_tasks())
}
