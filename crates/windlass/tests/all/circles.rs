//! Modules that invoke each other through their tools come to an end.

use std::sync::Arc;

use serde_json::{Value, json};
use windlass::dspy::{DSPyEngineError, ModuleEngine, SignatureRegistry, async_trait};
use windlass::prelude::*;

use crate::host::calling;
use crate::shop::{Answering, folder, tool_module};

/// How a tool invokes the next module.
#[derive(Clone, Copy, Debug)]
enum Way {
    Waiting,
    Blocking,
    InAnotherTask,
}

/// Invokes the other module.
struct AskOther {
    engine: ModuleEngine,
    way: Way,
}

#[async_trait]
impl Tool for AskOther {
    fn name(&self) -> &str {
        "ask_other"
    }
    fn description(&self) -> &str {
        "Asks another module"
    }
    async fn execute(&self, args: Value) -> Result<Value, ToolError> {
        let id = args["module"].as_str().unwrap().to_owned();
        let input = json!({"query": "and you?"});
        let answer = match self.way {
            Way::Waiting => self.engine.invoke_with_tools(&id, input).await,
            Way::Blocking => self.engine.invoke_with_tools_sync(&id, input),
            Way::InAnotherTask => {
                let engine = self.engine.clone();
                tokio::spawn(async move { engine.invoke_with_tools(&id, input).await }).await.unwrap()
            }
        };
        answer.map_err(|error| match error {
            DSPyEngineError::ToolError(error) => error,
            other => ToolError::ExecutionFailed(other.to_string()),
        })
    }
}

fn circle(way: Way) -> DSPyEngineError {
    let folder = folder(&[("a", tool_module("a", "predict")), ("b", tool_module("b", "predict"))]);
    let model = Answering::new(|request| {
        let other = if request.system.contains("This is a.") { "b" } else { "a" };
        calling("ask_other", json!({"module": other})).to_string()
    });
    let engine = ModuleEngine::new(folder.path(), Arc::new(model), SignatureRegistry::new()).unwrap();
    engine.register_tool_sync(Arc::new(AskOther { engine: engine.clone(), way }));
    engine.invoke_with_tools_sync("a", json!({"query": "hello"})).unwrap_err()
}

#[test]
fn modules_that_invoke_each_other_stop_at_a_depth_and_the_error_shows_the_circle() {
    for way in [Way::Waiting, Way::Blocking] {
        let error = circle(way);
        assert!(matches!(error, DSPyEngineError::ToolError(ToolError::ExecutionFailed(_))), "{error}");
        let text = error.to_string();
        assert!(text.contains("a → b → a → b → a → b → a → b → a"), "{way:?}: {text}");
        assert!(text.contains("8 deep") && text.contains("break the circle"), "{way:?}: {text}");
    }
}

#[test]
fn modules_that_invoke_each_other_in_tasks_of_their_own_stop_too() {
    let text = circle(Way::InAnotherTask).to_string();
    assert!(text.contains("invocations go on already"), "{text}");
}
