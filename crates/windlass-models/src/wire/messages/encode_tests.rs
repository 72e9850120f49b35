//! Requests as the provider sees them.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::protocol::message::Part;
use windlass_core::protocol::model::{Sampling, ToolChoice};

use crate::health::{CallExchange, CallItem, OutcomeItem, Turn, TurnItem};
use crate::quirks::{ChoiceForm, ParallelCalls, Quirks, ReasoningAsk, ReasoningEcho};
use crate::target::WireKind;
use crate::wire::messages::{MessagesWire, decoder};
use crate::wire::recorded::{Request, exchange, play, recorded, target, user};

fn quirks() -> Quirks {
    Quirks { echo: ReasoningEcho::State, forces_while_thinking: false, ..Quirks::default() }
}

fn request() -> Request {
    Request::to(target(WireKind::Messages, quirks()))
}

fn effort(word: &str) -> Sampling {
    Sampling {
        reasoning_effort: windlass_core::protocol::model::Effort::of_word(word),
        temperature: Some(0.5),
        ..Sampling::default()
    }
}

fn two_calls() -> CallExchange<'static> {
    let call = |id: &'static str, args: &'static str| {
        TurnItem::Call(CallItem { id: id.into(), name: "w_look".into(), args: args.into(), state: None })
    };
    let outcome = |id: &'static str, is_ok| OutcomeItem {
        id: id.into(),
        name: "w_look".into(),
        content: "seen".into(),
        is_ok,
    };
    CallExchange {
        items: vec![TurnItem::Text("Looking. ".into()), call("t1", r#"{"n":1}"#), call("t2", "{}")],
        outcomes: vec![outcome("t1", true), outcome("t2", false)],
    }
}

fn answer(text: &'static str) -> Turn<'static> {
    Turn::Exchange(CallExchange { items: vec![TurnItem::Text(text.into())], outcomes: Vec::new() })
}

/// Every mark of the cache, as a path.
fn marks(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                if name == "cache_control" {
                    assert_eq!(*inner, json!({"type": "ephemeral"}));
                    found.push(path.to_owned());
                }
                marks(inner, &format!("{path}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                marks(inner, &format!("{path}/{index}"), found);
            }
        }
        _ => {}
    }
}

fn marks_of(body: &Value) -> Vec<String> {
    let mut found = Vec::new();
    marks(body, "", &mut found);
    found
}

#[test]
fn a_plain_request_reads_as_documented() {
    let body = request().with_tools(&["look"]).text(&MessagesWire, &[user("Hi")]);
    assert_eq!(
        body,
        concat!(
            r#"{"model":"model","max_tokens":8192,"stream":true,"#,
            r#""system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"#,
            r#""tools":[{"name":"w_look","description":"Does look.","input_schema":{"type":"object","#,
            r#""properties":{"city":{"type":"string"}}},"cache_control":{"type":"ephemeral"}}],"#,
            r#""messages":[{"role":"user","content":[{"type":"text","text":"Hi","#,
            r#""cache_control":{"type":"ephemeral"}}]}]}"#,
        )
    );
}

#[test]
fn anthropic_3_every_call_is_answered_in_the_next_user_message_results_first() {
    let turns = [user("Look."), Turn::Exchange(two_calls()), Turn::Note("Hurry.".into()), user("Well?")];
    let body = request().body(&MessagesWire, &turns);
    let messages = body["messages"].as_array().unwrap();
    let roles: Vec<_> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user", "user", "user"]);
    assert_eq!(
        messages[1]["content"],
        json!([
            {"type": "text", "text": "Looking. "},
            {"type": "tool_use", "id": "t1", "name": "w_look", "input": {"n": 1}},
            {"type": "tool_use", "id": "t2", "name": "w_look", "input": {}},
        ])
    );
    assert_eq!(
        messages[2]["content"],
        json!([
            {"type": "tool_result", "tool_use_id": "t1", "content": "seen"},
            {"type": "tool_result", "tool_use_id": "t2", "content": "seen", "is_error": true},
        ])
    );
    assert_eq!(messages[3]["content"], json!([{"type": "text", "text": "Hurry."}]));
}

/// What the provider said, block by block, out of the recorded events.
fn provider_blocks(name: &str) -> Vec<Value> {
    let mut blocks: Vec<Value> = Vec::new();
    for line in recorded(name).lines().filter_map(|line| line.strip_prefix("data: ")) {
        let event: Value = serde_json::from_str(line).unwrap();
        if event["type"] == "content_block_start" {
            blocks.push(event["content_block"].clone());
        }
        let delta = &event["delta"];
        let (field, piece) = match delta["type"].as_str() {
            Some("text_delta") => ("text", &delta["text"]),
            Some("thinking_delta") => ("thinking", &delta["thinking"]),
            Some("signature_delta") => ("signature", &delta["signature"]),
            Some("input_json_delta") => ("input_text", &delta["partial_json"]),
            _ => continue,
        };
        let block = &mut blocks[usize::try_from(event["index"].as_u64().unwrap()).unwrap()];
        let grown = format!("{}{}", block[field].as_str().unwrap_or(""), piece.as_str().unwrap());
        block[field] = grown.into();
    }
    for block in &mut blocks {
        let fields = block.as_object_mut().unwrap();
        if let Some(Value::String(text)) = fields.shift_remove("input_text") {
            fields.insert("input".to_owned(), serde_json::from_str(&text).unwrap());
        }
    }
    blocks
}

#[test]
fn anthropic_3_thinking_is_echoed_byte_for_byte_in_block_order_and_never_merged() {
    for name in ["messages/thinking_before_calls.sse", "messages/reasoning.sse", "messages/server_tool.sse"] {
        let request = request();
        let step = play(decoder(Arc::new(request.target.clone())), name).step();
        let text = request.text(&MessagesWire, &[user("Go."), Turn::Exchange(exchange(&step)), user("And?")]);
        let body: Value = serde_json::from_str(&text).unwrap();
        let blocks = provider_blocks(name);
        assert_eq!(body["messages"][1]["content"], Value::Array(blocks.clone()), "{name}");
        for block in blocks.iter().filter(|block| block["type"] != "tool_use") {
            assert!(text.contains(&block.to_string()), "{name}: {block}");
        }
    }
}

#[test]
fn hidden_thinking_without_text_is_echoed_with_its_signature() {
    let state = json!({"type": "thinking", "signature": "c2ln"});
    let mut looked = two_calls();
    looked.items.insert(0, TurnItem::Reasoning { text: "", state: Some(&state) });
    let body = request().body(&MessagesWire, &[user("Go."), Turn::Exchange(looked)]);
    let block = &body["messages"][1]["content"][0];
    assert_eq!(*block, json!({"type": "thinking", "thinking": "", "signature": "c2ln"}));
}

#[test]
fn thinking_without_a_signature_goes_only_to_endpoints_that_want_its_text() {
    let bare = json!({"type": "thinking"});
    for (echo, expected) in [
        (ReasoningEcho::Never, 0),
        (ReasoningEcho::State, 0),
        (ReasoningEcho::Text, 2),
        (ReasoningEcho::Always, 2),
    ] {
        let mut request = request();
        request.target.quirks.echo = echo;
        let mut looked = two_calls();
        looked.items.insert(0, TurnItem::Reasoning { text: "Hm.", state: Some(&bare) });
        looked.items.insert(1, TurnItem::Reasoning { text: "So.", state: None });
        let body = request.body(&MessagesWire, &[user("Go."), Turn::Exchange(looked)]);
        let content = body["messages"][1]["content"].as_array().unwrap();
        let thoughts = content.iter().filter(|block| block["type"] == "thinking").count();
        assert_eq!(thoughts, expected, "{echo:?}");
    }
}

#[test]
fn a_message_does_not_end_in_thinking() {
    let state = json!({"type": "thinking", "signature": "c2ln"});
    let thought = || TurnItem::Reasoning { text: "Hm.", state: Some(&state) };
    let turn = |items| Turn::Exchange(CallExchange { items, outcomes: Vec::new() });
    let body =
        request().body(&MessagesWire, &[user("Go."), turn(vec![TurnItem::Text("Yes.".into()), thought()])]);
    assert_eq!(body["messages"][1]["content"].as_array().unwrap().len(), 1);
    let body = request().body(&MessagesWire, &[user("Go."), turn(vec![thought()]), user("And?")]);
    assert_eq!(body["messages"].as_array().unwrap().len(), 2);
}

#[test]
fn anthropic_3_forced_choice_and_thinking_do_not_meet() {
    for choice in [ToolChoice::Required, ToolChoice::Named("look".to_owned())] {
        let mut request = request().with_tools(&["look"]);
        request.choice = choice;
        request.sampling = effort("high");
        assert_eq!(request.body(&MessagesWire, &[user("Go.")])["thinking"], json!({"type": "disabled"}));
        request.target.quirks.forces_while_thinking = true;
        assert_eq!(request.body(&MessagesWire, &[user("Go.")])["thinking"]["type"], "enabled");
    }
}

#[test]
fn anthropic_3_thinking_can_be_disabled_explicitly() {
    let mut request = request();
    request.sampling = effort("none");
    let body = request.body(&MessagesWire, &[user("Go.")]);
    assert_eq!((&body["thinking"], &body["temperature"]), (&json!({"type": "disabled"}), &json!(0.5)));
    request.sampling = Sampling::default();
    assert_eq!(request.body(&MessagesWire, &[user("Go.")]).get("thinking"), None);
}

#[test]
fn the_effort_is_a_budget_below_what_may_be_written() {
    for (word, budget, total) in
        [("low", 2048, 8192), ("medium", 8192, 16_384), ("high", 24_576, 32_768), ("auto", 8192, 16_384)]
    {
        let mut request = request();
        request.sampling = effort(word);
        let body = request.body(&MessagesWire, &[user("Go.")]);
        assert_eq!(body["thinking"], json!({"type": "enabled", "budget_tokens": budget}), "{word}");
        assert_eq!(body["max_tokens"], total, "{word}");
        assert_eq!((body.get("temperature"), body.get("top_p")), (None, None));
    }
}

#[test]
fn a_budget_always_leaves_room_for_an_answer() {
    for (wanted, cap) in [
        (Some(100), None),
        (Some(4096), Some(8192)),
        (None, Some(3000)),
        (None, Some(64_000)),
        (Some(9), Some(10)),
    ] {
        for word in ["low", "medium", "high", "max"] {
            let mut request = request();
            request.target.abilities.output_tokens_max = cap;
            request.sampling = Sampling { output_tokens_max: wanted, ..effort(word) };
            let body = request.body(&MessagesWire, &[user("Go.")]);
            let total = body["max_tokens"].as_u64().unwrap();
            assert!(cap.is_none_or(|cap| total <= cap), "{wanted:?} {cap:?} {word}");
            if let Some(budget) = body["thinking"]["budget_tokens"].as_u64() {
                assert!((1024..total).contains(&budget), "{wanted:?} {cap:?} {word}: {budget} of {total}");
            }
        }
    }
}

#[test]
fn what_may_be_written_is_the_wish_else_the_ability_else_a_default() {
    for (wanted, cap, expected) in
        [(None, None, 8192), (None, Some(64_000), 64_000), (Some(77), Some(64_000), 77)]
    {
        let mut request = request();
        request.target.abilities.output_tokens_max = cap;
        request.sampling.output_tokens_max = wanted;
        assert_eq!(request.body(&MessagesWire, &[user("Go.")])["max_tokens"], expected);
    }
}

#[test]
fn models_that_weigh_their_thinking_themselves_get_an_effort_instead_of_a_budget() {
    let mut request = request();
    request.target.quirks.ask = ReasoningAsk::Effort;
    request.sampling = effort("low");
    let body = request.body(&MessagesWire, &[user("Go.")]);
    assert_eq!(body["thinking"], json!({"type": "adaptive", "display": "summarized"}));
    assert_eq!(body["output_config"], json!({"effort": "low"}));
    assert_eq!(body.get("temperature"), None);
    request.sampling = effort("auto");
    assert_eq!(request.body(&MessagesWire, &[user("Go.")]).get("output_config"), None);
}

#[test]
fn anthropic_3_thinking_is_never_disabled_beside_an_effort() {
    for word in ["xhigh", "max"] {
        let mut request = request().with_tools(&["look"]);
        request.target.quirks.ask = ReasoningAsk::Effort;
        request.choice = ToolChoice::Required;
        request.sampling = effort(word);
        let body = request.body(&MessagesWire, &[user("Go.")]);
        assert_eq!((&body["thinking"]["type"], body.get("output_config")), (&json!("disabled"), None));
    }
}

#[test]
fn anthropic_3_notes_are_user_messages_because_few_models_take_system_ones_in_the_middle() {
    let mut request = request();
    request.trailer = vec!["Now.".to_owned()];
    let body = request.body(&MessagesWire, &[user("Go."), Turn::Note("Quick.".into())]);
    let roles: Vec<_> =
        body["messages"].as_array().unwrap().iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["user", "user", "user"]);
}

