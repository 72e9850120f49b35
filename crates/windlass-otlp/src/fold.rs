//! The fold: records in, spans that have ended out.

use std::collections::HashMap;

use crate::content::{clean, finish_word, messages};
use crate::names::{
    call_attributes, count, provider_word, purpose_word, put_ids, put_usage, span_id, trace_id,
};
use crate::{
    Attribute, Attributes, SPAN_EVENTS_MAX, Span, SpanEvent, SpanFault, SpanId, SpanKind, SpanRules, TraceId,
};
use windlass_core::protocol::event::{DurableEvent, Event, Record, RunOutcome};
use windlass_core::protocol::ids::{CallId, Millis, RunId};
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::{Finish, Usage};
use windlass_core::protocol::tool::{ToolCall, ToolOutcome};

/// Runs that are followed at once; the oldest is let go of above it (a run that never ends would stay).
const RUNS_MAX: usize = 10_000;

/// Follows any number of runs and says which spans have ended.
#[derive(Debug, Default)]
pub struct SpanFold {
    rules: SpanRules,
    runs: HashMap<RunId, OpenRunSpan>,
}

/// A run that goes on.
#[derive(Debug)]
struct OpenRunSpan {
    trace_id: TraceId,
    span_id: SpanId,
    provider: String,
    model: String,
    start_ms: Millis,
    attributes: Attributes,
    events: Vec<SpanEvent>,
    step: Option<OpenStepSpan>,
    /// The step whose calls are running.
    last_step: Option<SpanId>,
    calls: HashMap<CallId, OpenCallSpan>,
    error: Option<(String, String)>,
}

#[derive(Debug)]
struct OpenStepSpan {
    span_id: SpanId,
    start_ms: Millis,
    attributes: Attributes,
    events: Vec<SpanEvent>,
}

#[derive(Debug)]
struct OpenCallSpan {
    parent: SpanId,
    start_ms: Millis,
    attributes: Attributes,
    events: Vec<SpanEvent>,
}

impl SpanFold {
    /// A fold with rules of its own.
    pub fn new(rules: SpanRules) -> Self {
        Self { rules, runs: HashMap::new() }
    }

    /// Runs that have not ended.
    pub fn open_runs(&self) -> usize {
        self.runs.len()
    }

    /// Whether the beginning of a run is known.
    pub fn knows(&self, run_id: &RunId) -> bool {
        self.runs.contains_key(run_id)
    }

    /// Takes a record; gives the spans that it ended.
    pub fn take(&mut self, record: &Record) -> Vec<Span> {
        if !record.event.is_durable() {
            return Vec::new();
        }
        if !self.runs.contains_key(&record.run_id) {
            self.make_room();
            self.runs.insert(record.run_id.clone(), OpenRunSpan::begin(record));
        }
        let Some(run) = self.runs.get_mut(&record.run_id) else { return Vec::new() };
        let ended = run.take(&self.rules, record);
        if matches!(record.event, Event::Durable(DurableEvent::RunEnded { .. })) {
            self.runs.remove(&record.run_id);
        }
        ended
    }

    fn make_room(&mut self) {
        if self.runs.len() < RUNS_MAX {
            return;
        }
        let oldest = self.runs.iter().min_by_key(|(_, run)| run.start_ms).map(|(run_id, _)| run_id.clone());
        if let Some(oldest) = oldest {
            self.runs.remove(&oldest);
        }
    }
}

impl OpenRunSpan {
    fn begin(record: &Record) -> Self {
        let mut attributes: Attributes =
            vec![("gen_ai.operation.name", "invoke_agent".into()), ("gen_ai.agent.name", "windlass".into())];
        put_ids(&mut attributes, record);
        Self {
            trace_id: trace_id(&record.run_id),
            span_id: span_id(&record.run_id, "run", ""),
            provider: String::new(),
            model: String::new(),
            start_ms: record.ts_ms,
            attributes,
            events: Vec::new(),
            step: None,
            last_step: None,
            calls: HashMap::new(),
            error: None,
        }
    }

