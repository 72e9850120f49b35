//! Forks: a run is copied up to a step into a session of its own, and goes on there.
//!
//! The copy keeps the numbers and times of its records and gets new ids of session and runs. What the copy
//! does then is no different from taking up a run that stopped there.

use std::collections::HashMap;
use std::sync::Arc;

use windlass_core::ports::host::{ForkWish, HostError, StartedRun};
use windlass_core::ports::store::{ForkPoint, NewSession, RunRow};
use windlass_core::protocol::command::RunSetup;
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::{CallId, RunId, SessionId};
use windlass_core::protocol::message::Message;
use windlass_core::protocol::tool::{ToolOutcome, ToolOutput};

use super::recovery::{TakingUp, begun_with};
use super::{Host, broken, failed};
use crate::ids::{new_run_id, new_session_id};

/// Outcomes that calls get without being run.
type GivenOutcomes = Vec<(CallId, ToolOutcome)>;

impl Host {
    /// Copies a run up to a step into a new session, and goes on there.
    pub(super) async fn fork_run(&self, run_id: &RunId, wish: ForkWish) -> Result<StartedRun, HostError> {
        self.check_open()?;
        let row = self.run_row(run_id).await?;
        let session = self.parts.store.session(&row.session_id).await;
        let session = session.map_err(failed("session", row.session_id.as_str()))?;
        self.check_root(&session)?;
        let records = self.parts.store.load(&row.session_id, 0).await.map_err(broken)?;
        let (earlier, own) = split(&records, &row);
        check(&own, &row, &wish)?;
        let (own, given) = cut(own, &wish)?;
        let (model, begun) = self.opened_for(&wish, &row, &own)?;
        let session_id = new_session_id();
        let mut copy = RecordCopier { session_id: session_id.clone(), runs: HashMap::new() };
        let mut copied: Vec<Arc<Record>> = earlier.iter().map(|record| copy.copy(record)).collect();
        copied.extend(
            own.iter().map(|record| begin_with(copy.copy(record), &model, &begun, wish.message.as_deref())),
        );
        let begin = NewSession {
            // A key finds one session, and that stays the original.
            key: None,
            model: wish.model.unwrap_or(session.begin.model),
            fork: Some(ForkPoint {
                session_id: row.session_id.clone(),
                run_id: run_id.clone(),
                step: wish.step,
            }),
            ..session.begin
        };
        let now = self.parts.clock.now_ms();
        let made = self.parts.store.copy_session(&session_id, begin, copied, now).await;
        made.map_err(failed("session", session_id.as_str()))?;
        let forked = self.run_row(&copy.run(run_id)).await?;
        let started = self.take_up(&forked, TakingUp { given, ..TakingUp::default() }).await?;
        // What was copied is shown as well: a reader begins with the message, not with what comes after the
        // cut.
        Ok(StartedRun { after_seq: forked.first_seq.saturating_sub(1), ..started })
    }

    /// The whole name of the model that goes on, and what the run begins with then; a model that is not there is told
    /// before anything is copied.
    fn opened_for(
        &self,
        wish: &ForkWish,
        row: &RunRow,
        own: &[Arc<Record>],
    ) -> Result<(String, Option<Arc<RunSetup>>), HostError> {
        let begun = begun_with(own).and_then(|wishes| wishes.setup.clone());
        let mut setup = self.setup_of_record(row, begun.clone());
        let Some(name) = &wish.model else {
            return Ok((self.settings(&setup)?.0.model, begun));
        };
        // Another model has its own manners of calling and its own context; the limits stay those of the run.
        setup.model = Some(name.clone());
        let mut profile = self.profile_of(&setup)?;
        let opened = self.open_model(Some(name), None, &mut profile)?;
        let begun = begun.map(|begun| {
            Arc::new(RunSetup {
                profile,
                context_tokens: opened.context_tokens,
                model_below: opened.model.below().map(str::to_owned),
                ..RunSetup::clone(&begun)
            })
        });
        Ok((opened.model.name().to_owned(), begun))
    }
}

/// The records before a run, and its own.
fn split(records: &[Arc<Record>], row: &RunRow) -> (Vec<Arc<Record>>, Vec<Arc<Record>>) {
    let (earlier, rest): (Vec<_>, Vec<_>) =
        records.iter().cloned().partition(|record| record.seq < row.first_seq);
    (earlier, rest.into_iter().filter(|record| record.run_id == row.run_id).collect())
}

