//! Runs are started, followed, answered and cancelled.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, oneshot};
use windlass_core::permission::{PermissionAnswer, Question};
use windlass_core::ports::host::{HostDelivery, HostError, RecordQuery, RunStart, RunWishes, StartedRun};
use windlass_core::ports::store::RunRow;
use windlass_core::ports::{BoxFuture, BoxStream, ModelPort};
use windlass_core::protocol::command::MessageSend;
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::{CallId, RunId, SessionId};
use windlass_core::protocol::model::{Sampling, ToolChoice};
use windlass_core::protocol::questions::open_questions;
use windlass_core::protocol::settings::{SessionSettings, WrongSetting};
use windlass_core::run::{Finished, RunSettings};

use super::live_runs::LiveRun;
use super::opening::unfinished_run;
use super::reader::{ReadSubject, RecordReader};
use super::recovery::TakingUp;
use super::slot::{OpenedSession, OpenedWith, SessionSlot};
use super::{Host, OpenModel, broken, failed, overloaded};
use crate::form::SchemaForm;
use crate::ids::{new_message_id, new_run_id};
use crate::session::{AnswerError, SendError};

/// How a run ended, once it has.
pub type FinishedRun = BoxFuture<'static, Result<Finished, SendError>>;

impl Host {
    /// Starts a run; returns when its message is on record. With it comes how the run ended, once it has: in the
    /// process of the host, why a run failed is more than what is on record.
    pub async fn start_watched(
        &self,
        session_id: &SessionId,
        start: RunStart,
    ) -> Result<(StartedRun, FinishedRun), HostError> {
        self.check_open()?;
        let slot = self.slots.at(session_id);
        if let Some(run_id) = slot.run() {
            return Err(HostError::Busy(run_id));
        }
        if let Some(approve) = start.wishes.approve {
            self.check_mode(approve)?;
        }
        let wrong = |WrongSetting { name, why }| HostError::Invalid { field: Some(name), message: why };
        start.wishes.check().map_err(wrong)?;
        // Before the lock: waiting for a place must keep nobody else out of the session.
        let place = self.take_place().await?;
        let _change = slot.change.lock().await;
        self.check_open()?;
        // Asked again: another run may have begun during either wait.
        if let Some(run_id) = slot.run() {
            return Err(HostError::Busy(run_id));
        }
        let (open, settings) = self.open_for(&slot, &start).await?;
        let wishes = start.wishes.completed(&settings, &self.parts.sampling);
        let choice = wishes.tool_choice.clone().unwrap_or_default();
        if let Some((field, message)) = open.model.refusal(&choice, &wishes.sampling) {
            return Err(HostError::Invalid { field: Some(field), message });
        }
        check_form(&open.model, &choice, &wishes)?;
        let wishes = self.narrowed(wishes, open.setup.model.as_deref());
        let (run_id, message) = (new_run_id(), start.message);
        let send = MessageSend { run_id: run_id.clone(), message_id: new_message_id(), message, wishes };
        let (accepted, receiver) = oneshot::channel();
        let going = LiveRun {
            slot: Arc::clone(&slot),
            accepted: Some(accepted),
            questions: Vec::new(),
            _place: place,
        };
        // Before the message is sent: that it was accepted is noted from the run's first record.
        self.live_runs.enter(run_id.clone(), going);
        // A caller that goes away before the message is sent leaves nothing behind.
        let mut entry = LiveRunEntry { host: self, run_id: run_id.clone(), is_sent: false };
        let handle = match open.session.send(send).await {
            Ok(handle) => handle,
            Err(error) => {
                // An actor that is gone broke: the next run opens the session anew.
                self.shut(&slot).await;
                return Err(unsent(error));
            }
        };
        entry.is_sent = true;
        let mut finished: FinishedRun = Box::pin(handle.finished());
        let first_seq = self.wait_for_acceptance(&run_id, receiver, &mut finished).await?;
        let after_seq = first_seq.saturating_sub(1);
        Ok((StartedRun { run_id, session_id: session_id.clone(), after_seq }, finished))
    }

