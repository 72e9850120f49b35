//! Modules with tools: by a field of their output, and by native calls.

use serde_json::{Value, json};
use windlass_core::protocol::event::{RunOutcome, StopReason};
use windlass_core::protocol::tool::ToolFailure;
use windlass_core::run::RunError;
use windlass_modules::read_answer;

use crate::world::{Giver, fixture, module, purse, run};

const QUESTION: &str = r#"{"query": "How rich am I?", "context": ""}"#;
const TOOL: &str =
    r#"[{"name":"get_player_gold","description":"Get player's current gold amount","args_schema":null}]"#;

#[tokio::test]
async fn d_14_d_16_outcomes_stand_in_the_context_literally_as_the_wrapper_writes_them() {
    let script = "user .\n\
        model text {\"response\": \"\", \"tool_call\": {\"name\": \"get_player_gold\", \"args\": {}}}\nmodel end\n\
        model text {\"response\": \"\", \"tool_call\": {\"name\": \"check_inventory\", \"args\": {}}}\nmodel end\n\
        model text {\"response\": \"You have 500 gold and a sword.\", \"tool_call\": null}\n";
    let bag = Giver::new("check_inventory", "Look into the bag", Ok(json!(["sword"])));
    let run = run(&fixture("tool_enabled_module.json"), script, &[purse(), bag], QUESTION).await;
    assert_eq!(run.finished.outcome, RunOutcome::Completed, "{:?}", run.finished);
    assert_eq!(run.outputs(), json!({"response": "You have 500 gold and a sword.", "tool_call": null}));
    let tools = r#"[{"name":"check_inventory","description":"Look into the bag","args_schema":null},{"name":"get_player_gold","description":"Get player's current gold amount","args_schema":null}]"#;
    let inputs =
        |context: &str| format!("query: How rich am I?\ncontext: {context}\navailable_tools: {tools}");
    assert_eq!(run.inputs(0), inputs(""));
    assert_eq!(run.inputs(1), inputs(r#"Tool 'get_player_gold' returned: {"gold":500}"#));
    let both =
        "Tool 'get_player_gold' returned: {\"gold\":500}\nTool 'check_inventory' returned: [\"sword\"]";
    assert_eq!(run.inputs(2), inputs(both));
    // Nothing but the inputs changes, and the model has no tools of its own.
    for asked in &run.asked {
        assert_eq!((asked.examples, asked.messages.len(), asked.tools.len()), (4, 5, 0));
        assert_eq!(asked.system, run.asked[0].system);
    }
    assert_eq!(
        run.asked[0].messages[1].text(),
        r#"{"response":"","tool_call":{"name":"get_player_gold","args":{}}}"#
    );
}

#[tokio::test]
async fn d_19_what_was_in_the_context_before_stays() {
    let script = "user .\nmodel text {\"tool_call\": {\"name\": \"get_player_gold\"}}\nmodel end\n\
                  model text {\"response\": \"500.\"}\n";
    let says = r#"{"query": "How rich am I?", "context": "It is night."}"#;
    let run = run(&fixture("tool_enabled_module.json"), script, &[purse()], says).await;
    assert_eq!(run.outputs(), json!({"response": "500."}));
    let context = "It is night.\nTool 'get_player_gold' returned: {\"gold\":500}";
    assert_eq!(run.inputs(1), format!("query: How rich am I?\ncontext: {context}\navailable_tools: {TOOL}"));
}

#[tokio::test]
async fn r_11_five_ways_to_call_nothing_end_the_run() {
    for call in [
        ", \"tool_call\": \"null\"",
        ", \"tool_call\": \"\"",
        ", \"tool_call\": null",
        "",
        ", \"tool_call\": {}",
    ] {
        let purse = purse();
        let script = format!("user .\nmodel text {{\"response\": \"Hello.\"{call}}}\n");
        let run =
            run(&fixture("tool_enabled_module.json"), &script, std::slice::from_ref(&purse), QUESTION).await;
        assert_eq!(
            (run.finished.outcome, purse.count(), run.asked.len()),
            (RunOutcome::Completed, 0, 1),
            "{call}"
        );
        assert_eq!(run.outputs()["response"], "Hello.");
        assert_eq!(run.outputs().get("tool_call"), (!call.is_empty()).then_some(&Value::Null));
    }
}

#[tokio::test]
async fn r_11_three_ways_to_call_something_call_it() {
    for said in [
        r#"{"response": "", "tool_call": {"name": "get_player_gold", "args": {}}}"#,
        r#"{"response": "", "tool_call": "{\"name\": \"get_player_gold\", \"args\": {}}"}"#,
        "{\n  \"response\": \"\",\n  \"tool_call\": {\n    \"name\": \"get_player_gold\",\n    \"args\": {}\n  }\n}",
    ] {
        calls_the_purse(said).await;
    }
}

#[tokio::test]
async fn r_11_the_same_ways_in_lines_with_field_markers() {
    for none in
        ["tool_call: null", "Tool Call: \"null\"", "tool_call:", "TOOL_CALL: none", "tool_call: {}", "\n"]
    {
        let purse = purse();
        let script = format!("user .\nmodel text <<END\nResponse: Hello.\n{none}\nEND\n");
        let run =
            run(&fixture("tool_enabled_module.json"), &script, std::slice::from_ref(&purse), QUESTION).await;
        assert_eq!(
            (run.finished.outcome, purse.count()),
            (RunOutcome::Completed, 0),
            "{none}: {:?}",
            run.finished
        );
        assert_eq!(run.outputs()["response"], "Hello.");
    }
    calls_the_purse("Response:\nTool_Call: {\"name\": \"get_player_gold\", \"args\": {}}").await;
    calls_the_purse("response:\ntool_call: {\n  \"name\": \"get_player_gold\",\n  \"args\": {\n  }\n}").await;
    calls_the_purse("response:\ntool_call:\n```json\n{\n  \"name\": \"get_player_gold\"\n}\n```").await;
}

async fn calls_the_purse(said: &str) {
    let purse = purse();
    let script =
        format!("user .\nmodel text <<END\n{said}\nEND\nmodel end\nmodel text {{\"response\": \"500.\"}}\n");
    let run =
        run(&fixture("tool_enabled_module.json"), &script, std::slice::from_ref(&purse), QUESTION).await;
    assert_eq!(
        (run.finished.outcome, purse.count()),
        (RunOutcome::Completed, 1),
        "{said}: {:?}",
        run.finished
    );
    assert_eq!(run.outputs()["response"], "500.");
}

#[tokio::test]
async fn an_output_without_fields_is_asked_for_again_and_then_an_error() {
    let good = "user .\nmodel text Hm.\nmodel end\nexpect-request purpose correction\nmodel text {\"response\": \"Hi.\"}\n";
    let asked = run(&fixture("tool_enabled_module.json"), good, &[purse()], QUESTION).await;
    assert_eq!(asked.outputs(), json!({"response": "Hi."}));
    for bad in ["Hm.", "{}", "{\"response\": \"x\", \"tool_call\": 7}"] {
        let script = format!("user .\nmodel text {bad}\nmodel end\nmodel text {bad}\nmodel end\n");
        let run = run(&fixture("tool_enabled_module.json"), &script, &[purse()], QUESTION).await;
        assert_eq!(run.finished.outcome, RunOutcome::Failed, "{bad}");
        assert!(matches!(run.finished.error, Some(RunError::Malformed(_))), "{:?}", run.finished.error);
    }
}

#[tokio::test]
async fn d_18_d_25_the_step_limit_and_a_tool_error_end_the_run_with_their_errors() {
    let call = "model text {\"response\": \"\", \"tool_call\": {\"name\": \"get_player_gold\"}}\nmodel end\n";
    let endless = run(
        &fixture("tool_enabled_module.json"),
        &format!("user .\n{}", call.repeat(6)),
        &[purse()],
        QUESTION,
    )
    .await;
    let error = endless.finished.error.unwrap().to_string();
    assert_eq!(error, "Maximum iterations (5) reached during tool execution");
    let broken = Giver::new("get_player_gold", "Fails", Err(ToolFailure::internal("the purse is stuck")));
    let failed =
        run(&fixture("tool_enabled_module.json"), &format!("user .\n{call}"), &[broken], QUESTION).await;
    assert_eq!(
        (failed.finished.outcome, failed.finished.reason),
        (RunOutcome::Failed, StopReason::ToolFailed)
    );
}

#[tokio::test]
async fn a_module_shows_only_the_tools_that_it_may_use() {
    let module = module(json!({"tool_enabled": true, "tools": ["get_player_gold"]}));
    let bag = Giver::new("check_inventory", "Look into the bag", Ok(json!([])));
    let run =
        run(&module, "user .\nmodel text {\"answer\": \"x\"}\n", &[purse(), bag], "How rich am I?").await;
    assert_eq!(run.inputs(0), format!("question: How rich am I?\ncontext: \navailable_tools: {TOOL}"));
    let schema = &run.asked[0].sampling.response_format.as_ref().unwrap()["json_schema"]["schema"];
    let name = &schema["properties"]["tool_call"]["anyOf"][0]["properties"]["name"];
    assert_eq!(name, &json!({"type": "string", "enum": ["get_player_gold"]}));
}

#[tokio::test]
async fn react_is_the_run_machine_with_native_calls() {
    let script = "user .\nexpect-request tools get_player_gold\nmodel reasoning I must look.\n\
        model call 1 get_player_gold {}\n\
        expect-request contains tool call_1 get_player_gold: {\"ok\":true,\"output\":{\"gold\":500}}\n\
        model text {\"response\": \"You have 500.\", \"gold\": 500}\n";
    let purse = purse();
    let module = fixture("react_module.json");
    let run = run(&module, script, std::slice::from_ref(&purse), "How rich am I?").await;
    assert_eq!((run.finished.outcome, purse.count()), (RunOutcome::Completed, 1), "{:?}", run.finished);
    assert_eq!(
        Value::Object(read_answer(&module, &run.finished.answer).unwrap()),
        json!({"response": "You have 500.", "gold": 500})
    );
    assert_eq!(run.inputs(0), "query: How rich am I?");
    assert!(run.asked[0].system.contains("Call the tools you need."));
    // While calls are open, no form is prescribed.
    assert!(run.asked.iter().all(|asked| asked.sampling.response_format.is_none()));
}

#[tokio::test]
async fn an_answer_of_react_that_lacks_a_field_is_corrected_without_tools() {
    let script = "user .\nmodel call 1 get_player_gold {}\nmodel end\nmodel text You have 500.\nmodel end\n\
        expect-request tool-choice forbidden\nexpect-request contains assistant: You have 500.\n\
        model text {\"response\": \"You have 500.\", \"gold\": 500}\n";
    let module = fixture("react_module.json");
    let run = run(&module, script, &[purse()], "How rich am I?").await;
    assert_eq!(run.finished.outcome, RunOutcome::Completed, "{:?}", run.finished);
    assert_eq!(run.outputs()["gold"], 500);
    assert!(run.asked.last().unwrap().sampling.response_format.is_some());
}
