//! Modules without tools: what the model is asked, and what becomes of its answer.

use serde_json::json;
use windlass_core::protocol::event::{RunOutcome, StopReason};
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::StepPurpose;
use windlass_core::run::RunError;
use windlass_modules::{ModuleLibrary, SignatureRegistry};

use crate::world::{fixture, fixtures, module, purse, run};

#[test]
fn d_27_the_fixtures_load_with_their_hashes() {
    let (library, report) = ModuleLibrary::open(fixtures(), SignatureRegistry::new());
    assert_eq!((report.failed.len(), report.warnings.len()), (0, 0), "{report:?}");
    let ids =
        ["test.chain_of_thought_module", "test.predict_module", "test.react_module", "test.tool_module"];
    assert_eq!(library.ids(), ids);
    let module = library.get("test.tool_module").unwrap();
    assert_eq!((module.signature_name.as_str(), module.tool_enabled), ("test.tool_signature", true));
    assert_eq!(module.demos[0].outputs["tool_call"], json!({"name": "get_player_gold", "args": {}}));
    assert_eq!(
        module.demos[1].outputs,
        *json!({"response": "You have 500 gold coins.", "tool_call": null}).as_object().unwrap()
    );
    assert_eq!(library.with_tag("tools"), ["test.react_module", "test.tool_module"]);
    assert!(library.find("test.tool_module").unwrap().path.ends_with("tool_enabled_module.json"));
}

#[tokio::test]
async fn d_28_predict_asks_with_demos_as_messages_and_gives_typed_outputs() {
    let script = "user .\nmodel text {\"answer\": \"Rome.\"}\n";
    let run = run(&fixture("predict_module.json"), script, &[purse()], "What is the capital of Italy?").await;
    assert_eq!((run.finished.outcome, run.outputs()), (RunOutcome::Completed, json!({"answer": "Rome."})));
    let asked = &run.asked[0];
    assert_eq!(
        asked.system.as_ref(),
        "Answer in one sentence.\n\nYou are given:\n- question (string): What is asked\n\n\
         Answer with one JSON object and nothing else. Its fields, in this order:\n- answer (string): A short answer"
    );
    assert_eq!(
        asked.messages.iter().map(|message| message.text()).collect::<Vec<_>>(),
        [
            "question: What is the capital of France?",
            r#"{"answer":"The capital of France is Paris."}"#,
            "question: What is the capital of Italy?",
        ]
    );
    assert!(matches!(asked.messages[1].as_ref(), Message::Assistant { .. }));
    assert_eq!((asked.examples, asked.tools.len()), (2, 0));
    assert_eq!(
        asked.sampling.response_format.as_ref().unwrap(),
        &json!({"type": "json_schema", "json_schema": {
            "name": "test_predict_module", "strict": true,
            "schema": {
                "type": "object",
                "properties": {"answer": {"type": "string", "description": "A short answer"}},
                "required": ["answer"], "additionalProperties": false,
            },
        }})
    );
}

#[tokio::test]
async fn d_28_chain_of_thought_reasons_in_its_own_field_before_the_others() {
    let module = fixture("chain_of_thought_module.json");
    let names: Vec<&str> = module.signature.outputs.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["reasoning", "result"]);
    let script =
        "user .\nmodel text Reasoning: Six, and\nmodel text then seven more.\nmodel text Result: 13\n";
    let run = run(&module, script, &[], "Six and seven?").await;
    assert_eq!(run.finished.answer, r#"{"reasoning":"Six, and\nthen seven more.","result":13}"#);
    let asked = &run.asked[0];
    assert!(
        asked.system.contains("- reasoning (string)\n- result (integer): The number alone"),
        "{}",
        asked.system
    );
    assert!(asked.system.contains("Think step by step in 'reasoning' first"), "{}", asked.system);
    let schema = &asked.sampling.response_format.as_ref().unwrap()["json_schema"]["schema"];
    assert_eq!(schema["properties"].as_object().unwrap().keys().collect::<Vec<_>>(), ["reasoning", "result"]);
    assert_eq!(schema["required"], json!(["reasoning", "result"]));
}

