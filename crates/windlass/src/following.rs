//! Runs are followed: to their answer, or event by event.

use futures::{Stream, StreamExt, stream};
use windlass_core::ports::BoxStream;
use windlass_core::ports::host::{HostDelivery, HostError};
use windlass_core::protocol::cause::Cause;
use windlass_core::protocol::event::{DurableEvent, Event, Record, RunOutcome, StopReason};
use windlass_core::protocol::ids::RunId;
use windlass_core::protocol::trace::RunTrace;
use windlass_core::run::RunError;

use std::sync::Arc;

use crate::answer::Answer;
use crate::error::{WindlassError, WrongAnswer};
use crate::order::RunOrder;
use crate::session::AgentSession;
use crate::session_host::{is_end, read};
use crate::worker;

/// A run that goes on: just begun, taken up after a stop, or forked from another. It goes on whether somebody waits or
/// not.
#[derive(Debug, Clone)]
pub struct OngoingRun {
    session: AgentSession,
    run_id: RunId,
    after: u64,
}

impl OngoingRun {
    /// `after` is the number before the first record of the run.
    pub(crate) fn new(session: AgentSession, run_id: RunId, after: u64) -> Self {
        Self { session, run_id, after }
    }

    /// Its id.
    pub fn run_id(&self) -> &RunId {
        &self.run_id
    }

    /// Its session.
    pub fn session(&self) -> &AgentSession {
        &self.session
    }

    /// Waits for its answer, with the trace of the whole run.
    pub async fn answer(self) -> Result<Answer, WindlassError> {
        worker::inside(async move {
            let records = self.session.host.run_records(&self.run_id, self.after).await?;
            recorded_answer(&records)
        })
        .await
    }

    /// Stops it; one that has ended stays as it is. What it did until then stays on record.
    pub async fn cancel(&self) -> Result<(), WindlassError> {
        let (host, run_id) = (Arc::clone(&self.session.host.port), self.run_id.clone());
        worker::inside(async move { Ok(host.cancel(&run_id).await?) }).await
    }

    /// Waits for its answer, blocking this thread.
    pub fn answer_sync(self) -> Result<Answer, WindlassError> {
        worker::block(self.answer())?
    }

    /// Everything that happened and happens in it until it has ended.
    pub fn stream(self) -> BoxStream<'static, Event> {
        worker::inside_stream(events_of(stream::unfold(Streaming::Begun(self), Streaming::next)))
    }
}

/// What is followed: a record, or why no more can be.
pub(crate) type Followed = Result<Arc<Record>, HostError>;

/// Says something and waits for the answer.
pub(crate) async fn run(session: AgentSession, order: RunOrder) -> Result<Answer, WindlassError> {
    let session_id = session.begun().await?;
    let host = &session.host;
    let (started, finished) = host.start(&session_id, order.into_start()).await?;
    let Some(finished) = finished else {
        return recorded_answer(&host.run_records(&started.run_id, started.after_seq).await?);
    };
    let (records, _) = read(host.events_at_end(&started.run_id, started.after_seq).await?).await;
    // A run that was parked meanwhile, or ends after that, has its end on record alone.
    let Ok(finished) = finished.await else { return recorded_answer(&records) };
    let trace = RunTrace::fold(records.iter().map(AsRef::as_ref));
    match finished.error {
        None => {}
        Some(RunError::Malformed(problem)) => {
            return Err(WrongAnswer { text: finished.answer, problem, trace }.into());
        }
        Some(error) => return Err(WindlassError::Run(Box::new(error))),
    }
    Ok(Answer {
        text: finished.answer,
        outcome: finished.outcome,
        reason: finished.reason,
        trace,
        usage: finished.usage,
    })
}

/// Says something and gives everything that happens.
pub(crate) fn stream(session: AgentSession, order: RunOrder) -> BoxStream<'static, Event> {
    worker::inside_stream(events_of(records(session, order)))
}

/// Says something and gives the records of the run.
pub(crate) fn records(session: AgentSession, order: RunOrder) -> impl Stream<Item = Followed> + Send {
    stream::unfold(Streaming::Begin(Box::new((session, order))), Streaming::next)
}

fn events_of(followed: impl Stream<Item = Followed>) -> impl Stream<Item = Event> {
    followed.map(|followed| match followed {
        Ok(record) => record.event.clone(),
        Err(error) => Event::Durable(DurableEvent::ErrorRaised {
            code: "session".to_owned(),
            message: error.to_string(),
        }),
    })
}

