//! What every built-in tool must keep to, whatever it does.

use std::collections::HashSet;

use serde_json::{Map, Value};
use windlass_core::tool::{Effects, ErrorKind, Risk};
use windlass_tools::{ToolsConfig, builtin};

use crate::context::context;

#[test]
fn every_spec_can_be_registered_and_explains_itself() {
    for tool in builtin(&ToolsConfig::default()) {
        let spec = tool.spec();
        spec.check().unwrap();
        assert!(spec.description.len() > 20, "{}", spec.name);
        assert_eq!(spec.schema["type"], "object", "{}", spec.name);
        for arg in spec.args() {
            assert!(arg.description.is_some_and(|text| !text.is_empty()), "{}: {}", spec.name, arg.name);
            if let Some(default) = arg.default {
                assert!(arg.kind.accepts(default), "{}: {}", spec.name, arg.name);
                assert!(!arg.required, "{}: {}", spec.name, arg.name);
            }
        }
    }
}

#[test]
fn names_and_aliases_are_unique() {
    let mut names = HashSet::new();
    for tool in builtin(&ToolsConfig::default()) {
        let spec = tool.spec();
        for name in std::iter::once(&spec.name).chain(&spec.aliases) {
            assert!(names.insert(name.clone()), "{name} is used twice");
        }
    }
}

#[test]
fn examples_use_declared_arguments_and_all_required_ones() {
    for tool in builtin(&ToolsConfig::default()) {
        let spec = tool.spec();
        for example in &spec.examples {
            let example = example.as_object().unwrap();
            assert!(example.keys().all(|name| spec.property(name).is_some()), "{}", spec.name);
            assert!(spec.args().iter().all(|arg| !arg.required || example.contains_key(arg.name)));
        }
    }
}

#[test]
fn a_safe_tool_changes_nothing_beyond_this_machine() {
    for tool in builtin(&ToolsConfig::default()) {
        let spec = tool.spec();
        assert!(spec.risk > Risk::Safe || spec.effects != Effects::External, "{}", spec.name);
    }
}

#[tokio::test]
async fn a_missing_required_argument_is_the_callers_fault_in_every_tool() {
    let folder = tempfile::tempdir().unwrap();
    let context = context(folder.path());
    for tool in builtin(&ToolsConfig::default()) {
        let spec = tool.spec();
        if spec.args().iter().all(|arg| !arg.required) {
            continue;
        }
        for args in [Map::new(), Map::from_iter(spec.args().iter().map(|arg| (arg.name.into(), Value::Null)))]
        {
            let failure = tool.run(&args, &context).await.unwrap_err();
            assert_eq!(failure.kind, ErrorKind::InvalidArgs, "{}: {failure:?}", spec.name);
            assert!(!failure.message.is_empty());
        }
    }
}
