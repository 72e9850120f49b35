use std::sync::Arc;

use windlass_core::protocol::model::StepPurpose;
use windlass_core::protocol::tool::ToolSpec;

use super::*;
use crate::health::TurnItem;
use crate::lower::LoweredTools;
use crate::quirks::{ReasoningEcho, ReasoningField};
use crate::wire::chat::sample_target;

/// A request: everything that a test may want to change.
struct Asked {
    quirks: Quirks,
    system: &'static str,
    tools: LoweredTools,
    choice: ToolChoice,
    sampling: Sampling,
    trailer: Vec<String>,
}

impl Asked {
    fn new(quirks: Quirks) -> Self {
        Self {
            quirks,
            system: "Be brief.",
            tools: LoweredTools::default(),
            choice: ToolChoice::Auto,
            sampling: Sampling::default(),
            trailer: Vec::new(),
        }
    }

    fn with_tool(mut self) -> Self {
        let spec = Arc::new(ToolSpec::new("get_weather", "Tells the weather"));
        let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
        let tool = LoweredTool { spec, name: "get_weather".to_owned(), schema, is_strict: false };
        self.tools.tools.push(tool);
        self
    }

    fn choosing(mut self, choice: ToolChoice) -> Self {
        self.choice = choice;
        self
    }

    fn body(&self, turns: &[Turn<'_>]) -> String {
        let target = sample_target(self.quirks.clone());
        let plan = RequestPlan {
            target: &target,
            system: self.system,
            tools: &self.tools,
            choice: &self.choice,
            sampling: &self.sampling,
            purpose: StepPurpose::Work,
            trailer: &self.trailer,
        };
        let mut out = Vec::new();
        write_head(&plan, &mut out);
        let mut before = TurnBefore::Nothing;
        for turn in turns {
            write_turn(&plan, turn, before, &mut out);
            before = turn.leaves();
        }
        write_tail(&plan, before, &mut out);
        let body = String::from_utf8(out).unwrap();
        serde_json::from_str::<Value>(&body).unwrap_or_else(|error| panic!("{error}: {body}"));
        body
    }

    /// The body without messages.
    fn head(&self) -> String {
        let body = self.body(&[user("Hi")]);
        let (head, _) = body.split_once(r#","messages":["#).unwrap();
        head.strip_prefix(r#"{"model":"model","stream":true,"stream_options":{"include_usage":true}"#)
            .unwrap_or(head)
            .to_owned()
    }

    fn messages(&self, turns: &[Turn<'_>]) -> String {
        let body = self.body(turns);
        let (_, messages) = body.split_once(r#""messages":["#).unwrap();
        messages.strip_suffix("]}").unwrap().to_owned()
    }
}

fn user(text: &str) -> Turn<'static> {
    Turn::User(vec![Cow::Owned(Part::text(text))])
}

fn call_item(id: &'static str, city: &str) -> TurnItem<'static> {
    TurnItem::Call(CallItem {
        id: id.into(),
        name: "get_weather".into(),
        args: format!(r#"{{"city":"{city}"}}"#).into(),
        state: None,
    })
}

fn outcome(id: &'static str, content: &'static str) -> OutcomeItem<'static> {
    OutcomeItem { id: id.into(), name: "get_weather".into(), content: content.into(), is_ok: true }
}

fn one_call(before: Vec<TurnItem<'_>>) -> Turn<'_> {
    let mut items = before;
    items.push(call_item("call_1", "Oslo"));
    Turn::Exchange(CallExchange { items, outcomes: vec![outcome("call_1", "rain")] })
}

fn said(items: Vec<TurnItem<'_>>) -> Turn<'_> {
    Turn::Exchange(CallExchange { items, outcomes: Vec::new() })
}

const SYSTEM: &str = r#"{"role":"system","content":"Be brief."}"#;
const CALL: &str = r#"{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}"#;
const OUTCOME: &str = r#"{"role":"tool","tool_call_id":"call_1","content":"rain"}"#;

/// What an exchange with one call is written as, without its outcome.
fn assistant(quirks: Quirks, before: Vec<TurnItem<'_>>) -> String {
    let messages = Asked::new(quirks).messages(&[one_call(before)]);
    let messages = messages.strip_prefix(SYSTEM).unwrap().strip_prefix(',').unwrap();
    messages.strip_suffix(OUTCOME).unwrap().strip_suffix(',').unwrap().to_owned()
}

#[test]
fn z_22_tools_are_sent_as_functions_with_a_json_schema_and_stream_true() {
    let body = Asked::new(Quirks::default()).with_tool().body(&[user("Hi")]);
    let written = concat!(
        r#"{"model":"model","stream":true,"stream_options":{"include_usage":true},"#,
        r#""tools":[{"type":"function","function":{"name":"get_weather","description":"Tells the weather","#,
        r#""parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}],"tool_choice":"auto","#,
        r#""messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]}"#,
    );
    assert_eq!(body, written);
}

#[test]
fn openai_1_outcomes_follow_their_calls_directly_one_for_each() {
    let turn = Turn::Exchange(CallExchange {
        items: vec![
            TurnItem::Text("Looking.".into()),
            call_item("call_1", "Oslo"),
            call_item("call_2", "Rome"),
        ],
        outcomes: vec![outcome("call_1", "rain"), outcome("call_2", "sun")],
    });
    let messages = Asked::new(Quirks::default()).messages(&[user("Hi"), turn, user("Thanks")]);
    let written = [
        SYSTEM,
        r#"{"role":"user","content":"Hi"}"#,
        &format!(
            r#"{{"role":"assistant","content":"Looking.","tool_calls":[{CALL},{}]}}"#,
            CALL.replace("call_1", "call_2").replace("Oslo", "Rome")
        ),
        OUTCOME,
        r#"{"role":"tool","tool_call_id":"call_2","content":"sun"}"#,
        r#"{"role":"user","content":"Thanks"}"#,
    ];
    assert_eq!(messages, written.join(","));
}

#[test]
fn a_call_after_a_call_is_two_exchanges() {
    let messages = Asked::new(Quirks::default()).messages(&[user("Hi"), one_call(vec![]), one_call(vec![])]);
    let exchange = format!(r#"{{"role":"assistant","content":null,"tool_calls":[{CALL}]}},{OUTCOME}"#);
    assert_eq!(messages, [SYSTEM, r#"{"role":"user","content":"Hi"}"#, &exchange, &exchange].join(","));
}

#[test]
fn xai_9_outcomes_are_in_the_order_of_their_calls() {
    let turn = Turn::Exchange(CallExchange {
        items: vec![call_item("b", "Oslo"), call_item("a", "Rome")],
        outcomes: vec![outcome("b", "1"), outcome("a", "2")],
    });
    let messages = Asked::new(Quirks::default()).messages(&[turn]);
    assert!(messages.find(r#""tool_call_id":"b""#) < messages.find(r#""tool_call_id":"a""#));
}

#[test]
fn openai_0_the_system_text_may_be_the_developers_or_the_users() {
    let quirks = |system_role| Quirks { system_role, ..Quirks::default() };
    let developer =
        Asked::new(quirks(SystemRole::Developer)).messages(&[user("Hi"), Turn::Note("Hm".into())]);
    assert_eq!(
        developer,
        concat!(
            r#"{"role":"developer","content":"Be brief."},{"role":"user","content":"Hi"},"#,
            r#"{"role":"developer","content":"Hm"}"#
        )
    );
    let asked = Asked::new(quirks(SystemRole::User));
    assert_eq!(
        asked.messages(&[user("Hi"), user("Ho")]),
        r#"{"role":"user","content":"Be brief.\n\nHi"},{"role":"user","content":"Ho"}"#
    );
    // Also where the history begins with something else, or with nothing.
    assert_eq!(
        asked.messages(&[said(vec![TurnItem::Text("Hi".into())])]),
        r#"{"role":"user","content":"Be brief."},{"role":"assistant","content":"Hi"}"#
    );
    assert_eq!(asked.messages(&[]), r#"{"role":"user","content":"Be brief."}"#);
}

#[test]
fn an_empty_system_text_is_left_out() {
    for system_role in [SystemRole::System, SystemRole::User] {
        let mut asked = Asked::new(Quirks { system_role, ..Quirks::default() });
        asked.system = "";
        assert_eq!(asked.messages(&[user("Hi")]), r#"{"role":"user","content":"Hi"}"#);
    }
}

#[test]
fn openai_0_notes_are_system_messages_or_user_messages() {
    let messages = |has_notes| {
        let mut asked = Asked::new(Quirks { has_notes, ..Quirks::default() });
        asked.trailer = vec!["Two steps left.".to_owned(), "Hurry.".to_owned()];
        asked.messages(&[user("Hi"), Turn::Note("Be kind.".into())])
    };
    let with_role = |role: &str| {
        format!(
            r#"{SYSTEM},{{"role":"user","content":"Hi"}},{{"role":"{role}","content":"Be kind."}},{{"role":"{role}","content":"Two steps left.\n\nHurry."}}"#
        )
    };
    assert_eq!(messages(true), with_role("system"));
    assert_eq!(messages(false), with_role("user"));
}

#[test]
fn openai_0_the_limit_of_an_answer_has_two_names() {
    let head = |has_completion_tokens| {
        let mut asked = Asked::new(Quirks { has_completion_tokens, ..Quirks::default() });
        asked.sampling.output_tokens_max = Some(512);
        asked.head()
    };
    assert_eq!(head(false), r#","max_tokens":512"#);
    assert_eq!(head(true), r#","max_completion_tokens":512"#);
}

#[test]
fn openai_0_stream_options_and_store_only_where_they_are_taken() {
    let head = |quirks: Quirks| Asked::new(quirks).head();
    assert_eq!(
        head(Quirks { has_stream_usage: false, ..Quirks::default() }),
        r#"{"model":"model","stream":true"#
    );
    assert_eq!(head(Quirks { streams: false, ..Quirks::default() }), r#"{"model":"model","stream":false"#);
    assert_eq!(head(Quirks { says_store: true, ..Quirks::default() }), r#","store":false"#);
}

#[test]
fn wishes_are_written_only_where_they_are_taken() {
    let sampling = Sampling {
        temperature: Some(0.5),
        top_p: Some(0.9),
        seed: Some(7),
        response_format: Some(json!({"type": "json_object"})),
        reasoning_effort: windlass_core::protocol::model::Effort::of_word("high"),
        ..Sampling::default()
    };
    let head = |quirks| {
        let mut asked = Asked::new(quirks);
        asked.sampling = sampling.clone();
        asked.head()
    };
    assert_eq!(
        head(Quirks::default()),
        r#","temperature":0.5,"top_p":0.9,"seed":7,"response_format":{"type":"json_object"}"#
    );
    let poor = Quirks {
        has_seed: false,
        response_format: AnswerForms::Absent,
        samples_while_thinking: false,
        ..Quirks::default()
    };
    assert_eq!(head(poor), "");
}

#[test]
fn openrouter_6_parameters_are_required_only_beside_tools() {
    let quirks = Quirks { requires_parameters: true, ..Quirks::default() };
    let field = r#","provider":{"require_parameters":true}"#;
    assert!(Asked::new(quirks.clone()).with_tool().head().ends_with(field));
    assert!(!Asked::new(quirks).head().contains("provider"));
    assert!(!Asked::new(Quirks::default()).with_tool().head().contains("provider"));
}

#[test]
fn r_31_xai_gets_no_response_format_no_forced_choice_and_no_parallel_calls() {
    let quirks = Quirks {
        response_format: AnswerForms::Absent,
        choice: ChoiceForm::AutoOrNone,
        parallel: ParallelCalls::Off,
        ..Quirks::default()
    };
    let mut asked = Asked::new(quirks).with_tool().choosing(ToolChoice::Required);
    asked.sampling.response_format = Some(json!({"type": "json_object"}));
    let head = asked.head();
    assert!(head.ends_with(r#"],"tool_choice":"auto","parallel_tool_calls":false"#), "{head}");
    assert!(!head.contains("response_format"), "{head}");
}

#[test]
fn openai_0_thinking_is_asked_for_in_the_form_of_the_endpoint() {
    let head = |ask, effort: &str| {
        let mut asked = Asked::new(Quirks { ask, ..Quirks::default() });
        asked.sampling.reasoning_effort = windlass_core::protocol::model::Effort::of_word(effort);
        asked.head()
    };
    let cases = [
        (ReasoningAsk::Absent, "", "", ""),
        (ReasoningAsk::Effort, r#","reasoning_effort":"low""#, "", r#","reasoning_effort":"none""#),
        (
            ReasoningAsk::Object,
            r#","reasoning":{"effort":"low"}"#,
            r#","reasoning":{"enabled":true}"#,
            r#","reasoning":{"effort":"none"}"#,
        ),
        (
            ReasoningAsk::EnableThinking,
            r#","enable_thinking":true"#,
            r#","enable_thinking":true"#,
            r#","enable_thinking":false"#,
        ),
        (
            ReasoningAsk::TemplateArgs,
            r#","chat_template_kwargs":{"enable_thinking":true}"#,
            r#","chat_template_kwargs":{"enable_thinking":true}"#,
            r#","chat_template_kwargs":{"enable_thinking":false}"#,
        ),
        (
            ReasoningAsk::ThinkingType,
            r#","thinking":{"type":"enabled"}"#,
            r#","thinking":{"type":"enabled"}"#,
            r#","thinking":{"type":"disabled"}"#,
        ),
        (ReasoningAsk::Think, r#","think":true"#, r#","think":true"#, r#","think":false"#),
    ];
    for (ask, low, auto, none) in cases {
        assert_eq!([head(ask, "low"), head(ask, "auto"), head(ask, "none")], [low, auto, none], "{ask:?}");
    }
}

/// The end of the head: the choice, and what follows it.
fn choice(quirks: Quirks, choice: ToolChoice) -> String {
    let head = Asked::new(quirks).with_tool().choosing(choice).head();
    head.rsplit_once(']').map_or(head.clone(), |(_, choice)| choice.to_owned())
}

#[test]
fn openai_0_forms_of_tool_choice() {
    let named = || ToolChoice::Named("get_weather".to_owned());
    let of = |form, wish| choice(Quirks { choice: form, ..Quirks::default() }, wish);
    let full = |wish| of(ChoiceForm::Full, wish);
    assert_eq!(full(ToolChoice::Auto), r#","tool_choice":"auto""#);
    assert_eq!(full(ToolChoice::Required), r#","tool_choice":"required""#);
    assert_eq!(full(ToolChoice::Forbidden), r#","tool_choice":"none""#);
    assert_eq!(full(named()), r#","tool_choice":{"type":"function","function":{"name":"get_weather"}}"#);
    assert_eq!(of(ChoiceForm::Absent, ToolChoice::Required), "");
    // A tool that has another name on the wire is named by that.
    let mut asked = Asked::new(Quirks::default()).with_tool().choosing(named());
    asked.tools.tools.iter_mut().for_each(|tool| "weather_1".clone_into(&mut tool.name));
    assert!(asked.head().ends_with(r#"{"name":"weather_1"}}"#));
}

#[test]
fn moonshot_11_required_is_unsupported_and_said_as_auto() {
    let quirks = Quirks { choice: ChoiceForm::AutoOrNone, ..Quirks::default() };
    assert_eq!(choice(quirks.clone(), ToolChoice::Required), r#","tool_choice":"auto""#);
    assert_eq!(choice(quirks, ToolChoice::Forbidden), r#","tool_choice":"none""#);
}

#[test]
fn llamacpp_10_tool_choice_is_a_word_and_parallel_calls_are_asked_for() {
    let quirks = Quirks { choice: ChoiceForm::Words, parallel: ParallelCalls::On, ..Quirks::default() };
    let named = choice(quirks, ToolChoice::Named("get_weather".to_owned()));
    assert_eq!(named, r#","tool_choice":"required","parallel_tool_calls":true"#);
}

#[test]
fn mistral_8_required_is_called_any() {
    let quirks = Quirks { says_any: true, ..Quirks::default() };
    assert_eq!(choice(quirks, ToolChoice::Required), r#","tool_choice":"any""#);
}

#[test]
fn mistral_8_forbidden_tools_are_left_out() {
    let quirks = Quirks { has_none_with_tools: false, ..Quirks::default() };
    assert_eq!(Asked::new(quirks).with_tool().choosing(ToolChoice::Forbidden).head(), "");
}

#[test]
fn forbidden_tools_stay_where_they_may() {
    let head = Asked::new(Quirks::default()).with_tool().choosing(ToolChoice::Forbidden).head();
    assert!(head.contains("get_weather") && head.ends_with(r#""tool_choice":"none""#), "{head}");
}

#[test]
fn without_tools_nothing_is_said_of_tools() {
    let quirks = Quirks { parallel: ParallelCalls::Off, ..Quirks::default() };
    assert_eq!(Asked::new(quirks).choosing(ToolChoice::Forbidden).head(), "");
}

#[test]
fn openai_1_a_strict_tool_says_so() {
    let mut asked = Asked::new(Quirks::default()).with_tool();
    asked.tools.tools.iter_mut().for_each(|tool| tool.is_strict = true);
    assert!(asked.head().contains(r#"}},"strict":true}}],"#));
}

#[test]
fn openai_1_pictures_are_parts_of_a_user_message() {
    let image =
        Part::Image { media_type: "image/png".to_owned(), url: "data:image/png;base64,AA==".to_owned() };
    let turn = Turn::User(vec![Cow::Owned(Part::text("Look")), Cow::Owned(image)]);
    let parts = concat!(
        r#"{"type":"text","text":"Look"},"#,
        r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}"#
    );
    let system = Asked::new(Quirks::default()).messages(std::slice::from_ref(&turn));
    assert_eq!(system, format!(r#"{SYSTEM},{{"role":"user","content":[{parts}"#));
    let merged = Asked::new(Quirks { system_role: SystemRole::User, ..Quirks::default() }).messages(&[turn]);
    assert_eq!(merged, format!(r#"{{"role":"user","content":[{{"type":"text","text":"Be brief."}},{parts}"#));
}

#[test]
fn openai_0_an_outcome_may_need_its_tools_name() {
    let quirks = Quirks { names_outcomes: true, ..Quirks::default() };
    let messages = Asked::new(quirks).messages(&[one_call(vec![])]);
    assert!(
        messages
            .ends_with(r#"{"role":"tool","tool_call_id":"call_1","name":"get_weather","content":"rain"}"#)
    );
}

#[test]
fn openai_0_ids_are_left_out_where_none_are_known() {
    let quirks = Quirks { ids: IdRule::Absent, ..Quirks::default() };
    let messages = Asked::new(quirks).messages(&[one_call(vec![])]);
    assert!(!messages.contains("call_1") && messages.contains(r#"[{"type":"function""#), "{messages}");
}

#[test]
fn mistral_8_an_assistant_message_bridges_outcome_and_user() {
    let quirks = Quirks { bridges_outcomes: true, has_notes: false, ..Quirks::default() };
    let bridge = r#"{"role":"assistant","content":"Done."}"#;
    let messages = Asked::new(quirks.clone()).messages(&[user("Hi"), one_call(vec![]), user("Thanks")]);
    assert!(
        messages.ends_with(&format!(r#"{OUTCOME},{bridge},{{"role":"user","content":"Thanks"}}"#)),
        "{messages}"
    );
    // The trailer is a user message there; without one the model speaks next anyway.
    let mut asked = Asked::new(quirks);
    assert!(asked.messages(&[one_call(vec![])]).ends_with(OUTCOME));
    asked.trailer = vec!["Hurry.".to_owned()];
    let messages = asked.messages(&[one_call(vec![])]);
    assert!(
        messages.ends_with(&format!(r#"{OUTCOME},{bridge},{{"role":"user","content":"Hurry."}}"#)),
        "{messages}"
    );
}

#[test]
fn deepseek_7_content_without_text_is_an_empty_string() {
    let quirks = |empty_content| Quirks { empty_content, ..Quirks::default() };
    assert!(assistant(quirks(EmptyContent::Empty), vec![]).contains(r#""content":"","#));
    assert!(assistant(quirks(EmptyContent::Null), vec![]).contains(r#""content":null,"#));
}

#[test]
fn deepseek_7_calls_carry_their_index() {
    let quirks = Quirks { echoes_index: true, ..Quirks::default() };
    assert!(assistant(quirks, vec![]).contains(r#""tool_calls":[{"index":0,"id":"call_1","#));
}

#[test]
fn deepseek_7_every_message_with_calls_carries_reasoning_content_even_if_empty() {
    let quirks = Quirks { echo: ReasoningEcho::Always, ..Quirks::default() };
    assert!(assistant(quirks.clone(), vec![]).contains(r#""content":null,"reasoning_content":"","#));
    let thought = TurnItem::Reasoning { text: "Hm.", state: None };
    assert!(assistant(quirks.clone(), vec![thought]).contains(r#""reasoning_content":"Hm.""#));
    // A message without calls needs none.
    let messages = Asked::new(quirks).messages(&[said(vec![TurnItem::Text("Sunny.".into())])]);
    assert!(!messages.contains("reasoning_content"), "{messages}");
}

#[test]
fn thinking_goes_back_in_the_field_it_came_in() {
    let quirks = Quirks { echo: ReasoningEcho::Text, ..Quirks::default() };
    let written = |field: &str, text: &'static str, tail: u64| {
        let state = json!({"field": field, "tail": tail});
        assistant(
            quirks.clone(),
            vec![TurnItem::Reasoning { text, state: Some(&state) }, TurnItem::Text("Yes.".into())],
        )
    };
    let start = r#"{"role":"assistant","content":"#;
    let behind = format!(r#","tool_calls":[{CALL}]}}"#);
    assert_eq!(written("reasoning", "Hm.", 0), format!(r#"{start}"Yes.","reasoning":"Hm."{behind}"#));
    assert_eq!(
        written("reasoning_content", "Hm.", 0),
        format!(r#"{start}"Yes.","reasoning_content":"Hm."{behind}"#)
    );
    assert_eq!(
        written("content", "\nHm.\n\n\n", 2),
        format!(r#"{start}"<think>\nHm.\n</think>\n\nYes."{behind}"#)
    );
    let parts =
        r#"[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"Yes."}]"#;
    assert_eq!(written("content_parts", "Hm.", 0), format!("{start}{parts}{behind}"));
}

#[test]
fn thinking_without_a_remembered_field_goes_in_the_endpoints_own() {
    let written = |echo_field| {
        let quirks = Quirks { echo: ReasoningEcho::Text, echo_field, ..Quirks::default() };
        assistant(quirks, vec![TurnItem::Reasoning { text: "Hm.", state: None }])
    };
    for (field, word) in [
        (ReasoningField::ReasoningContent, r#""reasoning_content":"Hm.""#),
        (ReasoningField::Reasoning, r#""reasoning":"Hm.""#),
        (ReasoningField::Details, r#""reasoning":"Hm.""#),
        (ReasoningField::Thinking, r#""thinking":"Hm.""#),
    ] {
        assert!(written(field).contains(word), "{word}");
    }
}

#[test]
fn thinking_stays_away_where_it_is_not_wanted() {
    let details = json!({"details": [{"type": "reasoning.text", "text": "Hm."}]});
    let written = |echo, state| {
        assistant(Quirks { echo, ..Quirks::default() }, vec![TurnItem::Reasoning { text: "Hm.", state }])
    };
    assert!(!written(ReasoningEcho::Never, Some(&details)).contains("Hm."));
    assert!(!written(ReasoningEcho::State, None).contains("Hm."));
    assert!(written(ReasoningEcho::State, Some(&details)).contains("Hm."));
}

#[test]
fn openrouter_6_reasoning_details_go_back_unmodified() {
    let written = r#"[{"type":"reasoning.text","signature":"c2ln","text":"Hm.","index":0,"new_field":[1.5]},{"type":"reasoning.encrypted","data":"x/+=","id":null}]"#;
    let state: Value = serde_json::from_str(&format!(r#"{{"details":{written}}}"#)).unwrap();
    let quirks =
        Quirks { echo: ReasoningEcho::State, echo_field: ReasoningField::Details, ..Quirks::default() };
    let message = assistant(quirks, vec![TurnItem::Reasoning { text: "Hm.", state: Some(&state) }]);
    assert!(
        message.contains(&format!(r#""content":null,"reasoning_details":{written},"tool_calls""#)),
        "{message}"
    );
}

#[test]
fn openrouter_6_details_of_two_blocks_are_one_list() {
    let early = json!({"details": [{"type": "reasoning.text", "text": "Hm.", "index": 0}]});
    let late = json!({"details": [
        {"type": "reasoning.text", "index": 0, "signature": "c2ln"},
        {"type": "reasoning.encrypted", "data": "x", "id": "call_1", "index": 0},
    ]});
    let quirks = Quirks { echo: ReasoningEcho::State, ..Quirks::default() };
    let items = vec![
        TurnItem::Reasoning { text: "Hm.", state: Some(&early) },
        TurnItem::Reasoning { text: "", state: Some(&late) },
    ];
    let details = r#""reasoning_details":[{"type":"reasoning.text","text":"Hm.","index":0,"signature":"c2ln"},{"type":"reasoning.encrypted","data":"x","id":"call_1","index":0}]"#;
    assert!(assistant(quirks, items).contains(details));
}

#[test]
fn state_of_a_call_goes_back_with_the_call() {
    let state = json!({"extra_content": {"google": {"thought_signature": "c2ln"}}});
    let item =
        TurnItem::Call(CallItem { id: "a".into(), name: "b".into(), args: "{}".into(), state: Some(&state) });
    let turn = Turn::Exchange(CallExchange { items: vec![item], outcomes: vec![outcome("a", "x")] });
    let messages = Asked::new(Quirks::default()).messages(&[turn]);
    let call = r#"{"id":"a","type":"function","function":{"name":"b","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln"}}}"#;
    assert!(messages.contains(call), "{messages}");
}

#[test]
fn openai_0_control_characters_and_replaced_surrogates_are_legal_json() {
    let messages = Asked::new(Quirks::default()).messages(&[user("a\u{0}b\u{1b}[0m\u{fffd}\u{2028}\"\\")]);
    let read: Value = serde_json::from_str(&format!("[{messages}]")).unwrap();
    assert_eq!(read.pointer("/1/content"), Some(&json!("a\u{0}b\u{1b}[0m\u{fffd}\u{2028}\"\\")));
}

#[test]
fn azure_11_the_query_of_the_base_url_comes_behind_the_path() {
    let mut target = sample_target(Quirks::default());
    assert_eq!(path(&target), "/chat/completions");
    target.base_url = "https://x.openai.azure.com/openai/deployments/gpt?api-version=2026-01-01".to_owned();
    assert_eq!(path(&target), "/chat/completions?api-version=2026-01-01");
}

#[test]
fn r_56_the_bytes_of_earlier_turns_do_not_change_with_later_ones() {
    let asked = Asked::new(Quirks::default()).with_tool();
    let short = asked.body(&[user("Hi"), one_call(vec![])]);
    let long = asked.body(&[user("Hi"), one_call(vec![]), one_call(vec![])]);
    assert!(long.starts_with(short.strip_suffix("]}").unwrap()));
}
