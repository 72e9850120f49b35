use std::sync::Arc;

use serde_json::json;
use windlass_core::model::{Kept, StepPurpose};
use windlass_core::tool::ToolSpec;

use super::*;
use crate::lower::lower;
use crate::quirks::{ParallelCalls, Quirks};
use crate::target::{Abilities, AuthForm};

fn target(wire: WireKind, quirks: Quirks) -> Target {
    Target {
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

fn chat(choice: ChoiceForm) -> Target {
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
        messages: Arc::new(vec![Arc::new(Message::user("go"))]),
        trailer: vec!["as before".to_owned()],
        tools: tools().into(),
        tool_choice: choice,
        sampling,
        kept: Kept::default(),
    }
}

fn guarded(target: &Target, choice: ToolChoice) -> Guarded {
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
    let thinking = Sampling { reasoning_effort: Some("high".into()), ..Sampling::default() };
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
        has_response_format: false,
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
    let mistral = target(WireKind::Chat, Quirks { says_any: true, ..Quirks::default() });
    let wishes = Sampling { response_format: Some(json!({"type": "json_object"})), ..Sampling::default() };
    let lowered = lower(&mistral, &tools());
    let fit = guard(&mistral, &request(ToolChoice::Required, wishes.clone()), &lowered);
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
        reasoning_effort: effort.map(str::to_owned),
        ..Sampling::default()
    };
    let kept = |model: &Target, effort: Option<&str>| {
        let fit = guard(model, &request(ToolChoice::Auto, wishes(effort)), &lower(model, &tools()));
        assert_eq!(fit.notices.is_empty(), fit.sampling.temperature.is_some());
        fit.sampling.temperature.is_some() && fit.sampling.top_p.is_some()
    };
    assert!(kept(&model, None) && !kept(&model, Some("low")));
    model.abilities.reasons = Some(true);
    assert!(!kept(&model, None) && kept(&model, Some("none")));
    model.wire = WireKind::Messages;
    assert!(kept(&model, None) && !kept(&model, Some("high")));
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
