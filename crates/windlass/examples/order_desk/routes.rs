//! The desk over HTTP: customers write, a clerk sees what waits for a yes and decides.

use std::sync::Arc;

use futures::StreamExt;
use serde::Deserialize;
use serde_json::{Value, json};
use windlass::prelude::*;
use windlass::server::axum::extract::{Path, State as Shared};
use windlass::server::axum::http::StatusCode;
use windlass::server::axum::response::{IntoResponse, Response};
use windlass::server::axum::routing::{get, post};
use windlass::server::axum::{Json, Router};

use crate::book::OrderBook;

#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) agent: Windlass,
    pub(crate) book: Arc<OrderBook>,
}

pub(crate) fn routes(desk: Desk) -> Router {
    Router::new()
        .route("/customers/{name}/messages", post(say))
        .route("/customers/{name}/questions", get(questions).post(decide))
        .with_state(desk)
}

/// What a customer writes; comes back with the answer, or with what waits for a clerk.
async fn say(
    Shared(desk): Shared<Desk>,
    Path(name): Path<String>,
    text: String,
) -> Result<Json<Value>, DeskRefusal> {
    let session = desk.agent.session(&name);
    desk.book.customer_speaks(session.id().await?.as_str(), &name)?;
    Ok(Json(follow(session.begin(text).await?).await))
}

/// What waits for a clerk.
async fn questions(Shared(desk): Shared<Desk>, Path(name): Path<String>) -> Result<Json<Value>, DeskRefusal> {
    let waiting = waiting(&desk.agent.session(name)).await?;
    Ok(Json(waiting.iter().map(|(_, question)| shown(question)).collect()))
}

#[derive(Deserialize)]
struct ClerkDecision {
    /// Of the question: a yes holds for the very call that was shown.
    digest: String,
    is_allowed: bool,
}

/// A clerk decides; comes back with the answer to the customer.
async fn decide(
    Shared(desk): Shared<Desk>,
    Path(name): Path<String>,
    Json(decision): Json<ClerkDecision>,
) -> Result<Json<Value>, DeskRefusal> {
    let session = desk.agent.session(name);
    let waiting = waiting(&session).await?;
    let asked = waiting.into_iter().find(|(_, question)| question.digest == decision.digest);
    let (run, question) =
        asked.ok_or(DeskRefusal(StatusCode::NOT_FOUND, "no such question waits".to_owned()))?;
    let word = if decision.is_allowed { Decision::Once } else { Decision::Deny };
    session.answer_question(run.run_id(), &question, PermissionAnswer::new(word)).await?;
    Ok(Json(follow_on(run, &question).await))
}

/// The questions of the run that goes on, if one does.
async fn waiting(session: &AgentSession) -> Result<Vec<(OngoingRun, Question)>, DeskRefusal> {
    let mut found = Vec::new();
    for row in session.runs().await?.into_iter().filter(|row| row.outcome.is_none()) {
        let run = session.find_run(&row.run_id).await?;
        let questions = session.questions(&row.run_id).await?;
        found.extend(questions.into_iter().map(|question| (run.clone(), question)));
    }
    Ok(found)
}

/// Follows a run until it ends or asks.
async fn follow(run: OngoingRun) -> Value {
    until_end_or_question(run, |_| true).await
}

/// The same after a question was answered.
async fn follow_on(run: OngoingRun, answered: &Question) -> Value {
    until_end_or_question(run, |question| question.digest != answered.digest).await
}

async fn until_end_or_question(run: OngoingRun, is_new: impl Fn(&Question) -> bool) -> Value {
    let mut events = run.stream();
    while let Some(event) = events.next().await {
        match event {
            Event::Durable(DurableEvent::PermissionRequested { question }) if is_new(&question) => {
                return json!({"waits_for": shown(&question)});
            }
            Event::Durable(DurableEvent::RunEnded { answer, .. }) => return json!({"answer": answer}),
            _ => {}
        }
    }
    json!({"error": "the desk is closing; the message is kept and answered later"})
}

fn shown(question: &Question) -> Value {
    json!({"tool": question.tool, "arguments": question.arguments, "digest": question.digest})
}

/// Why a request was not served.
pub(crate) struct DeskRefusal(StatusCode, String);

impl<E: Into<Box<dyn std::error::Error>>> From<E> for DeskRefusal {
    fn from(error: E) -> Self {
        Self(StatusCode::INTERNAL_SERVER_ERROR, error.into().to_string())
    }
}

impl IntoResponse for DeskRefusal {
    fn into_response(self) -> Response {
        (self.0, Json(json!({"error": self.1}))).into_response()
    }
}
