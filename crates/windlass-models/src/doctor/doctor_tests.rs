//! Examinations of scripted endpoints.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::model::{CallDelta, Finish, ToolChoice, Usage};

use super::*;
use crate::quirks::{
    AnswerForms, CallDialect, ChoiceForm, ParallelCalls, ReasoningAsk, ReasoningEcho, SystemRole,
};
use crate::target::{Abilities, AuthForm, WireKind};

/// An endpoint with its weaknesses.
#[derive(Default)]
struct Endpoint {
    is_dead: bool,
    is_silent: bool,
    is_slow: bool,
    has_no_tools: bool,
    has_tags_only: bool,
    refuses_required: bool,
    ignores_required: bool,
    refuses_named: bool,
    ignores_none: bool,
    is_single: bool,
    is_parallel_on_demand: bool,
    gives_objects: bool,
    has_no_usage: bool,
    refuses_usage: bool,
    truncates: bool,
    refuses_notes: bool,
    refuses_pictures: bool,
    refuses_formats: bool,
    refuses_answer_schemas: bool,
    refuses_thinking: bool,
    refuses_echo_but: Option<ReasoningEcho>,
    wants_names: bool,
    wants_bridges: bool,
    wants_user_system: bool,
    reuses_ids: bool,
    stumbles_once: bool,
    asked: AtomicU32,
    calls: AtomicU32,
    choices: Mutex<Vec<(ToolChoice, ChoiceForm)>>,
}

fn refuse(what: &str) -> ModelFailure {
    ModelFailure::fatal("bad_request", format!("lab refused: {what}"))
}

fn text_of_last(request: &ModelRequest) -> String {
    request.messages.last().map(|message| message.text()).unwrap_or_default()
}

fn has_outcome(request: &ModelRequest) -> bool {
    request.messages.iter().any(|message| matches!(**message, Message::Tool(_)))
}

impl Endpoint {
    fn call(&self, index: u32, name: &str, field: &str, value: &str, out: &mut Vec<ModelDelta>) {
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        let id = if self.reuses_ids { format!("call_{index}") } else { format!("call_{number}") };
        let mut call = CallDelta {
            index: Some(index),
            id: Some(id),
            name: Some(name.to_owned()),
            ..CallDelta::default()
        };
        if self.gives_objects {
            call.args_value = Some(Box::new(json!({ field: value })));
            out.push(ModelDelta::Call(call));
            return;
        }
        out.push(ModelDelta::Call(call));
        for piece in [format!("{{\"{field}\": "), format!("\"{value}\"}}")] {
            let piece = CallDelta { index: Some(index), args_text: Some(piece), ..CallDelta::default() };
            out.push(ModelDelta::Call(piece));
        }
    }

