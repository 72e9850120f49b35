//! One call in a session that nobody sees, with a model that asks for exactly this call and then says nothing more:
//! a call from outside, or from inside another call, goes the way of every call, through the one run machine.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::stream;
use windlass_core::permission::{ApproveMode, AuditPort, PolicyPort};
use windlass_core::ports::{BoxStream, JournalFailure, JournalPort, ModelPort};
use windlass_core::profile::{Dialect, Profile};
use windlass_core::protocol::command::MessageSend;
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::SessionId;
use windlass_core::protocol::model::{CallDelta, Finish, ModelDelta, ModelFailure, ModelRequest};
use windlass_core::protocol::tool::{ToolOutcome, inside_of};
use windlass_core::run::RunSettings;
use windlass_core::text::redact::Redactor;

use crate::clock::Clock;
use crate::ids::{new_message_id, new_run_id};
use crate::journal::MemoryJournal;
use crate::registry::Registry;
use crate::session::{Past, RunHandle, SendError, Session, SessionParts};

/// A model that asks for one call.
#[derive(Debug)]
pub struct OneCall {
    tool: String,
    arguments: String,
    was_asked: AtomicBool,
}

impl OneCall {
    /// A model that asks for this call, arguments as they were typed.
    pub fn new(tool: String, arguments: String) -> Self {
        Self { tool, arguments, was_asked: AtomicBool::new(false) }
    }
}

/// What sessions for one call have in common with those around them.
#[derive(Clone)]
pub(crate) struct CallSurroundings {
    pub(crate) registry: Registry,
    pub(crate) root: PathBuf,
    pub(crate) policies: Arc<dyn PolicyPort>,
    pub(crate) audit: Option<Arc<dyn AuditPort>>,
    pub(crate) clock: Clock,
    /// Secret values: a question that has one in it is critical.
    pub(crate) redactor: Redactor,
}

pub(crate) struct OneCallSession {
    pub(crate) session: Session,
    journal: Arc<MemoryJournal>,
    tool: String,
}

impl OneCallSession {
    /// A session that makes this call once it is told to.
    pub(crate) fn open(
        session_id: SessionId,
        (tool, arguments): (String, String),
        profile: Profile,
        approve: ApproveMode,
        around: CallSurroundings,
        past: Past,
    ) -> Self {
        let journal = Arc::new(MemoryJournal::new());
        // The call is given as a call, by somebody who may use every tool, whatever a model of this profile would do.
        let profile = Profile { dialect: Dialect::Native, tools: None, ..profile };
        let (model, system) = (String::new(), "".into());
        let settings = RunSettings { profile, model, system, context_tokens: None, form: None };
        let CallSurroundings { registry, root, policies, audit, clock, redactor } = around;
        let parts = SessionParts {
            session_id,
            settings: Arc::new(settings),
            model: Arc::new(OneCall::new(tool.clone(), arguments)),
            registry,
            root,
            policies,
            approve,
            journal: Arc::clone(&journal) as Arc<dyn JournalPort>,
            audit,
            clock,
            past,
        };
        let session = Session::start_guarded(parts, redactor);
        Self { session, journal, tool }
    }

    pub(crate) async fn send(&self) -> Result<RunHandle, SendError> {
        let text = format!("Call {}", self.tool);
        self.session.send(MessageSend::text(new_run_id(), new_message_id(), text)).await
    }

    /// What became of it, with the calls that are on record inside it; nothing if it has not ended.
    pub(crate) async fn outcome(&self) -> Result<Option<Arc<ToolOutcome>>, JournalFailure> {
        let records = self.journal.load(self.session.id(), 0).await?;
        Ok(outcome_of(&records))
    }
}

fn outcome_of(records: &[Arc<Record>]) -> Option<Arc<ToolOutcome>> {
    records.iter().find_map(|record| match &record.event {
        Event::Durable(DurableEvent::CallEnded { outcome, call_id, .. }) => {
            let mut outcome = Arc::clone(outcome);
            let inside = inside_of(records.iter().map(AsRef::as_ref), call_id);
            if !inside.is_empty() {
                Arc::make_mut(&mut outcome).meta.inside = inside;
            }
            Some(outcome)
        }
        Event::Durable(other) => other.ignored(),
        Event::Delta(_) => None,
    })
}

/// How calls are approved where nobody can be asked, and nobody would find what was staged.
pub(crate) fn unasked(mode: ApproveMode) -> ApproveMode {
    match mode {
        ApproveMode::Stage | ApproveMode::StageOnly => ApproveMode::Never,
        mode => mode.unattended(),
    }
}

impl ModelPort for OneCall {
    fn name(&self) -> &str {
        "windlass/one-call"
    }

    fn stream(&self, _request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let deltas = if self.was_asked.swap(true, Ordering::Relaxed) {
            // Corrections and continuations alike: there is nothing more to ask for.
            vec![ModelDelta::Text("done".into()), ModelDelta::Finish(Finish::Stop)]
        } else {
            let call = CallDelta {
                index: Some(0),
                name: Some(self.tool.clone()),
                args_text: Some(self.arguments.clone()),
                ..CallDelta::default()
            };
            vec![ModelDelta::Call(call), ModelDelta::Finish(Finish::Calls)]
        };
        Box::pin(stream::iter(deltas.into_iter().map(Ok)))
    }
}