#[test]
fn only_one_of_temperature_and_top_p_is_sent() {
    let mut request = request();
    request.sampling = Sampling { temperature: Some(0.2), top_p: Some(0.9), ..Sampling::default() };
    let body = request.body(&MessagesWire, &[user("Go.")]);
    assert_eq!((&body["temperature"], body.get("top_p")), (&json!(0.2), None));
    request.sampling.temperature = None;
    assert_eq!(request.body(&MessagesWire, &[user("Go.")])["top_p"], json!(0.9));
}

#[test]
fn choices_have_the_words_of_the_wire() {
    let cases = [
        (ToolChoice::Auto, Value::Null),
        (ToolChoice::Required, json!({"type": "any"})),
        (ToolChoice::Named("look".to_owned()), json!({"type": "tool", "name": "w_look"})),
        (ToolChoice::Forbidden, json!({"type": "none"})),
    ];
    for (choice, expected) in cases {
        let mut request = request().with_tools(&["look"]);
        request.choice = choice;
        assert_eq!(request.body(&MessagesWire, &[user("Go.")])["tool_choice"], expected);
        request.target.quirks.choice = ChoiceForm::Absent;
        assert_eq!(request.body(&MessagesWire, &[user("Go.")]).get("tool_choice"), None);
        request.target.quirks.choice = ChoiceForm::Full;
        request.tools.tools.clear();
        assert_eq!(request.body(&MessagesWire, &[user("Go.")]).get("tool_choice"), None);
    }
}

