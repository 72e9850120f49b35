//! An agent: a model, tools and one conversation.

use std::collections::VecDeque;
use std::sync::Arc;

use futures::stream;
use windlass_core::ports::host::ExecutorOffer;
use windlass_core::ports::{BoxFuture, BoxStream, ToolPort};
use windlass_core::protocol::command::MessageSend;
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::RunId;
use windlass_core::protocol::tool::ToolSpec;
use windlass_core::protocol::trace::RunTrace;
use windlass_core::run::{Finished, RunError};
use windlass_engine::bus::{Delivery, Subscription};
use windlass_engine::executor::{Executor, Executors};
use windlass_engine::ids::{new_message_id, new_run_id, new_session_id};
use windlass_engine::session::{SendError, Session, SessionParts, WeakSession};

use crate::answer::Answer;
use crate::builder::{Builder, PermissionAsker};
use crate::error::WindlassError;
use crate::worker;

/// An agent with one conversation; what was said stays in its history. Clones share the conversation.
#[derive(Clone)]
pub struct Windlass {
    session: Session,
    parts: SessionParts,
    asker: Option<PermissionAsker>,
    executors: Executors,
}

impl Windlass {
    /// Puts an agent together.
    pub fn builder() -> Builder {
        Builder::new()
    }

    pub(crate) fn start(parts: SessionParts, asker: Option<PermissionAsker>) -> Result<Self, WindlassError> {
        let executors = Executors::new(parts.registry.clone(), parts.clock.clone());
        Self::start_with(parts, asker, executors)
    }

    fn start_with(
        parts: SessionParts,
        asker: Option<PermissionAsker>,
        executors: Executors,
    ) -> Result<Self, WindlassError> {
        let runtime = worker::handle()?;
        let _inside = runtime.enter();
        let session = Session::start(parts.clone());
        if let Some(asker) = asker.clone() {
            runtime.spawn(answer_questions(session.downgrade(), session.subscribe(), asker));
        }
        Ok(Self { session, parts, asker, executors })
    }

    /// Says something and waits for the answer.
    pub async fn run(&self, text: impl Into<String>) -> Result<Answer, WindlassError> {
        run(self.session.clone(), text.into()).await
    }

    /// Says something and waits for the answer, blocking this thread. Works everywhere: in plain threads,
    /// in scripts, and inside another runtime (R-15).
    pub fn run_sync(&self, text: impl Into<String>) -> Result<Answer, WindlassError> {
        worker::block(run(self.session.clone(), text.into()))?
    }

    /// Says something and gives everything that happens until the run has ended. Dropping the stream does
    /// not stop the run; [`cancel`](Self::cancel) does.
    pub fn stream(&self, text: impl Into<String>) -> BoxStream<'static, Event> {
        let events = self.session.subscribe();
        let run_id = new_run_id();
        let begin = Streaming::Begin { session: self.session.clone(), text: text.into(), run_id, events };
        Box::pin(stream::unfold(begin, Streaming::next))
    }

    /// Stops the run that goes on.
    pub async fn cancel(&self) -> Result<(), WindlassError> {
        Ok(self.session.cancel().await?)
    }

    /// Another conversation with the same model, tools and rules.
    pub fn new_session(&self) -> Result<Self, WindlassError> {
        let mut parts = self.parts.clone();
        parts.session_id = new_session_id();
        Self::start_with(parts, self.asker.clone(), self.executors.clone())
    }

    /// Registers a tool; the next step can use it. One of the same name is replaced.
    pub fn register_tool(&self, tool: impl ToolPort + 'static) -> Result<(), WindlassError> {
        self.parts.registry.register(Arc::new(tool))?;
        Ok(())
    }

    /// Removes a tool; says whether there was one.
    pub fn remove_tool(&self, name: &str) -> bool {
        self.parts.registry.remove(name)
    }

    /// Offers tools whose calls this program takes and answers itself, wherever and whenever it likes. They pass the
    /// same gates as the calls of every other tool; the next step can use them, until the executor is dropped.
    ///
    /// ```
    /// use windlass::prelude::*;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let script = "user How warm?\nmodel call 1 read_sensor {\"room\":\"hall\"}\nmodel end\nmodel text 21 degrees.\n";
    /// let agent = Windlass::builder().script(script)?.build()?;
    /// let sensor = ToolSpec::new("read_sensor", "Reads the thermometer of a room.").with_schema(serde_json::json!({
    ///     "type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"],
    /// }));
    /// let mut executor = agent.executor("house", vec![sensor])?;
    /// tokio::spawn(async move {
    ///     while let Some(taken) = executor.next().await {
    ///         let room = taken.call().arguments["room"].clone();
    ///         // One that was cancelled meanwhile needs no answer.
    ///         let _ = taken.complete(ToolOutput::json(serde_json::json!({"room": room, "celsius": 21})));
    ///     }
    /// });
    /// let answer = agent.run("How warm?").await?;
    /// assert_eq!(answer.trace.tools[0].output_raw["celsius"], 21);
    /// # Ok(())
    /// # }
    /// ```
    pub fn executor(&self, name: impl Into<String>, tools: Vec<ToolSpec>) -> Result<Executor, WindlassError> {
        Ok(self.executors.connect(ExecutorOffer { name: name.into(), tools })?)
    }

    /// The session itself: commands in, events out.
    pub fn session(&self) -> &Session {
        &self.session
    }
}

