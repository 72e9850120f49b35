//! Calls that a running call makes itself. Each is a run of its own through the one machine, in a session that
//! nobody sees: checked, judged and limited as any other.
//!
//! What the outer run may not do, the calls inside it may not do either, and nobody is asked: the user
//! answers for what the model wants, not for what a tool does next. All calls inside one outer call share one
//! budget, so that tools which call each other come to an end.
//!
//! That such a call begins is in the journal of the session that people see before anything of it happens, however
//! deep it stands; how it ended is there before the call around it goes on.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use windlass_core::permission::Permissions;
use windlass_core::ports::{CallsPort, JournalPort};
use windlass_core::profile::Profile;
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::{CallId, SessionId};
use windlass_core::protocol::tool::{ErrorKind, ReachLog, ToolFailure, ToolOutcome, ToolOutput, inner_end};
use windlass_core::run::Taint;
use windlass_core::text::redact::Redactor;

use crate::ids::new_session_id;
use crate::limits::{CALLS_INSIDE_DEPTH_MAX, CALLS_INSIDE_MAX};
use crate::one_call::{CallSurroundings, OneCallSession, unasked};
use crate::session::{Past, Session, SessionParts};

/// What is to be written down of a call inside a call. Whoever waits for it goes on when it is on record, and gives up
/// when nobody writes it.
#[derive(Debug)]
pub(crate) struct InnerNote {
    pub(crate) event: Event,
    pub(crate) done: oneshot::Sender<()>,
}

/// Where notes go: to the session that people see. Without a bound, since each call waits for its own.
pub(crate) type InnerNotes = mpsc::UnboundedSender<Box<InnerNote>>;

/// What a session stands inside of: a call of another session.
#[derive(Debug, Clone)]
pub struct OuterCall {
    /// What the outer run may do.
    permissions: Permissions,
    /// What its context has from outside.
    pub(crate) taint: Taint,
    left: Arc<AtomicU32>,
    notes: InnerNotes,
    /// The call of the session that people see, and the place of this session's call inside it.
    outermost: CallId,
    path: Vec<u32>,
    pub(crate) granting: GrantingSession,
}

/// The session that people see, and who knows what it is granted: that counts for calls inside calls too.
#[derive(Clone)]
pub(crate) struct GrantingSession {
    pub(crate) journal: Arc<dyn JournalPort>,
    pub(crate) session_id: SessionId,
}

impl fmt::Debug for GrantingSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.session_id)
    }
}

impl OuterCall {
    /// The permissions of the inner session.
    pub(crate) fn permissions(&self) -> Permissions {
        let mut own = self.permissions.child(self.permissions.settings().open_like());
        own.set_mode(unasked(own.mode()));
        own
    }
}

/// The calls inside the calls of one run.
#[derive(Clone)]
pub(crate) struct CallsInside {
    profile: Profile,
    around: CallSurroundings,
    /// What the run may do.
    permissions: Permissions,
    /// The call that the run itself stands inside of.
    within: Option<(CallId, Vec<u32>)>,
    left: Arc<AtomicU32>,
    notes: InnerNotes,
    granting: GrantingSession,
    /// How many each call has made.
    made: Arc<Mutex<HashMap<CallId, u32>>>,
}

/// The calls inside one call.
pub(crate) struct InnerCalls {
    pub(crate) inside: Arc<CallsInside>,
    pub(crate) call_id: CallId,
    /// What the call around them has reached: what they reach counts as its own.
    pub(crate) reached: ReachLog,
    /// What the context of the call around them has from outside.
    pub(crate) taint: Taint,
}

impl CallsInside {
    /// The calls inside a run of this session. Only the session that people see gets notes itself.
    pub(crate) fn of(
        outer: &SessionParts,
        permissions: &Permissions,
        redactor: &Redactor,
        own_notes: InnerNotes,
    ) -> Self {
        let (within, left, notes) = match &outer.past.inside {
            Some(inside) => {
                let within = (inside.outermost.clone(), inside.path.clone());
                (Some(within), Arc::clone(&inside.left), inside.notes.clone())
            }
            None => (None, Arc::new(AtomicU32::new(CALLS_INSIDE_MAX)), own_notes),
        };
        Self {
            profile: outer.settings.profile.clone(),
            around: CallSurroundings {
                registry: outer.registry.clone(),
                root: outer.root.clone(),
                policies: outer.policies.clone(),
                audit: outer.audit.clone(),
                clock: outer.clock.clone(),
                redactor: redactor.clone(),
            },
            permissions: permissions.clone(),
            within,
            left,
            notes,
            granting: outer.granting(),
            made: Arc::default(),
        }
    }

    /// The same calls, where the outer run may do something else now.
    pub(crate) fn allowed(&self, permissions: &Permissions) -> Self {
        Self { permissions: permissions.clone(), ..self.clone() }
    }