#[test]
fn r_31_parallel_calls_are_switched_off_where_the_quirk_says_so() {
    let single = |choice: ToolChoice| {
        let mut request = request().with_tools(&["look"]);
        request.target.quirks.parallel = ParallelCalls::Off;
        request.choice = choice;
        request.body(&MessagesWire, &[user("Go.")])["tool_choice"].clone()
    };
    assert_eq!(single(ToolChoice::Auto), json!({"type": "auto", "disable_parallel_tool_use": true}));
    assert_eq!(single(ToolChoice::Required), json!({"type": "any", "disable_parallel_tool_use": true}));
    assert_eq!(single(ToolChoice::Forbidden), json!({"type": "none"}));
}

#[test]
fn anthropic_3_empty_text_is_left_out_and_a_last_answer_has_no_white_space_at_its_end() {
    let blank = Turn::User(vec![Cow::Owned(Part::text(" ")), Cow::Owned(Part::text("Go."))]);
    let exchange = CallExchange {
        items: vec![TurnItem::Text("\n".into()), TurnItem::Text("Yes, and \n".into())],
        outcomes: Vec::new(),
    };
    let body = request().body(&MessagesWire, &[blank, Turn::Exchange(exchange)]);
    let texts: Vec<_> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|message| message["content"].as_array().unwrap())
        .map(|block| block["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["Go.", "Yes, and", "Go on."]);
    let nothing = Turn::User(vec![Cow::Owned(Part::text(" "))]);
    assert_eq!(
        request().body(&MessagesWire, &[user("Go."), nothing])["messages"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn anthropic_3_after_a_pause_the_history_ends_with_what_the_provider_began() {
    let block = json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}});
    let items =
        vec![TurnItem::Text("Let me see.".into()), TurnItem::Reasoning { text: "", state: Some(&block) }];
    let mut request = request();
    request.purpose = windlass_core::protocol::model::StepPurpose::Continuation;
    let turns = [user("Go."), Turn::Exchange(CallExchange { items, outcomes: Vec::new() })];
    let body = request.body(&MessagesWire, &turns);
    let messages = body["messages"].as_array().unwrap();
    assert_eq!((messages.len(), &messages[1]["content"][1]), (2, &block));
}

#[test]
fn anthropic_3_at_most_four_breakpoints_stand_on_tools_system_and_the_last_block() {
    let histories: [(&[Turn<'_>], &str); 3] = [
        (&[user("Go.")], "/messages/0/content/0"),
        (&[user("Go."), Turn::Exchange(two_calls())], "/messages/2/content/1"),
        (&[user("Go."), answer("Yes.")], "/messages/1/content/0"),
    ];
    for (turns, last) in histories {
        let mut request = request().with_tools(&["look", "read"]);
        request.trailer = vec!["Be quick.".to_owned()];
        let found = marks_of(&request.body(&MessagesWire, turns));
        assert_eq!(found, ["/system/0", "/tools/1", last]);
    }
}

#[test]
fn r_56_a_turn_has_the_same_bytes_whatever_follows_it_but_for_its_mark() {
    let request = request().with_tools(&["look"]);
    let mark = r#","cache_control":{"type":"ephemeral"}"#;
    let turns = [user("Go."), Turn::Exchange(two_calls()), answer("Yes. "), user("More."), answer("No.")];
    let whole = request.text(&MessagesWire, &turns).replace(mark, "");
    for kept in 1..turns.len() {
        let text = request.text(&MessagesWire, &turns[..kept]).replace(mark, "");
        let text = text.strip_suffix("]}").unwrap();
        let text = text
            .strip_suffix(r#",{"role":"user","content":[{"type":"text","text":"Go on."}]}"#)
            .unwrap_or(text);
        assert!(whole.starts_with(text), "{kept}: {text}\n{whole}");
    }
}

#[test]
fn a_history_begins_and_ends_with_the_user() {
    let body = request().body(&MessagesWire, &[answer("Yes.")]);
    let roles: Vec<_> =
        body["messages"].as_array().unwrap().iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
}

#[test]
fn r_63_a_cut_answer_is_gone_on_with_by_a_note_and_never_by_a_prefill() {
    let mut request = request();
    request.trailer = vec!["Go on where you stopped.".to_owned(), " ".to_owned()];
    request.sampling = effort("high");
    let body = request.body(&MessagesWire, &[user("Go."), answer("The first half")]);
    let last = body["messages"].as_array().unwrap().last().unwrap();
    let expected = json!([{"type": "text", "text": "Go on where you stopped."}]);
    assert_eq!((&last["role"], &last["content"]), (&json!("user"), &expected));
}

#[test]
fn anthropic_3_pictures_are_sources_and_never_text() {
    let image = |media_type: &str, url: &str| {
        Cow::Owned(Part::Image { media_type: media_type.to_owned(), url: url.to_owned() })
    };
    let turn = Turn::User(vec![
        image("image/png", "data:image/png;base64,iVBORw0KGgo="),
        image("", "data:image/webp;base64,AAAA"),
        image("image/png", "https://example.org/a.png"),
    ]);
    let body = request().body(&MessagesWire, &[turn, user("What is it?")]);
    assert_eq!(
        body["messages"][0]["content"],
        json!([
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
            {"type": "image", "source": {"type": "base64", "media_type": "image/webp", "data": "AAAA"}},
            {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        ])
    );
}

#[test]
fn the_form_of_an_answer_is_a_schema_of_the_output() {
    let mut request = request();
    let schema = json!({"type": "object", "properties": {}});
    request.sampling.response_format =
        Some(json!({"type": "json_schema", "json_schema": {"name": "x", "schema": schema.clone()}}));
    let body = request.body(&MessagesWire, &[user("Go.")]);
    assert_eq!(body["output_config"], json!({"format": {"type": "json_schema", "schema": schema}}));
    request.sampling.response_format = Some(json!({"type": "json_object"}));
    assert_eq!(request.body(&MessagesWire, &[user("Go.")]).get("output_config"), None);
}

#[test]
fn without_system_text_tools_or_streaming_nothing_is_said_of_them() {
    let mut request = request();
    request.system = " ";
    request.target.quirks.streams = false;
    let body = request.body(&MessagesWire, &[user("Go.")]);
    assert_eq!((body.get("system"), body.get("tools"), &body["stream"]), (None, None, &json!(false)));
}
