//! Requests as the daemon sees them.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::protocol::message::Part;
use windlass_core::protocol::model::{Sampling, ToolChoice};

use crate::health::Turn;
use crate::quirks::{IdRule, Quirks, ReasoningAsk, ReasoningEcho};
use crate::target::WireKind;
use crate::wire::ollama::{OllamaWire, decoder};
use crate::wire::recorded::{Request, exchange, play, target, user};

fn request() -> Request {
    let quirks = Quirks { echo: ReasoningEcho::Text, ask: ReasoningAsk::Think, ..Quirks::default() };
    Request::to(target(WireKind::Ollama, quirks))
}

#[test]
fn z_22_tools_are_functions_with_a_json_schema_and_the_answer_is_streamed() {
    let text = request().with_tools(&["look"]).text(&OllamaWire, &[user("Hi")]);
    assert_eq!(
        text,
        concat!(
            r#"{"model":"model","stream":true,"options":{"num_ctx":16384},"#,
            r#""tools":[{"type":"function","function":{"name":"w_look","description":"Does look.","#,
            r#""parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}],"#,
            r#""messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]}"#,
        )
    );
}

#[test]
fn ollama_5_the_context_size_is_always_asked_for() {
    let asked = |quirk: Option<u64>, ability: Option<u64>| {
        let mut request = request();
        request.target.quirks.context_tokens_asked = quirk;
        request.target.abilities.context_tokens = ability;
        request.body(&OllamaWire, &[user("Hi")])["options"]["num_ctx"].as_u64().unwrap()
    };
    assert_eq!(asked(None, None), 16_384);
    assert_eq!(asked(None, Some(8_192)), 8_192);
    assert_eq!(asked(None, Some(131_072)), 32_768);
    assert_eq!(asked(Some(131_072), Some(8_192)), 131_072);
}

#[test]
fn wishes_are_options() {
    let mut request = request();
    request.sampling = Sampling {
        temperature: Some(0.5),
        top_p: Some(0.75),
        output_tokens_max: Some(100),
        seed: Some(7),
        ..Sampling::default()
    };
    let body = request.body(&OllamaWire, &[user("Hi")]);
    let expected =
        json!({"num_ctx": 16384, "temperature": 0.5, "top_p": 0.75, "num_predict": 100, "seed": 7});
    assert_eq!(body["options"], expected);
    assert_eq!(body.get("think"), None);
}

#[test]
fn thinking_is_a_switch_and_for_some_models_a_level() {
    let think = |model: &str, ask, effort: &str| {
        let mut request = request();
        request.target.model = model.to_owned();
        request.target.quirks.ask = ask;
        request.sampling.reasoning_effort = windlass_core::protocol::model::Effort::of_word(effort);
        request.body(&OllamaWire, &[user("Hi")]).get("think").cloned()
    };
    assert_eq!(think("qwen3:8b", ReasoningAsk::Think, "high"), Some(json!(true)));
    assert_eq!(think("gpt-oss:20b", ReasoningAsk::Think, "high"), Some(json!("high")));
    assert_eq!(think("gpt-oss:20b", ReasoningAsk::Think, "auto"), Some(json!(true)));
    assert_eq!(think("new:1b", ReasoningAsk::Effort, "low"), Some(json!("low")));
    assert_eq!(think("qwen3:8b", ReasoningAsk::Think, "none"), Some(json!(false)));
    assert_eq!(think("llama3:8b", ReasoningAsk::Absent, "high"), None);
}

