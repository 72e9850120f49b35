//! EDISON's own stream: named events `init`, `token`, `status` and `done`, of which there is exactly one.

use bytes::BytesMut;
use serde_json::{Value, json};
use windlass_core::protocol::event::{DurableEvent, Event, Record, RunOutcome};
use windlass_core::text::redact::{Pieces, Redactor};

use super::fold::EdisonRun;
use super::requests::RunningRequest;
use crate::routes::answer_text::{AnswerText, ShownText};
use crate::routes::openai::told_of;
use crate::state::ServerApp;
use crate::stream::RecordProjection;

/// A run as EDISON's frames.
pub(crate) struct EdisonFrames {
    /// The id of the request; the run's own if the client gave none.
    request_id: Option<String>,
    mode: String,
    /// Tools that ran before the run (the heuristic search).
    tools_before: Vec<String>,
    redactor: Redactor,
    /// A second try may go on where the first was cut, inside a secret.
    pieces: Pieces,
    answer: AnswerText,
    told: EdisonRun,
}

impl EdisonFrames {
    /// Frames of a run that no EDISON request began.
    pub(crate) fn new(app: &ServerApp) -> Self {
        Self::of(app, None, "agent".to_owned(), Vec::new())
    }

    pub(super) fn of(
        app: &ServerApp,
        request_id: Option<String>,
        mode: String,
        tools_before: Vec<String>,
    ) -> Self {
        Self {
            request_id,
            mode,
            tools_before,
            redactor: app.redactor.clone(),
            pieces: Pieces::default(),
            answer: AnswerText::default(),
            told: EdisonRun::default(),
        }
    }

    fn put(&self, name: &str, mut payload: Value, out: &mut BytesMut) {
        self.redactor.clean_value(&mut payload);
        out.extend_from_slice(format!("event: {name}\ndata: {payload}\n\n").as_bytes());
    }

    fn put_tokens(&self, pieces: [Option<String>; 2], out: &mut BytesMut) {
        for piece in pieces.into_iter().flatten() {
            self.put("token", json!({"t": piece}), out);
        }
    }

    fn done(&self) -> Value {
        let tools: Vec<&String> = self.tools_before.iter().chain(&self.told.tools_used).collect();
        match (&self.told.failure, self.told.outcome) {
            (Some(failure), _) => {
                json!({"ok": false, "mode_used": self.mode, "error": told_of(failure), "code": failure.kind})
            }
            (None, Some(RunOutcome::Cancelled)) => json!({
                "ok": false, "mode_used": self.mode, "stopped": true, "response": self.told.answer,
                "tools_used": tools,
            }),
            (None, _) => json!({
                "ok": true, "mode_used": self.mode, "response": self.told.answer,
                "model_used": self.told.model, "tools_used": tools,
            }),
        }
    }
}

impl RecordProjection for EdisonFrames {
    fn write(&mut self, record: &Record, out: &mut BytesMut) {
        if let Event::Durable(DurableEvent::RunStarted { .. }) = record.event {
            let request_id = self.request_id.as_deref().unwrap_or(record.run_id.as_str());
            let init = json!({
                "request_id": request_id, "run_id": record.run_id, "session_id": record.session_id,
                "mode_used": self.mode,
            });
            self.put("init", init, out);
        }
        if let Some(status) = self.told.apply(&record.event) {
            self.put("status", status, out);
        }
        match self.answer.apply(&record.event) {
            Some(ShownText::Text(text)) => {
                let pieces = self.pieces.push(&self.redactor, text);
                self.put_tokens(pieces, out);
            }
            Some(ShownText::Reasoning(_)) | None => {}
        }
        if let Event::Durable(DurableEvent::RunEnded { .. }) = record.event {
            let rest = self.pieces.finish(&self.redactor);
            self.put_tokens(rest, out);
            self.put("done", self.done(), out);
        }
    }
}

/// A stream that belongs to a request which can be cancelled by its id as long as the stream goes on.
#[expect(dead_code, reason = "the entry is held, not read: it is forgotten with the stream")]
pub(super) struct Named<P> {
    pub(super) inner: P,
    pub(super) entry: Option<RunningRequest>,
}

impl<P: RecordProjection> RecordProjection for Named<P> {
    fn write(&mut self, record: &Record, out: &mut BytesMut) {
        self.inner.write(record, out);
    }
}
