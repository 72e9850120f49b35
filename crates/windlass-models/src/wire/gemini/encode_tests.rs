use serde_json::json;
use windlass_core::protocol::model::Sampling;

use super::*;
use crate::wire::responses::recording::{Asked, target, user};
use crate::{ModelTarget, WireKind};

fn gemini() -> ModelTarget {
    target(WireKind::Gemini, "gemini", "gemini-3.5-flash")
}

fn with_tools(target: ModelTarget) -> Asked {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    Asked::of(target)
        .with_tool("get_time", "get_time", json!({"type": "object", "properties": {}}), false)
        .with_tool("get.weather", "get_weather", schema, false)
}

#[test]
fn a_request_is_a_head_turns_and_a_tail() {
    let mut asked = with_tools(gemini());
    asked.system = "Be brief.".into();
    asked.sampling = Sampling {
        temperature: Some(0.2),
        top_p: Some(0.9),
        output_tokens_max: Some(500),
        seed: Some(7),
        reasoning_effort: windlass_core::protocol::model::Effort::of_word("low"),
        ..Sampling::default()
    };
    asked.trailer = vec!["Two steps are left.".into()];
    let image = |url: &str| Cow::Owned(Part::Image { media_type: "image/png".into(), url: url.into() });
    let turns = [
        Turn::User(vec![
            Cow::Owned(Part::text("What are these?")),
            image("data:image/png;base64,AAAA"),
            image("https://example.org/a.png"),
        ]),
        Turn::Note(Cow::Borrowed("Mind the budget.")),
    ];
    assert_eq!(
        asked.body(&GeminiWire, &turns),
        json!({
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "tools": [{"functionDeclarations": [
                {"name": "get_time", "description": "Does get_time.",
                 "parametersJsonSchema": {"type": "object", "properties": {}}},
                {"name": "get_weather", "description": "Does get.weather.",
                 "parametersJsonSchema": {"type": "object", "properties": {"city": {"type": "string"}}}},
            ]}],
            "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
            "generationConfig": {"temperature": 0.2, "topP": 0.9, "maxOutputTokens": 500, "seed": 7,
                "thinkingConfig": {"includeThoughts": true, "thinkingLevel": "LOW"}},
            "contents": [
                {"role": "user", "parts": [
                    {"text": "What are these?"},
                    {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
                    {"fileData": {"mimeType": "image/png", "fileUri": "https://example.org/a.png"}},
                ]},
                {"role": "user", "parts": [{"text": "Mind the budget."}]},
                {"role": "user", "parts": [{"text": "Two steps are left."}]},
            ],
        })
    );
}

#[test]
fn the_path_names_the_model_and_whether_it_streams() {
    let mut asked = Asked::of(gemini());
    assert_eq!(GeminiWire.path(&asked.plan()), "/models/gemini-3.5-flash:streamGenerateContent?alt=sse");
    asked.target.quirks.streams = false;
    assert_eq!(GeminiWire.path(&asked.plan()), "/models/gemini-3.5-flash:generateContent");
    asked.target.model = "tunedModels/mine".into();
    assert_eq!(GeminiWire.path(&asked.plan()), "/tunedModels/mine:generateContent");
}

#[test]
fn the_head_ends_where_the_history_begins() {
    let asked = with_tools(gemini());
    let mut head = Vec::new();
    GeminiWire.head(&asked.plan(), &mut head);
    assert!(head.ends_with(br#""contents":["#));
    let turns = [user("One."), user("Two.")];
    let short = asked.text(&GeminiWire, &turns[..1]);
    assert!(asked.text(&GeminiWire, &turns).starts_with(short.strip_suffix("]}").unwrap()));
}

#[test]
fn a_model_without_system_text_gets_it_as_the_first_user_message() {
    let mut asked = Asked::of(target(WireKind::Gemini, "gemini", "gemma-3-27b-it"));
    asked.system = "Be brief.".into();
    asked.target.quirks.system_role = SystemRole::User;
    let body = asked.body(&GeminiWire, &[user("Hi.")]);
    assert_eq!(body.get("systemInstruction"), None);
    assert_eq!(body["contents"][0]["parts"][0]["text"], "Be brief.");
    assert_eq!(body["contents"][1]["parts"][0]["text"], "Hi.");
}

#[test]
fn gemini_4_the_full_schema_is_preferred_and_the_small_dialect_has_no_empty_objects() {
    let mut asked = with_tools(gemini());
    asked.target.quirks.schema = SchemaDialect::Gemini;
    let body = asked.body(&GeminiWire, &[user("Hi.")]);
    let tools = &body["tools"][0]["functionDeclarations"];
    assert_eq!(tools[0].get("parameters"), None);
    assert_eq!(tools[1]["parameters"]["properties"], json!({"city": {"type": "string"}}));
    assert_eq!(tools[1].get("parametersJsonSchema"), None);
}

#[test]
fn gemini_4_properties_keep_their_order_for_the_cache() {
    let schema = json!({"type": "object", "properties": {"zeta": {}, "alpha": {}, "mid": {}}});
    let text = Asked::of(gemini()).with_tool("f", "f", schema, false).text(&GeminiWire, &[user("Hi.")]);
    assert!(text.contains(r#"{"zeta":{},"alpha":{},"mid":{}}"#), "{text}");
}

#[test]
fn tool_choice_has_all_its_forms() {
    let mut asked = with_tools(gemini());
    for (choice, expected) in [
        (ToolChoice::Auto, json!({"mode": "AUTO"})),
        (ToolChoice::Required, json!({"mode": "ANY"})),
        (ToolChoice::Forbidden, json!({"mode": "NONE"})),
        (
            ToolChoice::Named("get.weather".into()),
            json!({"mode": "ANY", "allowedFunctionNames": ["get_weather"]}),
        ),
    ] {
        asked.choice = choice;
        assert_eq!(asked.body(&GeminiWire, &[user("Hi.")])["toolConfig"]["functionCallingConfig"], expected);
    }
    asked.target.quirks.choice = ChoiceForm::Absent;
    assert_eq!(asked.body(&GeminiWire, &[user("Hi.")]).get("toolConfig"), None);
    asked.choice = ToolChoice::Forbidden;
    asked.target.quirks.has_none_with_tools = false;
    assert_eq!(asked.body(&GeminiWire, &[user("Hi.")]).get("tools"), None);
}

#[test]
fn effort_is_a_word_for_new_models_and_a_budget_for_old_ones() {
    let thinking = |model: &str, effort: &str| {
        let mut asked = Asked::of(target(WireKind::Gemini, "gemini", model));
        asked.sampling.reasoning_effort = windlass_core::protocol::model::Effort::of_word(effort);
        asked.body(&GeminiWire, &[user("Hi.")])["generationConfig"]["thinkingConfig"].clone()
    };
    assert_eq!(
        thinking("gemini-3.5-flash", "medium"),
        json!({"includeThoughts": true, "thinkingLevel": "MEDIUM"})
    );
    assert_eq!(thinking("gemini-3-pro-preview", "medium")["thinkingLevel"], "HIGH");
    assert_eq!(
        thinking("gemini-2.5-flash", "high"),
        json!({"includeThoughts": true, "thinkingBudget": 24_576})
    );
    assert_eq!(thinking("gemini-2.5-pro", "auto"), json!({"includeThoughts": true}));
    assert_eq!(thinking("gemini-flash-latest", "high")["thinkingLevel"], "HIGH");
    let mut asked = Asked::of(gemini());
    asked.target.quirks.ask = ReasoningAsk::Absent;
    asked.sampling.reasoning_effort = windlass_core::protocol::model::Effort::of_word("high");
    assert_eq!(asked.body(&GeminiWire, &[user("Hi.")]).get("generationConfig"), None);
}

#[test]
fn response_format_is_a_media_type_and_a_schema() {
    let mut asked = Asked::of(gemini());
    asked.sampling.response_format =
        Some(json!({"type": "json_schema", "json_schema": {"name": "city", "schema": {"type": "object"}}}));
    let expected = json!({"responseMimeType": "application/json", "responseJsonSchema": {"type": "object"}});
    assert_eq!(asked.body(&GeminiWire, &[user("Hi.")])["generationConfig"], expected);
    asked.sampling.response_format = Some(json!({"type": "text"}));
    assert_eq!(asked.body(&GeminiWire, &[user("Hi.")]).get("generationConfig"), None);
}

fn call<'a>(id: &'a str, name: &'a str, state: Option<&'a Value>) -> TurnItem<'a> {
    TurnItem::Call(CallItem { id: id.into(), name: name.into(), args: r#"{"a":1}"#.into(), state })
}

fn outcome<'a>(id: &'a str, name: &'a str, content: &'a str, is_ok: bool) -> OutcomeItem<'a> {
    OutcomeItem { id: id.into(), name: name.into(), content: content.into(), is_ok }
}

#[test]
fn gemini_4_all_outcomes_stand_in_one_content_wrapped_as_output_or_error() {
    let turn = Turn::Exchange(CallExchange {
        items: vec![
            call("m1", "a", None),
            call("m2", "a", None),
            call("m3", "b", None),
            call("m4", "b", None),
        ],
        outcomes: vec![
            outcome("m1", "a", "sunny", true),
            outcome("m2", "a", " {\"t\": 21} ", true),
            outcome("m3", "b", "no such city", false),
            outcome("m4", "b", "{broken", true),
        ],
    });
    let asked = Asked::of(target(WireKind::Gemini, "gemini", "gemini-2.5-pro"));
    let body = asked.body(&GeminiWire, &[user("Hi."), turn]);
    assert_eq!(
        body["contents"][2],
        json!({"role": "user", "parts": [
            {"functionResponse": {"name": "a", "response": {"output": "sunny"}}},
            {"functionResponse": {"name": "a", "response": {"output": {"t": 21}}}},
            {"functionResponse": {"name": "b", "response": {"error": "no such city"}}},
            {"functionResponse": {"name": "b", "response": {"output": "{broken"}}},
        ]})
    );
    assert_eq!(body["contents"].as_array().unwrap().len(), 3);
}

#[test]
fn gemini_4_a_minted_id_is_never_sent_and_an_own_one_always() {
    let own = json!({"id": "function-call-881"});
    let turn = Turn::Exchange(CallExchange {
        items: vec![call("healed_id", "a", Some(&own)), call("minted_2", "a", None)],
        outcomes: vec![outcome("healed_id", "a", "one", true), outcome("minted_2", "a", "two", true)],
    });
    let asked = Asked::of(target(WireKind::Gemini, "gemini", "gemini-2.5-pro"));
    let text = asked.text(&GeminiWire, &[turn]);
    assert!(!text.contains("minted") && !text.contains("healed"), "{text}");
    assert_eq!(text.matches("function-call-881").count(), 2, "on the call and on its outcome");
}

#[test]
fn gemini_4_a_missing_signature_is_replaced_by_the_sentinel_on_the_first_call_of_each_step() {
    let exchange = || {
        Turn::Exchange(CallExchange {
            items: vec![TurnItem::Text("Calling.".into()), call("m1", "a", None), call("m2", "a", None)],
            outcomes: vec![outcome("m1", "a", "one", true), outcome("m2", "a", "two", true)],
        })
    };
    let signatures = |model: &str| -> Vec<Value> {
        let body = Asked::of(target(WireKind::Gemini, "gemini", model))
            .body(&GeminiWire, &[user("Hi."), exchange(), exchange()]);
        let contents = body["contents"].as_array().unwrap().clone();
        let parts = contents.iter().flat_map(|content| content["parts"].as_array().unwrap().clone());
        parts
            .filter(|part| part.get("functionCall").is_some())
            .map(|part| part["thoughtSignature"].clone())
            .collect()
    };
    let sentinel = json!("skip_thought_signature_validator");
    let expected = [sentinel.clone(), Value::Null, sentinel, Value::Null];
    for model in ["gemini-3-pro-preview", "gemini-3.5-flash", "gemini-4-pro", "gemini-flash-latest"] {
        assert_eq!(signatures(model), expected, "{model}");
    }
    for model in ["gemini-2.5-pro", "gemma-3-27b-it"] {
        assert_eq!(signatures(model), vec![Value::Null; 4], "{model}");
    }
}

#[test]
fn gemini_4_a_signature_that_is_no_base64_is_not_sent() {
    let broken = json!({"signature": "not base64!"});
    let turn = Turn::Exchange(CallExchange {
        items: vec![call("m1", "a", Some(&broken))],
        outcomes: vec![outcome("m1", "a", "one", true)],
    });
    let body = Asked::of(gemini()).body(&GeminiWire, &[turn]);
    assert_eq!(body["contents"][0]["parts"][0]["thoughtSignature"], SENTINEL);
    let text_state = json!({"on": "text", "bytes": 3, "signature": "ä"});
    let turn = Turn::Exchange(CallExchange {
        items: vec![TurnItem::Text("Hi.".into()), TurnItem::Reasoning { text: "", state: Some(&text_state) }],
        outcomes: Vec::new(),
    });
    let body = Asked::of(gemini()).body(&GeminiWire, &[turn]);
    assert_eq!(body["contents"][0]["parts"], json!([{"text": "Hi."}]));
}

#[test]
fn gemini_4_thinking_without_a_signature_is_not_sent() {
    let turn = Turn::Exchange(CallExchange {
        items: vec![TurnItem::Reasoning { text: "Hm.", state: None }],
        outcomes: Vec::new(),
    });
    let body = Asked::of(gemini()).body(&GeminiWire, &[turn, user("Hi.")]);
    assert_eq!(body["contents"], json!([{"role": "user", "parts": [{"text": "Hi."}]}]));
}

#[test]
fn a_signed_end_that_does_not_fit_signs_the_whole_text() {
    for bytes in [2, 99] {
        let state = json!({"on": "text", "bytes": bytes, "signature": "QQ=="});
        let turn = Turn::Exchange(CallExchange {
            items: vec![TurnItem::Text("aé€".into()), TurnItem::Reasoning { text: "", state: Some(&state) }],
            outcomes: Vec::new(),
        });
        let body = Asked::of(gemini()).body(&GeminiWire, &[turn]);
        assert_eq!(body["contents"][0]["parts"], json!([{"text": "aé€", "thoughtSignature": "QQ=="}]));
    }
}
