use std::sync::Arc;

use serde_json::json;
use windlass_core::protocol::message::{Reasoning, ToolMessage};
use windlass_core::protocol::model::Kept;
use windlass_core::protocol::tool::{ToolCall, ToolSpec};

use super::*;
use crate::lower::lower;
use crate::quirks::{AnswerForms, ParallelCalls, Quirks};
use crate::target::{Abilities, AuthForm};

fn target(wire: WireKind, quirks: Quirks) -> ModelTarget {
    ModelTarget {
        name: "acme/one".into(),
        provider: "acme".into(),
        model: "one".into(),
        wire,
        base_url: "http://127.0.0.1".into(),
        auth: AuthForm::Open,
        key: None,
        headers: Vec::new(),
        quirks,
        abilities: Abilities::default(),
    }
}

fn chat(choice: ChoiceForm) -> ModelTarget {
    target(WireKind::Chat, Quirks { choice, ..Quirks::default() })
}

fn tools() -> Vec<Arc<ToolSpec>> {
    ["list_files", "read_file"].map(|name| Arc::new(ToolSpec::new(name, "Does."))).to_vec()
}

fn request(choice: ToolChoice, sampling: Sampling) -> ModelRequest {
    ModelRequest {
        run_id: "run".into(),
        step: 1,
        purpose: StepPurpose::Work,
        system: "".into(),
        examples: 0,
        messages: Arc::new(vec![Arc::new(Message::user("go"))]),
        trailer: vec!["as before".to_owned()],
        live: Arc::default(),
        tools: tools().into(),
        tool_choice: choice,
        sampling,
        kept: Kept::default(),
    }
}

fn guarded(target: &ModelTarget, choice: ToolChoice) -> Guarded {
    let lowered = lower(target, &tools());
    guard(target, &request(choice, Sampling::default()), &lowered)
}

fn rules(guarded: &Guarded) -> Vec<&str> {
    guarded.notices.iter().map(|notice| notice.rule.as_str()).collect()
}

fn named() -> ToolChoice {
    ToolChoice::Named("read_file".to_owned())
}

#[test]
fn s_18_choices_that_can_be_said_are_said() {
    for choice in [ToolChoice::Auto, ToolChoice::Required, ToolChoice::Forbidden, named()] {
        let fit = guarded(&chat(ChoiceForm::Full), choice.clone());
        assert_eq!(fit.choice, choice);
        assert_eq!((fit.trailer.len(), fit.tools.is_some(), fit.notices.len()), (1, false, 0));
    }
}

#[test]
fn s_18_a_named_tool_is_the_only_one_shown_where_only_words_are_taken() {
    let fit = guarded(&chat(ChoiceForm::Words), named());
    assert_eq!(fit.choice, ToolChoice::Required);
    let shown = fit.tools.as_ref().map(|tools| tools.tools.iter().map(|tool| tool.name.as_str()).collect());
    assert_eq!(shown, Some(vec!["read_file"]));
    assert_eq!(rules(&fit), ["tool_choice_named"]);
    assert_eq!(guarded(&chat(ChoiceForm::Words), ToolChoice::Required).choice, ToolChoice::Required);
}

#[test]
fn r_31_a_choice_that_cannot_be_forced_is_asked_for_in_a_remark() {
    for form in [ChoiceForm::AutoOrNone, ChoiceForm::Absent] {
        let fit = guarded(&chat(form), named());
        assert_eq!((&fit.choice, rules(&fit)), (&ToolChoice::Auto, vec!["tool_choice_named"]));
        assert_eq!(fit.trailer, ["as before", "Call the tool read_file now."]);
        assert!(fit.notices.iter().all(|notice| notice.kind == NoticeKind::Emulated));
        let fit = guarded(&chat(form), ToolChoice::Required);
        assert_eq!((&fit.choice, rules(&fit)), (&ToolChoice::Auto, vec!["tool_choice_required"]));
    }
}

