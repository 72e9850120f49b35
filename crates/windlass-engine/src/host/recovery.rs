//! Runs that stopped in the middle: found, taken up again, or ended.

use std::sync::Arc;

use futures::{StreamExt, stream};
use tokio::sync::OwnedSemaphorePermit;
use windlass_core::permission::ApproveMode;
use windlass_core::ports::host::{HostError, ResumeWish, StartedRun};
use windlass_core::ports::store::{RunQuery, RunRow};
use windlass_core::ports::{BoxStream, ModelPort};
use windlass_core::protocol::command::RunWishes;
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::{CallId, RunId};
use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelRequest};
use windlass_core::protocol::questions::open_questions;
use windlass_core::protocol::tool::ToolOutcome;
use windlass_core::run::RunSettings;

use super::live_runs::LiveRun;
use super::opening::unfinished_run;
use super::slot::{OpenedWith, SessionSlot};
use super::{Host, OpenModel, failed};
use crate::limits::{TAKEN_UP_AT_ONCE_MAX, UNFINISHED_MAX};

/// What was found when the host started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recovered {
    /// Runs that go on.
    pub taken_up: usize,
    /// Runs that wait for an answer, and go on with it.
    pub waiting: usize,
    /// Runs that another process writes.
    pub held: usize,
    /// Runs of sessions that work in another folder.
    pub elsewhere: usize,
    /// Runs that could not be taken up; the log says why.
    pub failed: usize,
}

/// How a run is taken up.
#[derive(Default)]
pub(super) struct TakingUp {
    /// Calls that may run again although nobody knows whether they happened.
    pub(super) retry: Vec<CallId>,
    /// Outcomes that calls get without being run.
    pub(super) given: Vec<(CallId, ToolOutcome)>,
    /// Whether it is taken up only to be cancelled.
    pub(super) is_cancelled: bool,
    /// How calls are approved from now on, if not as the run began with.
    pub(super) approve: Option<ApproveMode>,
}

impl Host {
    /// Finds the runs that stopped in the middle and takes them up again. Those that wait for an answer need
    /// nothing until it comes.
    pub async fn recover(&self) -> Result<Recovered, HostError> {
        let query = RunQuery { is_unfinished: true, rows_max: UNFINISHED_MAX, ..RunQuery::default() };
        let rows = self.parts.store.runs(query).await.map_err(failed("run", ""))?;
        let taken = stream::iter(rows)
            .map(|row| async move {
                if row.questions > 0 {
                    return Ok(false);
                }
                self.take_up(&row, TakingUp::default()).await.map(|_| true).inspect_err(|error| {
                    tracing::warn!(run = %row.run_id, "the run could not be taken up again: {error}");
                })
            })
            .buffer_unordered(TAKEN_UP_AT_ONCE_MAX);
        let sum = taken.fold(Recovered::default(), |mut sum, taken| async move {
            match taken {
                Ok(true) => sum.taken_up += 1,
                Ok(false) => sum.waiting += 1,
                Err(HostError::Held(_)) => sum.held += 1,
                Err(HostError::Conflict(_)) => sum.elsewhere += 1,
                Err(_) => sum.failed += 1,
            }
            sum
        });
        Ok(sum.await)
    }

    /// Takes up a run that stopped in the middle, at somebody's wish.
    pub(super) async fn resume_run(&self, run_id: &RunId, wish: ResumeWish) -> Result<StartedRun, HostError> {
        self.check_open()?;
        let row = self.run_row(run_id).await?;
        if row.outcome.is_some() {
            return Err(HostError::Conflict(format!(
                "run {run_id} has ended; fork it to go on from one of its steps"
            )));
        }
        if self.live_runs.slot(run_id).is_some() {
            return Err(HostError::Conflict(format!("run {run_id} goes on already")));
        }
        self.take_up(&row, TakingUp { retry: wish.retry, approve: wish.approve, ..TakingUp::default() }).await
    }