#[tokio::test]
async fn d_28_chain_of_thought_without_reasoning_is_asked_for_it() {
    let script = "user .\nmodel text {\"result\": 13}\nexpect-request contains the output 'reasoning' is missing\n\
                  model text {\"reasoning\": \"6 + 7\", \"result\": 13}\n";
    let run = run(&fixture("chain_of_thought_module.json"), script, &[], "Six and seven?").await;
    assert_eq!(run.outputs(), json!({"reasoning": "6 + 7", "result": 13}));
}

#[tokio::test]
async fn a_missing_field_is_asked_for_once_and_the_model_sees_what_it_said() {
    let module = module(json!({"signature": {
        "inputs": [{"name": "question"}],
        "outputs": [{"name": "answer"}, {"name": "score", "field_type": "integer"}],
    }}));
    let script = "user .\nmodel text {\"answer\": \"yes\"}\nexpect-request purpose correction\n\
                  expect-request contains assistant: {\"answer\":\"yes\"}\n\
                  expect-request contains the output 'score' is missing; found answer\n\
                  model text {\"answer\": \"yes\", \"score\": \"7\"}\n";
    let run = run(&module, script, &[], "Sure?").await;
    assert_eq!(
        (run.finished.outcome, run.outputs()),
        (RunOutcome::Completed, json!({"answer": "yes", "score": 7}))
    );
    assert_eq!((run.asked.len(), run.asked[1].purpose), (2, StepPurpose::Correction));
    assert_eq!(run.asked[0].system, run.asked[1].system);
}

#[tokio::test]
async fn a_second_bad_answer_is_an_error_and_never_an_empty_object() {
    let module = module(json!({"signature": {
        "inputs": [{"name": "question"}],
        "outputs": [{"name": "answer"}, {"name": "score", "field_type": "integer"}],
    }}));
    for bad in ["{}", "I would rather not say.", "{\"score\": \"high\", \"answer\": \"x\"}"] {
        let script = format!("user .\nmodel text {bad}\nmodel end\nmodel text {bad}\nmodel end\n");
        let run = run(&module, &script, &[], "Sure?").await;
        let finished = run.finished;
        assert_eq!((finished.outcome, finished.reason), (RunOutcome::Failed, StopReason::CorrectionFailed));
        assert!(matches!(finished.error, Some(RunError::Malformed(_))), "{bad}: {:?}", finished.error);
        assert_ne!(finished.answer, "");
    }
}

#[tokio::test]
async fn an_answer_in_pieces_is_read_when_it_is_whole() {
    let module = module(json!({}));
    let script = "user .\nmodel text {\"answer\": \"One, t\nmodel end length\n\
                  expect-request contains assistant: {\"answer\": \"One, t\n\
                  model text wo.\"}\n";
    let run = run(&module, script, &[], "Count.").await;
    assert_eq!(run.finished.outcome, RunOutcome::Completed, "{:?}", run.finished);
    let outputs = windlass_modules::read_answer(&module, &run.finished.answer).unwrap();
    assert_eq!(serde_json::Value::Object(outputs), json!({"answer": "One, two."}));
}

#[tokio::test]
async fn inputs_that_do_not_fit_fail_before_the_model_is_asked() {
    let module = module(json!({"signature": {
        "inputs": [{"name": "question"}, {"name": "top", "field_type": "integer"}],
        "outputs": [{"name": "answer"}],
    }}));
    for (says, wrong) in [
        ("Hello?", "takes a JSON object with the inputs question, top"),
        (r#"{"question": "x"}"#, "the input 'top' is missing"),
        (r#"{"question": "x", "top": "many"}"#, "the input 'top' must be an integer, not \"many\""),
        (r#"{"question": "x", "tpo": 3}"#, "there is no input 'tpo' (did you mean 'top'?)"),
    ] {
        let run = run(&module, "user .\nmodel text {\"answer\": \"x\"}\n", &[], says).await;
        assert_eq!((run.finished.outcome, run.asked.len()), (RunOutcome::Failed, 0), "{says}");
        let error = run.finished.error.unwrap().to_string();
        assert!(error.contains(wrong), "{error}");
    }
}
