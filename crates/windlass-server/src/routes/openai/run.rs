//! A request without tools of the caller: a run of our engine, with our tools, on this server.
//!
//! The caller's messages become the history of a new session, and the last one starts the run. The caller sees
//! text and thinking; our calls are our business. When the caller goes away, the run is cancelled.

use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use bytes::BytesMut;
use serde_json::Value;
use windlass_core::event::{Event, Record, RunOutcome};
use windlass_core::host::{HostPort, RunStart};
use windlass_core::ids::RunId;
use windlass_core::message::{Message, Part};
use windlass_core::model::ModelFailure;
use windlass_core::redact::Redactor;
use windlass_core::store::NewSession;

use super::chunk::{Head, Whole, finish_of_run};
use super::error::{of_failure, of_host};
use super::request::Asked;
use super::stop::StopCut;
use crate::error::{Answer, Problem};
use crate::routes::answer_text::{AnswerText, Shown};
use crate::routes::attended::{Asking, Attended};
use crate::state::{App, now_ms};
use crate::stream::{Projection, Reading, respond};

/// How long a stream waits for the first sign of an answer, so that what fails at once has its own status.
const FIRST_SIGN_WAIT: Duration = Duration::from_millis(1_000);

/// Runs it, and answers in one piece.
pub(super) async fn answer(app: &App, asked: &Asked, start: RunStart, history: Vec<Arc<Message>>) -> Answer<Value> {
    let mut attended = begin(app, asked, start, history).await?;
    let mut fold = Fold::new(asked);
    while let Some(record) = attended.next().await? {
        fold.apply(&record);
        if fold.stop.is_cut() {
            attended.cancel().await;
            break;
        }
    }
    if let Some(problem) = fold.problem.take() {
        return Err(problem);
    }
    let head = head_of(attended.run_id(), asked, &fold.model);
    Ok(app.redactor.value(head.completion(&fold.whole())))
}

/// Runs it, and streams the answer.
pub(super) async fn stream(app: &App, asked: &Asked, start: RunStart, history: Vec<Arc<Message>>) -> Answer<Response> {
    let attended = begin(app, asked, start, history).await?;
    let (run_id, after, model) = attended.hand_over(FIRST_SIGN_WAIT, is_sign).await?;
    let chunks = Chunks {
        head: head_of(&run_id, asked, &model),
        fold: Fold::new(asked),
        host: Arc::clone(&app.host),
        redactor: app.redactor.clone(),
        has_begun: false,
        is_done: false,
    };
    let reading = Reading { after, cancels: true, ..Reading::default() };
    respond(app, &run_id, reading, chunks).await
}
