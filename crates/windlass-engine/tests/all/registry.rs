//! Registering, replacing and removing tools while others use them.

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::calls::check::check_call;
use windlass_core::protocol::tool::{ErrorKind, ToolOutput};
use windlass_engine::registry::{RegisterError, Registry, Replaced};
use windlass_testkit::{NullContext, tool_conformance};

use crate::tools::{call, echo, spec, tool};

#[test]
fn d_6_d_8_a_tool_is_found_by_its_name_or_alias() {
    let registry = Registry::new();
    let tool = tool(spec("read_file").with_alias("cat"), |_, _| async { Ok(ToolOutput::text("x")) });
    assert_eq!(registry.register(tool), Ok(Replaced::No));
    assert_eq!(registry.get("cat").unwrap().spec().name, "read_file");
    assert_eq!(registry.get("read_file").unwrap().spec().name, "read_file");
    assert!(registry.get("write_file").is_none());
}

#[test]
fn d_7_a_tool_of_the_same_name_takes_the_place_of_the_old_one() {
    let registry = Registry::new();
    registry.register(echo("a")).unwrap();
    let newer = tool(spec("a").with_alias("b"), |_, _| async { Ok(ToolOutput::text("new")) });
    assert_eq!(registry.register(newer), Ok(Replaced::Yes));
    assert_eq!(registry.get("b").unwrap().spec().aliases, ["b"]);
    assert_eq!(registry.snapshot().toolset.len(), 1);
}

#[test]
fn r_13_the_list_for_the_model_does_not_depend_on_the_order_of_registration() {
    let list = |names: &[&str]| {
        let registry = Registry::new();
        registry.register_all(names.iter().map(|name| echo(name))).unwrap();
        registry.snapshot().toolset.to_json().to_string()
    };
    assert_eq!(list(&["c", "a", "b"]), list(&["b", "c", "a"]));
}

#[test]
fn a_name_that_another_tool_has_as_alias_is_refused_and_nothing_changes() {
    let registry = Registry::new();
    let tool = tool(spec("a").with_alias("b"), |_, _| async { Ok(ToolOutput::text("x")) });
    registry.register(tool).unwrap();
    let error = registry.register(echo("b")).unwrap_err();
    assert!(matches!(error, RegisterError::Clash(_)));
    assert_eq!(
        error.to_string(),
        "the name 'b' of tool 'a' is already taken by tool 'b'; rename one of them"
    );
    assert!(registry.register_all([echo("c"), echo("b")]).is_err());
    assert!(registry.get("c").is_none());
}

#[test]
fn specs_that_cannot_work_are_refused_with_the_place_of_the_fault() {
    let registry = Registry::new();
    let with_schema =
        |schema: Value| tool(spec("t").with_schema(schema), |_, _| async { Ok(ToolOutput::text("")) });
    let refused = |schema: Value| registry.register(with_schema(schema)).unwrap_err().to_string();
    assert_eq!(
        refused(json!({"type": "array"})),
        "the schema of tool 't' must be a JSON Schema object with \"type\": \"object\""
    );
    let text = refused(json!({"type": "object", "properties": {"n": {"type": "numbre"}}}));
    assert!(text.starts_with("tool 't': the schema is not valid at '/properties/n/type'"), "{text}");
    let text = refused(json!({"type": "object", "properties": {"n": {"type": "integer", "default": "5"}}}));
    assert_eq!(text, "tool 't': the default of argument 'n' is not of the argument's type");
    assert!(registry.register(echo("no spaces")).is_err());
    assert!(registry.snapshot().toolset.is_empty());
}

#[test]
fn a_snapshot_is_not_touched_by_later_changes() {
    let registry = Registry::new();
    registry.register_all([echo("a"), echo("b")]).unwrap();
    let before = registry.snapshot();
    assert!(registry.remove("a"));
    assert!(!registry.remove("a"));
    registry.register(echo("c")).unwrap();
    assert_eq!(before.toolset.names().collect::<Vec<_>>(), ["a", "b"]);
    assert!(before.port("a").is_some());
    assert_eq!(registry.snapshot().toolset.names().collect::<Vec<_>>(), ["b", "c"]);
    assert!(registry.get("a").is_none());
}

#[tokio::test]
async fn r_14_a_tool_that_registers_a_tool_does_not_deadlock() {
    let registry = Registry::new();
    let inside = registry.clone();
    let maker = tool(spec("make_tool"), move |_, _| {
        let registry = inside.clone();
        async move {
            registry.register(echo("made")).unwrap();
            assert!(registry.remove("make_tool"));
            Ok(ToolOutput::text("made"))
        }
    });
    registry.register(maker).unwrap();
    let tool = registry.get("make_tool").unwrap();
    let args = call(&*tool, json!({})).args;
    tool.run(&args, &NullContext::new().build()).await.unwrap();
    assert_eq!(registry.snapshot().toolset.names().collect::<Vec<_>>(), ["made"]);
}

