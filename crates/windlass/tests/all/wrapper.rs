//! The wrapper: from an input through calls to an output.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use windlass::core::protocol::event::StopReason;
use windlass::dspy::{DSPyEngineError, ModuleEngine, async_trait};
use windlass::prelude::*;

use crate::host::{Broken, PlayerGold, Predictor, answering, calling, registry, wrapper};
use crate::shop::{Answering, fixtures, said, signatures};

#[test]
fn d_12_the_defaults_are_five_steps_and_the_context_field() {
    let config = ToolWrapperConfig::default();
    assert_eq!((config.max_iterations, config.tool_result_key.as_str()), (5, "context"));
}

#[tokio::test]
async fn d_13_any_async_function_can_be_wrapped_even_one_that_borrows() {
    let asked = Cell::new(0);
    let name = String::from("World");
    let output = wrapper()
        .invoke_with_fn(json!({}), |_input| async {
            asked.set(asked.get() + 1);
            tokio::task::yield_now().await;
            Ok(answering(&format!("Hello, {name}")))
        })
        .await
        .unwrap();
    assert_eq!((output["response"].as_str(), asked.get()), (Some("Hello, World"), 1));
}

#[tokio::test]
async fn u_43_d_13_invoke_hauls_a_module_through_the_tools_of_the_wrapper() {
    let model = Answering::new(|request| {
        let has_looked = said(request).contains("Tool 'get_player_gold' returned: {\"gold\":500}");
        let output = match has_looked {
            true => answering("You have 500 gold coins."),
            false => calling("get_player_gold", json!({})),
        };
        output.to_string()
    });
    let mut registry = ToolRegistry::new();
    registry.register(Arc::new(PlayerGold::default()));
    let wrapper = ToolWrapper::new(Arc::new(registry), ToolWrapperConfig::default());
    // The engine has no tools of its own here: those of the wrapper are called.
    let engine = ModuleEngine::new(fixtures(), Arc::new(model.clone()), signatures()).unwrap();
    let input = json!({"query": "How much gold do I have?", "context": ""});
    let output = wrapper.invoke(&engine, "test.tool_module", input).await.unwrap();
    assert_eq!(output["response"], "You have 500 gold coins.");
    let inputs = model.inputs();
    assert_eq!(inputs.len(), 2);
    assert!(inputs[0].contains("Get player's current gold amount"), "{}", inputs[0]);
    let missing = wrapper.invoke(&engine, "test.nothing", json!({})).await.unwrap_err();
    assert_eq!(missing.to_string(), "Module not found: test.nothing");
}

#[tokio::test]
async fn d_14_the_tools_are_in_the_first_input() {
    let predictor = Predictor::new([answering("ok")]);
    predictor.invoke(&wrapper(), json!({"query": "q", "context": "known"})).await.unwrap();
    let inputs = predictor.inputs();
    assert_eq!(inputs, [json!({"query": "q", "context": "known", "available_tools": registry().to_json()})]);
}

#[tokio::test]
async fn d_15_the_predictor_is_asked_once_a_step_and_each_output_is_looked_at() {
    let mut outputs = vec![calling("echo", json!({"n": 1})); 3];
    outputs.push(answering("done"));
    let predictor = Predictor::new(outputs);
    predictor.invoke(&wrapper(), json!({})).await.unwrap();
    assert_eq!(predictor.inputs().len(), 4);
}

