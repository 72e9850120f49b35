use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use windlass_core::protocol::event::{DurableEvent, Event, Record, RunOutcome, StopReason, WarningCode};
use windlass_core::protocol::ids::{CallId, RunId};
use windlass_core::protocol::message::{Message, Part, ToolMessage};
use windlass_core::protocol::model::{Finish, StepPurpose, Usage};
use windlass_core::protocol::tool::{
    Category, ErrorKind, ToolCall, ToolFailure, ToolOutcome, ToolOutput, Visibility,
};
use windlass_core::text::secret::Secret;

const RUN: &str = "0198a000-1111-7222-8333-444455556666";

/// Events become records a millisecond apart.
struct Journal {
    seq: u64,
    now_ms: u64,
    fold: SpanFold,
    spans: Vec<Span>,
}

impl Journal {
    fn new(rules: SpanRules) -> Self {
        Self { seq: 0, now_ms: 1_700_000_000_000, fold: SpanFold::new(rules), spans: Vec::new() }
    }

    fn add(&mut self, event: Event) -> &mut Self {
        self.seq += 1;
        self.now_ms += 1;
        let record = Record {
            seq: self.seq,
            ts_ms: self.now_ms,
            session_id: "ses".into(),
            run_id: RunId::new(RUN),
            parent_id: "msg".into(),
            event,
            cause: None,
        };
        self.spans.extend(self.fold.take(&record));
        self
    }

    fn span(&self, name: &str) -> &Span {
        self.spans.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("{name}: {:?}", self.spans))
    }
}

fn started() -> Event {
    Event::Durable(DurableEvent::RunStarted {
        model: "gemini/gemini-9".into(),
        profile: "default".into(),
        message: Arc::new(Message::user("my key is sk-planted")),
        wishes: Arc::default(),
    })
}

fn step(step: u32, attempt: u32) -> Event {
    Event::Durable(DurableEvent::StepStarted { step, purpose: StepPurpose::Work, attempt })
}

fn ended(step: u32, text: &str) -> Event {
    let usage = Usage { input: 10, output: 4, cached: 6, reasoning: 2, cost_usd: Some(0.5) };
    let message = Arc::new(Message::Assistant { parts: vec![Part::text(text)] });
    Event::Durable(DurableEvent::StepEnded { step, message, finish: Finish::Stop, usage: Some(usage) })
}

fn requested(number: u64) -> Event {
    let call = ToolCall {
        id: CallId::numbered(number),
        provider_id: Some("toolu_1".into()),
        step: 1,
        index: 0,
        name: "read_file".into(),
        arguments: r#"{"path":"sk-planted"}"#.into(),
        state: None,
    };
    Event::Durable(DurableEvent::CallRequested {
        call,
        category: Category::default(),
        visibility: Visibility::default(),
        vendor: "".into(),
    })
}

fn settled(number: u64, outcome: ToolOutcome) -> Event {
    let call_id = CallId::numbered(number);
    let message = Arc::new(Message::Tool(ToolMessage {
        call_id: call_id.clone(),
        provider_id: None,
        name: "read_file".into(),
        content: "sk-planted".into(),
        is_ok: true,
        is_valid_call: true,
        label: None,
    }));
    Event::Durable(DurableEvent::CallEnded {
        call_id,
        name: "read_file".into(),
        outcome: Arc::new(outcome),
        message,
        category: Category::default(),
        visibility: Visibility::default(),
    })
}

fn over(outcome: RunOutcome) -> Event {
    Event::Durable(DurableEvent::RunEnded {
        outcome,
        reason: StopReason::Answered,
        answer: "sk-planted it is".into(),
        usage: Usage { input: 20, output: 8, ..Usage::default() },
    })
}

fn whole_run(rules: SpanRules) -> Journal {
    let mut journal = Journal::new(rules);
    let refused = ToolFailure::new(ErrorKind::Timeout, "sk-planted took too long");
    journal
        .add(started())
        .add(step(1, 1))
        .add(ended(1, "I look. sk-planted"))
        .add(requested(1))
        .add(requested(2))
        .add(settled(1, ToolOutcome::ok(ToolOutput::text("sk-planted"))))
        .add(settled(2, ToolOutcome::failed(refused)))
        .add(step(2, 1))
        .add(ended(2, "Done."))
        .add(over(RunOutcome::Completed));
    journal
}

fn attribute<'a>(span: &'a Span, name: &str) -> Option<&'a Attribute> {
    span.attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
}

