//! What is asked, in the words of the API; and what it answers, in those of the port.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::limits::WISHED_STEPS_MAX;
use windlass_core::permission::{ApproveMode, Question};
use windlass_core::ports::host::{
    Consent, ExplainedGate, Explanation, ForkWish, HostError, OutsideCall, RunStart, RunWishes, StartedRun,
    ToolAnswer,
};
use windlass_core::ports::store::NewSession;
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::{RunId, SessionId};
use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::model::{Effort, Sampling, ToolChoice};
use windlass_core::protocol::tool::ToolOutcome;

/// The body of a new session. `root` is that of the server.
pub(crate) fn new_session(begin: &NewSession, root: &str) -> Result<Value, HostError> {
    let NewSession { title, key, origin, root: wished, profile, model, approve, settings, history, fork } =
        begin;
    let wrong = |field, message: String| Err(HostError::Invalid { field: Some(field), message });
    if !wished.is_empty() && wished != root {
        return wrong("root", format!("sessions of this host work in {root}, not in {wished}"));
    }
    if !history.is_empty() || fork.is_some() {
        let message = "a session behind a server begins empty; fork a run to go on from what was said";
        return wrong("history", message.to_owned());
    }
    let mut body = Map::new();
    put_text(&mut body, "title", title);
    put_text(&mut body, "profile", profile);
    put_text(&mut body, "model", model);
    put_text(&mut body, "origin", origin);
    put(&mut body, "key", key.as_deref());
    put(&mut body, "approve", approve.map(ApproveMode::word));
    if !settings.is_empty() {
        let text = |error| HostError::Broken(format!("the settings cannot be sent: {error}"));
        body.insert("settings".into(), serde_json::to_value(settings).map_err(text)?);
    }
    Ok(Value::Object(body))
}

/// The body of a start.
pub(crate) fn start(start: RunStart) -> Result<Value, HostError> {
    let RunStart { message, wishes, model, profile, executes_while_streaming } = start;
    // What a run begins with, the server knows.
    let RunWishes {
        version: _,
        context,
        context_sources,
        tools_allowed,
        tools,
        tool_choice,
        sampling,
        system,
        finalize_hint,
        steps_max,
        calls_max,
        tokens_max,
        cost_usd_max,
        run_timeout_ms,
        approve,
        form,
        setup: _,
    } = wishes;
    let Sampling { temperature, top_p, output_tokens_max, reasoning_effort, seed, response_format } =
        sampling;
    let (text, images) = said(message)?;
    let mut body = Map::new();
    body.insert("message".into(), text.into());
    body.insert("tools_allowed".into(), tools_allowed.into());
    put(&mut body, "tool_choice", tool_choice.map(choice));
    put(&mut body, "images", (!images.is_empty()).then_some(images));
    put(&mut body, "context", context);
    put(&mut body, "context_sources", (!context_sources.is_empty()).then_some(context_sources));
    put(&mut body, "tools", tools);
    put(&mut body, "system", system);
    put(&mut body, "finalize_hint", finalize_hint);
    put(&mut body, "approve", approve.map(ApproveMode::word));
    // A host takes the nearest number that it allows.
    put(&mut body, "steps_max", steps_max.map(|steps| steps.clamp(1, WISHED_STEPS_MAX)));
    put(&mut body, "calls_max", calls_max);
    put(&mut body, "tokens_max", tokens_max);
    put(&mut body, "cost_usd_max", cost_usd_max);
    put(&mut body, "run_timeout_ms", run_timeout_ms);
    put(&mut body, "form", form.map(|form| json!({"name": form.name, "schema": form.schema})));
    put(&mut body, "temperature", temperature);
    put(&mut body, "top_p", top_p);
    put(&mut body, "output_tokens_max", output_tokens_max);
    put(&mut body, "reasoning_effort", reasoning_effort.map(Effort::word));
    put(&mut body, "seed", seed);
    put(&mut body, "response_format", response_format);
    put(&mut body, "model", model);
    put(&mut body, "profile", profile);
    put(&mut body, "executes_while_streaming", executes_while_streaming);
    Ok(Value::Object(body))
}

/// The text of a message and its pictures.
fn said(message: Message) -> Result<(String, Vec<Value>), HostError> {
    let text = message.text();
    let wrong = || HostError::Invalid {
        field: Some("message"),
        message: "a run begins with what the user says: text and pictures".to_owned(),
    };
    let Message::User { parts } = message else { return Err(wrong()) };
    let mut images = Vec::new();
    for part in parts {
        match part {
            Part::Text { .. } => {}
            Part::Image { media_type, url } => images.push(json!({"media_type": media_type, "url": url})),
            Part::Reasoning(_) | Part::Call(_) => return Err(wrong()),
        }
    }
    Ok((text, images))
}

fn choice(choice: ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => "auto".into(),
        ToolChoice::Required => "required".into(),
        ToolChoice::Forbidden => "none".into(),
        ToolChoice::Named(name) => json!({"name": name}),
    }
}

/// The body of a fork.
pub(crate) fn fork(wish: ForkWish) -> Value {
    let ForkWish { step, model, message, outcome } = wish;
    let mut body = Map::new();
    body.insert("step".into(), step.into());
    put(&mut body, "model", model);
    put(&mut body, "message", message);
    put(&mut body, "outcome", outcome.map(|(call_id, json)| json!({"call_id": call_id, "json": json})));
    Value::Object(body)
}

/// The body of a call from outside.
pub(crate) fn call(call: &OutsideCall) -> Value {
    let OutsideCall { name: _, args, session_id, consent } = call;
    let mut body = Map::new();
    body.insert("arguments".into(), Value::Object(args.clone()));
    put(&mut body, "session_id", session_id.as_ref().map(SessionId::as_str));
    if let Some(Consent { digest, confirmation }) = consent {
        body.insert("digest".into(), digest.as_str().into());
        body.insert("approve".into(), "once".into());
        put(&mut body, "confirmation", confirmation.as_deref());
    }
    Value::Object(body)
}

/// A run that began.
#[derive(Deserialize)]
pub(crate) struct StartedAnswer {
    run_id: RunId,
    session_id: SessionId,
    after_seq: u64,
}

impl From<StartedAnswer> for StartedRun {
    fn from(StartedAnswer { run_id, session_id, after_seq }: StartedAnswer) -> Self {
        Self { run_id, session_id, after_seq }
    }
}

/// What a call from outside gave.
#[derive(Deserialize)]
pub(crate) struct Called {
    outcome: Arc<ToolOutcome>,
    content: String,
}

impl From<Called> for ToolAnswer {
    fn from(Called { outcome, content }: Called) -> Self {
        Self { outcome, content }
    }
}

/// What decides a call.
#[derive(Deserialize)]
pub(crate) struct Explained {
    gates: Vec<ExplainedGate>,
    question: Option<Question>,
}

impl From<Explained> for Explanation {
    fn from(Explained { gates, question }: Explained) -> Self {
        Self { gates, question }
    }
}

#[derive(Deserialize)]
pub(crate) struct RecordPage {
    pub(crate) records: Vec<Arc<Record>>,
    pub(crate) last_seq: u64,
    pub(crate) has_more: bool,
}

fn put(body: &mut Map<String, Value>, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        body.insert(name.to_owned(), value.into());
    }
}

/// An empty text is none.
fn put_text(body: &mut Map<String, Value>, name: &str, text: &str) {
    put(body, name, (!text.is_empty()).then_some(text));
}
