//! A context for calls: the testkit's ports, which keep what they are given in memory.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};
use windlass_core::permission::Inspection;
use windlass_core::ports::{LiveState, Probed, ToolContext, ToolPort};
use windlass_core::protocol::tool::{ToolFailure, ToolOutcome, ToolOutput};
use windlass_testkit::NullContext;
use windlass_tools::{ToolsConfig, builtin};

/// A context at a root.
pub(crate) fn context(root: &Path) -> ToolContext {
    NullContext::new().root(root).build()
}

/// The tools and a session to call them in.
pub(crate) struct Bench {
    tools: Vec<Arc<dyn ToolPort>>,
    pub(crate) results: Results,
    pub(crate) context: ToolContext,
}

impl Bench {
    pub(crate) fn new(config: &ToolsConfig) -> Self {
        let null = NullContext::new();
        let context = null.build();
        Self { tools: builtin(config), results: Results(null), context }
    }

    pub(crate) fn tool(&self, name: &str) -> &dyn ToolPort {
        let found = self.tools.iter().find(|tool| tool.spec().name == name);
        found.unwrap_or_else(|| panic!("no tool {name}")).as_ref()
    }

    pub(crate) fn tools(&self) -> impl Iterator<Item = &dyn ToolPort> {
        self.tools.iter().map(AsRef::as_ref)
    }

    pub(crate) async fn call(&self, name: &str, args: Value) -> Result<ToolOutput, ToolFailure> {
        self.tool(name).run(&object(args), &self.context).await
    }

    pub(crate) async fn inspect(&self, name: &str, args: Value) -> Result<Inspection, ToolFailure> {
        self.tool(name).inspect(&object(args), &self.context).await
    }

    pub(crate) async fn probe(&self, name: &str, args: Value) -> Probed {
        self.tool(name).probe(&object(args), &self.context).await
    }

    pub(crate) fn live_values(&self, name: &str, kind: &str) -> Vec<String> {
        let state = LiveState { tasks: self.context.tasks.as_ref(), results: self.context.results.as_ref() };
        self.tool(name).live_values(kind, &state)
    }
}

impl Default for Bench {
    fn default() -> Self {
        Self::new(&ToolsConfig::default())
    }
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("arguments must be an object, not {other}"),
    }
}

/// Outcomes by their handle.
pub(crate) struct Results(NullContext);

impl Results {
    pub(crate) fn put(&self, reference: &str, outcome: ToolOutcome) {
        let _ = self.0.clone().result(reference, outcome);
    }
}