    fn take(&mut self, rules: &SpanRules, record: &Record) -> Vec<Span> {
        let at_ms = record.ts_ms;
        let Event::Durable(event) = &record.event else {
            return Vec::new();
        };
        match event {
            DurableEvent::RunStarted { model, profile, message, .. } => {
                self.start_run(rules, model, profile, message)
            }
            DurableEvent::RunResumed { interrupted, repeated, .. } => {
                let interrupted = ("windlass.calls.interrupted", count(interrupted.len()));
                let repeated = ("windlass.calls.repeated", count(repeated.len()));
                self.note("run.resumed", at_ms, vec![interrupted, repeated]);
            }
            DurableEvent::EditApplied { .. } => self.note("edit.applied", at_ms, Vec::new()),
            DurableEvent::StepStarted { step, purpose, attempt } => {
                return self.start_step(record, *step, purpose_word(*purpose), *attempt);
            }
            DurableEvent::StepDelayed { attempt, delay_ms, code, .. } => self.note_in_step(
                "step.delayed",
                at_ms,
                vec![
                    ("windlass.attempt", (*attempt).into()),
                    ("windlass.delay_ms", (*delay_ms).into()),
                    ("error.type", code.as_str().into()),
                ],
            ),
            DurableEvent::RequestAdjusted { kind, rule, .. } => self.note_in_step(
                "request.adjusted",
                at_ms,
                vec![
                    ("windlass.adjustment.kind", kind.word().into()),
                    ("windlass.adjustment.rule", rule.as_str().into()),
                ],
            ),
            DurableEvent::StepEnded { message, finish, usage, .. } => {
                return self.end_step(rules, at_ms, message, finish, usage.as_ref()).into_iter().collect();
            }
            DurableEvent::CallRequested { call, .. } => self.request_call(rules, record, call),
            DurableEvent::PermissionRequested { question } => {
                self.note_in_call(&question.call_id, "permission.requested", at_ms, Vec::new());
            }
            DurableEvent::PermissionDecided { call_id, by, .. } => {
                let by = vec![("windlass.by", by.as_str().into())];
                self.note_in_call(call_id, "permission.decided", at_ms, by);
            }
            DurableEvent::CallStarted { call_id, by, .. } => {
                let by = by.as_deref().map(|by| ("windlass.by", by.into()));
                self.note_in_call(call_id, "call.started", at_ms, by.into_iter().collect());
            }
            DurableEvent::InnerCallStarted { .. } | DurableEvent::InnerCallEnded { .. } => {
                self.note_inner(record)
            }
            DurableEvent::CallEnded { call_id, name, outcome, .. } => {
                return vec![self.end_call(rules, record, call_id, name, outcome)];
            }
            DurableEvent::WarningRaised { code, .. } => {
                self.note("warning", at_ms, vec![("windlass.warning.code", code.word().into())]);
            }
            DurableEvent::ErrorRaised { code, message } => self.error = Some((code.clone(), message.clone())),
            DurableEvent::RunEnded { outcome, answer, usage, .. } => {
                return self.end(rules, record, *outcome, answer, usage);
            }
            other => other.ignored(),
        }
        Vec::new()
    }

    fn start_run(&mut self, rules: &SpanRules, model: &str, profile: &str, message: &Message) {
        self.name_model(model, profile);
        if rules.has_content {
            self.attributes.push(("gen_ai.input.messages", messages(rules, message, None).into()));
        }
    }

    fn name_model(&mut self, model: &str, profile: &str) {
        let (provider, bare) = model.split_once('/').unwrap_or(("", model));
        self.provider = provider_word(provider).to_owned();
        self.model = bare.to_owned();
        self.attributes.push(("gen_ai.provider.name", self.provider.as_str().into()));
        self.attributes.push(("gen_ai.request.model", bare.into()));
        self.attributes.push(("windlass.profile", profile.into()));
    }