/// Whether the wish fits the run.
fn check(own: &[Arc<Record>], row: &RunRow, wish: &ForkWish) -> Result<(), HostError> {
    let wrong = |field, message| Err(HostError::Invalid { field: Some(field), message });
    let has_step = |record: &Arc<Record>| matches!(record.event, Event::Durable(DurableEvent::StepEnded { step, .. }) if step == wish.step);
    if wish.step > 0 && !own.iter().any(has_step) {
        return wrong(
            "step",
            format!("run {} has no complete step {}; it has {}", row.run_id, wish.step, row.steps),
        );
    }
    if wish.message.is_some() && wish.step > 0 {
        return wrong(
            "message",
            "another message needs step 0: later steps answer the message that was".into(),
        );
    }
    Ok(())
}

/// The records up to the end of a step, and the outcomes of calls that are not taken from the record.
fn cut(mut own: Vec<Arc<Record>>, wish: &ForkWish) -> Result<(Vec<Arc<Record>>, GivenOutcomes), HostError> {
    let is_after = |record: &Arc<Record>| match &record.event {
        Event::Durable(DurableEvent::StepStarted { step, .. }) => *step > wish.step,
        Event::Durable(DurableEvent::RunEnded { .. }) => true,
        Event::Durable(other) => other.ignored(),
        Event::Delta(_) => false,
    };
    own.truncate(own.iter().position(is_after).unwrap_or(own.len()));
    // What is told between two steps is told again by whoever goes on.
    let is_of_step = |record: &Arc<Record>| {
        matches!(
            record.event,
            Event::Durable(DurableEvent::RunStarted { .. })
                | Event::Durable(DurableEvent::StepEnded { .. })
                | Event::Durable(DurableEvent::CallEnded { .. })
        )
    };
    own.truncate(own.iter().rposition(is_of_step).map_or(0, |last| last.saturating_add(1)));
    let Some((call_id, value)) = &wish.outcome else { return Ok((own, GivenOutcomes::new())) };
    let ended = |record: &Arc<Record>| match &record.event {
        Event::Durable(DurableEvent::CallEnded { call_id, outcome, .. }) => {
            Some((call_id.clone(), outcome.as_ref().clone()))
        }
        Event::Durable(other) => other.ignored(),
        Event::Delta(_) => None,
    };
    let at = own.iter().position(|record| ended(record).is_some_and(|(id, _)| id == *call_id));
    let has_run = own
        .iter()
        .any(|record| matches!(&record.event, Event::Durable(DurableEvent::CallStarted { call_id: id, .. }) if id == call_id));
    let is_of_last_step = own.iter().any(|record| {
        matches!(&record.event, Event::Durable(DurableEvent::CallRequested { call, .. }) if call.id == *call_id && call.step == wish.step)
    });
    match at {
        Some(at) if has_run && is_of_last_step => {
            let mut given = vec![(call_id.clone(), ToolOutcome::ok(ToolOutput::json(value.clone())))];
            let rest = own.split_off(at);
            // Siblings that ended later keep what they gave.
            given.extend(rest.iter().skip(1).filter_map(ended));
            // A call that ran while the model still spoke: the step itself stays whole.
            let step_end = rest
                .iter()
                .rposition(|record| matches!(record.event, Event::Durable(DurableEvent::StepEnded { .. })));
            let spoken = step_end.map_or(0, |at| at.saturating_add(1));
            own.extend(rest.into_iter().take(spoken).filter(|record| ended(record).is_none()));
            Ok((own, given))
        }
        Some(_) | None => Err(HostError::Invalid {
            field: Some("outcome"),
            message: format!("{call_id} is not a call that ran in step {}", wish.step),
        }),
    }
}

/// Makes copies of records in another session.
struct RecordCopier {
    session_id: SessionId,
    runs: HashMap<RunId, RunId>,
}

impl RecordCopier {
    fn run(&mut self, run_id: &RunId) -> RunId {
        self.runs.entry(run_id.clone()).or_insert_with(new_run_id).clone()
    }

    fn copy(&mut self, record: &Record) -> Arc<Record> {
        let run_id = self.run(&record.run_id);
        Arc::new(Record { session_id: self.session_id.clone(), run_id, ..record.clone() })
    }
}

/// The beginning of the run with another model or message; any other record as it is.
fn begin_with(
    mut record: Arc<Record>,
    other_model: &str,
    begun: &Option<Arc<RunSetup>>,
    other_message: Option<&str>,
) -> Arc<Record> {
    if let Event::Durable(DurableEvent::RunStarted { model, message, wishes, .. }) =
        &mut Arc::make_mut(&mut record).event
    {
        other_model.clone_into(model);
        Arc::make_mut(wishes).setup.clone_from(begun);
        if let Some(text) = other_message {
            *message = Arc::new(Message::user(text));
        }
    }
    record
}
