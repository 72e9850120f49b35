//! A request without tools of the caller: a run of our engine, with our tools, on this server.
//!
//! The caller's messages become the history of a new session, and the last one starts the run. The caller sees
//! text and thinking; our calls are our business. When the caller goes away, the run is cancelled.

use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use tokio::time::timeout;
use windlass_core::ports::host::{RunStart, ServedPort, StartedRun};
use windlass_core::ports::store::NewSession;
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, Record, RunOutcome};
use windlass_core::protocol::ids::RunId;
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::{ModelFailure, Usage};
use windlass_core::text::redact::{Pieces, Redactor};

use super::chunk::{CompletionHead, OpenaiCompletion, WholeCompletion, finish_of_run};
use super::error::{of_failure, of_host};
use super::request::ChatWishes;
use super::stop::StopCut;
use crate::answer::{EventStream, Shown};
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::routes::answer_text::{AnswerText, ShownText};
use crate::routes::attended::{Attended, Unasked, cancel};
use crate::shown::show;
use crate::shutdown::Closing;
use crate::state::{ServerApp, now_ms};
use crate::stream::{RecordProjection, StreamStart, respond};

/// How long a stream waits for the first sign of an answer, so that what fails at once has its own status.
const FIRST_SIGN_WAIT: Duration = Duration::from_millis(1_000);

/// Starts the run in a session of its own.
async fn begin(
    app: &ServerApp,
    asked: &ChatWishes,
    start: RunStart,
    history: Vec<Arc<Message>>,
) -> RouteResult<StartedRun> {
    let begin = NewSession {
        origin: "openai".into(),
        model: asked.model.clone().unwrap_or_default(),
        history,
        ..NewSession::default()
    };
    let session = app.host.create_session(begin).await.map_err(of_host)?;
    app.host.start_run(&session.session_id, start).await.map_err(of_host)
}

/// Runs it, and answers in one piece.
pub(super) async fn answer(
    app: &ServerApp,
    asked: &ChatWishes,
    start: RunStart,
    history: Vec<Arc<Message>>,
) -> RouteResult<Shown<OpenaiCompletion>> {
    let started = begin(app, asked, start, history).await?;
    let mut attended = Attended::follow(&app.host, started).await.map_err(of_host)?;
    let mut ending = CompletionEnding::default();
    let mut whole = WholeCompletion::default();
    while let Some(record) = attended.next().await.map_err(of_host)? {
        ending.apply(&record.event);
        match &record.event {
            Event::Delta(DeltaEvent::ReasoningDelta { text, .. }) => whole.reasoning.push_str(text),
            Event::Durable(DurableEvent::RunEnded { answer, .. }) => {
                let mut stop = StopCut::new(&asked.stop);
                whole.text = stop.push(answer);
                whole.text.push_str(&stop.finish());
            }
            Event::Durable(other) => other.ignored(),
            Event::Delta(other) => other.ignored(),
        }
    }
    if let Some(problem) = ending.problem {
        return Err(problem);
    }
    (whole.finish, whole.usage) = (ending.finish, ending.usage);
    show(app, &head_of(attended.run_id(), asked, &ending.model).completion(whole))
}

/// Runs it, and streams the answer.
pub(super) async fn stream(
    app: &ServerApp,
    asked: &ChatWishes,
    start: RunStart,
    history: Vec<Arc<Message>>,
    closing: Closing,
) -> RouteResult<EventStream> {
    let started = begin(app, asked, start, history).await?;
    let (run_id, after) = (started.run_id.clone(), started.after_seq);
    let mut attended = Attended::follow(&app.host, started).await.map_err(of_host)?;
    let mut ending = CompletionEnding::default();
    // Nothing within the time is no failure: the stream begins and says that it lives.
    let _ = timeout(FIRST_SIGN_WAIT, first_sign(&mut attended, &mut ending)).await;
    if let Some(problem) = ending.problem {
        return Err(problem);
    }
    let chunks = RunChunks {
        head: head_of(&run_id, asked, &ending.model),
        host: Arc::clone(&app.host),
        redactor: app.redactor.clone(),
        pieces: Pieces::default(),
        answer: AnswerText::default(),
        stop: StopCut::new(&asked.stop),
        // From the beginning: what was heard while waiting is read once more.
        ending: CompletionEnding::default(),
        state: ChunksState::Ready,
    };
    let reading = StreamStart { after, cancels: true, closing };
    let response = respond(app, &run_id, reading, Unasked::new(&app.host, chunks)).await?;
    // Not before the stream attends it: a client that goes away until then still cancels the run.
    attended.leave();
    Ok(response)
}

