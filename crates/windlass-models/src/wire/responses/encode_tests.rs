use serde_json::json;
use windlass_core::protocol::model::Sampling;

use super::super::recording::{Asked, target, user};
use super::*;
use crate::quirks::{AnswerForms, Quirks};
use crate::{ModelTarget, WireKind};

fn openai() -> ModelTarget {
    target(WireKind::Responses, "openai", "gpt-5.5")
}

fn with_tools(target: ModelTarget) -> Asked {
    Asked::of(target)
        .with_tool("get_time", "get_time", json!({"type": "object", "properties": {}}), false)
        .with_tool("get.weather", "get_weather", json!({"type": "object"}), true)
}

#[test]
fn a_request_is_a_head_turns_and_a_tail() {
    let mut asked = with_tools(openai());
    asked.system = "Be brief.".into();
    asked.sampling.output_tokens_max = Some(500);
    asked.sampling.reasoning_effort = windlass_core::protocol::model::Effort::of_word("low");
    asked.trailer = vec!["Two steps are left.".into()];
    let picture = Part::Image { media_type: "image/png".into(), url: "data:image/png;base64,AAAA".into() };
    let turns = [
        Turn::User(vec![Cow::Owned(Part::text("What is this?")), Cow::Owned(picture)]),
        Turn::Note(Cow::Borrowed("Mind the budget.")),
    ];
    let body = asked.body(&ResponsesWire, &turns);
    assert_eq!(
        body,
        json!({
            "model": "gpt-5.5", "stream": true, "store": false, "include": ["reasoning.encrypted_content"],
            "instructions": "Be brief.",
            "tools": [
                {"type": "function", "name": "get_time", "description": "Does get_time.",
                 "parameters": {"type": "object", "properties": {}}, "strict": false},
                {"type": "function", "name": "get_weather", "description": "Does get.weather.",
                 "parameters": {"type": "object"}, "strict": true},
            ],
            "tool_choice": "auto",
            "reasoning": {"effort": "low", "summary": "auto"},
            "max_output_tokens": 500,
            "input": [
                {"type": "message", "role": "user", "content": [
                    {"type": "input_text", "text": "What is this?"},
                    {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,AAAA"},
                ]},
                {"type": "message", "role": "developer",
                 "content": [{"type": "input_text", "text": "Mind the budget."}]},
                {"type": "message", "role": "developer",
                 "content": [{"type": "input_text", "text": "Two steps are left."}]},
            ],
        })
    );
    assert_eq!(ResponsesWire.path(&asked.plan()), "/responses");
}

#[test]
fn the_head_ends_where_the_history_begins() {
    let asked = with_tools(openai());
    let mut head = Vec::new();
    ResponsesWire.head(&asked.plan(), &mut head);
    assert!(head.ends_with(br#""input":["#));
}

#[test]
fn turns_are_only_ever_appended() {
    let asked = with_tools(openai());
    let turns = [user("One."), user("Two."), user("Three.")];
    let short = asked.text(&ResponsesWire, &turns[..2]);
    let long = asked.text(&ResponsesWire, &turns);
    assert!(long.starts_with(short.strip_suffix("]}").unwrap()));
}

#[test]
fn tool_choice_has_all_its_forms_and_never_changes_the_list_of_tools() {
    let mut asked = with_tools(openai());
    for (choice, expected) in [
        (ToolChoice::Auto, json!("auto")),
        (ToolChoice::Required, json!("required")),
        (ToolChoice::Forbidden, json!("none")),
        (ToolChoice::Named("get.weather".into()), json!({"type": "function", "name": "get_weather"})),
    ] {
        asked.choice = choice;
        let body = asked.body(&ResponsesWire, &[user("Hi.")]);
        assert_eq!(body["tool_choice"], expected);
        assert_eq!(body["tools"].as_array().unwrap().len(), 2);
    }
    asked.target.quirks.choice = ChoiceForm::Absent;
    assert_eq!(asked.body(&ResponsesWire, &[user("Hi.")]).get("tool_choice"), None);
}

#[test]
fn without_tools_nothing_is_said_of_them() {
    let mut asked = Asked::of(openai());
    asked.target.quirks.parallel = ParallelCalls::Off;
    let body = asked.body(&ResponsesWire, &[user("Hi.")]);
    for name in ["tools", "tool_choice", "parallel_tool_calls", "instructions", "reasoning", "text"] {
        assert_eq!(body.get(name), None, "{name}");
    }
    let mut asked = with_tools(openai());
    asked.choice = ToolChoice::Forbidden;
    asked.target.quirks.has_none_with_tools = false;
    assert_eq!(asked.body(&ResponsesWire, &[user("Hi.")]).get("tools"), None);
}

#[test]
fn xai_9_s_18_no_parallel_calls_and_no_response_format() {
    let mut asked = with_tools(target(WireKind::Responses, "xai", "grok-4.7"));
    asked.target.quirks.parallel = ParallelCalls::Off;
    asked.target.quirks.response_format = AnswerForms::Absent;
    asked.sampling.response_format = Some(json!({"type": "json_object"}));
    let body = asked.body(&ResponsesWire, &[user("Hi.")]);
    assert_eq!(body["parallel_tool_calls"], false);
    assert_eq!(body.get("text"), None);
    asked.target.quirks.parallel = ParallelCalls::On;
    assert_eq!(asked.body(&ResponsesWire, &[user("Hi.")])["parallel_tool_calls"], true);
}

#[test]
fn response_format_loses_a_level() {
    let mut asked = Asked::of(openai());
    asked.sampling.response_format = Some(json!({"type": "json_schema",
        "json_schema": {"name": "city", "strict": true, "schema": {"type": "object"}}}));
    let expected =
        json!({"type": "json_schema", "name": "city", "strict": true, "schema": {"type": "object"}});
    assert_eq!(asked.body(&ResponsesWire, &[user("Hi.")])["text"]["format"], expected);
    asked.sampling.response_format = Some(json!({"type": "json_object"}));
    assert_eq!(asked.body(&ResponsesWire, &[user("Hi.")])["text"]["format"], json!({"type": "json_object"}));
}

#[test]
fn effort_auto_leaves_the_effort_to_the_model() {
    let mut asked = Asked::of(openai());
    asked.sampling.reasoning_effort = windlass_core::protocol::model::Effort::of_word("auto");
    assert_eq!(asked.body(&ResponsesWire, &[user("Hi.")])["reasoning"], json!({"summary": "auto"}));
    asked.target.quirks.ask = ReasoningAsk::Absent;
    assert_eq!(asked.body(&ResponsesWire, &[user("Hi.")]).get("reasoning"), None);
}

#[test]
fn sampling_goes_along_only_where_it_is_taken() {
    let mut asked = Asked::of(openai());
    asked.sampling =
        Sampling { temperature: Some(0.2), top_p: Some(0.9), seed: Some(7), ..Sampling::default() };
    let body = asked.body(&ResponsesWire, &[user("Hi.")]);
    assert_eq!((&body["temperature"], &body["top_p"]), (&json!(0.2), &json!(0.9)));
    assert_eq!(body.get("seed"), None, "the protocol has none");
    asked.target.quirks.samples_while_thinking = false;
    assert!(
        asked.body(&ResponsesWire, &[user("Hi.")]).get("temperature").is_some(),
        "nothing says that it thinks"
    );
    asked.target.quirks.thinks_unasked = true;
    assert_eq!(asked.body(&ResponsesWire, &[user("Hi.")]).get("temperature"), None);
    asked.sampling.output_tokens_max = Some(4);
    assert_eq!(asked.body(&ResponsesWire, &[user("Hi.")])["max_output_tokens"], 16);
}

#[test]
fn responses_2_encrypted_thinking_is_asked_for_unless_the_model_does_not_think() {
    let mut asked = Asked::of(openai());
    let body = asked.body(&ResponsesWire, &[user("Hi.")]);
    assert_eq!((&body["include"], &body["store"]), (&json!(["reasoning.encrypted_content"]), &json!(false)));
    asked.target.abilities.reasons = Some(false);
    assert_eq!(asked.body(&ResponsesWire, &[user("Hi.")]).get("include"), None);
    asked.target.abilities.reasons = None;
    asked.target.quirks.echo = ReasoningEcho::Never;
    assert_eq!(asked.body(&ResponsesWire, &[user("Hi.")]).get("include"), None);
}

#[test]
fn responses_2_prompt_caching_stays_automatic() {
    let body =
        with_tools(target(WireKind::Responses, "openai", "gpt-5.6")).body(&ResponsesWire, &[user("Hi.")]);
    assert_eq!(body.get("prompt_cache_options"), None, "an explicit mode without marks would cache nothing");
}

#[test]
fn an_endpoint_without_notes_gets_them_from_the_user() {
    let mut asked = Asked::of(openai());
    asked.target.quirks = Quirks { has_notes: false, streams: false, ..asked.target.quirks };
    let body = asked.body(&ResponsesWire, &[Turn::Note(Cow::Borrowed("Mind the budget."))]);
    assert_eq!(body["input"][0]["role"], "user");
    assert_eq!(body["stream"], false);
}

fn exchange<'a>(items: Vec<TurnItem<'a>>) -> Turn<'a> {
    let mut exchange = CallExchange { items, outcomes: Vec::new() };
    let outcomes: Vec<OutcomeItem<'_>> = exchange
        .calls()
        .map(|call| OutcomeItem {
            id: call.id.clone(),
            name: call.name.clone(),
            content: Cow::Borrowed("done"),
            is_ok: true,
        })
        .collect();
    exchange.outcomes = outcomes;
    Turn::Exchange(exchange)
}

fn call<'a>(id: &'a str, args: &'a str, state: Option<&'a Value>) -> TurnItem<'a> {
    TurnItem::Call(CallItem {
        id: Cow::Borrowed(id),
        name: Cow::Borrowed("get_weather"),
        args: Cow::Borrowed(args),
        state,
    })
}