    /// What the endpoint does not take.
    fn check(&self, request: &ModelRequest, quirks: &Quirks) -> Result<(), ModelFailure> {
        let messages = &request.messages;
        let has_picture = messages.iter().any(|message| {
            matches!(&**message, Message::User { parts } if parts.iter().any(|part| matches!(part, Part::Image { .. })))
        });
        let is_forced = matches!(request.tool_choice, ToolChoice::Required | ToolChoice::Named(_));
        let native = quirks.choice == ChoiceForm::Full;
        let rules = [
            (self.refuses_usage && quirks.streams && quirks.has_stream_usage, "stream_options"),
            (
                self.wants_user_system
                    && !request.system.is_empty()
                    && quirks.system_role != SystemRole::User,
                "system",
            ),
            (self.has_no_tools && !request.tools.is_empty() && quirks.calls == CallDialect::Native, "tools"),
            (self.refuses_required && is_forced && native, "tool_choice required"),
            (
                self.refuses_named && matches!(request.tool_choice, ToolChoice::Named(_)) && native,
                "tool_choice object",
            ),
            (
                self.refuses_notes
                    && quirks.has_notes
                    && messages.iter().any(|message| matches!(**message, Message::Note { .. })),
                "system message in the middle",
            ),
            (self.refuses_pictures && has_picture, "image_url"),
            (self.refuses_formats && request.sampling.response_format.is_some(), "response_format"),
            (
                self.refuses_answer_schemas
                    && request
                        .sampling
                        .response_format
                        .as_ref()
                        .is_some_and(|form| form["type"] == "json_schema"),
                "json_schema",
            ),
            (
                self.refuses_thinking
                    && request.sampling.reasoning_effort.is_some()
                    && quirks.ask != ReasoningAsk::Absent,
                "reasoning_effort",
            ),
            (self.wants_names && has_outcome(request) && !quirks.names_outcomes, "tool message without name"),
            (
                self.wants_bridges
                    && has_outcome(request)
                    && matches!(messages.last().map(|last| &**last), Some(Message::User { .. }))
                    && !quirks.bridges_outcomes,
                "user after tool",
            ),
            (
                has_outcome(request)
                    && request.sampling.reasoning_effort.is_some()
                    && self.refuses_echo_but.is_some_and(|echo| echo != quirks.echo),
                "reasoning_content is missing",
            ),
        ];
        match rules.into_iter().find(|(is_broken, _)| *is_broken) {
            Some((_, what)) => Err(refuse(what)),
            None => Ok(()),
        }
    }

    fn wants_calls(&self, request: &ModelRequest, quirks: &Quirks) -> bool {
        if request.tools.is_empty() || has_outcome(request) {
            return false;
        }
        let can_call = match quirks.calls {
            CallDialect::Native => !self.has_tags_only,
            CallDialect::Tags => !self.has_no_tools,
            CallDialect::Text | CallDialect::None => false,
        };
        let text = text_of_last(request);
        let wishes = text.contains("tool") || text.contains("write_note") || text.contains("get_weather");
        can_call
            && match request.tool_choice {
                ToolChoice::Auto => wishes,
                ToolChoice::Required | ToolChoice::Named(_) => !self.ignores_required,
                ToolChoice::Forbidden => self.ignores_none && quirks.has_none_with_tools,
            }
    }

    fn speak(&self, request: &ModelRequest, quirks: &Quirks) -> Vec<ModelDelta> {
        let text = text_of_last(request);
        let mut out = Vec::new();
        if request.sampling.reasoning_effort.is_some() {
            out.push(ModelDelta::Reasoning("Hm.".to_owned()));
            out.push(ModelDelta::ReasoningState(json!({"signature": "c2ln"})));
        }
        if self.wants_calls(request, quirks) {
            let is_many = text.contains("three times")
                && !self.is_single
                && (!self.is_parallel_on_demand || quirks.parallel == ParallelCalls::On);
            match &request.tool_choice {
                ToolChoice::Named(name) => self.call(0, name, "city", "Oslo", &mut out),
                _ if text.contains("write_note") => {
                    self.call(0, "write_note", "text", "The sea", &mut out);
                }
                _ => {
                    let cities: &[&str] = if is_many { &["Oslo", "Rome", "Paris"] } else { &["Oslo"] };
                    for (index, city) in (0..).zip(cities) {
                        self.call(index, "get_weather", "city", city, &mut out);
                    }
                }
            }
        } else if !self.is_silent {
            let answer = self.answer(request, &text);
            let (head, tail) = answer.split_at(answer.len() / 2);
            out.extend([head, tail].map(|piece| ModelDelta::Text(piece.to_owned())));
        }
        if !self.has_no_usage {
            let read = text.len() as u64 / 4 + 10;
            let input = if self.truncates { read.min(2_048) } else { read };
            out.push(ModelDelta::Usage(Usage { input, output: 5, ..Usage::default() }));
        }
        out.push(ModelDelta::Finish(Finish::Stop));
        out
    }

