//! Runs of modules: each in a session of its own, kept in the store, shown and asked about as any run.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use windlass_core::ports::host::{HostPort, HostRuns, HostSessions, MODULE_PREFIX, RunStart, ServedPort};
use windlass_core::ports::store::NewSession;
use windlass_core::protocol::command::RunWishes;
use windlass_core::protocol::event::{DurableEvent, Event, RunOutcome, StopReason};
use windlass_core::protocol::ids::{RunId, SessionId};
use windlass_core::protocol::message::Message;
use windlass_engine::host::Host;
use windlass_modules::{Module, read_answer};

use crate::args::GlobalArgs;
use crate::complaint::Result;
use crate::project::store::SessionArchive;
use crate::providers::open::OpenModels;
use crate::terminal::ask::TerminalAsker;
use crate::terminal::progress::Detail;
use crate::terminal::run_follower::{FollowedEnd, RunFailure, RunFollower, refused};
use crate::terminal::screen::{RunScreen, StderrForm, StdoutForm};
use crate::wiring::Wiring;

/// Where modules of the shelves are run.
pub(super) struct Runs {
    wiring: Arc<Wiring>,
    host: Arc<Host>,
    telling: StderrForm,
    is_quiet: bool,
}

/// What is asked of a module.
pub(super) struct ModuleAsk {
    pub(super) inputs: Map<String, Value>,
    /// Whether it may use tools, where it is made for them.
    pub(super) has_tools: bool,
    pub(super) timeout_ms: Option<u64>,
    /// What its session is called.
    pub(super) title: String,
}

/// A run that came to its end.
pub(super) struct EndedModuleRun {
    pub(super) run_id: RunId,
    pub(super) session_id: SessionId,
    pub(super) outcome: RunOutcome,
    /// The outputs, or why there are none.
    pub(super) outputs: std::result::Result<Map<String, Value>, UnansweredRun>,
}

/// Why a run gave no outputs.
pub(super) struct UnansweredRun {
    pub(super) reason: StopReason,
    pub(super) failure: RunFailure,
    /// Whether it was told while it happened.
    pub(super) is_told: bool,
}

impl Runs {
    /// A host over the archive. Needs a tokio runtime.
    pub(super) fn begin(
        global: &GlobalArgs,
        wiring: Arc<Wiring>,
        archive: &SessionArchive,
        models: OpenModels,
    ) -> Self {
        let telling = match (global.quiet, global.verbose) {
            (true, _) => StderrForm::Silent,
            (false, 0) if global.json => StderrForm::Silent,
            (false, 0) => StderrForm::Lines(Detail::Usual),
            (false, _) => StderrForm::Lines(Detail::Full),
        };
        let host = wiring.host(Arc::clone(&archive.store), Arc::new(models));
        Self { wiring, host, telling, is_quiet: global.quiet }
    }

    /// What the runs have in common.
    pub(super) fn wiring(&self) -> &Wiring {
        &self.wiring
    }

    /// Ends what still goes on.
    pub(super) async fn close(&self) -> Result<()> {
        self.host.close().await.map_err(refused)
    }

    /// Runs a module to its end; none if the user did not wait for it.
    pub(super) async fn run(&self, module: &Module, asked: ModuleAsk) -> Result<Option<EndedModuleRun>> {
        let screen = RunScreen::new(StdoutForm::Nothing, self.telling, false);
        let port = Arc::clone(&self.host) as Arc<dyn HostPort>;
        let asker = TerminalAsker::new(self.wiring.can_ask);
        let mut follower = RunFollower::new(port, screen, asker, self.wiring.policies.clone())?
            .quiet(self.is_quiet)
            .kept(true)
            .keeping_events();
        let begin = NewSession {
            title: asked.title,
            origin: "cli".to_owned(),
            model: format!("{MODULE_PREFIX}{}", module.module_id),
            ..NewSession::default()
        };
        let session_id = self.host.create_session(begin).await.map_err(refused)?.session_id;
        let wishes = RunWishes {
            sampling: self.wiring.config.sampling(),
            tools_allowed: asked.has_tools,
            ..RunWishes::default()
        };
        let start = RunStart {
            message: Message::user(Value::Object(asked.inputs).to_string()),
            wishes,
            model: None,
            profile: None,
            executes_while_streaming: None,
        };
        let started = self.host.start_run(&session_id, start).await.map_err(refused)?;
        let run_id = started.run_id.clone();
        let timeout = Duration::from_millis(asked.timeout_ms.unwrap_or(u64::MAX));
        let ended = match tokio::time::timeout(timeout, follower.follow(&started)).await {
            Ok(ending) => match ending? {
                FollowedEnd::Finished(ended) => ended,
                FollowedEnd::Killed => return Ok(None),
            },
            Err(_) => {
                self.host.cancel(&run_id).await.map_err(refused)?;
                let outputs = Err(timed_out(asked.timeout_ms.unwrap_or_default()));
                return Ok(Some(EndedModuleRun {
                    run_id,
                    session_id,
                    outcome: RunOutcome::Cancelled,
                    outputs,
                }));
            }
        };
        let last = follower.seen().iter().find_map(|record| match &record.event {
            Event::Durable(DurableEvent::RunEnded { answer, reason, .. }) => {
                Some((answer.as_str(), reason.clone()))
            }
            Event::Durable(other) => other.ignored(),
            Event::Delta(_) => None,
        });
        let (answer, reason) = last.unwrap_or(("", StopReason::Interrupted));
        let limit_ms = self.wiring.config.profile.limits.run_timeout_ms;
        let outputs = match ended.error {
            Some(failure) => Err(UnansweredRun { reason, failure, is_told: true }),
            None if reason == StopReason::Deadline => Err(timed_out(limit_ms)),
            None => read_answer(module, answer).map_err(|error| UnansweredRun {
                reason,
                failure: RunFailure { code: "malformed".to_owned(), message: error.to_string() },
                is_told: false,
            }),
        };
        Ok(Some(EndedModuleRun { run_id, session_id, outcome: ended.outcome, outputs }))
    }
}

fn timed_out(timeout_ms: u64) -> UnansweredRun {
    let message = format!("Operation timed out after {timeout_ms}ms");
    let failure = RunFailure { code: "timeout".to_owned(), message };
    UnansweredRun { reason: StopReason::Deadline, failure, is_told: false }
}