#[test]
fn threads_that_register_at_once_lose_nothing() {
    let registry = Registry::new();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let registry = &registry;
            scope.spawn(move || {
                for n in 0..20 {
                    registry.register(echo(&format!("tool_{thread}_{n}"))).unwrap();
                    assert!(registry.get(&format!("tool_{thread}_{n}")).is_some());
                }
            });
        }
    });
    assert_eq!(registry.snapshot().toolset.len(), 160);
}

#[test]
fn a_registered_tool_checks_its_calls_against_the_full_schema() {
    let registry = Registry::new();
    let schema = json!({"type": "object", "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 10},
        "items": {"type": "array", "items": {"type": "object", "required": ["id"]}}}});
    let tool = tool(spec("t").with_schema(schema), |_, _| async { Ok(ToolOutput::text("")) });
    registry.register(Arc::clone(&tool)).unwrap();
    let toolset = registry.snapshot().toolset.clone();
    let failure = |args: Value| check_call(&toolset, call(&*tool, args.clone()).call, args).unwrap_err().1;
    let too_much = failure(json!({"size": 11}));
    assert_eq!(too_much.kind, ErrorKind::InvalidArgs);
    assert_eq!(too_much.message, "size: 11 is greater than the maximum of 10");
    assert_eq!(too_much.expected.as_deref(), Some("at most 10"));
    let missing = failure(json!({"items": [{"id": 1}, {}]}));
    assert_eq!(missing.field.as_deref(), Some("items/1/id"));
    assert_eq!(missing.received.as_deref(), Some("nothing"));
}

#[test]
fn a_tool_of_the_program_is_held_to_its_schema_from_its_first_call() {
    let registry = Registry::new();
    let mut size = spec("size");
    size.schema = json!({"type": "object", "properties": {"size": {"type": "integer", "maximum": 10}}, "additionalProperties": false});
    let size = tool(size, |_, _| async { Ok(ToolOutput::text("x")) });
    registry.register_own([Arc::clone(&size)]).unwrap();
    let toolset = Arc::clone(&registry.snapshot().toolset);
    let fault = |args: Value| {
        let checked = check_call(&toolset, call(&*size, args.clone()).call, args);
        checked.err().map(|(_, failure)| failure.message)
    };
    assert_eq!(fault(json!({"size": 11})).as_deref(), Some("size: 11 is greater than the maximum of 10"));
    assert_eq!(fault(json!({"size": 10})), None);
}

#[test]
fn what_cannot_be_checked_does_not_run() {
    let registry = Registry::new();
    let mut broken = spec("broken");
    broken.schema = json!({"type": "object", "properties": {"size": {"$ref": "#/$defs/nowhere"}}});
    let broken = tool(broken, |_, _| async { Ok(ToolOutput::text("x")) });
    assert!(matches!(registry.register(Arc::clone(&broken)), Err(RegisterError::Schema { .. })));
    registry.register_own([Arc::clone(&broken)]).unwrap();
    let toolset = Arc::clone(&registry.snapshot().toolset);
    let args = json!({"size": 1});
    let refused = check_call(&toolset, call(&*broken, args.clone()).call, args).unwrap_err().1;
    assert_eq!(refused.kind, ErrorKind::InvalidArgs);
}

#[test]
fn the_tools_of_these_tests_conform_but_for_their_missing_descriptions() {
    let text = tool_conformance(&*echo("echo")).unwrap_err().to_string();
    assert_eq!(text, "'echo' says what its argument 'path' means");
}

#[test]
fn a_selection_of_several_registries_stands_alone_and_the_later_source_wins() {
    let (first, second) = (Registry::new(), Registry::new());
    first.register_all([echo("a"), echo("b")]).unwrap();
    let newer = tool(spec("b").with_alias("c"), |_, _| async { Ok(ToolOutput::text("new")) });
    second.register(newer).unwrap();
    let wrapped = std::sync::atomic::AtomicUsize::new(0);
    let wrap = |port| {
        wrapped.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        port
    };
    let chosen = Registry::select([&first, &second], |_| true, wrap).unwrap();
    assert_eq!(chosen.get("c").unwrap().spec().name, "b");
    assert_eq!(wrapped.into_inner(), 3);
    let few = Registry::select([&first, &second], |spec| spec.name == "a", |port| port).unwrap();
    assert_eq!(few.snapshot().toolset.names().collect::<Vec<_>>(), ["a"]);
    // What is chosen now is not changed later, in neither direction.
    first.remove("a");
    few.register(echo("d")).unwrap();
    assert!(chosen.get("a").is_some() && first.get("d").is_none());

    let clashing = tool(spec("x").with_alias("b"), |_, _| async { Ok(ToolOutput::text("x")) });
    first.register_all([clashing]).unwrap_err();
    let third = Registry::new();
    third.register(tool(spec("x").with_alias("b"), |_, _| async { Ok(ToolOutput::text("x")) })).unwrap();
    assert!(matches!(
        Registry::select([&first, &third], |_| true, |port| port),
        Err(RegisterError::Clash(_))
    ));
}
