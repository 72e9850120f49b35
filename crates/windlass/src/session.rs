//! A session of an agent: a conversation that is found again by its name, with its runs and its records.

use std::sync::{Arc, Weak};

use futures::StreamExt;
use tokio::sync::OnceCell;
use windlass_core::permission::{PermissionAnswer, Question};
use windlass_core::ports::BoxStream;
use windlass_core::ports::host::{ForkWish, HostDelivery, HostError, HostPort, ReplayReport};
use windlass_core::ports::store::{NewSession, RunQuery, RunRow};
use windlass_core::protocol::event::{Event, Record};
use windlass_core::protocol::ids::{RunId, SessionId};

use crate::answer::Answer;
use crate::error::WindlassError;
use crate::following::{self, OngoingRun};
use crate::order::RunOrder;
use crate::session_host::SessionHost;
use crate::worker;

/// Runs of a session that are listed at most: what a person looks through.
const RUNS_LISTED_MAX: usize = 1_000;

/// A conversation with an agent; what was said stays in its history. Cheap to clone: clones share the conversation.
/// Sessions do not wait for each other, and each has one run at a time.
///
/// One with a name is begun when it is first needed and found again by its name; with a store also after the program
/// was started anew. One without a name is kept in the store, if there is one; in memory it lives as long as somebody
/// holds it.
///
/// ```
/// use windlass::prelude::*;
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), WindlassError> {
/// let script = "user My name is Ada.\nmodel text Hello Ada.\nuser Who am I?\nmodel text Ada.\n";
/// let agent = Windlass::builder().script(script)?.build()?;
/// agent.session("ada").run("My name is Ada.").await?;
/// assert_eq!(agent.session("ada").run("Who am I?").await?.text, "Ada.");
/// assert_eq!(agent.session("ada").runs().await?.len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct AgentSession {
    pub(crate) host: Arc<SessionHost>,
    place: Arc<SessionPlace>,
}

/// Where a session is, once it has begun.
struct SessionPlace {
    host: Weak<dyn HostPort>,
    key: Option<String>,
    id: OnceCell<SessionId>,
    /// Whether it stays when nobody holds it.
    is_kept: bool,
}

impl AgentSession {
    pub(crate) fn new(host: Arc<SessionHost>, key: Option<String>) -> Self {
        let is_kept = host.keeps_unnamed || key.is_some();
        Self::at(host, key, OnceCell::new(), is_kept)
    }

    /// One that has begun; whether it stays when nobody holds it any more.
    pub(crate) fn known(host: Arc<SessionHost>, session_id: SessionId, is_kept: bool) -> Self {
        Self::at(host, None, OnceCell::new_with(Some(session_id)), is_kept)
    }

    fn at(host: Arc<SessionHost>, key: Option<String>, id: OnceCell<SessionId>, is_kept: bool) -> Self {
        let place = SessionPlace { host: Arc::downgrade(&host.port), key, id, is_kept };
        Self { host, place: Arc::new(place) }
    }

