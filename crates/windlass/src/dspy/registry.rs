//! The tools of a module engine, by name.
//!
//! Sorted, so that what the model reads is the same in every run. Checks arguments with the very
//! code that runs use; knows no run.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use serde_json::Value;
use windlass_core::calls::check::check_call;
use windlass_core::calls::dialect::field::tool_item;
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::tool;
use windlass_engine::registry::{RegisterError, Registry};

use super::call::{ToolCall, no_args};
use super::error::ToolError;
use super::host::HostTool;
use super::tool::Tool;

/// Tools by name (D-6). A copy is a registry of its own with the same tools: copy one out of a lock, and
/// a tool that registers a tool waits for nobody.
#[derive(Clone, Default)]
pub struct ToolRegistry {
    tools: BTreeMap<String, Registered>,
}

#[derive(Clone)]
struct Registered {
    tool: Arc<dyn Tool>,
    /// The tool as the engine runs it, its schema compiled, or why it cannot be.
    engine: Result<Registry, RegisterError>,
}

impl ToolRegistry {
    /// A registry without tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts in a tool under its name; one of the same name is replaced (D-7).
    ///
    /// A name or schema that cannot be used does not stop the others: the tool's calls fail and say why.
    pub fn register(&mut self, tool: Arc<dyn Tool>) {
        let engine = Registry::new();
        let engine = engine.register(Arc::new(HostTool::new(Arc::clone(&tool)))).map(|_| engine);
        self.tools.insert(tool.name().to_owned(), Registered { tool, engine });
    }

    /// Takes out a tool; whether it was there.
    pub fn remove(&mut self, name: &str) -> bool {
        self.tools.remove(name).is_some()
    }

    /// The tool of that name (D-8).
    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools.get(name).map(|registered| Arc::clone(&registered.tool))
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }

    /// Runs a tool (D-9). Arguments are checked against its schema first; null is no arguments. The future
    /// does not hold on to the registry.
    pub fn execute(
        &self,
        name: &str,
        args: Value,
    ) -> impl Future<Output = Result<Value, ToolError>> + Send + use<> {
        let ready = match self.tools.get(name) {
            None => Err(ToolError::NotFound(name.to_owned())),
            Some(registered) => registered.check(args).map(|args| (Arc::clone(&registered.tool), args)),
        };
        async move {
            let (tool, args) = ready?;
            tool.execute(args).await
        }
    }

    /// Runs a call (D-10).
    pub fn execute_call(
        &self,
        call: &ToolCall,
    ) -> impl Future<Output = Result<Value, ToolError>> + Send + use<> {
        self.execute(&call.name, call.args.clone())
    }

    /// What a model reads as `available_tools`: `{name, description, args_schema | null}` each, sorted
    /// by name (D-11).
    pub fn to_json(&self) -> Value {
        let item = |registered: &Registered| {
            let tool = &registered.tool;
            tool_item(tool.name(), tool.description(), tool.args_schema().as_ref())
        };
        self.tools.values().map(item).collect()
    }

    /// The tools as the engine runs them, one by one; the first that cannot be run is the error.
    pub(super) fn engines(&self) -> Result<Vec<&Registry>, RegisterError> {
        self.tools.values().map(|registered| registered.engine.as_ref().map_err(Clone::clone)).collect()
    }
}

impl Registered {
    fn check(&self, args: Value) -> Result<Value, ToolError> {
        let args = if args.is_null() { no_args() } else { args };
        if self.tool.args_schema().is_none() {
            return Ok(args);
        }
        let engine = self.engine.as_ref().map_err(|error| ToolError::InvalidArgs(error.to_string()))?;
        let call = tool::ToolCall {
            id: CallId::numbered(1),
            provider_id: None,
            step: 1,
            index: 0,
            name: self.tool.name().to_owned(),
            arguments: args.to_string(),
            state: None,
        };
        let checked = check_call(&engine.snapshot().toolset, call, args)
            .map_err(|(_, failure)| ToolError::from(failure))?;
        Ok(Value::Object(checked.args))
    }
}

impl fmt::Debug for ToolRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.tools.keys()).finish()
    }
}