    /// What was made before the program stopped counts: numbers go on, and the budget is no new one.
    pub(crate) fn recall(&self, records: &[Arc<Record>]) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        for record in records {
            let Event::Durable(DurableEvent::InnerCallStarted { call_id, path, .. }) = &record.event else {
                continue;
            };
            // A budget that is used up stays so: there is nothing to refuse here.
            let _ = self.take_one();
            // Deeper ones are counted by the calls around them, which do not run any more.
            if let [number] = path.as_slice() {
                made.insert(call_id.clone(), *number);
            }
        }
    }

    fn take_one(&self) -> Result<u32, u32> {
        // Not `fetch_sub`: below zero the counter would become a budget without end.
        self.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1))
    }

    /// Takes one call from the budget.
    fn admit(&self, tool: &str) -> Result<(), ToolFailure> {
        let depth = self.within.as_ref().map_or(0, |(_, path)| path.len());
        if depth >= CALLS_INSIDE_DEPTH_MAX {
            let message = format!(
                "'{tool}' was not called: tools that call tools may stand {CALLS_INSIDE_DEPTH_MAX} deep, and this one would stand deeper"
            );
            return Err(ToolFailure::new(ErrorKind::LimitExceeded, message));
        }
        self.take_one().map(drop).map_err(|_| {
            let message = format!(
                "'{tool}' was not called: a run makes at most {CALLS_INSIDE_MAX} calls inside its calls"
            );
            ToolFailure::new(ErrorKind::LimitExceeded, message)
        })
    }

    /// Puts on record that a call begins; where it stands. In the order of the places.
    async fn begin(
        &self,
        by: &CallId,
        tool: &str,
        arguments: &str,
    ) -> Result<(CallId, Vec<u32>), ToolFailure> {
        let effects = self.around.registry.get(tool).map(|port| port.spec().effects);
        let (call_id, mut path) = self.within.clone().unwrap_or_else(|| (by.clone(), Vec::new()));
        let noted = {
            // Numbered and sent under one lock, so that notes come in the order of their numbers.
            let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            let number = made.entry(by.clone()).or_default();
            *number = number.saturating_add(1);
            path.push(*number);
            self.note(Event::Durable(DurableEvent::InnerCallStarted {
                call_id: call_id.clone(),
                path: path.clone(),
                name: tool.to_owned(),
                arguments: arguments.to_owned(),
                effects,
            }))
        };
        let refused = || {
            let message =
                format!("'{tool}' was not called: the call around it is over, or the journal failed");
            ToolFailure::new(ErrorKind::Cancelled, message)
        };
        noted.await.map_err(|_| refused())?;
        Ok((call_id, path))
    }

    fn note(&self, event: Event) -> oneshot::Receiver<()> {
        let (done, noted) = oneshot::channel();
        // Where nobody listens any more, the other end goes with the note.
        let _ = self.notes.send(Box::new(InnerNote { event, done }));
        noted
    }

    /// Runs one call to its end.
    async fn run(
        &self,
        place: (CallId, Vec<u32>),
        tool: &str,
        arguments: String,
        taint: Taint,
    ) -> Result<Arc<ToolOutcome>, ToolFailure> {
        let (permissions, left) = (self.permissions.clone(), Arc::clone(&self.left));
        let (outermost, path) = place;
        let (notes, granting) = (self.notes.clone(), self.granting.clone());
        let inside = OuterCall { permissions, taint, left, notes, outermost, path, granting };
        let approve = unasked(self.permissions.mode());
        let past = Past { inside: Some(inside), ..Past::default() };
        let (asked, profile) = ((tool.to_owned(), arguments), self.profile.clone());
        let one = OneCallSession::open(new_session_id(), asked, profile, approve, self.around.clone(), past);
        let _leash = StopsOnDrop(one.session.clone());
        let lost = |error: &dyn std::fmt::Display| ToolFailure::internal(error.to_string());
        let handle = one.send().await.map_err(|error| lost(&error))?;
        handle.finished().await.map_err(|error| lost(&error))?;
        let outcome = one.outcome().await.map_err(|error| lost(&error))?;
        outcome.ok_or_else(|| lost(&"the call never ended"))
    }
}

#[async_trait]
impl CallsPort for InnerCalls {
    async fn call(&self, tool: &str, args: Map<String, Value>) -> Result<ToolOutput, ToolFailure> {
        let inside = &self.inside;
        inside.admit(tool)?;
        let arguments = Value::Object(args).to_string();
        let (call_id, path) = inside.begin(&self.call_id, tool, &arguments).await?;
        let began_ms = inside.around.clock.now_ms();
        let outcome =
            match inside.run((call_id.clone(), path.clone()), tool, arguments, self.taint.clone()).await {
                Ok(outcome) => outcome,
                Err(failure) => {
                    let now = inside.around.clock.now_ms();
                    Arc::new(ToolOutcome::failed(failure).timed(began_ms, now))
                }
            };
        outcome.meta.reached.iter().for_each(|reached| self.reached.note(reached.clone()));
        // Where it cannot be written down the run ends, and with it the call that would go on.
        let _ = inside.note(inner_end(call_id, path, &outcome)).await;
        outcome.body.clone()
    }
}

/// The session of a call that may be given up: its run is stopped then.
struct StopsOnDrop(Session);

impl Drop for StopsOnDrop {
    fn drop(&mut self) {
        // Cancelling waits for the actor, which a drop cannot do.
        let session = self.0.clone();
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                // A session that is over needs no stopping.
                let _ = session.cancel().await;
            });
        }
    }
}