    /// What is wished of the tools that the model may use at all.
    fn narrowed(&self, mut wishes: RunWishes, model: Option<&str>) -> RunWishes {
        if let Some(most) = self.parts.models.tools(model) {
            wishes.tools = Some(match wishes.tools.take() {
                Some(wished) => wished.into_iter().filter(|name| most.contains(name)).collect(),
                None => most,
            });
        }
        wishes
    }

    async fn wait_for_acceptance(
        &self,
        run_id: &RunId,
        mut accepted: oneshot::Receiver<u64>,
        finished: &mut FinishedRun,
    ) -> Result<u64, HostError> {
        let over = tokio::select! {
            // In this order, because a short run may be accepted and over at once: it was accepted.
            biased;
            Ok(first_seq) = &mut accepted => return Ok(first_seq),
            over = &mut *finished => over,
        };
        // Both may have come about between the two looks.
        if let Ok(first_seq) = accepted.try_recv() {
            *finished = Box::pin(std::future::ready(over));
            return Ok(first_seq);
        }
        let error = match over {
            Ok(over) => broken(format!(
                "the run could not be put on record: {}",
                over.error.map_or_else(|| over.outcome.word().to_owned(), |error| error.to_string())
            )),
            Err(error) => unsent(error),
        };
        self.live_runs.leave(run_id);
        Err(error)
    }

