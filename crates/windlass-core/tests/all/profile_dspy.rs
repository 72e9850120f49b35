//! The DSPy engine's loop, literally: field dialect, errors end the run (requirements §1, A.2).

use serde_json::{Map, Value, json};
use windlass_core::calls::dialect::field;
use windlass_core::profile::Profile;
use windlass_core::protocol::event::{RunOutcome, StopReason};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::tool::{ErrorKind, ToolFailure, ToolSpec};
use windlass_core::run::RunError;

use crate::sim::Sim;

fn specs() -> Vec<ToolSpec> {
    let item = json!({"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]});
    vec![
        ToolSpec::new("get_player_gold", "Get player's current gold amount"),
        ToolSpec::new("check_inventory", "Check the inventory").with_schema(item),
    ]
}

fn dspy() -> Sim {
    let mut sim = Sim::of(Profile { answers_in_fields: true, ..Profile::dspy() }).with_tools(specs());
    sim.start("How much gold do I have?");
    sim
}

fn call_gold() -> String {
    json!({"response": "", "tool_call": {"name": "get_player_gold", "args": {}}}).to_string()
}

/// The input of the module's next step.
fn next_input(sim: &Sim, context: &str) -> Map<String, Value> {
    let Value::Object(input) = json!({"query": "How much gold do I have?", "context": context}) else {
        panic!("an object")
    };
    field::next_input(&input, &sim.tools.to_json(), "context", sim.run.transcript())
}

#[test]
fn d_17_an_output_without_a_call_is_returned_whole_at_once() {
    for output in [
        r#"{"response":"Hello.","mood":"calm"}"#,
        r#"{"response":"Hello.","tool_call":null}"#,
        r#"{"response":"Hello.","tool_call":"null"}"#,
    ] {
        let mut sim = dspy();
        sim.say(output);
        assert_eq!(sim.answer(), output);
        assert_eq!(sim.story(), "run-started step-started step-ended run-ended");
        assert_eq!(sim.finished().outcome, RunOutcome::Completed);
    }
}

#[test]
fn d_15_d_16_a_call_in_the_output_is_run_and_its_result_goes_to_the_context() {
    let mut sim = dspy();
    assert_eq!(next_input(&sim, "It is night.")["context"], "It is night.");
    sim.say(&call_gold());
    assert_eq!(sim.running(), [1]);
    sim.ended(1, json!({"gold": 500}));
    assert_eq!(
        next_input(&sim, "It is night.")["context"],
        "It is night.\nTool 'get_player_gold' returned: {\"gold\":500}"
    );
    sim.say(r#"{"response":"You have 500 gold coins.","tool_call":null}"#);
    assert_eq!(sim.answer(), r#"{"response":"You have 500 gold coins.","tool_call":null}"#);
}

#[test]
fn d_19_calls_may_follow_one_another_and_every_result_is_kept() {
    let mut sim = dspy();
    sim.say(&call_gold());
    sim.ended(1, json!({"gold": 500}));
    sim.say(r#"{"tool_call":{"name":"check_inventory","args":{"item":"rope"}}}"#);
    assert_eq!(sim.args[&CallId::numbered(2)], json!({"item": "rope"}));
    sim.ended(2, json!(["rope", "lamp"]));
    assert_eq!(
        next_input(&sim, "")["context"],
        "Tool 'get_player_gold' returned: {\"gold\":500}\nTool 'check_inventory' returned: [\"rope\",\"lamp\"]"
    );
}

#[test]
fn the_same_call_again_runs_again() {
    let mut sim = dspy();
    for number in 1..=3 {
        sim.say(&call_gold());
        assert_eq!(sim.running(), [number], "a module's state may have changed");
        sim.ended(number, json!({"gold": 500}));
    }
}

#[test]
fn d_26_a_call_may_be_an_object_or_text_that_holds_one() {
    let object = json!({"tool_call": {"name": "check_inventory", "args": {"item": "rope"}}});
    let inner = json!({"name": "check_inventory", "args": {"item": "rope"}});
    let text = json!({"tool_call": inner.to_string()});
    let pretty = json!({"tool_call": format!("{inner:#}")});
    for output in [object, text, pretty] {
        let mut sim = dspy();
        sim.say(&output.to_string());
        assert_eq!(sim.args.get(&CallId::numbered(1)), Some(&json!({"item": "rope"})), "{output}");
    }
}

#[test]
fn r_12_missing_arguments_are_an_empty_object_and_anything_else_is_invalid() {
    for args in [r#""#, r#","args":null"#, r#","args":{}"#] {
        let mut sim = dspy();
        sim.say(&format!(r#"{{"tool_call":{{"name":"get_player_gold"{args}}}}}"#));
        assert_eq!(sim.args.get(&CallId::numbered(1)), Some(&json!({})), "{args}");
    }
    let mut sim = dspy();
    sim.say(r#"{"tool_call":{"name":"get_player_gold","args":[1]}}"#);
    assert_eq!(sim.failure(1), (ErrorKind::InvalidArgs, "'args' must be an object"));
    assert_eq!(
        sim.finished().error.as_ref().unwrap().to_string(),
        "Tool error: Invalid arguments: 'args' must be an object"
    );
}

#[test]
fn d_18_d_25_too_many_iterations_are_an_error() {
    let mut sim = dspy();
    for number in 1..=5 {
        sim.say(&call_gold());
        sim.ended(number, json!(number));
    }
    let message = "Maximum iterations (5) reached during tool execution";
    assert_eq!(sim.errors(), [("max_steps", message)]);
    let finished = sim.finished();
    assert_eq!(finished.error, Some(RunError::StepsMax(5)));
    assert_eq!(finished.error.as_ref().unwrap().to_string(), message);
    assert_eq!((finished.outcome, &finished.reason), (RunOutcome::Failed, &StopReason::StepsMax));
    assert_eq!(finished.answer, message);
    assert_eq!(sim.requests.len(), 5, "there is no last word");
    assert!(sim.story().ends_with("call-ended warning-raised error-raised run-ended"));
    // What was found is still there.
    assert_eq!(Sim::roles(&finished.transcript).matches("tool").count(), 5);
}

#[test]
fn d_25_a_tool_error_ends_the_run_in_the_documented_words() {
    let unknown = {
        let mut sim = dspy();
        sim.say(r#"{"tool_call":{"name":"fly","args":{}}}"#);
        sim
    };
    let failed = |failure: ToolFailure| {
        let mut sim = dspy();
        sim.say(&call_gold());
        sim.failed(1, failure);
        sim
    };
    let cases = [
        (unknown, "unknown_tool", "Tool error: Tool not found: fly"),
        (
            failed(ToolFailure::internal("no save game")),
            "internal",
            "Tool error: Execution failed: no save game",
        ),
        (
            failed(ToolFailure::invalid_args("bad item")),
            "invalid_args",
            "Tool error: Invalid arguments: bad item",
        ),
    ];
    for (sim, code, message) in cases {
        assert_eq!(sim.errors(), [(code, message)]);
        let finished = sim.finished();
        assert!(matches!(&finished.error, Some(error @ RunError::Tool { failure, .. })
            if error.to_string() == message && !failure.is_ok()));
        assert_eq!((finished.outcome, &finished.reason), (RunOutcome::Failed, &StopReason::ToolFailed));
        assert_eq!(finished.answer, message);
        assert!(sim.story().ends_with("call-ended error-raised run-ended"));
    }
}

#[test]
fn an_output_that_cannot_be_read_is_an_error_and_never_an_empty_success() {
    for output in ["{}", "[]", r#"{"tool_call":7}"#, r#"{"tool_call":"fly"}"#, r#"{"tool_call":{"args":{}}}"#]
    {
        let mut sim = dspy();
        sim.say(output);
        assert_eq!(sim.failure(1).0, ErrorKind::ParseError, "{output}");
        assert!(sim.answer().starts_with("Tool error: Serialization error: tool_call could not be read: "));
    }
}

#[test]
fn calls_have_no_time_limit_of_their_own_but_end_some_day() {
    let mut sim = dspy();
    sim.say(&call_gold());
    assert_eq!(sim.ran(), [("call_1", 600_000)]);
}

#[test]
fn without_a_module_the_prompt_lists_the_tools_and_a_plain_answer_is_one() {
    let mut sim = Sim::of(Profile::dspy()).with_tools(specs());
    sim.start("How much gold?");
    let request = sim.request();
    assert!(request.system.contains("available_tools: [{\"name\":\"check_inventory\""), "{}", request.system);
    assert_eq!(request.messages[0].text(), "query: How much gold?\ncontext: ");
    assert!(request.tools.is_empty());
    sim.say(&call_gold());
    sim.ended(1, json!({"gold": 500}));
    let context = "query: How much gold?\ncontext: Tool 'get_player_gold' returned: {\"gold\":500}";
    assert_eq!(sim.request().messages[0].text(), context);
    sim.say("You have 500 gold coins.");
    assert_eq!((sim.finished().outcome, sim.answer()), (RunOutcome::Completed, "You have 500 gold coins."));
}
