//! Calls that a running call makes itself. Each is a run of its own through the one machine, in a session that
//! nobody sees: checked, judged and limited as any other.
//!
//! What the outer run may not do, the calls inside it may not do either, and nobody is asked: the user
//! answers for what the model wants, not for what a tool does next. All calls inside one outer call share one
//! budget, so that tools which call each other come to an end.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};
use tokio::runtime::Handle;
use windlass_core::command::MessageSend;
use windlass_core::ids::CallId;
use windlass_core::permission::{ApproveMode, Permissions};
use windlass_core::port::{BoxFuture, CallsPort, JournalPort};
use windlass_core::profile::{Dialect, Profile};
use windlass_core::run::RunSettings;
use windlass_core::tool::{ErrorKind, InnerCall, ToolFailure, ToolOutcome, ToolOutput};

use crate::audit_file::AuditFile;
use crate::clock::Clock;
use crate::ids::{new_message_id, new_run_id, new_session_id};
use crate::journal::MemoryJournal;
use crate::limits::{CALLS_INSIDE_DEPTH_MAX, CALLS_INSIDE_MAX};
use crate::one_call::{OneCall, outcome_of};
use crate::policy_store::PolicyStore;
use crate::registry::Registry;
use crate::session::{Past, Session, SessionParts};

/// What a session stands inside of: a call of another session.
#[derive(Debug, Clone)]
pub struct Inside {
    /// What the outer run may do.
    permissions: Permissions,
    depth: u32,
    left: Arc<AtomicU32>,
}

impl Inside {
    /// The permissions of the inner session.
    pub(crate) fn permissions(&self) -> Permissions {
        let mut own = self.permissions.child(self.permissions.settings().open_like());
        own.set_mode(unasked(own.mode()));
        own
    }
}

/// Nobody is there to be asked, and nobody would find what was staged.
fn unasked(mode: ApproveMode) -> ApproveMode {
    match mode {
        ApproveMode::Stage | ApproveMode::StageOnly => ApproveMode::Never,
        mode => mode.unattended(),
    }
}

/// The calls inside the calls of one run.
pub(crate) struct CallsInside {
    parts: InnerParts,
    inside: Inside,
    /// Those that were made, by the call that made them, until that one has its outcome.
    made: Arc<Mutex<HashMap<CallId, Vec<InnerCall>>>>,
}

/// The calls inside one call: they are noted under it.
pub(crate) struct CallsOf {
    pub(crate) inside: Arc<CallsInside>,
    pub(crate) call_id: CallId,
}

/// What the sessions inside have in common with the outer one.
#[derive(Clone)]
struct InnerParts {
    settings: Arc<RunSettings>,
    registry: Registry,
    root: PathBuf,
    policies: PolicyStore,
    audit: Option<Arc<AuditFile>>,
    clock: Clock,
}

impl CallsInside {
    /// The calls inside a run of this session.
    pub(crate) fn of(outer: &SessionParts, permissions: &Permissions) -> Self {
        let (depth, left) = match &outer.past.inside {
            Some(inside) => (inside.depth, Arc::clone(&inside.left)),
            None => (0, Arc::new(AtomicU32::new(CALLS_INSIDE_MAX))),
        };
        Self {
            parts: InnerParts {
                settings: Arc::clone(&outer.settings),
                registry: outer.registry.clone(),
                root: outer.root.clone(),
                policies: outer.policies.clone(),
                audit: outer.audit.clone(),
                clock: outer.clock.clone(),
            },
            inside: Inside { permissions: permissions.clone(), depth: depth.saturating_add(1), left },
            made: Arc::default(),
        }
    }

    /// The calls that a call made; they are its outcome's from now on.
    pub(crate) fn take_made(&self, call_id: &CallId) -> Vec<InnerCall> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).remove(call_id).unwrap_or_default()
    }

    /// The same calls, where the outer run may do something else now.
    pub(crate) fn allowed(&self, permissions: &Permissions) -> Self {
        let inside = Inside { permissions: permissions.clone(), ..self.inside.clone() };
        Self { parts: self.parts.clone(), inside, made: Arc::clone(&self.made) }
    }

    /// Takes one call from the budget.
    fn admit(&self, tool: &str) -> Result<(), ToolFailure> {
        if self.inside.depth > CALLS_INSIDE_DEPTH_MAX {
            let message = format!(
                "'{tool}' was not called: tools that call tools may stand {CALLS_INSIDE_DEPTH_MAX} deep, and this one would stand deeper"
            );
            return Err(ToolFailure::new(ErrorKind::LimitExceeded, message));
        }
        let taken =
            self.inside.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1));
        taken.map(drop).map_err(|_| {
            let message = format!(
                "'{tool}' was not called: a run makes at most {CALLS_INSIDE_MAX} calls inside its calls"
            );
            ToolFailure::new(ErrorKind::LimitExceeded, message)
        })
    }

    fn session(&self, model: OneCall, journal: &Arc<MemoryJournal>) -> Session {
        let outer = &self.parts;
        // The call is given as a call, by a tool that may use all others, whatever a model of this profile would do.
        let profile = Profile { dialect: Dialect::Native, tools: None, ..outer.settings.profile.clone() };
        Session::start(SessionParts {
            session_id: new_session_id(),
            settings: Arc::new(RunSettings {
                profile,
                model: String::new(),
                system: "".into(),
                context_tokens: None,
                form: None,
            }),
            model: Arc::new(model),
            registry: outer.registry.clone(),
            root: outer.root.clone(),
            policies: outer.policies.clone(),
            approve: unasked(self.inside.permissions.mode()),
            journal: Arc::clone(journal) as Arc<dyn JournalPort>,
            audit: outer.audit.clone(),
            clock: outer.clock.clone(),
            past: Past { inside: Some(self.inside.clone()), ..Past::default() },
        })
    }
}

impl CallsInside {
    /// Runs one call to its end.
    async fn run(&self, tool: &str, arguments: &str) -> Result<Arc<ToolOutcome>, ToolFailure> {
        self.admit(tool)?;
        let journal = Arc::new(MemoryJournal::new());
        let model = OneCall::new(tool.to_owned(), arguments.to_owned());
        let session = Leash(self.session(model, &journal));
        let send = MessageSend::text(new_run_id(), new_message_id(), format!("Call {tool}"));
        let lost = |error: &dyn std::fmt::Display| ToolFailure::internal(error.to_string());
        let handle = session.0.send(send).await.map_err(|error| lost(&error))?;
        handle.finished().await.map_err(|error| lost(&error))?;
        let records = journal.load(session.0.id(), 0).await.map_err(|error| lost(&error))?;
        outcome_of(&records).ok_or_else(|| lost(&"the call never ended"))
    }
}

impl CallsPort for CallsOf {
    fn call<'a>(
        &'a self,
        tool: &'a str,
        args: Map<String, Value>,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let arguments = Value::Object(args).to_string();
            let outcome = match self.inside.run(tool, &arguments).await {
                Ok(outcome) => outcome,
                Err(failure) => {
                    let now = self.inside.parts.clock.now_ms();
                    Arc::new(ToolOutcome::failed(failure).timed(now, now))
                }
            };
            let made = InnerCall::of(tool, arguments, &outcome);
            let mut all = self.inside.made.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(self.call_id.clone()).or_default().push(made);
            outcome.body.clone()
        })
    }
}

/// The session of a call that may be given up: its run is stopped then.
struct Leash(Session);

impl Drop for Leash {
    fn drop(&mut self) {
        let session = self.0.clone();
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                // A session that is over needs no stopping.
                let _ = session.cancel().await;
            });
        }
    }
}