    /// One span holds all tries of a step; a step that was never ended is ended by the next.
    fn start_step(&mut self, record: &Record, step: u32, purpose: &'static str, attempt: u32) -> Vec<Span> {
        if attempt > 1 && self.step.is_some() {
            self.note_in_step("step.retried", record.ts_ms, vec![("windlass.attempt", attempt.into())]);
            return Vec::new();
        }
        let unfinished = self.break_step(record.ts_ms, "abandoned");
        let mut attributes: Attributes = vec![
            ("gen_ai.operation.name", "chat".into()),
            ("gen_ai.provider.name", self.provider.as_str().into()),
            ("gen_ai.request.model", self.model.as_str().into()),
        ];
        put_ids(&mut attributes, record);
        attributes.push(("windlass.step", step.into()));
        attributes.push(("windlass.step.purpose", purpose.into()));
        // A correction has the number of the step that it corrects: the record's own number tells them apart.
        let span_id = span_id(&record.run_id, "step", &record.seq.to_string());
        self.step = Some(OpenStepSpan { span_id, start_ms: record.ts_ms, attributes, events: Vec::new() });
        self.last_step = Some(span_id);
        unfinished.into_iter().collect()
    }

    fn end_step(
        &mut self,
        rules: &SpanRules,
        at_ms: Millis,
        message: &Message,
        finish: &Finish,
        usage: Option<&Usage>,
    ) -> Option<Span> {
        let mut step = self.step.take()?;
        let finishes = Attribute::Texts(vec![finish_word(finish).to_owned()]);
        step.attributes.push(("gen_ai.response.finish_reasons", finishes));
        if let Some(usage) = usage {
            put_usage(&mut step.attributes, usage);
        }
        if rules.has_content {
            let said = messages(rules, message, Some(finish));
            step.attributes.push(("gen_ai.output.messages", said.into()));
        }
        Some(self.step_span(step, at_ms, None))
    }

    /// The open step ends without an answer.
    fn break_step(&mut self, at_ms: Millis, why: &str) -> Option<Span> {
        let mut step = self.step.take()?;
        step.attributes.push(("error.type", why.into()));
        Some(self.step_span(step, at_ms, Some(SpanFault { message: None })))
    }

    fn step_span(&self, step: OpenStepSpan, end_ms: Millis, fault: Option<SpanFault>) -> Span {
        Span {
            trace_id: self.trace_id,
            span_id: step.span_id,
            parent: Some(self.span_id),
            name: format!("chat {}", self.model).trim_end().to_owned(),
            kind: SpanKind::Client,
            start_ms: step.start_ms,
            end_ms,
            attributes: step.attributes,
            events: step.events,
            fault,
        }
    }

    fn request_call(&mut self, rules: &SpanRules, record: &Record, call: &ToolCall) {
        let mut attributes = call_attributes(record, &call.id, &call.name);
        attributes.push(("windlass.step", call.step.into()));
        if let Some(provider_id) = &call.provider_id {
            attributes.push(("windlass.call.provider_id", provider_id.as_str().into()));
        }
        if rules.has_content {
            attributes.push(("gen_ai.tool.call.arguments", clean(rules, &call.arguments).into()));
        }
        let parent = self.last_step.unwrap_or(self.span_id);
        let open = OpenCallSpan { parent, start_ms: record.ts_ms, attributes, events: Vec::new() };
        self.calls.insert(call.id.clone(), open);
    }

    fn end_call(
        &mut self,
        rules: &SpanRules,
        record: &Record,
        call_id: &CallId,
        name: &str,
        outcome: &ToolOutcome,
    ) -> Span {
        // What was asked for before this fold began is known by its end alone.
        let call = self.calls.remove(call_id).unwrap_or_else(|| OpenCallSpan {
            parent: self.last_step.unwrap_or(self.span_id),
            start_ms: outcome.meta.started_ms.min(record.ts_ms),
            attributes: call_attributes(record, call_id, name),
            events: Vec::new(),
        });
        let mut attributes = call.attributes;
        attributes.push(("windlass.call.outcome", outcome.status().word().into()));
        attributes.push(("windlass.call.duration_ms", outcome.meta.duration_ms.into()));
        attributes.push(("windlass.call.output_bytes", outcome.meta.output_bytes.into()));
        if outcome.meta.is_cached {
            attributes.push(("windlass.call.cached", true.into()));
        }
        let fault = outcome.failure().map(|failure| {
            attributes.push(("error.type", failure.kind.word().into()));
            SpanFault { message: rules.has_content.then(|| clean(rules, &failure.message)) }
        });
        if let (true, Ok(output)) = (rules.has_content, &outcome.body) {
            attributes.push(("gen_ai.tool.call.result", clean(rules, &output.readable()).into()));
        }
        Span {
            trace_id: self.trace_id,
            span_id: span_id(&record.run_id, "call", call_id.as_str()),
            parent: Some(call.parent),
            name: format!("execute_tool {name}"),
            kind: SpanKind::Internal,
            start_ms: call.start_ms,
            end_ms: record.ts_ms,
            attributes,
            events: call.events,
            fault,
        }
    }

