//! What sessions stand on: the host of an agent in this process, or one behind a server. Sessions see no difference.

use std::sync::Arc;

use futures::StreamExt;
use windlass_core::ports::BoxStream;
use windlass_core::ports::host::{HostDelivery, HostError, HostPort, RunStart, StartedRun};
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::{RunId, SessionId};
use windlass_engine::host::FinishedRun;

use crate::agent_host::AgentHost;
use crate::builder::PermissionAsker;

/// How often the records of a run are read from their beginning, where what was read is no longer what is on record: a
/// server that is killed again and again is told, and not waited for without end.
const READ_AGAIN_MAX: usize = 3;

/// A host and who answers its questions.
pub(crate) struct SessionHost {
    pub(crate) port: Arc<dyn HostPort>,
    /// The agent whose host it is, held so that the host lives; none where the host is behind a server.
    pub(crate) agent: Option<Arc<AgentHost>>,
    pub(crate) asker: Option<PermissionAsker>,
    /// Whether sessions that cannot be found by a name stay when nobody holds them.
    pub(crate) keeps_unnamed: bool,
}

impl SessionHost {
    pub(crate) fn of_agent(
        agent: &Arc<AgentHost>,
        asker: Option<PermissionAsker>,
        is_durable: bool,
    ) -> Arc<Self> {
        let port = Arc::clone(&agent.host) as Arc<dyn HostPort>;
        Arc::new(Self { port, agent: Some(Arc::clone(agent)), asker, keeps_unnamed: is_durable })
    }

    #[cfg(feature = "client")]
    pub(crate) fn behind_server(port: Arc<dyn HostPort>, asker: Option<PermissionAsker>) -> Arc<Self> {
        Arc::new(Self { port, agent: None, asker, keeps_unnamed: true })
    }

    /// Starts a run whose questions are asked. In the process of the host there is more to know of its end than what is
    /// on record.
    pub(crate) async fn start(
        &self,
        session_id: &SessionId,
        start: RunStart,
    ) -> Result<(StartedRun, Option<FinishedRun>), HostError> {
        let (started, finished) = match &self.agent {
            Some(agent) => {
                let (started, finished) = agent.host.start_watched(session_id, start).await?;
                (started, Some(finished))
            }
            None => (self.port.start_run(session_id, start).await?, None),
        };
        self.ask_for(&started.run_id, started.after_seq, Vec::new());
        Ok((started, finished))
    }

    /// What comes of a run after a number, for somebody who needs all of it and waits for its end.
    pub(crate) async fn events_at_end(
        &self,
        run_id: &RunId,
        after: u64,
    ) -> Result<BoxStream<'static, HostDelivery>, HostError> {
        match &self.agent {
            Some(agent) => agent.host.events_at_end(run_id, after).await,
            None => self.port.events(run_id, after).await,
        }
    }

    /// The records of a run after a number, to its end.
    pub(crate) async fn run_records(
        &self,
        run_id: &RunId,
        after: u64,
    ) -> Result<Vec<Arc<Record>>, HostError> {
        for _ in 0..READ_AGAIN_MAX {
            let (records, has_gap) = read(self.events_at_end(run_id, after).await?).await;
            if records.iter().rev().any(|record| is_end(&record.event)) {
                return Ok(records);
            }
            if self.agent.is_some() && !has_gap {
                break;
            }
            // A server that is there again has the whole record of the run.
            self.port.run(run_id).await?;
        }
        Err(self.broken_off(run_id).await)
    }

    /// Why the records of a run ended before the run did.
    pub(crate) async fn broken_off(&self, run_id: &RunId) -> HostError {
        match (self.port.run(run_id).await, &self.agent) {
            (Err(error), _) => error,
            // The agent was closed meanwhile: the run goes on when it is taken up.
            (Ok(_), Some(_)) => HostError::Closing,
            (Ok(_), None) => HostError::Unreachable(
                "the connection to the server broke; the run is there still, and can be found by its id"
                    .to_owned(),
            ),
        }
    }
}

/// Whether a run ends with this.
pub(crate) fn is_end(event: &Event) -> bool {
    matches!(event, Event::Durable(DurableEvent::RunEnded { .. }))
}

/// The records of a run until its end, or until they cannot be read on; and whether some of them are gone.
pub(crate) async fn read(mut deliveries: BoxStream<'static, HostDelivery>) -> (Vec<Arc<Record>>, bool) {
    let mut records = Vec::new();
    while let Some(delivery) = deliveries.next().await {
        match delivery {
            HostDelivery::Record(record) => records.push(record),
            HostDelivery::Gap => return (records, true),
            HostDelivery::Deleted => break,
        }
    }
    (records, false)
}