async fn run(session: Session, text: String) -> Result<Answer, WindlassError> {
    let mut events = session.subscribe();
    let run_id = new_run_id();
    let handle = session.send(MessageSend::text(run_id.clone(), new_message_id(), text)).await?;
    let finished = handle.finished().await?;
    let records = records_of(&mut events, &run_id).await;
    answer(finished, &records)
}

/// The records of a run that has ended.
pub(crate) async fn records_of(events: &mut Subscription, run_id: &RunId) -> Vec<Arc<Record>> {
    let mut records = Vec::new();
    loop {
        let news = match events.next().await {
            Delivery::Record(record) => vec![record],
            Delivery::Snapshot { records, .. } => records,
            Delivery::Gap { .. } | Delivery::Closed => return records,
        };
        for record in news.into_iter().filter(|record| record.run_id == *run_id) {
            let is_end = matches!(record.event, Event::Durable(DurableEvent::RunEnded { .. }));
            records.push(record);
            if is_end {
                return records;
            }
        }
    }
}

fn answer(finished: Finished, records: &[Arc<Record>]) -> Result<Answer, WindlassError> {
    if let Some(error) = finished.error {
        return Err(WindlassError::Run(Box::<RunError>::new(error)));
    }
    Ok(Answer {
        text: finished.answer,
        outcome: finished.outcome,
        reason: finished.reason,
        trace: RunTrace::fold(records.iter().map(AsRef::as_ref)),
        usage: finished.usage,
    })
}

/// A run being followed.
enum Streaming {
    Begin { session: Session, text: String, run_id: RunId, events: Subscription },
    Follow(Box<Following>),
    End,
}

struct Following {
    run_id: RunId,
    events: Subscription,
    /// What came and was not given out yet.
    waiting: VecDeque<Arc<Record>>,
    /// The end of the run as its sender sees it: only a refusal is news, all else comes as events.
    finished: Option<BoxFuture<'static, Result<Finished, SendError>>>,
}

/// What comes after an event.
enum Rest {
    More,
    Nothing,
}

impl Streaming {
    async fn next(mut self) -> Option<(Event, Self)> {
        loop {
            self = match self {
                Streaming::Begin { session, text, run_id, events } => {
                    let send = MessageSend::text(run_id.clone(), new_message_id(), text);
                    match session.send(send).await {
                        Err(error) => return Some((refusal(&error), Streaming::End)),
                        Ok(handle) => Streaming::Follow(Box::new(Following {
                            run_id,
                            events,
                            waiting: VecDeque::new(),
                            finished: Some(Box::pin(handle.finished())),
                        })),
                    }
                }
                Streaming::Follow(mut following) => match following.next().await? {
                    (event, Rest::More) => return Some((event, Streaming::Follow(following))),
                    (event, Rest::Nothing) => return Some((event, Streaming::End)),
                },
                Streaming::End => return None,
            };
        }
    }
}

impl Following {
    /// The next event of the run, and whether more can come after it.
    async fn next(&mut self) -> Option<(Event, Rest)> {
        loop {
            while let Some(record) = self.waiting.pop_front() {
                if record.run_id == self.run_id {
                    let is_end = matches!(record.event, Event::Durable(DurableEvent::RunEnded { .. }));
                    return Some((record.event.clone(), if is_end { Rest::Nothing } else { Rest::More }));
                }
            }
            let delivery = tokio::select! {
                biased;
                delivery = self.events.next() => delivery,
                finished = wait_for(&mut self.finished) => {
                    self.finished = None;
                    match finished {
                        Ok(_) => continue,
                        Err(error) => return Some((refusal(&error), Rest::Nothing)),
                    }
                }
            };
            match delivery {
                Delivery::Record(record) => self.waiting.push_back(record),
                Delivery::Snapshot { records, .. } => self.waiting.extend(records),
                Delivery::Gap { failure, .. } => {
                    let event = Event::Durable(DurableEvent::ErrorRaised {
                        code: "journal".to_owned(),
                        message: failure.to_string(),
                    });
                    return Some((event, Rest::Nothing));
                }
                Delivery::Closed => return None,
            }
        }
    }
}

/// The end of the run; never, once it was seen.
async fn wait_for(
    finished: &mut Option<BoxFuture<'static, Result<Finished, SendError>>>,
) -> Result<Finished, SendError> {
    match finished {
        Some(finished) => finished.await,
        None => std::future::pending().await,
    }
}

fn refusal(error: &SendError) -> Event {
    Event::Durable(DurableEvent::ErrorRaised { code: "session".to_owned(), message: error.to_string() })
}

/// Answers questions until the session is over. Each question is asked on its own, so that a slow answer
/// to one does not keep the others waiting. A full handle would keep the session alive for ever.
async fn answer_questions(session: WeakSession, mut events: Subscription, asker: PermissionAsker) {
    loop {
        let news = match events.next().await {
            Delivery::Record(record) => vec![record],
            Delivery::Snapshot { records, .. } => records,
            Delivery::Gap { .. } => Vec::new(),
            Delivery::Closed => return,
        };
        for record in news {
            if let Event::Durable(DurableEvent::PermissionRequested { question }) = &record.event {
                let (asking, session) = (asker(question.as_ref().clone()), session.clone());
                let (call_id, digest) = (question.call_id.clone(), question.digest.clone());
                tokio::spawn(async move {
                    let answer = asking.await;
                    if let Some(session) = session.upgrade() {
                        // A closed session needs no answer, and one that was answered elsewhere no other.
                        let _ = session.answer(call_id, digest, answer).await;
                    }
                });
            }
        }
    }
}