    /// Opens the session of a run, which goes on then; nothing happens if it does already.
    pub(super) async fn take_up(&self, row: &RunRow, how: TakingUp) -> Result<StartedRun, HostError> {
        // Before the lock: waiting for a place must keep nobody else out of the session.
        let place = self.take_place().await?;
        let slot = self.slots.at(&row.session_id);
        let _change = slot.change.lock().await;
        let started = StartedRun {
            run_id: row.run_id.clone(),
            session_id: row.session_id.clone(),
            after_seq: row.last_seq,
        };
        if self.live_runs.slot(&row.run_id).is_some() {
            return Ok(started);
        }
        if let Some(run_id) = slot.run() {
            return Err(HostError::Busy(run_id));
        }
        self.shut(&slot).await;
        self.claim(&slot).await?;
        let taken = self.go_on(&slot, row, how, place).await;
        if taken.is_err() {
            self.release(&slot).await;
        }
        taken.map(|()| started)
    }

    async fn go_on(
        &self,
        slot: &Arc<SessionSlot>,
        row: &RunRow,
        how: TakingUp,
        place: OwnedSemaphorePermit,
    ) -> Result<(), HostError> {
        let (session, mut past) = self.load(slot).await?;
        // A run that is only ended runs no tool, so the folder does not matter.
        if !how.is_cancelled {
            self.check_root(&session)?;
        }
        if unfinished_run(&past) != Some(&row.run_id) {
            return Err(HostError::Conflict(format!("run {} has ended", row.run_id)));
        }
        let begun = past.unfinished.as_ref().and_then(|own| begun_with(&own.records));
        let setup = self.setup_of_record(row, begun.and_then(|wishes| wishes.setup.clone()));
        // What was chosen for the session since counts as well.
        let chosen = session.begin.approve;
        let mode = chosen.or_else(|| begun?.approve).unwrap_or(self.parts.approve);
        // Whoever was asked when the run began may not be there now, and rules may be lost.
        let somebody = self.parts.approve.asks() || self.parts.approve == ApproveMode::All;
        let holds = self.check_mode(mode).is_ok() && (!mode.asks() || somebody);
        let approve = how.approve.or(if holds { chosen } else { Some(self.parts.approve) });
        let settings = match how.is_cancelled {
            true => self.mute_settings(&setup)?,
            false => self.settings(&setup)?,
        };
        let mut questions = Vec::new();
        if let Some(unfinished) = &mut past.unfinished {
            unfinished.retry = how.retry;
            unfinished.given = how.given;
            unfinished.is_cancelled = how.is_cancelled;
            unfinished.approve = approve;
            questions = open_questions(&unfinished.records);
        }
        let going = LiveRun { slot: Arc::clone(slot), accepted: None, questions, _place: place };
        // Before the actor starts: what it writes is noted only of runs that are known.
        self.live_runs.enter(row.run_id.clone(), going);
        let approve = self.mode_of(&session);
        let launched = self.launch(slot, past, setup, approve, settings).await;
        launched.map(drop).inspect_err(|_| self.live_runs.leave(&row.run_id))
    }

    /// What a run is ended with: its model is not asked, and need not be there any more.
    pub(super) fn mute_settings(&self, setup: &OpenedWith) -> Result<(RunSettings, OpenModel), HostError> {
        let model = setup.model.clone().unwrap_or_default();
        let profile = self.profile_of(setup)?;
        let settings = RunSettings {
            system: profile.instruction.as_str().into(),
            profile,
            model: model.clone(),
            context_tokens: None,
            form: None,
        };
        Ok((settings, OpenModel { model: Arc::new(SilentModel(model)), context_tokens: None }))
    }
}

/// A model that has nothing to say.
struct SilentModel(String);

impl ModelPort for SilentModel {
    fn name(&self) -> &str {
        &self.0
    }

    fn stream(&self, _request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        Box::pin(stream::empty())
    }
}

/// What was wished for a run on record.
pub(super) fn begun_with(records: &[Arc<Record>]) -> Option<&RunWishes> {
    records.iter().find_map(|record| match &record.event {
        Event::Durable(DurableEvent::RunStarted { wishes, .. }) => Some(wishes.as_ref()),
        Event::Durable(other) => other.ignored(),
        Event::Delta(_) => None,
    })
}