#[test]
fn the_form_of_an_answer_is_json_or_a_schema() {
    let schema = json!({"type": "object"});
    let cases = [
        (json!({"type": "json_object"}), Some(json!("json"))),
        (json!({"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}), Some(schema)),
        (json!({"type": "text"}), None),
    ];
    for (format, expected) in cases {
        let mut request = request();
        request.sampling.response_format = Some(format);
        assert_eq!(request.body(&OllamaWire, &[user("Hi")]).get("format").cloned(), expected);
    }
}

#[test]
fn ollama_5_arguments_go_back_as_an_object_with_their_index_and_outcomes_name_their_tool() {
    let step = play(decoder(Arc::new(request().target)), "ollama/parallel_calls.ndjson").step();
    let turns = [user("Look."), Turn::Exchange(exchange(&step))];
    let body = request().body(&OllamaWire, &turns);
    let call = |index: u64, id: &str, city: &str| {
        let function = json!({"index": index, "name": "get_weather", "arguments": {"city": city}});
        json!({"id": id, "type": "function", "function": function})
    };
    let outcome =
        |id: &str| json!({"role": "tool", "content": "ok", "tool_name": "get_weather", "tool_call_id": id});
    let expected = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": "", "tool_calls": [call(0, "call_1", "Oslo"), call(1, "call_2", "Rome")]},
        outcome("call_1"),
        outcome("call_2"),
    ]);
    assert_eq!(body["messages"], expected);
}

#[test]
fn ollama_5_without_ids_outcomes_are_known_by_their_tool_name() {
    let step = play(decoder(Arc::new(request().target)), "ollama/one_call.ndjson").step();
    let mut request = request();
    request.target.quirks.ids = IdRule::Absent;
    let body = request.body(&OllamaWire, &[user("Look."), Turn::Exchange(exchange(&step))]);
    assert_eq!(body["messages"][2]["tool_calls"][0].get("id"), None);
    assert_eq!(body["messages"][3], json!({"role": "tool", "content": "ok", "tool_name": "get_weather"}));
}

#[test]
fn ollama_5_thinking_is_echoed() {
    let step = play(decoder(Arc::new(request().target)), "ollama/calls_in_several_records.ndjson").step();
    let thinking = |echo| {
        let mut request = request();
        request.target.quirks.echo = echo;
        let body = request.body(&OllamaWire, &[user("Look."), Turn::Exchange(exchange(&step))]);
        body["messages"][2].get("thinking").cloned()
    };
    assert_eq!(thinking(ReasoningEcho::Text), Some(json!("Two cities.")));
    assert_eq!(thinking(ReasoningEcho::Never), None);
}

#[test]
fn pictures_stand_beside_the_text_as_bare_base64() {
    let image =
        |url: &str| Cow::Owned(Part::Image { media_type: "image/png".to_owned(), url: url.to_owned() });
    let turn = Turn::User(vec![
        Cow::Owned(Part::text("What is it?")),
        image("data:image/png;base64,iVBORw0KGgo="),
        image("https://example.org/a.png"),
    ]);
    let body = request().body(&OllamaWire, &[turn]);
    let expected = json!({
        "role": "user",
        "content": "What is it?\n[picture: https://example.org/a.png]",
        "images": ["iVBORw0KGgo="],
    });
    assert_eq!(body["messages"][1], expected);
}

#[test]
fn notes_and_trailers_are_system_messages_where_those_may_stand_in_the_middle() {
    for (has_notes, role) in [(true, "system"), (false, "user")] {
        let mut request = request();
        request.target.quirks.has_notes = has_notes;
        request.trailer = vec!["Now.".to_owned(), String::new()];
        let body = request.body(&OllamaWire, &[user("Hi"), Turn::Note("Quick.".into())]);
        let messages = body["messages"].as_array().unwrap();
        let tail: Vec<_> = messages.iter().skip(2).collect();
        assert_eq!(
            tail,
            [&json!({"role": role, "content": "Quick."}), &json!({"role": role, "content": "Now."})]
        );
    }
}

#[test]
fn tools_that_must_not_be_called_are_not_shown() {
    let mut request = request().with_tools(&["look"]);
    request.choice = ToolChoice::Forbidden;
    assert_eq!(request.body(&OllamaWire, &[user("Hi")]).get("tools"), None);
}

#[test]
fn r_56_a_turn_has_the_same_bytes_whatever_follows_it() {
    let step = play(decoder(Arc::new(request().target)), "ollama/parallel_calls.ndjson").step();
    let turns = [user("Go."), Turn::Exchange(exchange(&step)), Turn::Note("Quick.".into()), user("More.")];
    let whole = request().text(&OllamaWire, &turns);
    for kept in 1..turns.len() {
        let text = request().text(&OllamaWire, &turns[..kept]);
        assert!(whole.starts_with(text.strip_suffix("]}").unwrap()), "{kept}");
    }
    assert!(serde_json::from_str::<Value>(&whole).is_ok());
}
