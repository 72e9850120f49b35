//! `#[tool]`: what it makes of a function.

use serde_json::{Map, Value, json};
use windlass::core::ports::ToolPort;
use windlass::core::protocol::tool::{Effects, Risk, ToolOutcome};
use windlass::prelude::*;
use windlass_testkit::NullContext;

/// Where something is.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Place {
    /// Degrees north.
    latitude: f64,
}

/// Finds the nearest
/// harbour.
#[tool(effects = "external", alias = "harbour_near", timeout_ms = 900, idempotent, repeatable, untrusted)]
async fn find_harbour(place: Place, limit: Option<u8>, context: &ToolContext) -> Result<String, ToolFailure> {
    if place.latitude > 90.0 {
        return Err(ToolFailure::invalid_args("there is nothing beyond the pole"));
    }
    Ok(format!("{} {:?} {}", place.latitude, limit, context.call_id))
}

#[tool(name = "add", description = "Add two integers", risk = "low")]
async fn sum(a: i64, b: i64) -> Result<i64, ToolError> {
    Ok(a + b)
}

#[test]
fn the_function_says_everything_the_spec_needs() {
    let spec = ToolPort::spec(&find_harbour);
    assert_eq!(spec.name, "find_harbour");
    assert_eq!(spec.description, "Finds the nearest\nharbour.");
    assert_eq!((spec.effects, spec.risk), (Effects::External, Risk::High));
    assert_eq!((spec.aliases.as_slice(), spec.timeout_ms), (&["harbour_near".to_owned()][..], Some(900)));
    assert!(spec.idempotent && spec.repeatable && spec.untrusted_output);
    assert!(spec.requires("place") && !spec.requires("limit") && spec.property("context").is_none());
    assert_eq!(spec.check(), Ok(()));

    let spec = ToolPort::spec(&sum);
    assert_eq!((spec.name.as_str(), spec.description.as_str()), ("add", "Add two integers"));
    assert_eq!((spec.effects, spec.risk), (Effects::Pure, Risk::Low));
    assert_eq!(spec.property("a").unwrap()["type"], "integer");
}

#[test]
fn a_tool_made_of_a_function_is_checked_and_run() {
    let script = r#"
        user q
        model call 1 harbour_near {"place": {"latitude": 53.5}}
        model call 2 find_harbour {"place": {"latitude": 99}, "limit": 3}
        model call 3 find_harbour {"place": {"latitude": "north"}}
        model end
        model text Found.
    "#;
    let agent = Windlass::builder()
        .script(script)
        .unwrap()
        .tool(find_harbour)
        .approve(ApproveMode::All)
        .build()
        .unwrap();
    let answer = agent.run_sync("q").unwrap();
    let [found, beyond, wrong] = answer.trace.tools.as_slice() else { panic!("{:?}", answer.trace.tools) };
    assert_eq!(found.output_raw, json!("53.5 None call_1"));
    assert!(format!("{:?}", beyond.error).contains("beyond the pole"));
    assert!(format!("{:?}", wrong.error).contains("latitude"), "{:?}", wrong.error);
}

/// Says what it was given beside its arguments.
#[tool(effects = "read", risk = "safe")]
async fn look_around(context: &ToolContext) -> Result<Value, ToolFailure> {
    context.progress.report(&context.call_id, "looking around");
    let earlier = context.results.find("call_1").and_then(|outcome| Some(outcome.output()?.json.clone()));
    let tasks: Vec<String> = context.tasks.list().into_iter().map(|task| task.content).collect();
    let args = [("a".to_owned(), json!(20)), ("b".to_owned(), json!(22))];
    let inner = context.calls.call("add", Map::from_iter(args)).await;
    Ok(json!({
        "root": context.root, "asked": &*context.user_message, "call": context.call_id, "sum": earlier, "tasks": tasks,
        "inner": inner.ok().map(|output| output.json), "stopped": context.cancel.is_cancelled(),
        "has_time": context.deadline_ms > 0 && context.output_bytes_max > 0,
    }))
}

/// Z-19: one context has all that a tool may use. An agent fills it with what is real, a test with what it likes; another
/// session's is another one, for nothing is global.
#[tokio::test]
async fn z_19_a_tool_gets_everything_in_one_context_that_an_agent_or_a_test_fills() {
    let script = "user Look\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel call 2 add_task {\"content\":\"haul\"}\nmodel end\n\
                  model call 3 look_around\nmodel end\nmodel text Seen.\n";
    let folder = tempfile::tempdir().unwrap();
    let agent = Windlass::builder()
        .script(script)
        .unwrap()
        .builtin_tools(&Default::default())
        .tool(sum)
        .tool(look_around)
        .root(folder.path())
        .approve(ApproveMode::All)
        .build()
        .unwrap();
    let answer = agent.run("Look").await.unwrap();
    let seen = &answer.trace.tools[2].output_raw;
    let expected = json!({
        "root": folder.path().canonicalize().unwrap(), "asked": "Look", "call": "call_3", "sum": 3, "tasks": ["haul"],
        "inner": 42, "stopped": false, "has_time": true,
    });
    assert_eq!(*seen, expected);

    let other = NullContext::new()
        .root("/elsewhere")
        .user_message("Try")
        .result("call_1", ToolOutcome::ok(ToolOutput::json(json!(7))));
    other.cancel_flag().cancel();
    let seen = ToolPort::run(&look_around, &Map::new(), &other.build()).await.unwrap().json;
    let expected = json!({
        "root": "/elsewhere", "asked": "Try", "call": "call_1", "sum": 7, "tasks": [], "inner": null, "stopped": true,
        "has_time": true,
    });
    assert_eq!(seen, expected);
    assert_eq!(other.progress_lines(), ["looking around"]);
}