#[test]
fn p_24_calls_hang_on_their_step_and_steps_on_their_run() {
    let journal = whole_run(SpanRules::default());
    assert_eq!(journal.spans.len(), 5);
    let run = journal.span("invoke_agent windlass");
    let step = journal.span("chat gemini-9");
    let call = journal.span("execute_tool read_file");
    assert_eq!((run.parent, step.parent, call.parent), (None, Some(run.span_id), Some(step.span_id)));
    assert!(journal.spans.iter().all(|span| span.trace_id == run.trace_id));
    assert_eq!(run.trace_id.to_string(), RUN.replace('-', ""));
    for span in &journal.spans {
        assert_eq!(attribute(span, "windlass.request_id"), Some(&RUN.into()));
        assert_eq!(attribute(span, "windlass.parent_id"), Some(&"msg".into()));
        assert_eq!(attribute(span, "gen_ai.conversation.id"), Some(&"ses".into()));
    }
    assert_eq!(attribute(call, "gen_ai.tool.call.id"), Some(&"call_1".into()));
    let mut ids: Vec<_> = journal.spans.iter().map(|span| span.span_id.0).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 5);
    assert_eq!(journal.fold.open_runs(), 0);
}

#[test]
fn spans_speak_the_words_of_the_genai_conventions() {
    let journal = whole_run(SpanRules::default());
    let run = journal.span("invoke_agent windlass");
    let step = journal.span("chat gemini-9");
    assert_eq!(attribute(run, "gen_ai.operation.name"), Some(&"invoke_agent".into()));
    assert_eq!(attribute(step, "gen_ai.operation.name"), Some(&"chat".into()));
    assert_eq!(attribute(step, "gen_ai.provider.name"), Some(&"gcp.gemini".into()));
    assert_eq!(attribute(step, "gen_ai.request.model"), Some(&"gemini-9".into()));
    assert_eq!(attribute(step, "gen_ai.usage.input_tokens"), Some(&10_u64.into()));
    assert_eq!(attribute(step, "gen_ai.usage.cache_read.input_tokens"), Some(&6_u64.into()));
    assert_eq!(
        attribute(step, "gen_ai.response.finish_reasons"),
        Some(&Attribute::Texts(vec!["stop".into()]))
    );
    assert_eq!(step.kind, SpanKind::Client);
    assert_eq!((step.start_ms, step.end_ms), (1_700_000_000_002, 1_700_000_000_003));
    let failed = journal.spans.iter().find(|span| span.fault.is_some()).unwrap();
    assert_eq!(attribute(failed, "error.type"), Some(&"timeout".into()));
    assert_eq!(failed.name, "execute_tool read_file");
}