#[test]
fn mistral_8_tools_are_left_out_where_none_cannot_stand_beside_them() {
    let mistral = target(WireKind::Chat, Quirks { has_none_with_tools: false, ..Quirks::default() });
    let fit = guarded(&mistral, ToolChoice::Forbidden);
    assert_eq!(fit.tools, Some(LoweredTools::default()));
    assert_eq!(rules(&fit), ["tool_choice_forbidden"]);
    let fit = guarded(&chat(ChoiceForm::AutoOrNone), ToolChoice::Forbidden);
    assert_eq!((fit.choice, fit.tools), (ToolChoice::Forbidden, None));
    let fit = guarded(&chat(ChoiceForm::Absent), ToolChoice::Forbidden);
    assert_eq!(
        (fit.choice.clone(), fit.trailer.len(), rules(&fit)),
        (ToolChoice::Auto, 2, vec!["tool_choice_forbidden"])
    );
}

#[test]
fn anthropic_3_deepseek_7_nothing_is_forced_while_the_model_thinks() {
    let quirks =
        Quirks { forces_while_thinking: false, ask: ReasoningAsk::ThinkingType, ..Quirks::default() };
    let claude = target(WireKind::Messages, quirks);
    let thinking = Sampling {
        reasoning_effort: windlass_core::protocol::model::Effort::of_word("high"),
        ..Sampling::default()
    };
    let lowered = lower(&claude, &tools());
    for choice in [ToolChoice::Required, named()] {
        let fit = guard(&claude, &request(choice.clone(), thinking.clone()), &lowered);
        assert_eq!((fit.choice.clone(), fit.trailer.len(), fit.notices.len()), (ToolChoice::Auto, 2, 1));
        assert_eq!(fit.sampling, thinking, "it goes on thinking");
        assert_eq!(guarded(&claude, choice.clone()).choice, choice, "without thinking it can be forced");
    }
    let fit = guard(&claude, &request(ToolChoice::Forbidden, thinking), &lowered);
    assert_eq!(fit.choice, ToolChoice::Forbidden);
}

#[test]
fn a_choice_without_tools_or_of_no_tool_is_none() {
    let target = chat(ChoiceForm::Full);
    let fit = guard(&target, &request(ToolChoice::Required, Sampling::default()), &LoweredTools::default());
    assert_eq!((fit.choice.clone(), fit.notices.len()), (ToolChoice::Auto, 0));
    let fit = guarded(&target, ToolChoice::Named("gone".into()));
    assert_eq!((fit.choice.clone(), rules(&fit)), (ToolChoice::Auto, vec!["tool_choice_named"]));
}

#[test]
fn calls_written_as_text_have_no_choice_on_the_wire() {
    let hermes = target(WireKind::Chat, Quirks { calls: CallDialect::Tags, ..Quirks::default() });
    let fit = guarded(&hermes, ToolChoice::Required);
    assert_eq!((fit.choice.clone(), fit.trailer.len()), (ToolChoice::Auto, 2));
}

#[test]
fn a_named_tool_goes_by_its_name_on_the_wire() {
    let target = chat(ChoiceForm::Full);
    let lowered = lower(&target, &[Arc::new(ToolSpec::new("files.read", "Reads."))]);
    let fit = guard(&target, &request(ToolChoice::Named("files.read".into()), Sampling::default()), &lowered);
    assert_eq!(fit.choice, ToolChoice::Named(lowered.tools[0].name.clone()));
}

/// The quirks of xAI and Anthropic, as the catalogue must have them (S-18).
#[test]
fn s_18_r_31_xai_gets_no_response_format_and_no_forced_choice() {
    let quirks = Quirks {
        choice: ChoiceForm::AutoOrNone,
        response_format: AnswerForms::Absent,
        parallel: ParallelCalls::Off,
        ..Quirks::default()
    };
    let xai = target(WireKind::Chat, quirks);
    let wishes = Sampling { response_format: Some(json!({"type": "json_object"})), ..Sampling::default() };
    let fit = guard(&xai, &request(ToolChoice::Required, wishes.clone()), &lower(&xai, &tools()));
    assert_eq!(fit.choice, ToolChoice::Auto);
    assert_eq!(fit.sampling.response_format, None);
    assert_eq!(rules(&fit), ["tool_choice_required", "response_format"]);
    let open = chat(ChoiceForm::Full);
    let fit = guard(&open, &request(ToolChoice::Auto, wishes.clone()), &lower(&open, &tools()));
    assert_eq!((fit.sampling, fit.notices), (wishes, vec![]));
}

