//! Runs of modules: each in a session of its own, kept in the store, shown and asked about as any run.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use windlass_core::command::RunWishes;
use windlass_core::event::{DurableEvent, Event, RunOutcome, StopReason};
use windlass_core::host::{HostPort, HostRuns, HostSessions, MODULE_PREFIX, RunStart, ServedPort};
use windlass_core::ids::{RunId, SessionId};
use windlass_core::message::Message;
use windlass_core::store::NewSession;
use windlass_engine::host::Host;
use windlass_modules::{Module, read_answer};

use crate::args::GlobalArgs;
use crate::complaint::Result;
use crate::project::store::Archive;
use crate::providers::open::OpenModels;
use crate::terminal::ask::Asker;
use crate::terminal::progress::Detail;
use crate::terminal::run_follower::{Ending, Front, RunFailure, refused};
use crate::terminal::screen::{Output, Screen, Telling};
use crate::wiring::House;

/// Where modules of the shelves are run.
pub(super) struct Runs {
    house: Arc<House>,
    host: Arc<Host>,
    telling: Telling,
    is_quiet: bool,
}

/// What is asked of a module.
pub(super) struct Asked {
    pub(super) inputs: Map<String, Value>,
    /// Whether it may use tools, where it is made for them.
    pub(super) has_tools: bool,
    pub(super) timeout_ms: Option<u64>,
    /// What its session is called.
    pub(super) title: String,
}

/// A run that came to its end.
pub(super) struct Ran {
    pub(super) run_id: RunId,
    pub(super) session_id: SessionId,
    pub(super) outcome: RunOutcome,
    /// The outputs, or why there are none.
    pub(super) outputs: std::result::Result<Map<String, Value>, Unanswered>,
}

/// Why a run gave no outputs.
pub(super) struct Unanswered {
    pub(super) reason: StopReason,
    pub(super) failure: RunFailure,
    /// Whether it was told while it happened.
    pub(super) is_told: bool,
}

impl Runs {
    /// A host over the archive. Needs a tokio runtime.
    pub(super) fn begin(
        global: &GlobalArgs,
        house: Arc<House>,
        archive: &Archive,
        models: OpenModels,
    ) -> Self {
        let telling = match (global.quiet, global.verbose) {
            (true, _) => Telling::Silent,
            (false, 0) if global.json => Telling::Silent,
            (false, 0) => Telling::Lines(Detail::Usual),
            (false, _) => Telling::Lines(Detail::Full),
        };
        let host = house.host(Arc::clone(&archive.store), Arc::new(models));
        Self { house, host, telling, is_quiet: global.quiet }
    }

    /// What the runs have in common.
    pub(super) fn house(&self) -> &House {
        &self.house
    }

    /// Ends what still goes on.
    pub(super) async fn close(&self) -> Result<()> {
        self.host.close().await.map_err(refused)
    }

    /// Runs a module to its end; none if the user did not wait for it.
    pub(super) async fn run(&self, module: &Module, asked: Asked) -> Result<Option<Ran>> {
        let screen = Screen::new(Output::Nothing, self.telling, false);
        let port = Arc::clone(&self.host) as Arc<dyn HostPort>;
        let asker = Asker::new(self.house.can_ask);
        let mut front = Front::new(port, screen, asker, self.house.policies.clone())?
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
            sampling: self.house.config.sampling(),
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
        let ended = match tokio::time::timeout(timeout, front.follow(&started)).await {
            Ok(ending) => match ending? {
                Ending::Finished(ended) => ended,
                Ending::Killed => return Ok(None),
            },
            Err(_) => {
                self.host.cancel(&run_id).await.map_err(refused)?;
                let outputs = Err(timed_out(asked.timeout_ms.unwrap_or_default()));
                return Ok(Some(Ran { run_id, session_id, outcome: RunOutcome::Cancelled, outputs }));
            }
        };
        let last = front.seen().iter().find_map(|record| match &record.event {
            Event::Durable(DurableEvent::RunEnded { answer, reason, .. }) => {
                Some((answer.as_str(), reason.clone()))
            }
            Event::Durable(other) => other.ignored(),
            Event::Delta(_) => None,
        });
        let (answer, reason) = last.unwrap_or(("", StopReason::Interrupted));
        let limit_ms = self.house.config.profile.limits.run_timeout_ms;
        let outputs = match ended.error {
            Some(failure) => Err(Unanswered { reason, failure, is_told: true }),
            None if reason == StopReason::Deadline => Err(timed_out(limit_ms)),
            None => read_answer(module, answer).map_err(|error| Unanswered {
                reason,
                failure: RunFailure { code: "malformed".to_owned(), message: error.to_string() },
                is_told: false,
            }),
        };
        Ok(Some(Ran { run_id, session_id, outcome: ended.outcome, outputs }))
    }
}

fn timed_out(timeout_ms: u64) -> Unanswered {
    let message = format!("Operation timed out after {timeout_ms}ms");
    let failure = RunFailure { code: "timeout".to_owned(), message };
    Unanswered { reason: StopReason::Deadline, failure, is_told: false }
}