    fn answer(&self, request: &ModelRequest, text: &str) -> String {
        let is_cut = self.truncates && text.len() > 8_192;
        let answer = match text {
            _ if has_outcome(request) => "It is 17 degrees.",
            _ if request.sampling.response_format.is_some() => r#"{"city": "Paris"}"#,
            _ if text.contains("password") && !is_cut => "WALNUT",
            _ if text.contains("colour") => "Red.",
            _ if text.contains("Count") => "1, 2, 3, 4",
            _ => "pong",
        };
        if request.system.contains("WINDLASS") { format!("{answer} WINDLASS") } else { answer.to_owned() }
    }
}

impl Patient for Endpoint {
    fn ask<'a>(
        &'a self,
        request: ModelRequest,
        quirks: &'a Quirks,
    ) -> BoxFuture<'a, Result<Vec<ModelDelta>, ModelFailure>> {
        Box::pin(async move {
            let number = self.asked.fetch_add(1, Ordering::Relaxed);
            self.choices.lock().unwrap().push((request.tool_choice.clone(), quirks.choice));
            if self.is_slow && number > 0 {
                std::future::pending::<()>().await;
            }
            if self.is_dead {
                return Err(ModelFailure::passing("network", "lab cannot be reached"));
            }
            if self.stumbles_once && number == 3 {
                return Err(ModelFailure::passing("overloaded", "lab is busy"));
            }
            self.check(&request, quirks)?;
            Ok(self.speak(&request, quirks))
        })
    }
}

fn target(wire: WireKind, quirks: Quirks) -> ModelTarget {
    ModelTarget {
        name: "lab/model".to_owned(),
        provider: "lab".to_owned(),
        model: "model".to_owned(),
        wire,
        base_url: "http://127.0.0.1:1".to_owned(),
        auth: AuthForm::Open,
        key: None,
        headers: Vec::new(),
        quirks,
        abilities: Abilities::default(),
    }
}

async fn examine_as(endpoint: &Endpoint, target: &ModelTarget) -> Diagnosis {
    examine(endpoint, target, &ExaminationLimits::default(), 1_700, &mut |_| {}).await
}

async fn diagnose(endpoint: &Endpoint) -> Diagnosis {
    examine_as(endpoint, &target(WireKind::Chat, Quirks::default())).await
}

fn verdict(diagnosis: &Diagnosis, probe: Probe) -> ProbeVerdict {
    diagnosis.finding(probe).unwrap().verdict
}

fn patch(diagnosis: &Diagnosis) -> Value {
    Value::Object(diagnosis.patch.clone())
}