#[test]
fn content_stays_at_home_unless_it_is_asked_for() {
    let quiet = export_request(&Resource::default(), &whole_run(SpanRules::default()).spans).to_string();
    assert!(!quiet.contains("sk-planted") && !quiet.contains("messages"), "{quiet}");
    let redactor = Redactor::new([Secret::new("sk-planted")]);
    let told = whole_run(SpanRules { has_content: true, redactor });
    let text = export_request(&Resource::default(), &told.spans).to_string();
    assert!(!text.contains("sk-planted"), "{text}");
    let call = told.span("execute_tool read_file");
    assert_eq!(attribute(call, "gen_ai.tool.call.arguments"), Some(&r#"{"path":"***"}"#.into()));
    assert_eq!(attribute(call, "gen_ai.tool.call.result"), Some(&"***".into()));
    let run = told.span("invoke_agent windlass");
    let said = json!([{"role": "user", "parts": [{"type": "text", "content": "my key is ***"}]}]);
    assert_eq!(attribute(run, "gen_ai.input.messages"), Some(&said.to_string().into()));
    let answer = json!([{
        "role": "assistant", "parts": [{"type": "text", "content": "*** it is"}], "finish_reason": "stop",
    }]);
    assert_eq!(attribute(run, "gen_ai.output.messages"), Some(&answer.to_string().into()));
}

#[test]
fn tries_of_a_step_are_one_span() {
    let mut journal = Journal::new(SpanRules::default());
    let delayed = Event::Durable(DurableEvent::StepDelayed {
        step: 1,
        attempt: 2,
        attempts_max: 3,
        delay_ms: 500,
        code: "rate_limit".into(),
        usage: None,
        message: "later".into(),
    });
    journal.add(started()).add(step(1, 1)).add(delayed).add(step(1, 2)).add(ended(1, "There."));
    assert_eq!(journal.spans.len(), 1);
    let span = journal.span("chat gemini-9");
    assert_eq!((span.start_ms, span.end_ms), (1_700_000_000_002, 1_700_000_000_005));
    let names: Vec<_> = span.events.iter().map(|event| event.name).collect();
    assert_eq!(names, ["step.delayed", "step.retried"]);
    assert_eq!(span.fault, None);
}

#[test]
fn a_run_that_fails_ends_its_open_step_with_the_same_word() {
    let mut journal = Journal::new(SpanRules::default());
    journal
        .add(started())
        .add(step(1, 1))
        .add(Event::Durable(DurableEvent::ErrorRaised {
            code: "auth".into(),
            message: "the key sk-planted is refused".into(),
        }))
        .add(over(RunOutcome::Failed));
    let names: Vec<_> = journal.spans.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(names, ["chat gemini-9", "invoke_agent windlass"]);
    for span in &journal.spans {
        assert_eq!(attribute(span, "error.type"), Some(&"auth".into()));
        assert_eq!(span.fault, Some(SpanFault { message: None }));
    }
}

#[test]
fn a_corrected_step_has_a_span_of_its_own() {
    let mut journal = Journal::new(SpanRules::default());
    let correction =
        Event::Durable(DurableEvent::StepStarted { step: 1, purpose: StepPurpose::Correction, attempt: 1 });
    journal.add(started()).add(step(1, 1)).add(ended(1, "")).add(correction).add(ended(1, "Right."));
    assert_eq!(journal.spans.len(), 2);
    assert_ne!(journal.spans[0].span_id, journal.spans[1].span_id);
    assert_eq!(attribute(&journal.spans[1], "windlass.step.purpose"), Some(&"correction".into()));
}

#[test]
fn the_same_records_give_the_same_spans_at_any_time() {
    assert_eq!(whole_run(SpanRules::default()).spans, whole_run(SpanRules::default()).spans);
}

#[test]
fn a_fold_that_comes_late_takes_what_it_sees() {
    let mut journal = Journal::new(SpanRules::default());
    journal
        .add(settled(7, ToolOutcome::ok(ToolOutput::text("late"))))
        .add(Event::Durable(DurableEvent::WarningRaised {
            code: WarningCode::Truncated,
            message: String::new(),
        }))
        .add(over(RunOutcome::Completed));
    let call = journal.span("execute_tool read_file");
    let run = journal.span("invoke_agent windlass");
    assert_eq!(call.parent, Some(run.span_id));
    assert_eq!(run.events.len(), 1);
}

#[test]
fn the_body_is_the_json_mapping_of_otlp() {
    let resource =
        Resource { attributes: vec![("service.name".into(), "windlass".into())], version: "0.1.0".into() };
    let journal = whole_run(SpanRules::default());
    let body = export_request(&resource, &journal.spans);
    let scope = &body["resourceSpans"][0]["scopeSpans"][0];
    assert_eq!(scope["schemaUrl"], SCHEMA_URL);
    assert!(SCHEMA_URL.ends_with(SEMCONV_VERSION));
    assert_eq!(body["resourceSpans"][0]["resource"]["attributes"][0]["value"]["stringValue"], "windlass");
    let spans = scope["spans"].as_array().unwrap();
    let step = spans.iter().find(|span| span["name"] == "chat gemini-9").unwrap();
    assert_eq!(step["kind"], 3);
    assert_eq!(step["startTimeUnixNano"], "1700000000002000000");
    assert_eq!(step["traceId"].as_str().map(str::len), Some(32));
    assert_eq!(step["spanId"].as_str().map(str::len), Some(16));
    assert!(step.get("status").is_none());
    let count = |name: &str| {
        let attributes = step["attributes"].as_array().unwrap();
        attributes.iter().find(|pair| pair["key"] == name).map(|pair| pair["value"].clone())
    };
    assert_eq!(count("gen_ai.usage.input_tokens"), Some(json!({"intValue": "10"})));
    assert_eq!(count("windlass.usage.cost_usd"), Some(json!({"doubleValue": 0.5})));
    let failed = spans.iter().find(|span| span.get("status").is_some()).unwrap();
    assert_eq!(failed["status"], json!({"code": 2}));
    let run = spans.iter().find(|span| span.get("parentSpanId").is_none()).unwrap();
    assert_eq!(run["name"], Value::from("invoke_agent windlass"));
}