    /// A place among the runs, after a wait if need be.
    pub(super) async fn take_place(&self) -> Result<OwnedSemaphorePermit, HostError> {
        let limits = &self.parts.limits;
        if self.live_runs.questions_waiting() >= limits.questions_max {
            let message = format!("{} questions wait for an answer; answer some first", limits.questions_max);
            return Err(overloaded(message));
        }
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            return Ok(place);
        }
        let full = || overloaded(format!("{} runs go on; try again later", limits.runs_max));
        // Counted before the look, so that two who come at once cannot both take the last place.
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= limits.runs_waiting_max {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(full());
        }
        let _waits = WaitingRun(self);
        let wait = Duration::from_millis(limits.run_wait_ms);
        match tokio::time::timeout(wait, Arc::clone(&self.places).acquire_owned()).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) => Err(HostError::Closing),
            Err(_) => Err(full()),
        }
    }

    /// The session, opened with what the run wishes, and what is set for its runs.
    async fn open_for(
        &self,
        slot: &SessionSlot,
        start: &RunStart,
    ) -> Result<(OpenedSession, SessionSettings), HostError> {
        let session_id = &slot.session_id;
        let row = self.parts.store.session(session_id).await;
        let row = row.map_err(failed("session", session_id.as_str()))?;
        let setup =
            self.setup(&row, start.model.clone(), start.profile.clone(), start.executes_while_streaming);
        // Another one is let go of here: it is shut below, and ends with its last holder.
        let fitting = slot.open().filter(|open| open.setup == setup);
        match fitting {
            Some(open) => Ok((open, row.begin.settings)),
            None => {
                self.check_root(&row)?;
                // A model or profile that does not exist is told before the session is shut for it.
                let settings = self.settings(&setup)?;
                self.shut(slot).await;
                Ok((self.reopen(slot, setup, settings).await?, row.begin.settings))
            }
        }
    }

    /// Opens a session in which no run goes on.
    async fn reopen(
        &self,
        slot: &SessionSlot,
        setup: OpenedWith,
        settings: (RunSettings, OpenModel),
    ) -> Result<OpenedSession, HostError> {
        self.claim(slot).await?;
        let opened = async {
            let (row, past) = self.load(slot).await?;
            if let Some(run_id) = unfinished_run(&past) {
                return Err(HostError::Busy(run_id.clone()));
            }
            let approve = self.mode_of(&row);
            self.launch(slot, past, setup, approve, settings).await
        };
        let opened = opened.await;
        if opened.is_err() {
            self.release(slot).await;
        }
        opened
    }

    pub(super) async fn run_row(&self, run_id: &RunId) -> Result<RunRow, HostError> {
        self.parts.store.run(run_id).await.map_err(failed("run", run_id.as_str()))
    }

    pub(super) async fn run_records(&self, row: &RunRow) -> Result<Vec<Arc<Record>>, HostError> {
        let after = row.first_seq.saturating_sub(1);
        let mut records = self.parts.store.load(&row.session_id, after).await.map_err(broken)?;
        records.retain(|record| record.run_id == row.run_id);
        Ok(records)
    }

    /// The records of a run, as they are and as they come.
    pub(super) async fn read(
        &self,
        run_id: &RunId,
        after: u64,
    ) -> Result<BoxStream<'static, HostDelivery>, HostError> {
        Ok(self.reader_of(run_id, after).await?.stream())
    }

    /// The records of a run for somebody who needs them all, and none before it has ended: a reader that is woken for
    /// each of them costs more than the record.
    pub async fn events_at_end(
        &self,
        run_id: &RunId,
        after: u64,
    ) -> Result<BoxStream<'static, HostDelivery>, HostError> {
        Ok(self.reader_of(run_id, after).await?.patient().stream())
    }

    async fn reader_of(&self, run_id: &RunId, after: u64) -> Result<RecordReader, HostError> {
        let row = self.run_row(run_id).await?;
        let slot = self.slots.at(&row.session_id);
        // The number comes from outside: a cursor beyond the record would wait for what never comes.
        let cursor = after.clamp(row.first_seq.saturating_sub(1), row.last_seq);
        let reader = RecordReader::new(self, slot, ReadSubject::Run(run_id.clone()), cursor);
        let has_all = row.outcome.is_some() && cursor >= row.last_seq;
        Ok(if has_all { reader.ended() } else { reader })
    }

    /// The records of a session, as they are and as they come.
    pub(super) async fn read_session(
        &self,
        session_id: &SessionId,
        after: u64,
    ) -> Result<BoxStream<'static, HostDelivery>, HostError> {
        let row = self.parts.store.session(session_id).await;
        let row = row.map_err(failed("session", session_id.as_str()))?;
        let slot = self.slots.at(session_id);
        // Deltas that the journal does not have yet count too.
        let last_seq = slot.log().map_or(row.last_seq, |log| log.last_seq().max(row.last_seq));
        Ok(RecordReader::new(self, slot, ReadSubject::Session, after.min(last_seq)).stream())
    }

    /// Some records of a session.
    pub(super) async fn load_some(
        &self,
        session_id: &SessionId,
        query: RecordQuery,
    ) -> Result<Vec<Arc<Record>>, HostError> {
        let RecordQuery { after, rows_max, has_deltas } = query;
        let store = &self.parts.store;
        store.session(session_id).await.map_err(failed("session", session_id.as_str()))?;
        if !has_deltas {
            return store.load_durable(session_id, after, rows_max).await.map_err(broken);
        }
        // Looked up before the journal is: a delta is let go of only when it is there.
        let held = self.slots.at(session_id).log().map(|log| log.held()).unwrap_or_default();
        let mut records = store.load_page(session_id, after, rows_max).await.map_err(broken)?;
        let known = records.last().map_or(after, |record| record.seq);
        let room = rows_max.saturating_sub(records.len());
        records.extend(held.into_iter().filter(|record| record.seq > known).take(room));
        Ok(records)
    }

    pub(super) async fn stop(&self, run_id: &RunId) -> Result<(), HostError> {
        let row = self.run_row(run_id).await?;
        if row.outcome.is_some() {
            return Ok(());
        }
        if self.live_runs.slot(run_id).is_none() {
            // One that stopped in the middle is taken up only to come to its end.
            let how = TakingUp { is_cancelled: true, ..TakingUp::default() };
            self.take_up(&row, how).await?;
        }
        let slot = self.slots.at(&row.session_id);
        // No other run can begin while this is held: the cancel cannot hit one.
        let _change = slot.change.lock().await;
        match slot.open() {
            Some(open) if slot.run().as_ref() == Some(run_id) => open.session.cancel().await.map_err(unsent),
            Some(_) | None => Ok(()),
        }
    }

    /// The questions of a run that wait for an answer.
    pub(super) async fn waiting_questions(&self, run_id: &RunId) -> Result<Vec<Question>, HostError> {
        if let Some(questions) = self.live_runs.questions(run_id) {
            return Ok(questions);
        }
        let row = self.run_row(run_id).await?;
        if row.outcome.is_some() || row.questions == 0 {
            return Ok(Vec::new());
        }
        Ok(open_questions(&self.run_records(&row).await?))
    }

    /// Passes an answer to the run that waits for it; one that stopped in the middle is taken up first.
    pub(super) async fn pass_answer(
        &self,
        run_id: &RunId,
        call_id: &CallId,
        digest: &str,
        answer: PermissionAnswer,
    ) -> Result<(), HostError> {
        self.check_open()?;
        let slot = match self.live_runs.slot(run_id) {
            Some(slot) => slot,
            None => self.take_up_for(run_id, call_id, digest).await?,
        };
        let Some(open) = slot.open() else { return Err(HostError::Closing) };
        let taken = open.session.answer(call_id.clone(), digest.to_owned(), answer).await;
        match taken {
            Ok(()) => Ok(()),
            Err(AnswerError::NotAsked) => {
                let row = self.run_row(run_id).await?;
                Err(unasked(&self.run_records(&row).await?, call_id))
            }
            Err(AnswerError::Stale) => Err(other_question(call_id)),
            Err(AnswerError::Closed) => Err(unsent(SendError::Closed)),
        }
    }

    /// Takes up a run that stopped in the middle, if it waits for just this answer.
    async fn take_up_for(
        &self,
        run_id: &RunId,
        call_id: &CallId,
        digest: &str,
    ) -> Result<Arc<SessionSlot>, HostError> {
        let row = self.run_row(run_id).await?;
        let records = self.run_records(&row).await?;
        let waiting = open_questions(&records);
        let Some(question) = waiting.iter().find(|question| question.call_id == *call_id) else {
            return Err(unasked(&records, call_id));
        };
        // Before anything is opened: a stale answer must not set a run going.
        if !digest.eq_ignore_ascii_case(&question.digest) {
            return Err(other_question(call_id));
        }
        self.take_up(&row, TakingUp::default()).await?;
        Ok(self.slots.at(&row.session_id))
    }
}