/// The answer of a run, from its records alone.
pub(crate) fn recorded_answer(records: &[Arc<Record>]) -> Result<Answer, WindlassError> {
    let end = records.iter().rev().find_map(|record| match &record.event {
        Event::Durable(DurableEvent::RunEnded { outcome, reason, answer, usage }) => {
            Some((*outcome, reason.clone(), answer.clone(), *usage))
        }
        Event::Durable(other) => other.ignored(),
        Event::Delta(_) => None,
    });
    // The agent was closed meanwhile: the run goes on when it is taken up.
    let Some((outcome, reason, text, usage)) = end else { return Err(HostError::Closing.into()) };
    let trace = RunTrace::fold(records.iter().map(AsRef::as_ref));
    if outcome == RunOutcome::Failed {
        return Err(recorded_error(records, reason, text, trace));
    }
    Ok(Answer { text, outcome, reason, trace, usage })
}

/// Why a run failed, from its records alone: the same error that a caller who saw it fail has, as far as the records
/// hold it whole.
fn recorded_error(
    records: &[Arc<Record>],
    reason: StopReason,
    answer: String,
    trace: RunTrace,
) -> WindlassError {
    let said = records.iter().rev().find_map(|record| match &record.event {
        Event::Durable(DurableEvent::ErrorRaised { message, .. }) => Some(message.clone()),
        Event::Durable(other) => other.ignored(),
        Event::Delta(_) => None,
    });
    // On record, what is wrong with an answer stands in the sentence that tells of it.
    let sentence = RunError::Malformed(String::new()).to_string();
    if let Some(problem) = said.as_deref().and_then(|message| message.strip_prefix(&sentence)) {
        return WrongAnswer { text: answer, problem: problem.to_owned(), trace }.into();
    }
    let message = said.unwrap_or(answer);
    let known = match reason {
        StopReason::ModelFailed => records.iter().rev().find_map(|record| match record.cause.as_deref() {
            Some(Cause::ModelFailed { failure }) => Some(RunError::Model(failure.clone())),
            _ => None,
        }),
        StopReason::ToolFailed => records.iter().rev().find_map(|record| match &record.event {
            Event::Durable(DurableEvent::CallEnded { outcome, .. }) => outcome.failure().map(|_| {
                // The record has the error as it is shown, which names its kind first.
                let message = message.strip_prefix("Tool error: ").unwrap_or(&message).to_owned();
                RunError::Tool { message, failure: Arc::clone(outcome) }
            }),
            Event::Durable(other) => other.ignored(),
            Event::Delta(_) => None,
        }),
        _ => None,
    };
    match known {
        Some(error) => WindlassError::Run(Box::new(error)),
        None => WindlassError::Failed { reason, message },
    }
}

/// A run being followed.
enum Streaming {
    /// The message is not sent yet.
    Begin(Box<(AgentSession, RunOrder)>),
    Begun(OngoingRun),
    /// The run is held so that its session lives as long as somebody reads.
    Follow(BoxStream<'static, HostDelivery>, OngoingRun),
    End,
}

impl Streaming {
    async fn next(mut self) -> Option<(Followed, Self)> {
        loop {
            self = match self {
                Streaming::Begin(begin) => match start(*begin).await {
                    Ok(run) => Streaming::Begun(run),
                    Err(error) => return Some((Err(error), Streaming::End)),
                },
                Streaming::Begun(run) => match run.session.host.port.events(&run.run_id, run.after).await {
                    Ok(records) => Streaming::Follow(records, run),
                    Err(error) => return Some((Err(error), Streaming::End)),
                },
                Streaming::Follow(mut records, run) => match records.next().await {
                    Some(HostDelivery::Record(record)) if is_end(&record.event) => {
                        return Some((Ok(record), Streaming::End));
                    }
                    Some(HostDelivery::Record(record)) => {
                        return Some((Ok(record), Streaming::Follow(records, run)));
                    }
                    Some(HostDelivery::Gap) => {
                        let message = "the records of the run cannot be read any more".to_owned();
                        return Some((Err(HostError::Broken(message)), Streaming::End));
                    }
                    Some(HostDelivery::Deleted) => Streaming::End,
                    None => {
                        return Some((Err(run.session.host.broken_off(&run.run_id).await), Streaming::End));
                    }
                },
                Streaming::End => return None,
            };
        }
    }
}

pub(crate) async fn start((session, order): (AgentSession, RunOrder)) -> Result<OngoingRun, HostError> {
    let session_id = session.begun().await?;
    let (started, _) = session.host.start(&session_id, order.into_start()).await?;
    Ok(OngoingRun::new(session, started.run_id, started.after_seq))
}
