//! `#[tool]`: what it makes of a function.

use serde_json::json;
use windlass::core::port::ToolPort;
use windlass::core::tool::{Effects, Risk};
use windlass::prelude::*;

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