#[test]
fn responses_2_thinking_that_leads_to_nothing_is_not_sent() {
    let state = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"});
    let reasoning = || TurnItem::Reasoning { text: "Hm.", state: Some(&state) };
    let asked = Asked::of(openai());
    let kinds = |items: Vec<TurnItem<'_>>| -> Vec<String> {
        let body = asked.body(&ResponsesWire, &[user("Hi."), exchange(items)]);
        let items = body["input"].as_array().unwrap().iter().skip(1);
        items.map(|item| item["type"].as_str().unwrap().to_owned()).collect()
    };
    assert!(kinds(vec![reasoning()]).is_empty());
    assert_eq!(kinds(vec![reasoning(), TurnItem::Text("Hi.".into())]), ["reasoning", "message"]);
    assert_eq!(kinds(vec![reasoning(), TurnItem::Text("Hi.".into()), reasoning()]), ["reasoning", "message"]);
    let both = kinds(vec![reasoning(), call("call_1", "{}", None)]);
    assert_eq!(both, ["reasoning", "function_call", "function_call_output"], "and no empty message between");
    assert_eq!(
        kinds(vec![TurnItem::Reasoning { text: "Partial", state: None }, TurnItem::Text("Hi.".into())]),
        ["message"],
        "thinking that was broken off has no state"
    );
}