    /// The name by which it is found again, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.place.key.as_deref()
    }

    /// Its id; the session is begun if it was not.
    pub async fn id(&self) -> Result<SessionId, WindlassError> {
        let session = self.clone();
        worker::inside(async move { Ok(session.begun().await?) }).await
    }

    /// The id of a session that is there, begun now if need be.
    pub(crate) async fn begun(&self) -> Result<SessionId, HostError> {
        let found = self.place.id.get_or_try_init(|| self.find());
        found.await.cloned()
    }

    async fn find(&self) -> Result<SessionId, HostError> {
        let host = &self.host.port;
        let Some(key) = &self.place.key else {
            return Ok(host.create_session(NewSession::default()).await?.session_id);
        };
        if let Some(row) = host.session_by_key(key).await? {
            return Ok(row.session_id);
        }
        let begin = NewSession { key: Some(key.clone()), ..NewSession::default() };
        match host.create_session(begin).await {
            Ok(row) => Ok(row.session_id),
            // Somebody else began it between the look and now.
            Err(error) => Ok(host.session_by_key(key).await?.ok_or(error)?.session_id),
        }
    }

    /// Says something and waits for the answer.
    pub async fn run(&self, order: impl Into<RunOrder>) -> Result<Answer, WindlassError> {
        worker::apart(following::run(self.clone(), order.into())).await
    }

    /// Says something and waits for the answer, blocking this thread. Works everywhere: in plain threads,
    /// in scripts, and inside another runtime (R-15).
    pub fn run_sync(&self, order: impl Into<RunOrder>) -> Result<Answer, WindlassError> {
        worker::block(following::run(self.clone(), order.into()))?
    }

    /// Says something and gives everything that happens until the run has ended. Dropping the stream does
    /// not stop the run; [`cancel`](Self::cancel) does.
    pub fn stream(&self, order: impl Into<RunOrder>) -> BoxStream<'static, Event> {
        following::stream(self.clone(), order.into())
    }

    /// Says something and gives the run that goes on then: to be followed, waited for, answered or cancelled. Returns when
    /// the message is on record.
    ///
    /// ```
    /// use windlass::prelude::*;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), WindlassError> {
    /// let agent = Windlass::builder().script("user Wait.\nmodel hang\n")?.build()?;
    /// let run = agent.session("ada").begin("Wait.").await?;
    /// run.cancel().await?;
    /// assert_eq!(run.answer().await?.outcome, RunOutcome::Cancelled);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn begin(&self, order: impl Into<RunOrder>) -> Result<OngoingRun, WindlassError> {
        let begin = (self.clone(), order.into());
        worker::inside(async move { Ok(following::start(begin).await?) }).await
    }

    /// Stops the run that goes on, also one that stopped in the middle and waits to be taken up. A session that was
    /// never begun is not begun for it.
    pub async fn cancel(&self) -> Result<(), WindlassError> {
        let session = self.clone();
        worker::inside(async move {
            let Some(session_id) = session.known_id().await? else { return Ok(()) };
            let query = RunQuery {
                session_id: Some(session_id),
                is_unfinished: true,
                rows_max: 1,
                ..RunQuery::default()
            };
            let host = &session.host.port;
            for row in host.runs(query).await? {
                host.cancel(&row.run_id).await?;
            }
            Ok(())
        })
        .await
    }

    /// The id of a session that has begun, by this handle or by any other.
    async fn known_id(&self) -> Result<Option<SessionId>, HostError> {
        match (self.place.id.get(), &self.place.key) {
            (Some(session_id), _) => Ok(Some(session_id.clone())),
            (None, Some(key)) => Ok(self.host.port.session_by_key(key).await?.map(|row| row.session_id)),
            (None, None) => Ok(None),
        }
    }

    /// Its records with a number above `after`, as far as they are on record.
    ///
    /// ```
    /// use windlass::prelude::*;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), WindlassError> {
    /// let agent = Windlass::builder().script("user Hello.\nmodel text Good morning.\n")?.build()?;
    /// let session = agent.session("ada");
    /// session.run("Hello.").await?;
    /// let all = session.records(0).await?;
    /// let seen = all[0].seq;
    /// assert_eq!(session.records(seen).await?.len(), all.len() - 1);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn records(&self, after: u64) -> Result<Vec<Arc<Record>>, WindlassError> {
        let session = self.clone();
        worker::inside(async move {
            let session_id = session.begun().await?;
            Ok(session.host.port.records(&session_id, after).await?)
        })
        .await
    }

    /// Its records with a number above `after`, of all runs, as they are and as they come; ends when the agent closes.
    /// A reader may be as slow as it likes.
    pub async fn events(&self, after: u64) -> Result<BoxStream<'static, Arc<Record>>, WindlassError> {
        let session = self.clone();
        let records = worker::inside(async move {
            let session_id = session.begun().await?;
            Ok(session.host.port.session_events(&session_id, after).await?)
        });
        let records = records.await?.filter_map(|delivery| async move {
            match delivery {
                HostDelivery::Record(record) => Some(record),
                HostDelivery::Gap | HostDelivery::Deleted => None,
            }
        });
        Ok(worker::inside_stream(records))
    }

    /// Its runs, newest first.
    pub async fn runs(&self) -> Result<Vec<RunRow>, WindlassError> {
        let session = self.clone();
        worker::inside(async move {
            let session_id = Some(session.begun().await?);
            let query = RunQuery { session_id, rows_max: RUNS_LISTED_MAX, ..RunQuery::default() };
            Ok(session.host.port.runs(query).await?)
        })
        .await
    }

    /// Copies a run up to a step into a session of its own, and goes on there; step 0 takes over the message alone.
    ///
    /// ```
    /// use windlass::prelude::*;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), WindlassError> {
    /// # /// Adds two integers.
    /// # #[tool(effects = "pure")]
    /// # async fn add(a: i64, b: i64) -> i64 { a + b }
    /// let script = "user Add.\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel end\nmodel text Three.\n";
    /// let agent = Windlass::builder().script(script)?.tool(add).build()?;
    /// let session = agent.session("ada");
    /// session.run("Add.").await?;
    /// let first = session.runs().await?.remove(0).run_id;
    /// let fork = session.fork(&first, 1).await?;
    /// assert_eq!(fork.answer().await?.text, "Three.");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn fork(&self, run_id: &RunId, step: u32) -> Result<OngoingRun, WindlassError> {
        let (host, run_id) = (Arc::clone(&self.host), run_id.clone());
        worker::inside(async move {
            let started = host.port.fork(&run_id, ForkWish { step, ..ForkWish::default() }).await?;
            host.ask_for(&started.run_id, started.after_seq, Vec::new());
            let is_kept = host.keeps_unnamed;
            let session = AgentSession::known(host, started.session_id, is_kept);
            Ok(OngoingRun::new(session, started.run_id, started.after_seq))
        })
        .await
    }

    /// A run of this session, to be followed, waited for or cancelled; one that has ended, too.
    pub async fn find_run(&self, run_id: &RunId) -> Result<OngoingRun, WindlassError> {
        let (session, run_id) = (self.clone(), run_id.clone());
        worker::inside(async move {
            let row = session.host.port.run(&run_id).await?;
            if row.session_id != session.begun().await? {
                return Err(HostError::Missing { what: "run", id: run_id.to_string() }.into());
            }
            Ok(OngoingRun::new(session, row.run_id, row.first_seq.saturating_sub(1)))
        })
        .await
    }

    /// Plays a run again from its record, without its model and tools, and compares.
    ///
    /// ```
    /// use windlass::prelude::*;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), WindlassError> {
    /// let agent = Windlass::builder().script("user Hello.\nmodel text Good morning.\n")?.build()?;
    /// let session = agent.session("ada");
    /// session.run("Hello.").await?;
    /// let run_id = session.runs().await?.remove(0).run_id;
    /// assert!(session.replay(&run_id).await?.divergence.is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn replay(&self, run_id: &RunId) -> Result<ReplayReport, WindlassError> {
        let (host, run_id) = (Arc::clone(&self.host.port), run_id.clone());
        worker::inside(async move { Ok(host.replay(&run_id).await?) }).await
    }

    /// The questions of a run that wait for an answer.
    pub async fn questions(&self, run_id: &RunId) -> Result<Vec<Question>, WindlassError> {
        let (host, run_id) = (Arc::clone(&self.host.port), run_id.clone());
        worker::inside(async move { Ok(host.questions(&run_id).await?) }).await
    }

    /// Answers a question of a run, for programs that have no callback for it. Only this very question is answered:
    /// one that was asked for other arguments, or answered before, is refused.
    pub async fn answer_question(
        &self,
        run_id: &RunId,
        question: &Question,
        answer: PermissionAnswer,
    ) -> Result<(), WindlassError> {
        let (host, run_id) = (Arc::clone(&self.host.port), run_id.clone());
        let (call_id, digest) = (question.call_id.clone(), question.digest.clone());
        worker::inside(async move { Ok(host.answer(&run_id, &call_id, &digest, answer).await?) }).await
    }
}

impl std::fmt::Debug for AgentSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentSession").field("name", &self.name()).field("id", &self.place.id.get()).finish()
    }
}

impl Drop for SessionPlace {
    /// Nothing can find the session again: keeping it would fill the memory.
    fn drop(&mut self) {
        let (Some(session_id), Some(host)) = (self.id.take(), self.host.upgrade()) else { return };
        if let (false, Ok(runtime)) = (self.is_kept, worker::handle()) {
            runtime.spawn(async move { host.delete_session(&session_id).await });
        }
    }
}