#[tokio::test]
async fn d_16_a_call_is_executed_and_its_result_stands_in_the_context() {
    let gold = Arc::new(PlayerGold::default());
    let mut registry = ToolRegistry::new();
    registry.register(Arc::clone(&gold) as Arc<dyn Tool>);
    let wrapper = ToolWrapper::new(Arc::new(registry), ToolWrapperConfig::default());
    let predictor =
        Predictor::new([calling("get_player_gold", json!({})), answering("You have 500 gold coins.")]);
    let output = predictor.invoke(&wrapper, json!({"query": "How much gold?", "context": ""})).await.unwrap();
    assert_eq!(output["response"], "You have 500 gold coins.");
    assert_eq!(gold.calls.load(Ordering::SeqCst), 1);
    assert_eq!(predictor.inputs()[1]["context"], r#"Tool 'get_player_gold' returned: {"gold":500}"#);
    assert_eq!(predictor.inputs()[1]["query"], "How much gold?");
}

#[tokio::test]
async fn d_17_an_output_without_a_call_comes_back_whole_and_at_once() {
    for output in [
        json!({"response": "a", "confidence": 0.1, "more": {"x": [1.5e300, 9_007_199_254_740_993_u64]}}),
        json!({"response": "a", "tool_call": null}),
    ] {
        let predictor = Predictor::new([output.clone()]);
        assert_eq!(predictor.invoke(&wrapper(), json!({})).await, Ok(output));
        assert_eq!(predictor.inputs().len(), 1);
    }
}

#[tokio::test]
async fn d_18_the_limit_is_an_error_and_comes_after_exactly_so_many_steps() {
    for steps in [0, 1, 5, 8, 150] {
        let gold = Arc::new(PlayerGold::default());
        let mut registry = ToolRegistry::new();
        registry.register(Arc::clone(&gold) as Arc<dyn Tool>);
        let config = ToolWrapperConfig { max_iterations: steps, ..ToolWrapperConfig::default() };
        let wrapper = ToolWrapper::new(Arc::new(registry), config);
        // The very same call each time: no other guard may come before the limit.
        let predictor = Predictor::new([calling("get_player_gold", json!({}))]);
        let error = predictor.invoke(&wrapper, json!({})).await.unwrap_err();
        assert_eq!(error, DSPyEngineError::MaxIterationsReached(steps));
        assert_eq!(predictor.inputs().len(), steps);
        assert_eq!(gold.calls.load(Ordering::SeqCst), steps);
    }
}

#[tokio::test]
async fn d_18_what_was_found_before_the_limit_is_in_the_trace() {
    let predictor = Predictor::new([calling("get_player_gold", json!({}))]);
    let (result, trace) =
        wrapper().invoke_traced_with_fn(json!({"query": "q"}), |input| predictor.predict(input)).await;
    assert_eq!(result, Err(DSPyEngineError::MaxIterationsReached(5)));
    assert_eq!(trace.stop_reason, Some(StopReason::StepsMax));
    let outputs: Vec<&Value> = trace.tools.iter().map(|call| &call.output_raw).collect();
    assert_eq!(outputs, vec![&json!({"gold": 500}); 5]);
}

#[tokio::test]
async fn d_19_results_are_appended_to_what_was_there() {
    let predictor = Predictor::new([
        calling("get_player_gold", json!({})),
        calling("check_inventory", json!({"item": "rope"})),
        answering("done"),
    ]);
    predictor.invoke(&wrapper(), json!({"context": "You stand in a shop."})).await.unwrap();
    let inputs = predictor.inputs();
    let first = "You stand in a shop.\nTool 'get_player_gold' returned: {\"gold\":500}";
    assert_eq!(inputs[1]["context"], first);
    let second = r#"Tool 'check_inventory' returned: {"has":true,"seen":{"item":"rope","count":1}}"#;
    assert_eq!(inputs[2]["context"], format!("{first}\n{second}"));
}

#[tokio::test]
async fn d_19_the_context_field_has_the_name_that_was_chosen_and_counts_as_empty_when_it_is_no_text() {
    let config = ToolWrapperConfig { tool_result_key: "notes".to_owned(), ..ToolWrapperConfig::default() };
    let wrapper = ToolWrapper::new(Arc::new(registry()), config);
    let predictor = Predictor::new([calling("get_player_gold", json!({})), answering("done")]);
    predictor.invoke(&wrapper, json!({"context": "kept", "notes": 7})).await.unwrap();
    let last = predictor.inputs().pop().unwrap();
    assert_eq!(last["context"], "kept");
    assert_eq!(last["notes"], r#"Tool 'get_player_gold' returned: {"gold":500}"#);
}

#[tokio::test]
async fn d_25_a_failed_tool_ends_the_invocation_with_its_own_error() {
    for error in [
        ToolError::NotFound("gone".into()),
        ToolError::InvalidArgs("no".into()),
        ToolError::ExecutionFailed("no".into()),
        ToolError::SerializationError("no".into()),
    ] {
        let mut registry = ToolRegistry::new();
        registry.register(Arc::new(Broken(error.clone())));
        let wrapper = ToolWrapper::new(Arc::new(registry), ToolWrapperConfig::default());
        let predictor = Predictor::new([calling("broken", json!({}))]);
        let failed = predictor.invoke(&wrapper, json!({})).await;
        assert_eq!(failed, Err(DSPyEngineError::ToolError(error)));
        assert_eq!(predictor.inputs().len(), 1);
    }
}

#[tokio::test]
async fn d_25_an_unknown_tool_and_wrong_arguments_are_tool_errors() {
    let cases = [
        (calling("nobody", json!({})), "Tool error: Tool not found: nobody"),
        (calling("check_inventory", json!({})), "Tool error: Invalid arguments: Missing required arg 'item'"),
        (calling("check_inventory", json!(5)), "Tool error: Invalid arguments: 'args' must be an object"),
    ];
    for (output, text) in cases {
        let error = Predictor::new([output]).invoke(&wrapper(), json!({})).await.unwrap_err();
        assert_eq!(error.to_string(), text);
        assert!(matches!(error, DSPyEngineError::ToolError(_)));
    }
}

#[tokio::test]
async fn d_25_what_the_predictor_fails_with_comes_back_as_it_was() {
    for error in [
        DSPyEngineError::InferenceError("out of memory".into()),
        DSPyEngineError::ModuleNotFound("npc.merchant".into()),
        DSPyEngineError::Timeout(5),
    ] {
        let said = error.clone();
        let failed =
            wrapper().invoke_with_fn(json!({}), move |_| std::future::ready(Err(said.clone()))).await;
        assert_eq!(failed, Err(error));
    }
}

#[tokio::test]
async fn d_26_a_call_may_be_an_object_or_a_string_that_holds_it() {
    let call = json!({"name": "get_player_gold", "args": {}});
    for written in [call.clone(), Value::String(call.to_string())] {
        let predictor = Predictor::new([json!({"response": "", "tool_call": written}), answering("done")]);
        predictor.invoke(&wrapper(), json!({})).await.unwrap();
        assert_eq!(predictor.inputs()[1]["context"], r#"Tool 'get_player_gold' returned: {"gold":500}"#);
    }
}

#[tokio::test]
async fn r_12_an_input_that_is_no_object_is_invalid_and_nothing_breaks() {
    for input in [json!(null), json!("text"), json!([1]), json!(5)] {
        let predictor = Predictor::new([answering("never")]);
        let error = predictor.invoke(&wrapper(), input).await.unwrap_err();
        assert!(matches!(error, DSPyEngineError::ToolError(ToolError::InvalidArgs(_))), "{error}");
        assert!(predictor.inputs().is_empty());
    }
}

#[tokio::test]
async fn a_tool_that_cannot_be_used_is_named_before_anything_runs() {
    struct Nameless;
    #[async_trait]
    impl Tool for Nameless {
        fn name(&self) -> &str {
            "not a name"
        }
        fn description(&self) -> &str {
            "Has no proper name"
        }
        async fn execute(&self, _args: Value) -> Result<Value, ToolError> {
            Ok(json!(null))
        }
    }
    let mut registry = ToolRegistry::new();
    registry.register(Arc::new(Nameless));
    let wrapper = ToolWrapper::new(Arc::new(registry), ToolWrapperConfig::default());
    let error = Predictor::new([answering("x")]).invoke(&wrapper, json!({})).await.unwrap_err();
    assert!(matches!(&error, DSPyEngineError::ConfigError(why) if why.contains("'not a name'")), "{error}");
}
