//! Sources of tools: whose tool a name is, and what the registry has after a change.

use std::sync::{Arc, Mutex};

use windlass_core::ports::{SourceListener, SourceWatch, SourcedTools, ToolPort, ToolSource};
use windlass_core::protocol::tool::{ToolOutput, ToolSpec};
use windlass_engine::registry::Registry;
use windlass_engine::sources::ToolSources;

use crate::tools::tool;

/// A source whose tools the test changes.
struct TestSource {
    description: &'static str,
    first: Vec<Arc<dyn ToolPort>>,
    listener: Mutex<Option<SourceListener>>,
}

impl TestSource {
    fn new(description: &'static str, first: Vec<Arc<dyn ToolPort>>) -> Arc<Self> {
        Arc::new(Self { description, first, listener: Mutex::default() })
    }

    fn change(&self, tools: Vec<Arc<dyn ToolPort>>) {
        let listener = self.listener.lock().unwrap();
        listener.as_ref().unwrap()(SourcedTools { tools, warnings: Vec::new() });
    }
}

impl ToolSource for TestSource {
    fn describe(&self) -> &str {
        self.description
    }

    fn open(&self) -> SourcedTools {
        SourcedTools {
            tools: self.first.clone(),
            warnings: vec![format!("{} b.rhai is broken", self.description)],
        }
    }

    fn watch(&self, listener: SourceListener) -> Result<SourceWatch, String> {
        *self.listener.lock().unwrap() = Some(listener);
        Ok(Box::new(()))
    }
}

fn named(name: &str, description: &str) -> Arc<dyn ToolPort> {
    tool(ToolSpec::new(name, description), |_, _| async { Ok(ToolOutput::text("")) })
}

/// Names and descriptions in the registry.
fn told(registry: &Registry) -> Vec<(String, String)> {
    let specs = registry.snapshot().toolset.specs();
    specs.iter().map(|spec| (spec.name.clone(), spec.description.clone())).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(name, description)| ((*name).to_owned(), (*description).to_owned())).collect()
}

#[test]
fn a_sourced_tool_takes_nobodys_name_and_goes_when_its_source_drops_it() {
    let registry = Registry::new();
    registry.register(named("read", "built in")).unwrap();
    let yours = TestSource::new("your test tool", vec![named("greet", "yours"), named("read", "yours")]);
    let theirs = TestSource::new("their test tool", vec![named("greet", "theirs"), named("part", "theirs")]);
    let sources = ToolSources::open(&registry, vec![yours.clone(), theirs.clone()]);

    assert_eq!(told(&registry), pairs(&[("greet", "yours"), ("part", "theirs"), ("read", "built in")]));
    assert!(sources.is_taken("read") && !sources.is_taken("greet"));
    assert_eq!(
        sources.warnings(),
        [
            "your test tool b.rhai is broken",
            "their test tool b.rhai is broken",
            "your test tool read is left out: Windlass has a tool of that name",
            "their test tool greet is left out: your test tool has that name",
        ]
    );

    // The name is free again: the other source's tool has it, and nothing else changed.
    sources.watch();
    yours.change(Vec::new());
    assert_eq!(told(&registry), pairs(&[("greet", "theirs"), ("part", "theirs"), ("read", "built in")]));
    theirs.change(vec![named("part", "theirs, anew")]);
    assert_eq!(told(&registry), pairs(&[("part", "theirs, anew"), ("read", "built in")]));
}