fn other_question(call_id: &CallId) -> HostError {
    HostError::Stale(format!(
        "the question about {call_id} is another one than that which was shown; look at it again"
    ))
}

/// A run in the live_runs that leaves it again, unless it began.
struct LiveRunEntry<'a> {
    host: &'a Host,
    run_id: RunId,
    is_sent: bool,
}

impl Drop for LiveRunEntry<'_> {
    fn drop(&mut self) {
        if !self.is_sent {
            self.host.live_runs.leave(&self.run_id);
        }
    }
}

/// One of those who wait for a place.
struct WaitingRun<'a>(&'a Host);

impl Drop for WaitingRun<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Why a call has no question: it was settled, or there never was one.
fn unasked(records: &[Arc<Record>], call_id: &CallId) -> HostError {
    let was_asked = records.iter().any(|record| match &record.event {
        Event::Durable(DurableEvent::PermissionRequested { question }) => question.call_id == *call_id,
        Event::Durable(other) => other.ignored(),
        Event::Delta(_) => false,
    });
    if was_asked {
        HostError::Stale(format!("the question about {call_id} has been answered or withdrawn"))
    } else {
        HostError::Missing { what: "question", id: call_id.to_string() }
    }
}

pub(super) fn unsent(error: SendError) -> HostError {
    match error {
        SendError::Busy(run_id) => HostError::Busy(run_id),
        // The host shuts sessions only under their lock: an actor that is gone is one that broke.
        SendError::Closed => HostError::Broken("the session ended unexpectedly; try again".to_owned()),
    }
}

/// A form that no answer could be checked against, or that the model cannot write, is refused before the run begins.
fn check_form(model: &Arc<dyn ModelPort>, choice: &ToolChoice, wishes: &RunWishes) -> Result<(), HostError> {
    let Some(form) = &wishes.form else { return Ok(()) };
    let invalid = |message| HostError::Invalid { field: Some("form"), message };
    SchemaForm::new(Arc::clone(form)).map_err(|error| invalid(error.to_string()))?;
    let asked = Sampling { response_format: Some(form.response_format()), ..wishes.sampling.clone() };
    model.refusal(choice, &asked).map_or(Ok(()), |(_, why)| Err(invalid(why)))
}
