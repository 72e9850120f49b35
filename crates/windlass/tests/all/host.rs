//! Host functions and predictors for the tests.

use std::future::{Ready, ready};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use windlass::dspy::{DSPyEngineError, async_trait};
use windlass::prelude::*;

/// The tool of Appendix A.2.
#[derive(Default)]
pub(crate) struct PlayerGold {
    pub(crate) calls: AtomicUsize,
}

#[async_trait]
impl Tool for PlayerGold {
    fn name(&self) -> &str {
        "get_player_gold"
    }
    fn description(&self) -> &str {
        "Get player's current gold amount"
    }
    async fn execute(&self, _args: Value) -> Result<Value, ToolError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        Ok(json!({"gold": 500}))
    }
}

/// A tool with a schema.
pub(crate) struct Inventory;

#[async_trait]
impl Tool for Inventory {
    fn name(&self) -> &str {
        "check_inventory"
    }
    fn description(&self) -> &str {
        "Check whether the player has an item"
    }
    fn args_schema(&self) -> Option<Value> {
        Some(json!({
            "type": "object",
            "properties": {"item": {"type": "string"}, "count": {"type": "integer", "default": 1}},
            "required": ["item"],
        }))
    }
    async fn execute(&self, args: Value) -> Result<Value, ToolError> {
        Ok(json!({"has": args["item"] == "rope", "seen": args}))
    }
}

/// Gives back what it gets; has no schema.
pub(crate) struct Echo;

#[async_trait]
impl Tool for Echo {
    fn name(&self) -> &str {
        "echo"
    }
    fn description(&self) -> &str {
        "Says it again"
    }
    async fn execute(&self, args: Value) -> Result<Value, ToolError> {
        Ok(args)
    }
}

/// Fails as it is told.
pub(crate) struct Broken(pub(crate) ToolError);

#[async_trait]
impl Tool for Broken {
    fn name(&self) -> &str {
        "broken"
    }
    fn description(&self) -> &str {
        "Fails"
    }
    async fn execute(&self, _args: Value) -> Result<Value, ToolError> {
        Err(self.0.clone())
    }
}

/// A registry of the usual tools.
pub(crate) fn registry() -> ToolRegistry {
    let mut registry = ToolRegistry::new();
    registry.register(Arc::new(PlayerGold::default()));
    registry.register(Arc::new(Inventory));
    registry.register(Arc::new(Echo));
    registry.register(Arc::new(Broken(ToolError::ExecutionFailed("out of order".to_owned()))));
    registry
}

/// A wrapper of the usual tools.
pub(crate) fn wrapper() -> ToolWrapper {
    ToolWrapper::new(Arc::new(registry()), ToolWrapperConfig::default())
}

/// A predictor that gives these outputs in turn, the last one again and again, and notes its inputs.
#[derive(Clone)]
pub(crate) struct Predictor(Arc<Noted>);

struct Noted {
    outputs: Vec<Value>,
    inputs: Mutex<Vec<Value>>,
}

impl Predictor {
    pub(crate) fn new(outputs: impl IntoIterator<Item = Value>) -> Self {
        Self(Arc::new(Noted { outputs: outputs.into_iter().collect(), inputs: Mutex::default() }))
    }

    pub(crate) fn predict(&self, input: Value) -> Ready<Result<Value, DSPyEngineError>> {
        let mut inputs = self.0.inputs.lock().unwrap();
        let output = self.0.outputs.get(inputs.len()).or(self.0.outputs.last()).cloned();
        inputs.push(input);
        ready(output.ok_or_else(|| DSPyEngineError::InferenceError("nothing to say".to_owned())))
    }

    pub(crate) fn inputs(&self) -> Vec<Value> {
        self.0.inputs.lock().unwrap().clone()
    }

    /// Through a wrapper.
    pub(crate) async fn invoke(&self, wrapper: &ToolWrapper, input: Value) -> Result<Value, DSPyEngineError> {
        wrapper.invoke_with_fn(input, |input| self.predict(input)).await
    }
}

/// An output that asks for a call.
pub(crate) fn calling(name: &str, args: Value) -> Value {
    json!({"response": "", "tool_call": {"name": name, "args": args}})
}

/// An output that asks for none.
pub(crate) fn answering(response: &str) -> Value {
    json!({"response": response, "tool_call": null})
}