#[test]
fn responses_2_ids_go_only_with_the_thinking_they_belong_to() {
    let thought = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"});
    let (message, called) =
        (json!({"type": "message", "id": "msg_1"}), json!({"type": "function_call", "id": "fc_1"}));
    let turn = exchange(vec![
        TurnItem::Reasoning { text: "", state: Some(&thought) },
        TurnItem::Text("Calling.".into()),
        TurnItem::Reasoning { text: "", state: Some(&message) },
        call("call_1", "{}", Some(&called)),
    ]);
    let mut asked = Asked::of(openai());
    asked.target.quirks.echo = ReasoningEcho::Never;
    let body = asked.body(&ResponsesWire, &[turn]);
    assert_eq!(
        body["input"],
        json!([
            {"type": "message", "role": "assistant", "content": "Calling."},
            {"type": "function_call", "call_id": "call_1", "name": "get_weather", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "call_1", "output": "done"},
        ])
    );
}

#[test]
fn responses_2_a_namespace_comes_back_with_its_call() {
    let state = json!({"type": "function_call", "id": "fc_1", "namespace": "weather"});
    let turn = exchange(vec![call("call_1", "{}", Some(&state))]);
    let body = Asked::of(openai()).body(&ResponsesWire, &[turn]);
    assert_eq!(body["input"][0]["namespace"], "weather");
}

#[test]
fn responses_2_a_custom_call_goes_back_as_raw_text() {
    let state = json!({"type": "custom_tool_call", "id": "ctc_1"});
    let turn = exchange(vec![call("call_1", r#"{"input":"SELECT \"1\""}"#, Some(&state))]);
    let body = Asked::of(openai()).body(&ResponsesWire, &[turn]);
    assert_eq!(
        body["input"],
        json!([
            {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "get_weather",
             "input": "SELECT \"1\""},
            {"type": "custom_tool_call_output", "call_id": "call_1", "output": "done"},
        ])
    );
}

#[test]
fn xai_9_outcomes_stand_in_the_order_of_the_calls() {
    let turn = exchange(vec![
        call("call_b", "{}", None),
        TurnItem::Text("And then".into()),
        call("call_a", "{}", None),
        call("call_c", "{}", None),
    ]);
    let body = Asked::of(target(WireKind::Responses, "xai", "grok-4.7")).body(&ResponsesWire, &[turn]);
    let ids = |kind: &str| -> Vec<String> {
        let items = body["input"].as_array().unwrap().iter().filter(|item| item["type"] == kind);
        items.map(|item| item["call_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids("function_call"), ["call_b", "call_a", "call_c"]);
    assert_eq!(ids("function_call_output"), ids("function_call"));
}