/// Follows a run until it says something or ends.
async fn first_sign(attended: &mut Attended, ending: &mut CompletionEnding) -> RouteResult<()> {
    while let Some(record) = attended.next().await? {
        ending.apply(&record.event);
        if matches!(
            record.event,
            Event::Delta(DeltaEvent::TextDelta { .. }) | Event::Delta(DeltaEvent::ReasoningDelta { .. })
        ) {
            break;
        }
    }
    Ok(())
}

fn head_of(run_id: &RunId, asked: &ChatWishes, model: &str) -> CompletionHead {
    CompletionHead {
        id: format!("chatcmpl-{run_id}"),
        created_s: now_ms() / 1_000,
        model: model.to_owned(),
        has_usage_chunk: asked.has_usage_chunk,
    }
}

/// What the end of a run means for the caller.
#[derive(Debug, Default)]
struct CompletionEnding {
    model: String,
    failure: Option<ModelFailure>,
    finish: &'static str,
    usage: Usage,
    problem: Option<Problem>,
}

impl CompletionEnding {
    fn apply(&mut self, event: &Event) {
        match event {
            Event::Durable(DurableEvent::RunStarted { model, .. }) => self.model.clone_from(model),
            Event::Durable(DurableEvent::ErrorRaised { code, message }) => {
                self.failure = Some(ModelFailure::fatal(code.clone(), message.clone()));
            }
            Event::Durable(DurableEvent::RunEnded { outcome, reason, usage, answer }) => {
                self.finish = finish_of_run(*outcome, reason);
                self.usage = *usage;
                self.problem = (*outcome == RunOutcome::Failed).then(|| match &self.failure {
                    Some(failure) => of_failure(failure),
                    None => Problem::new(ProblemKind::Upstream, "run_failed", answer.clone()),
                });
            }
            Event::Durable(other) => other.ignored(),
            Event::Delta(_) => {}
        }
    }
}

/// A run as chunks of an OpenAI stream.
struct RunChunks {
    head: CompletionHead,
    host: Arc<dyn ServedPort>,
    redactor: Redactor,
    /// A stop word may have parted what came whole.
    pieces: Pieces,
    answer: AnswerText,
    stop: StopCut,
    ending: CompletionEnding,
    state: ChunksState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChunksState {
    Ready,
    Begun,
    Done,
}

impl RunChunks {
    fn say(&mut self, text: String, out: &mut BytesMut) {
        let pieces = self.pieces.push(&self.redactor, text);
        self.put(pieces, out);
    }

    fn say_rest(&mut self, out: &mut BytesMut) {
        let pieces = self.pieces.finish(&self.redactor);
        self.put(pieces, out);
    }

    fn put(&self, pieces: [Option<String>; 2], out: &mut BytesMut) {
        for piece in pieces.iter().flatten() {
            out.extend_from_slice(self.head.text(&self.redactor.clean(piece)).as_bytes());
        }
    }

    fn end(&mut self, out: &mut BytesMut) {
        let rest = self.stop.finish();
        self.say(rest, out);
        self.say_rest(out);
        let end = match &self.ending.problem {
            Some(problem) => CompletionHead::failure(problem),
            None => self.head.end(self.ending.finish, &self.ending.usage),
        };
        out.extend_from_slice(end.as_bytes());
        self.state = ChunksState::Done;
    }
}

impl RecordProjection for RunChunks {
    fn write(&mut self, record: &Record, out: &mut BytesMut) {
        if self.state == ChunksState::Done {
            return;
        }
        if self.state == ChunksState::Ready {
            self.state = ChunksState::Begun;
            if let Event::Durable(DurableEvent::RunStarted { model, .. }) = &record.event {
                self.head.model.clone_from(model);
            }
            out.extend_from_slice(self.head.role().as_bytes());
        }
        self.ending.apply(&record.event);
        match self.answer.apply(&record.event) {
            Some(ShownText::Text(text)) => {
                let text = self.stop.push(&text);
                self.say(text, out);
            }
            Some(ShownText::Reasoning(text)) => {
                out.extend_from_slice(self.head.reasoning(&self.redactor.clean(&text)).as_bytes());
            }
            None => {}
        }
        if self.stop.is_cut() {
            // The rest of the run is of no use to anybody.
            cancel(&self.host, &record.run_id);
            self.say_rest(out);
            out.extend_from_slice(self.head.end("stop", &self.ending.usage).as_bytes());
            self.state = ChunksState::Done;
        } else if matches!(record.event, Event::Durable(DurableEvent::RunEnded { .. })) {
            self.end(out);
        }
    }
}