#[test]
fn mistral_8_a_forced_choice_and_a_form_of_the_answer_exclude_each_other() {
    let mistral = target(WireKind::Chat, Quirks { formats_while_forced: false, ..Quirks::default() });
    let wishes = Sampling { response_format: Some(json!({"type": "json_object"})), ..Sampling::default() };
    let lowered = lower(&mistral, &tools());
    let fit = guard(&mistral, &request(ToolChoice::Required, wishes.clone()), &lowered);
    assert_eq!(rules(&fit), ["response_format"]);
    assert_eq!((fit.choice, fit.sampling.response_format), (ToolChoice::Required, None));
    let fit = guard(&mistral, &request(ToolChoice::Auto, wishes.clone()), &lowered);
    assert_eq!(fit.sampling, wishes);
}

#[test]
fn openai_1_sampling_is_left_out_while_the_model_thinks() {
    let quirks = Quirks { samples_while_thinking: false, ask: ReasoningAsk::Effort, ..Quirks::default() };
    let mut model = target(WireKind::Chat, quirks);
    let wishes = |effort: Option<&str>| Sampling {
        temperature: Some(0.0),
        top_p: Some(0.5),
        reasoning_effort: effort.and_then(windlass_core::protocol::model::Effort::of_word),
        ..Sampling::default()
    };
    let kept = |model: &ModelTarget, effort: Option<&str>| {
        let fit = guard(model, &request(ToolChoice::Auto, wishes(effort)), &lower(model, &tools()));
        assert_eq!(fit.notices.is_empty(), fit.sampling.temperature.is_some());
        fit.sampling.temperature.is_some() && fit.sampling.top_p.is_some()
    };
    assert!(kept(&model, None) && !kept(&model, Some("low")));
    model.quirks.thinks_unasked = true;
    assert!(!kept(&model, None) && kept(&model, Some("none")));
    model.quirks.stops_thinking = false;
    assert!(!kept(&model, None) && !kept(&model, Some("none")));
}

#[test]
fn a_seed_that_is_not_taken_is_left_out() {
    let model = target(WireKind::Messages, Quirks { has_seed: false, ..Quirks::default() });
    let wishes = Sampling { seed: Some(7), ..Sampling::default() };
    let fit = guard(&model, &request(ToolChoice::Auto, wishes), &lower(&model, &tools()));
    assert_eq!((fit.sampling.seed, rules(&fit)), (None, vec!["seed"]));
}

#[test]
fn gemini_4_a_history_that_ends_with_the_model_is_asked_to_go_on() {
    let answer = || Message::assistant("so far");
    let thought = || Message::Assistant { parts: vec![Part::text(" ")] };
    let histories = [
        (vec![Message::user("go"), answer()], true),
        (vec![Message::user("go"), answer(), thought(), Message::note(" ")], true),
        (vec![Message::user("go")], false),
        (vec![answer(), Message::note("hm")], false),
        (vec![thought()], false),
    ];
    for wire in WireKind::ALL {
        for (messages, ends_with_answer) in &histories {
            let model = target(wire, Quirks::default());
            let mut request = request(ToolChoice::Auto, Sampling::default());
            request.messages = Arc::new(messages.iter().cloned().map(Arc::new).collect());
            request.trailer.clear();
            let fit = guard(&model, &request, &LoweredTools::default());
            let wanted = *ends_with_answer && matches!(wire, WireKind::Messages | WireKind::Gemini);
            assert_eq!(fit.trailer.len(), usize::from(wanted), "{wire:?} {messages:?}");
            assert_eq!(rules(&fit), if wanted { vec!["user_last"] } else { vec![] });
        }
    }
}

