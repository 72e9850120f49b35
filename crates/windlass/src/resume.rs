//! Runs that stopped in the middle are taken up again.

use std::sync::Arc;

use futures::StreamExt;
use windlass_core::ports::host::{HostError, HostRuns, HostSessions, ResumeWish};
use windlass_core::ports::store::{RunQuery, RunRow};
use windlass_core::protocol::ids::RunId;
use windlass_engine::limits::{TAKEN_UP_AT_ONCE_MAX, UNFINISHED_MAX};

use crate::agent_host::AgentHost;
use crate::error::WindlassError;
use crate::following::OngoingRun;
use crate::session::AgentSession;
use crate::session_host::SessionHost;

/// What was found of runs that stopped in the middle.
#[derive(Debug, Default)]
#[must_use]
pub struct TakenUp {
    /// Runs that go on.
    pub runs: Vec<OngoingRun>,
    /// Runs that wait for the answer to a question, and go on with it. The callback of `on_permission` is asked;
    /// without one, [`AgentSession::answer_question`] answers.
    pub waiting: Vec<OngoingRun>,
    /// Runs that stay as they are, and why: another process has the session, it works in another folder, its model is
    /// not this agent's.
    pub left: Vec<(RunId, HostError)>,
}

impl TakenUp {
    /// The runs that go on and those that wait.
    pub fn into_runs(self) -> impl Iterator<Item = OngoingRun> {
        self.runs.into_iter().chain(self.waiting)
    }
}

/// What became of one run.
enum Taking {
    GoesOn(OngoingRun),
    Waits(OngoingRun),
    Left(RunId, HostError),
    /// It went on already, or has ended meanwhile.
    Nothing,
}

/// An agent whose runs are taken up.
#[derive(Clone)]
pub(crate) struct Resuming {
    pub(crate) agent: Arc<AgentHost>,
    pub(crate) host: Arc<SessionHost>,
}

impl Resuming {
    /// Takes up all runs that stopped in the middle.
    pub(crate) async fn resume_all(self) -> Result<TakenUp, WindlassError> {
        let query = RunQuery { is_unfinished: true, rows_max: UNFINISHED_MAX, ..RunQuery::default() };
        let rows = self.agent.host.runs(query).await?;
        let taken = futures::stream::iter(rows).map(|row| self.clone().resume(row));
        let mut taken = taken.buffer_unordered(TAKEN_UP_AT_ONCE_MAX);
        let mut found = TakenUp::default();
        while let Some(taking) = taken.next().await {
            match taking {
                Taking::GoesOn(run) => found.runs.push(run),
                Taking::Waits(run) => found.waiting.push(run),
                Taking::Left(run_id, error) => found.left.push((run_id, error)),
                Taking::Nothing => {}
            }
        }
        Ok(found)
    }

    async fn resume(self, row: RunRow) -> Taking {
        if self.agent.host.is_going_on(&row.run_id) {
            return Taking::Nothing;
        }
        match self.take_up(&row).await {
            Ok(taking) => taking,
            // The end of the run, or its being taken up by somebody else, may have come between the list and now.
            Err(HostError::Conflict(_)) if self.has_moved(&row.run_id).await => Taking::Nothing,
            Err(error) => Taking::Left(row.run_id, error),
        }
    }

    async fn has_moved(&self, run_id: &RunId) -> bool {
        let host = &self.agent.host;
        host.is_going_on(run_id) || host.run(run_id).await.is_ok_and(|row| row.outcome.is_some())
    }

    async fn take_up(&self, row: &RunRow) -> Result<Taking, HostError> {
        let host = &self.agent.host;
        let session = AgentSession::known(Arc::clone(&self.host), row.session_id.clone(), true);
        let run = OngoingRun::new(session, row.run_id.clone(), row.first_seq.saturating_sub(1));
        if row.questions == 0 {
            host.resume(&row.run_id, ResumeWish::default()).await?;
            // Nothing that was asked before waits: what comes after is new.
            self.host.ask_for(&row.run_id, row.last_seq, Vec::new());
            return Ok(Taking::GoesOn(run));
        }
        let root = host.session(&row.session_id).await?.begin.root;
        if !root.is_empty() && root != self.agent.root.display().to_string() {
            let message = format!("the session works in {root}; build an agent with that root");
            return Err(HostError::Conflict(message));
        }
        let waiting = host.questions(&row.run_id).await?;
        self.host.ask_for(&row.run_id, row.last_seq, waiting);
        Ok(Taking::Waits(run))
    }
}
