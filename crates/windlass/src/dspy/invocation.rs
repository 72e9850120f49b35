//! One invocation: a session that lives for one run.
//!
//! The wrapper and the module engine both invoke through it. There is no loop here: the run machine of the core
//! decides, the engine's session performs.

use std::path::PathBuf;
use std::sync::Arc;

use windlass_core::limits::{CALL_TIMEOUT_CEILING_MS, Limits};
use windlass_core::permission::{ApproveMode, PolicySet};
use windlass_core::ports::{JournalPort, ModelPort};
use windlass_core::profile::Profile;
use windlass_core::protocol::command::MessageSend;
use windlass_core::protocol::model::Sampling;
use windlass_core::protocol::trace::RunTrace;
use windlass_core::run::RunSettings;
use windlass_engine::clock::Clock;
use windlass_engine::ids::{new_message_id, new_run_id, new_session_id};
use windlass_engine::journal::MemoryJournal;
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::Registry;
use windlass_engine::session::{Past, RunHandle, Session, SessionParts};

use crate::error::WindlassError;
use crate::worker;

/// The profile `dspy` with its own number of steps; no other limit may come before it.
pub(super) fn profile_of(max_iterations: usize) -> Profile {
    let profile = Profile::dspy();
    let limits = steps_of(max_iterations, profile.limits);
    Profile { limits, answers_in_fields: true, ..profile }
}

/// The limits with another number of steps.
pub(super) fn steps_of(max_iterations: usize, limits: Limits) -> Limits {
    let steps_max = u32::try_from(max_iterations).unwrap_or(u32::MAX);
    // A step is a prediction and a call, each of which may take as long as a call ever may.
    let run_timeout_ms = u64::from(steps_max).saturating_mul(2).saturating_mul(CALL_TIMEOUT_CEILING_MS);
    let calls_per_run_max = steps_max.saturating_mul(limits.calls_per_step_max);
    Limits { steps_max, calls_per_run_max, run_timeout_ms, ..limits }
}

/// What is invoked, and how.
pub(super) struct ToolInvocation {
    pub(super) model: Arc<dyn ModelPort>,
    pub(super) registry: Registry,
    pub(super) profile: Profile,
    pub(super) approve: ApproveMode,
    pub(super) root: PathBuf,
}

impl ToolInvocation {
    /// Starts its session on the library's own runtime.
    pub(super) fn start(self) -> Result<Invoked, WindlassError> {
        let journal = Arc::new(MemoryJournal::new());
        let parts = SessionParts {
            session_id: new_session_id(),
            settings: Arc::new(RunSettings {
                profile: self.profile,
                model: self.model.name().to_owned(),
                system: "".into(),
                context_tokens: None,
                form: self.model.form(),
            }),
            model: self.model,
            registry: self.registry,
            root: self.root,
            policies: PolicyStore::in_memory(PolicySet::default()),
            approve: self.approve,
            journal: Arc::clone(&journal) as Arc<dyn JournalPort>,
            audit: None,
            clock: Clock::system(),
            past: Past::default(),
        };
        let _inside = worker::handle()?.enter();
        Ok(Invoked { session: Session::start(parts), journal })
    }
}

/// An invocation that goes on. Once it is dropped, nothing of it does.
pub(super) struct Invoked {
    session: Session,
    journal: Arc<MemoryJournal>,
}

impl Invoked {
    pub(super) async fn send(&self, text: String, sampling: Sampling) -> Result<RunHandle, WindlassError> {
        let mut send = MessageSend::text(new_run_id(), new_message_id(), text);
        send.wishes.sampling = sampling;
        Ok(self.session.send(send).await?)
    }

    #[cfg(feature = "modules")]
    pub(super) async fn cancel(&self) {
        // A session that is over needs no stopping.
        let _ = self.session.cancel().await;
    }

    /// What happened so far.
    pub(super) async fn trace(&self) -> RunTrace {
        match self.journal.load(self.session.id(), 0).await {
            Ok(records) => RunTrace::fold(records.iter().map(AsRef::as_ref)),
            // The journal is this process's own memory: it is there as long as the session is.
            Err(_) => RunTrace::default(),
        }
    }
}