#[test]
fn deepseek_7_openai_1_a_model_that_thinks_unasked_is_not_forced_until_it_is_told_to_stop() {
    let quirks = Quirks {
        forces_while_thinking: false,
        thinks_unasked: true,
        ask: ReasoningAsk::ThinkingType,
        ..Quirks::default()
    };
    let model = target(WireKind::Chat, quirks);
    assert_eq!(guarded(&model, named()).choice, ToolChoice::Auto);
    let still = Sampling {
        reasoning_effort: windlass_core::protocol::model::Effort::of_word("none"),
        ..Sampling::default()
    };
    let fit = guard(&model, &request(named(), still.clone()), &lower(&model, &tools()));
    assert_eq!((fit.choice, fit.sampling), (named(), still));
}

#[test]
fn a_model_that_cannot_but_think_is_not_told_to_stop() {
    let quirks = Quirks { thinks_unasked: true, stops_thinking: false, ..Quirks::default() };
    let model = target(WireKind::Messages, quirks);
    let still = Sampling {
        reasoning_effort: windlass_core::protocol::model::Effort::of_word("none"),
        ..Sampling::default()
    };
    let fit = guard(&model, &request(ToolChoice::Auto, still), &lower(&model, &tools()));
    assert_eq!((&fit.sampling.reasoning_effort, rules(&fit)), (&None, vec!["reasoning_effort"]));
}

fn call() -> Part {
    Part::Call(ToolCall {
        id: "c1".into(),
        provider_id: None,
        step: 1,
        index: 0,
        name: "files.read".into(),
        arguments: "{}".into(),
        state: None,
    })
}

fn thought(model: &str) -> Part {
    let opaque = Some(json!({"type": "thinking", "signature": "x"}));
    Part::Reasoning(Reasoning { text: "hm".into(), opaque, model: Some(model.into()) })
}

fn outcome() -> Message {
    Message::Tool(ToolMessage {
        call_id: "c1".into(),
        provider_id: None,
        name: "files.read".into(),
        content: "so".into(),
        is_ok: true,
        is_valid_call: true,
        label: None,
    })
}

fn with_history(mut request: ModelRequest, messages: &[Message]) -> ModelRequest {
    request.messages = Arc::new(messages.iter().cloned().map(Arc::new).collect());
    request
}

#[test]
fn anthropic_3_thinking_does_not_begin_in_the_middle_of_calls_of_another_model() {
    let said = |parts: &[Part]| Message::Assistant { parts: parts.to_vec() };
    let user = || Message::user("go");
    let histories = [
        (vec![user(), said(&[call()]), outcome()], false),
        (vec![user(), said(&[thought("acme/two"), call()]), outcome()], false),
        (vec![user(), said(&[thought("acme/two"), call()]), outcome(), Message::note("hm")], false),
        (vec![user(), said(&[thought("acme/one"), call()]), outcome()], true),
        // A loop is one thought: only its beginning has it on models that think once.
        (vec![user(), said(&[thought("acme/one"), call()]), outcome(), said(&[call()]), outcome()], true),
        // Closed calls are past.
        (vec![user(), said(&[call()]), outcome(), said(&[Part::text("so")])], true),
        (vec![user(), said(&[call()]), outcome(), user()], true),
        (vec![user()], true),
    ];
    let wishes = Sampling {
        reasoning_effort: windlass_core::protocol::model::Effort::of_word("high"),
        ..Sampling::default()
    };
    for (messages, may_think) in histories {
        let quirks = Quirks {
            thinks_midway: false,
            forces_while_thinking: false,
            ask: ReasoningAsk::ThinkingType,
            ..Quirks::default()
        };
        let mut model = target(WireKind::Messages, quirks);
        let asked = with_history(request(ToolChoice::Required, wishes.clone()), &messages);
        let fit = guard(&model, &asked, &lower(&model, &tools()));
        assert_eq!(fit.sampling.reasoning_effort.is_some(), may_think, "{messages:?}");
        assert_eq!(rules(&fit).contains(&"thinking_midway"), !may_think);
        assert_eq!(fit.choice == ToolChoice::Required, !may_think, "without thinking it can be forced");
        model.quirks.thinks_midway = true;
        assert_eq!(guard(&model, &asked, &lower(&model, &tools())).sampling, wishes);
    }
}