    fn end(
        &mut self,
        rules: &SpanRules,
        record: &Record,
        outcome: RunOutcome,
        answer: &str,
        usage: &Usage,
    ) -> Vec<Span> {
        let error = self.error.take();
        let why = error.as_ref().map_or(outcome.word(), |(code, _)| code.as_str()).to_owned();
        let mut ended: Vec<Span> = self.break_step(record.ts_ms, &why).into_iter().collect();
        let mut attributes = std::mem::take(&mut self.attributes);
        put_usage(&mut attributes, usage);
        attributes.push(("windlass.run.outcome", outcome.word().into()));
        if rules.has_content {
            let said = messages(rules, &Message::assistant(answer), Some(&Finish::Stop));
            attributes.push(("gen_ai.output.messages", said.into()));
        }
        let fault = (outcome == RunOutcome::Failed).then(|| {
            attributes.push(("error.type", why.as_str().into()));
            let message = error.filter(|_| rules.has_content).map(|(_, text)| clean(rules, &text));
            SpanFault { message }
        });
        ended.push(Span {
            trace_id: self.trace_id,
            span_id: self.span_id,
            parent: None,
            name: "invoke_agent windlass".to_owned(),
            kind: SpanKind::Internal,
            start_ms: self.start_ms,
            end_ms: record.ts_ms,
            attributes,
            events: std::mem::take(&mut self.events),
            fault,
        });
        ended
    }

    fn note(&mut self, name: &'static str, at_ms: Millis, attributes: Attributes) {
        put_event(&mut self.events, SpanEvent { at_ms, name, attributes });
    }

    fn note_in_step(&mut self, name: &'static str, at_ms: Millis, attributes: Attributes) {
        let events = self.step.as_mut().map_or(&mut self.events, |step| &mut step.events);
        put_event(events, SpanEvent { at_ms, name, attributes });
    }

    /// A call inside a call is told in the span of that one.
    fn note_inner(&mut self, record: &Record) {
        let (call_id, path, name, mut attributes) = match &record.event {
            Event::Durable(DurableEvent::InnerCallStarted { call_id, path, name, .. }) => {
                let tool = ("gen_ai.tool.name", name.as_str().into());
                (call_id, path, "inner_call.started", vec![tool])
            }
            Event::Durable(DurableEvent::InnerCallEnded { call_id, path, status, duration_ms, .. }) => {
                let outcome = ("windlass.call.outcome", status.word().into());
                let took = ("windlass.call.duration_ms", (*duration_ms).into());
                (call_id, path, "inner_call.ended", vec![outcome, took])
            }
            Event::Durable(other) => return other.ignored(),
            Event::Delta(_) => return,
        };
        let place = path.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
        attributes.push(("windlass.call.path", place.as_str().into()));
        self.note_in_call(call_id, name, record.ts_ms, attributes);
    }

    fn note_in_call(&mut self, call_id: &CallId, name: &'static str, at_ms: Millis, attributes: Attributes) {
        if let Some(call) = self.calls.get_mut(call_id) {
            put_event(&mut call.events, SpanEvent { at_ms, name, attributes });
        }
    }
}

fn put_event(events: &mut Vec<SpanEvent>, event: SpanEvent) {
    if events.len() < SPAN_EVENTS_MAX {
        events.push(event);
    }
}
