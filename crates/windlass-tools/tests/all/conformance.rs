//! What every built-in tool must keep to, whatever it does.

use std::collections::HashSet;

use serde_json::{Map, Value, json};
use windlass_core::protocol::tool::{Effects, ErrorKind, Risk, Scope};
use windlass_tools::{ToolsConfig, builtin};

use crate::context::context;
use crate::project::Project;

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

/// Words of a sentence that says when a tool is right, when it is not, and what it does not do.
const BOUNDS: [&str; 9] =
    [" not ", " only", "before ", " first", "instead", "Leaves out", "Refused", "Only ", "There is no"];

#[test]
fn z_27_every_description_says_what_the_tool_does_and_when_not_to_use_it() {
    let tools = builtin(&ToolsConfig::default());
    let names: Vec<&str> = tools.iter().map(|tool| tool.spec().name.as_str()).collect();
    for tool in &tools {
        let spec = tool.spec();
        let text = spec.description.as_str();
        assert!(text.starts_with(char::is_uppercase) && text.ends_with('.'), "{}: {text}", spec.name);
        assert!(!text.starts_with("This tool") && !text.contains(&spec.name), "{}: {text}", spec.name);
        let (does, bounds) = text.split_once(['.', ':', ';']).unwrap();
        assert!(does.split_whitespace().count() >= 3, "{} says what it does: {text}", spec.name);
        let has_bounds = BOUNDS.iter().any(|word| bounds.contains(word))
            || names.iter().any(|other| *other != spec.name && bounds.contains(other));
        assert!(has_bounds, "{} says when not to use it, or what else: {text}", spec.name);
    }
}

/// Every property below a schema, with its path.
fn properties(schema: &Value, path: &str, found: &mut Vec<(String, Value)>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}/{name}");
        properties(property, &path, found);
        properties(&property["items"], &path, found);
        found.push((path, property.clone()));
    }
}

#[test]
fn z_27_every_argument_has_a_type_and_says_what_it_means_down_to_the_innermost() {
    for tool in builtin(&ToolsConfig::default()) {
        let spec = tool.spec();
        let mut found = Vec::new();
        properties(&spec.schema, &spec.name, &mut found);
        for (path, property) in found {
            let kinds = ["type", "enum", "anyOf", "oneOf", "const"];
            assert!(kinds.iter().any(|kind| property.get(kind).is_some()), "{path} has a type");
            let text = property["description"].as_str().unwrap_or_default();
            assert!(text.split_whitespace().count() >= 2, "{path} says what it means: '{text}'");
        }
    }
}

#[test]
fn z_27_what_writes_or_runs_is_looked_at_and_asked_about_before_it_happens() {
    let mut careful = 0;
    for tool in builtin(&ToolsConfig::default()) {
        let spec = tool.spec();
        if spec.scopes.iter().any(|scope| matches!(scope, Scope::WriteFiles | Scope::ExecuteCommands)) {
            careful += 1;
            assert!(spec.inspected, "{} is shown before it happens", spec.name);
            assert!(spec.risk >= Risk::High, "{}", spec.name);
            assert!(spec.strict_args, "{}: nothing of such a call is dropped in silence", spec.name);
            assert_eq!(spec.schema["additionalProperties"], false, "{}", spec.name);
        }
    }
    assert!(careful >= 4, "write_file, edit_file, undo_edit, execute_command");
}

#[tokio::test]
async fn z_27_every_refusal_says_what_is_wrong_and_what_to_do() {
    let project = Project::with(&[("a.txt", "one\n"), ("folder/b.txt", "two\n")]);
    let cases = [
        ("add_task", json!({"content": " "})),
        ("update_task", json!({"task_id": "task_9", "status": "completed"})),
        ("update_task", json!({"task_id": "task_9", "status": "finished"})),
        ("calculate", json!({"expression": "1 +"})),
        ("calculate", json!({"expression": "1 / 0"})),
        ("get_current_time", json!({"timezone": "Mars/Olympus"})),
        ("read_file", json!({"path": "nothing.txt"})),
        ("read_file", json!({"path": "folder"})),
        ("read_file", json!({"path": "../a"})),
        ("read_file", json!({"path": "a.txt/b"})),
        ("read_file", json!({"path": ""})),
        ("read_file", json!({"path": "a.txt", "start_line": 9, "end_line": 2})),
        ("get_file_tree", json!({"path": "nothing"})),
        ("search_text", json!({"pattern": "("})),
        ("search_text", json!({"pattern": "a", "glob": "[" })),
        ("write_file", json!({"path": "a.txt", "content": "x"})),
        ("write_file", json!({"path": "a.txt", "content": "x", "create_new": true})),
        ("edit_file", json!({"path": "nothing.txt", "edits": [{"old": "a", "new": "b"}]})),
        ("edit_file", json!({"path": "a.txt", "edits": [{"old": "a", "new": "b"}]})),
        ("edit_file", json!({"path": "a.txt", "edits": []})),
        ("undo_edit", json!({"path": "a.txt"})),
        ("execute_command", json!({"argv": ["no-such-program-here"]})),
        ("execute_command", json!({})),
        ("execute_command", json!({"command": "true", "cwd": "nothing"})),
        ("read_result", json!({"ref": "call_99"})),
        ("fetch_url", json!({"url": "ftp://example.org"})),
        ("fetch_url", json!({"url": "http://127.0.0.1:1/"})),
        ("web_search", json!({"query": "rope"})),
        ("rag_search", json!({"query": "rope"})),
        ("rag_search", json!({"query": " "})),
        ("request_code_context", json!({"token_budget": 1000, "hint": "rope"})),
        ("request_code_context", json!({"token_budget": 1000})),
        ("search_codebase", json!({"query": "rope"})),
        ("search_codebase", json!({"query": "rope", "search_type": "guess"})),
        ("find_symbol", json!({"name": "haul"})),
        ("find_references", json!({"name": " "})),
        ("generate_image", json!({"prompt": " "})),
    ];
    for (tool, args) in cases {
        let failure = project.call(tool, args.clone()).await.expect_err(&format!("{tool} {args}"));
        let names_it = failure.hint.is_some() || failure.expected.is_some() || failure.field.is_some();
        assert!(names_it || failure.message.contains("Use "), "{tool} {args}: {failure:?}");
        assert!(
            failure.message.len() > 10 && !failure.message.contains("Err("),
            "{tool} {args}: {failure:?}"
        );
    }
}