#[test]
fn anthropic_3_calls_of_the_history_have_tools_even_when_there_are_none_now() {
    let messages = [Message::user("go"), Message::Assistant { parts: vec![call(), call()] }, outcome()];
    let asked = with_history(request(ToolChoice::Required, Sampling::default()), &messages);
    let claude = target(WireKind::Messages, Quirks { declares_past_tools: true, ..Quirks::default() });
    let fit = guard(&claude, &asked, &LoweredTools::default());
    let declared = fit.tools.as_ref().unwrap();
    let names: Vec<&str> = declared.tools.iter().map(|tool| tool.name.as_str()).collect();
    let past = LoweredTools::default();
    let name = past.name_for(WireKind::Messages, "files.read");
    assert_eq!(names, [name.as_ref()], "as the calls are named on the wire");
    assert_eq!((&fit.choice, rules(&fit)), (&ToolChoice::Forbidden, vec!["past_tools"]));
    // With tools, without calls, or where nobody asks for it, nothing is declared.
    assert_eq!(guard(&claude, &asked, &lower(&claude, &tools())).tools, None);
    let fresh = with_history(request(ToolChoice::Auto, Sampling::default()), &messages[..1]);
    assert_eq!(guard(&claude, &fresh, &LoweredTools::default()).tools, None);
    assert_eq!(guard(&chat(ChoiceForm::Full), &asked, &LoweredTools::default()).tools, None);
}

#[test]
fn deepseek_7_a_schema_is_said_in_a_remark_where_only_json_can_be_prescribed() {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let by_schema = json!({"type": "json_schema", "json_schema": {"name": "place", "schema": schema}});
    let any = json!({"type": "json_object"});
    let fit = |forms, format: &Value| {
        let model = target(WireKind::Chat, Quirks { response_format: forms, ..Quirks::default() });
        let wishes = Sampling { response_format: Some(format.clone()), ..Sampling::default() };
        guard(&model, &request(ToolChoice::Auto, wishes), &lower(&model, &tools()))
    };
    let lowered = fit(AnswerForms::ObjectOnly, &by_schema);
    assert_eq!(lowered.sampling.response_format.as_ref(), Some(&any));
    assert!(lowered.trailer[1].ends_with(&schema.to_string()), "{:?}", lowered.trailer);
    assert_eq!(rules(&lowered), ["response_format"]);
    let remarked = fit(AnswerForms::SchemaOnly, &any);
    assert_eq!((&remarked.sampling.response_format, remarked.trailer.len()), (&None, 2));
    assert_eq!(rules(&remarked), ["response_format"]);
    for (forms, format) in [
        (AnswerForms::ObjectOnly, &any),
        (AnswerForms::SchemaOnly, &by_schema),
        (AnswerForms::Full, &any),
        (AnswerForms::Full, &by_schema),
    ] {
        let kept = fit(forms, format);
        assert_eq!((kept.sampling.response_format.as_ref(), kept.notices.len()), (Some(format), 0));
    }
    assert_eq!(fit(AnswerForms::Absent, &any).sampling.response_format, None);
}

#[test]
fn anthropic_3_a_paused_model_sees_nothing_behind_its_own_words() {
    let claude = target(WireKind::Messages, Quirks::default());
    let messages = [Message::user("go"), Message::assistant("so far")];
    let mut asked = with_history(request(ToolChoice::Auto, Sampling::default()), &messages);
    asked.purpose = StepPurpose::Continuation;
    asked.trailer.clear();
    let fit = guard(&claude, &asked, &LoweredTools::default());
    assert_eq!((fit.trailer.len(), fit.notices.len()), (0, 0));
}