/// Only these probes did not pass.
fn assert_only(diagnosis: &Diagnosis, expected: &[(Probe, ProbeVerdict)]) {
    let others: Vec<_> = diagnosis
        .findings
        .iter()
        .filter(|finding| finding.verdict != ProbeVerdict::Pass)
        .map(|finding| (finding.probe, finding.verdict))
        .collect();
    assert_eq!(others, expected, "{diagnosis:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_healthy_endpoint_passes_everything_and_changes_only_what_was_not_known() {
    let diagnosis = diagnose(&Endpoint::default()).await;
    assert_only(&diagnosis, &[]);
    assert_eq!(patch(&diagnosis), json!({"ask": "effort"}));
    assert_eq!((diagnosis.target.as_str(), diagnosis.at_ms), ("lab/model", 1_700));
    assert_eq!(diagnosis.findings.len(), Probe::ALL.len());
}

#[tokio::test(start_paused = true)]
async fn a_dead_endpoint_is_asked_twice_and_left_alone() {
    let endpoint = Endpoint { is_dead: true, ..Endpoint::default() };
    let diagnosis = diagnose(&endpoint).await;
    assert_eq!(verdict(&diagnosis, Probe::PlainAnswer), ProbeVerdict::Fail);
    assert!(diagnosis.findings.iter().skip(1).all(|finding| finding.verdict == ProbeVerdict::Skipped));
    assert_eq!(endpoint.asked.load(Ordering::Relaxed), 2);
    assert_eq!(patch(&diagnosis), json!({}));
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_without_tools_gets_calls_as_tags_and_its_call_probes_are_skipped() {
    let diagnosis = diagnose(&Endpoint { has_no_tools: true, ..Endpoint::default() }).await;
    assert_eq!(verdict(&diagnosis, Probe::OneCall), ProbeVerdict::Fail);
    assert_eq!(verdict(&diagnosis, Probe::Pairing), ProbeVerdict::Skipped);
    assert_eq!(patch(&diagnosis)["calls"], "tags");
    let detail = diagnosis.finding(Probe::OneCall).unwrap().detail.as_deref();
    assert_eq!(detail, Some("lab refused: tools"));
}

#[tokio::test(start_paused = true)]
async fn calls_that_only_work_as_tags_are_examined_as_tags() {
    let diagnosis = diagnose(&Endpoint { has_tags_only: true, ..Endpoint::default() }).await;
    assert_eq!(patch(&diagnosis)["calls"], "tags");
    assert_eq!(verdict(&diagnosis, Probe::OneCall), ProbeVerdict::Fail);
    assert_eq!(verdict(&diagnosis, Probe::Pairing), ProbeVerdict::Pass);
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_refuses_required_is_only_given_auto_or_none() {
    for endpoint in [
        Endpoint { refuses_required: true, ..Endpoint::default() },
        Endpoint { ignores_required: true, ..Endpoint::default() },
    ] {
        let diagnosis = diagnose(&endpoint).await;
        assert_only(
            &diagnosis,
            &[(Probe::RequiredChoice, ProbeVerdict::Fail), (Probe::NamedChoice, ProbeVerdict::Fail)],
        );
        assert_eq!(patch(&diagnosis)["choice"], "auto_or_none");
    }
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_refuses_named_tools_is_given_words() {
    let diagnosis = diagnose(&Endpoint { refuses_named: true, ..Endpoint::default() }).await;
    assert_only(&diagnosis, &[(Probe::NamedChoice, ProbeVerdict::Fail)]);
    assert_eq!(patch(&diagnosis)["choice"], "words");
}

#[tokio::test(start_paused = true)]
async fn s_18_a_choice_that_the_catalogue_withholds_is_not_given_back() {
    let quirks = Quirks {
        choice: ChoiceForm::AutoOrNone,
        response_format: AnswerForms::Absent,
        parallel: ParallelCalls::Off,
        ..Quirks::default()
    };
    let diagnosis = examine_as(&Endpoint::default(), &target(WireKind::Chat, quirks.clone())).await;
    assert_only(&diagnosis, &[]);
    let obeyed = quirks.patched(&diagnosis.patch).unwrap();
    assert_eq!((obeyed.choice, obeyed.response_format), (ChoiceForm::AutoOrNone, AnswerForms::Absent));
    assert_eq!(obeyed.parallel, ParallelCalls::Off);
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_ignores_none_gets_no_tools_when_none_may_be_called() {
    let diagnosis = diagnose(&Endpoint { ignores_none: true, ..Endpoint::default() }).await;
    assert_only(&diagnosis, &[(Probe::ForbiddenChoice, ProbeVerdict::Fail)]);
    assert_eq!(patch(&diagnosis)["has_none_with_tools"], false);
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_of_single_calls_works_with_more_steps() {
    let diagnosis = diagnose(&Endpoint { is_single: true, ..Endpoint::default() }).await;
    assert_only(&diagnosis, &[(Probe::ParallelCalls, ProbeVerdict::Fail)]);
    assert_eq!(patch(&diagnosis).get("parallel"), None);
}

#[tokio::test(start_paused = true)]
async fn parallel_calls_that_must_be_asked_for_are_asked_for() {
    let diagnosis = diagnose(&Endpoint { is_parallel_on_demand: true, ..Endpoint::default() }).await;
    assert_only(&diagnosis, &[]);
    assert_eq!(patch(&diagnosis)["parallel"], "on");
}

#[tokio::test(start_paused = true)]
async fn z_23_object_arguments_pass_and_come_whole() {
    let diagnosis = diagnose(&Endpoint { gives_objects: true, ..Endpoint::default() }).await;
    assert_only(&diagnosis, &[(Probe::ArgsStreamed, ProbeVerdict::Fail)]);
    assert_eq!(diagnosis.finding(Probe::ArgsForm).unwrap().meaning, "arguments come as an object");
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_without_usage_is_told_of_and_one_that_refuses_it_is_not_asked_again() {
    let diagnosis = diagnose(&Endpoint { has_no_usage: true, ..Endpoint::default() }).await;
    assert_only(&diagnosis, &[(Probe::StreamUsage, ProbeVerdict::Fail)]);
    let diagnosis = diagnose(&Endpoint { refuses_usage: true, ..Endpoint::default() }).await;
    assert_only(&diagnosis, &[]);
    assert_eq!(patch(&diagnosis)["has_stream_usage"], false);
    let detail = diagnosis.finding(Probe::PlainAnswer).unwrap().detail.as_deref();
    assert_eq!(detail, Some("has_stream_usage = false"));
}

#[tokio::test(start_paused = true)]
async fn ollama_5_a_truncating_endpoint_is_found_out_and_asked_for_more_context() {
    let endpoint = Endpoint { truncates: true, ..Endpoint::default() };
    let diagnosis = diagnose(&endpoint).await;
    assert_only(&diagnosis, &[(Probe::LongPrompt, ProbeVerdict::Fail)]);
    assert_eq!(patch(&diagnosis).get("context_tokens_asked"), None);
    let diagnosis = examine_as(&endpoint, &target(WireKind::Ollama, Quirks::default())).await;
    assert_eq!(patch(&diagnosis)["context_tokens_asked"], 16_384);
}

#[tokio::test(start_paused = true)]
async fn what_an_endpoint_refuses_is_not_sent_again() {
    let diagnosis = diagnose(&Endpoint {
        refuses_notes: true,
        refuses_pictures: true,
        refuses_formats: true,
        refuses_thinking: true,
        ..Endpoint::default()
    })
    .await;
    assert_only(
        &diagnosis,
        &[
            (Probe::Note, ProbeVerdict::Fail),
            (Probe::Reasoning, ProbeVerdict::Fail),
            (Probe::ReasoningEcho, ProbeVerdict::Skipped),
            (Probe::Picture, ProbeVerdict::Fail),
            (Probe::ResponseFormat, ProbeVerdict::Fail),
        ],
    );
    let expected = json!({"has_notes": false, "has_images": false, "response_format": "absent"});
    assert_eq!(patch(&diagnosis), expected);
}

#[tokio::test(start_paused = true)]
async fn deepseek_7_an_endpoint_that_takes_json_but_no_schema_is_known_as_such() {
    let diagnosis = diagnose(&Endpoint { refuses_answer_schemas: true, ..Endpoint::default() }).await;
    assert_only(&diagnosis, &[]);
    assert_eq!(patch(&diagnosis)["response_format"], "object_only");
}

#[tokio::test(start_paused = true)]
async fn a_history_that_is_refused_is_written_in_other_ways_until_one_is_taken() {
    let diagnosis = diagnose(&Endpoint {
        wants_names: true,
        wants_bridges: true,
        wants_user_system: true,
        refuses_echo_but: Some(ReasoningEcho::Text),
        ..Endpoint::default()
    })
    .await;
    assert_only(&diagnosis, &[(Probe::UserAfterOutcome, ProbeVerdict::Fail)]);
    let expected = json!({
        "system_role": "user", "names_outcomes": true, "bridges_outcomes": true, "ask": "effort", "echo": "text",
    });
    assert_eq!(patch(&diagnosis), expected);
}

#[tokio::test(start_paused = true)]
async fn r_54_ids_that_are_reused_are_found_out() {
    let diagnosis = diagnose(&Endpoint { reuses_ids: true, ..Endpoint::default() }).await;
    assert_only(&diagnosis, &[(Probe::CallIds, ProbeVerdict::Fail)]);
}

#[tokio::test(start_paused = true)]
async fn a_stumble_is_tried_again_and_teaches_nothing() {
    let diagnosis = diagnose(&Endpoint { stumbles_once: true, ..Endpoint::default() }).await;
    assert_only(&diagnosis, &[]);
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_says_nothing_is_given_up() {
    let diagnosis = diagnose(&Endpoint { is_silent: true, ..Endpoint::default() }).await;
    assert_eq!(verdict(&diagnosis, Probe::PlainAnswer), ProbeVerdict::Fail);
    assert_eq!(verdict(&diagnosis, Probe::Streaming), ProbeVerdict::Skipped);
}

#[tokio::test(start_paused = true)]
async fn an_examination_ends_in_time_although_the_endpoint_hangs() {
    let limits = ExaminationLimits { probe_timeout_ms: 1_000, total_timeout_ms: 3_500 };
    let begun = tokio::time::Instant::now();
    let endpoint = Endpoint { is_slow: true, ..Endpoint::default() };
    let target = target(WireKind::Chat, Quirks::default());
    let diagnosis = examine(&endpoint, &target, &limits, 0, &mut |_| {}).await;
    assert_eq!(begun.elapsed().as_millis(), 3_500);
    let count = |verdict| diagnosis.findings.iter().filter(|finding| finding.verdict == verdict).count();
    assert_eq!((count(ProbeVerdict::Pass), count(ProbeVerdict::Unsure)), (1, 4));
    assert_eq!(count(ProbeVerdict::Skipped), Probe::ALL.len() - 5);
    assert_eq!(patch(&diagnosis), json!({}));
}

#[tokio::test(start_paused = true)]
async fn every_probe_is_announced_and_its_finding_told() {
    let mut told = Vec::new();
    let target = target(WireKind::Chat, Quirks::default());
    let mut note = |progress: DoctorProgress<'_>| {
        told.push(match progress {
            DoctorProgress::Begun(probe) => format!("{probe:?}"),
            DoctorProgress::Found(finding) => finding.probe.title().to_owned(),
        });
    };
    examine(&Endpoint::default(), &target, &ExaminationLimits::default(), 0, &mut note).await;
    assert_eq!(told.len(), 2 * Probe::ALL.len());
    assert_eq!(told[..2], ["PlainAnswer", "answers"]);
}

#[tokio::test(start_paused = true)]
async fn a_diagnosis_survives_storage_and_every_patch_is_a_legal_one() {
    let endpoint =
        Endpoint { refuses_required: true, refuses_notes: true, truncates: true, ..Endpoint::default() };
    for wire in WireKind::ALL {
        let diagnosis = examine_as(&endpoint, &target(wire, Quirks::default())).await;
        let stored = serde_json::to_string(&diagnosis).unwrap();
        assert_eq!(serde_json::from_str::<Diagnosis>(&stored).unwrap(), diagnosis);
        assert!(Quirks::default().patched(&diagnosis.patch).is_ok(), "{}", wire.word());
    }
}

#[tokio::test(start_paused = true)]
async fn forced_choices_are_asked_for_natively_whatever_is_assumed() {
    let endpoint = Endpoint::default();
    let quirks = Quirks { choice: ChoiceForm::Absent, ..Quirks::default() };
    examine_as(&endpoint, &target(WireKind::Chat, quirks)).await;
    let asked = endpoint.choices.lock().unwrap();
    assert!(asked.contains(&(ToolChoice::Required, ChoiceForm::Full)));
    assert!(asked.contains(&(ToolChoice::Named("get_time".to_owned()), ChoiceForm::Full)));
}
