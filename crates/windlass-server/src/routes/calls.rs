//! One call of a run, whole: what was asked, what was decided, what it gave.
//!
//! Made of the run's durable records alone; nothing is cut, which is what streams may do (`records`).

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::permission::{Decision, DeniedBy, Question};
use windlass_core::ports::host::RecordQuery;
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::{CallId, Millis, RunId};
use windlass_core::protocol::message::Message;
use windlass_core::protocol::tool::{Category, InnerCall, ToolCall, ToolOutcome, Visibility, see_inside};

use crate::answer::Shown;
use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::extract::PathOf;
use crate::limits::RECORDS_AT_ONCE;
use crate::shown::show_asking;
use crate::state::ServerApp;

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/runs/{id}/calls/{call_id}", get)
            .about("runs", "One call of a run")
            .notes("Whole, whatever a stream of records cut of it.")
            .path_param("id", "The run.")
            .path_param("call_id", "The call.")
            .answers("The call as it is now.")
            .problems(&[ProblemKind::Missing]),
    ]
}

/// A call and all that is on record of it.
#[derive(Serialize, JsonSchema)]
struct ShownCall {
    call: ToolCall,
    category: Category,
    visibility: Visibility,
    requested_ms: Millis,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_ms: Option<Millis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_ms: Option<Millis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<Question>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<Decided>,
    /// The gate that let it run.
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Arc<ToolOutcome>>,
    /// What the model sees of the outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Arc<Message>>,
    /// Calls that it made itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inside: Vec<InnerCall>,
}

/// What somebody or some rule decided.
#[derive(Serialize, JsonSchema)]
struct Decided {
    decision: Decision,
    by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    denied_by: Option<DeniedBy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Box<str>>,
}

async fn get(
    State(app): State<ServerApp>,
    PathOf((id, call_id)): PathOf<(String, String)>,
) -> RouteResult<Shown<ShownCall>> {
    let (run_id, call_id) = (RunId::new(id), CallId::new(call_id));
    let run = app.host.run(&run_id).await?;
    let (mut shown, mut after) = (None, run.first_seq.saturating_sub(1));
    // Page by page: of a long run, one call is kept.
    while after < run.last_seq {
        let query = RecordQuery { after, rows_max: RECORDS_AT_ONCE, has_deltas: false };
        let page = app.host.record_page(&run.session_id, query).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        for record in page.iter().filter(|record| record.run_id == run_id) {
            note(&mut shown, &call_id, record);
        }
    }
    let shown = shown.ok_or_else(|| Problem::missing("call", call_id.as_str()))?;
    let staged = shown.outcome.as_ref().and_then(|outcome| outcome.meta.proposal.as_deref());
    let questions = [("/question", shown.question.as_ref()), ("/outcome/meta/proposal", staged)];
    let questions = questions.into_iter().filter_map(|(place, question)| Some((place, question?)));
    show_asking(&app, &shown, questions)
}

/// Notes what a record says of the call. What a resumed run did again replaces what it did before.
fn note(shown: &mut Option<ShownCall>, wanted: &CallId, record: &Record) {
    let Some(shown) = shown else {
        if let Event::Durable(DurableEvent::CallRequested { call, category, visibility, .. }) = &record.event
            && call.id == *wanted
        {
            *shown = Some(ShownCall::new(call.clone(), *category, *visibility, record.ts_ms));
        }
        return;
    };
    see_inside(&mut shown.inside, wanted.as_str(), record);
    match &record.event {
        Event::Durable(DurableEvent::PermissionRequested { question }) if question.call_id == *wanted => {
            shown.question = Some(question.as_ref().clone().sealed(&record.run_id));
        }
        Event::Durable(DurableEvent::PermissionDecided {
            call_id,
            decision,
            by,
            rule,
            problem,
            denied_by,
            message,
        }) if call_id == wanted => {
            let (decision, denied_by) = (*decision, *denied_by);
            let (by, rule) = (by.clone(), rule.clone());
            let (problem, message) = (problem.clone(), message.clone());
            shown.decision = Some(Decided { decision, by, rule, problem, denied_by, message });
        }
        Event::Durable(DurableEvent::CallStarted { call_id, by, .. }) if call_id == wanted => {
            shown.started_ms = Some(record.ts_ms);
            shown.allowed_by.clone_from(by);
        }
        Event::Durable(DurableEvent::CallEnded { call_id, outcome, message, .. }) if call_id == wanted => {
            shown.ended_ms = Some(record.ts_ms);
            shown.outcome = Some(Arc::clone(outcome));
            shown.message = Some(Arc::clone(message));
        }
        Event::Durable(other) => other.ignored(),
        Event::Delta(_) => {}
    }
}

impl ShownCall {
    fn new(call: ToolCall, category: Category, visibility: Visibility, requested_ms: Millis) -> Self {
        Self {
            call,
            category,
            visibility,
            requested_ms,
            started_ms: None,
            ended_ms: None,
            question: None,
            decision: None,
            allowed_by: None,
            outcome: None,
            message: None,
            inside: Vec::new(),
        }
    }
}
