//! Errors: their shapes, their texts, their ways.

use std::error::Error;

use serde_json::json;
use windlass::core::protocol::tool::{ErrorKind, ToolFailure};
use windlass::dspy::DSPyEngineError;
use windlass::prelude::*;

fn all() -> [ToolError; 4] {
    [
        ToolError::NotFound("X".into()),
        ToolError::InvalidArgs("X".into()),
        ToolError::ExecutionFailed("X".into()),
        ToolError::SerializationError("X".into()),
    ]
}

#[test]
fn d_1_a_tool_error_has_four_shapes_and_is_an_error() {
    for error in all() {
        let same: Box<dyn Error + Send + Sync> = Box::new(error.clone());
        assert_eq!(same.downcast_ref::<ToolError>(), Some(&error));
    }
}

#[test]
fn d_2_every_tool_error_says_its_sentence() {
    let texts = all().map(|error| error.to_string());
    assert_eq!(
        texts,
        ["Tool not found: X", "Invalid arguments: X", "Execution failed: X", "Serialization error: X"]
    );
}

#[test]
fn d_1_a_tool_error_survives_the_way_through_the_engine() {
    let kinds = [ErrorKind::UnknownTool, ErrorKind::InvalidArgs, ErrorKind::Internal, ErrorKind::ParseError];
    for (error, kind) in all().into_iter().zip(kinds) {
        let failure = ToolFailure::from(error.clone());
        assert_eq!(failure.kind, kind);
        assert_eq!(ToolError::from(failure), error);
    }
    for kind in ErrorKind::ALL {
        let error = ToolError::from(ToolFailure::new(kind, "why"));
        assert!(error.to_string().ends_with(": why"), "{error}");
    }
}

#[test]
fn d_25_the_engine_errors_say_the_texts_of_the_appendix() {
    let error: DSPyEngineError = ToolError::NotFound("X".into()).into();
    assert!(matches!(&error, DSPyEngineError::ToolError(ToolError::NotFound(name)) if name == "X"));
    assert!(error.source().is_some(), "the tool's own error is kept");
    assert_eq!(error.to_string(), "Tool error: Tool not found: X");
    let texts = [
        DSPyEngineError::ModuleNotFound("X".into()),
        DSPyEngineError::SignatureNotFound("X".into()),
        DSPyEngineError::ToolsNotEnabled("X".into()),
        DSPyEngineError::MaxIterationsReached(5),
        DSPyEngineError::Timeout(7),
    ]
    .map(|error| error.to_string());
    assert_eq!(
        texts,
        [
            "Module not found: X",
            "Signature not found: X",
            "Tools not enabled for module: X",
            "Maximum iterations (5) reached during tool execution",
            "Operation timed out after 7ms"
        ]
    );
}

#[test]
fn d_5_a_call_goes_to_json_and_back() {
    let call = ToolCall { name: "get_player_gold".into(), args: json!({"a": [1, null]}) };
    let text = serde_json::to_string(&call).unwrap();
    assert_eq!(text, r#"{"name":"get_player_gold","args":{"a":[1,null]}}"#);
    let back: ToolCall = serde_json::from_str(&text).unwrap();
    assert_eq!(format!("{back:?}"), format!("{:?}", call.clone()));
    assert_eq!(back, call);
}

#[test]
fn r_12_missing_args_are_an_empty_object() {
    for text in [r#"{"name":"x"}"#, r#"{"name":"x","args":null}"#, r#"{"name":"x","args":{}}"#] {
        let call: ToolCall = serde_json::from_str(text).unwrap();
        assert_eq!(call.args, json!({}), "{text}");
    }
}
