//! How a `tool_call` is written, and what it then means: through the wrapper, with real calls.

use serde_json::{Value, json};
use windlass::dspy::DSPyEngineError;

use crate::host::{Predictor, answering, wrapper};

/// What comes of an output with this `tool_call`: the output, and how often the predictor was asked.
async fn invoke(output: Value) -> (Result<Value, DSPyEngineError>, Vec<Value>) {
    let predictor = Predictor::new([output, answering("after the call")]);
    let result = predictor.invoke(&wrapper(), json!({"query": "q"})).await;
    (result, predictor.inputs())
}

#[tokio::test]
async fn r_11_what_means_no_call_ends_the_invocation_with_the_whole_output() {
    let silent =
        [json!("null"), json!(""), json!(null), json!({}), json!("none"), json!("  null\n"), json!("{}")];
    let with_field = silent.map(|call| json!({"response": "hi", "tool_call": call}));
    for output in with_field.into_iter().chain([json!({"response": "hi"})]) {
        let (result, inputs) = invoke(output.clone()).await;
        assert_eq!(result, Ok(output));
        assert_eq!(inputs.len(), 1);
    }
}

#[tokio::test]
async fn r_11_what_means_a_call_is_executed_however_it_is_written() {
    let many_lines = "{\n  \"name\": \"echo\",\n  \"args\": {\n    \"text\": \"one\\ntwo }\"\n  }\n}";
    let text = json!({"name": "echo", "args": {"text": "one\ntwo }"}});
    for call in [text.clone(), json!(text.to_string()), json!(many_lines)] {
        let (result, inputs) = invoke(json!({"response": "", "tool_call": call})).await;
        assert_eq!(result, Ok(answering("after the call")));
        assert_eq!(inputs[1]["context"], r#"Tool 'echo' returned: {"text":"one\ntwo }"}"#);
    }
}

#[tokio::test]
async fn r_12_a_call_without_args_runs_with_an_empty_object() {
    for call in [json!({"name": "echo"}), json!({"name": "echo", "args": null}), json!(r#"{"name":"echo"}"#)]
    {
        let (result, inputs) = invoke(json!({"response": "", "tool_call": call})).await;
        assert_eq!(result, Ok(answering("after the call")));
        assert_eq!(inputs[1]["context"], "Tool 'echo' returned: {}");
    }
}

#[tokio::test]
async fn r_11_what_cannot_be_read_is_an_error_and_never_an_empty_success() {
    let outputs = [
        json!({"tool_call": "{\"name\": \"echo\", \"args\": {"}),
        json!({"tool_call": {"tool": "echo"}}),
        json!({"tool_call": 5}),
        json!({"tool_call": [1]}),
        json!({}),
        json!("only words"),
        json!(null),
    ];
    for output in outputs {
        let (result, inputs) = invoke(output.clone()).await;
        assert!(matches!(result, Err(DSPyEngineError::ParseError(_))), "{output}: {result:?}");
        assert_eq!(inputs.len(), 1);
    }
}
