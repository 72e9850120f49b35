//! Questions of runs go to the program's asker, and its answers to the host.

use std::collections::HashSet;
use std::sync::Arc;

use futures::StreamExt;
use tokio::task::JoinSet;
use windlass_core::permission::Question;
use windlass_core::ports::BoxStream;
use windlass_core::ports::host::{HostDelivery, HostPort};
use windlass_core::protocol::event::{DurableEvent, Event};
use windlass_core::protocol::ids::{CallId, RunId};

use crate::builder::PermissionAsker;
use crate::session_host::SessionHost;
use crate::worker;

impl SessionHost {
    /// Sees to it that questions of a run are asked: those that wait already, and those of records after `after`.
    pub(crate) fn ask_for(&self, run_id: &RunId, after: u64, waiting: Vec<Question>) {
        let (Some(asker), Ok(runtime)) = (self.asker.clone(), worker::handle()) else { return };
        let (host, run_id) = (Arc::clone(&self.port), run_id.clone());
        runtime.spawn(async move {
            // A run that cannot be read cannot be answered either.
            let Ok(records) = host.events(&run_id, after).await else { return };
            let asking = RunAsking { host, run_id, asker, asked: HashSet::new(), open: JoinSet::new() };
            asking.follow(records, waiting).await;
        });
    }
}

/// One run whose questions are asked. It ends with the run, or with the host; what was asked and not answered by then
/// is asked no longer.
struct RunAsking {
    host: Arc<dyn HostPort>,
    run_id: RunId,
    asker: PermissionAsker,
    /// A run that is taken up may tell of a question again.
    asked: HashSet<(CallId, String)>,
    /// Each question is asked on its own, so that a slow answer to one does not keep the others waiting.
    open: JoinSet<()>,
}

impl RunAsking {
    async fn follow(mut self, mut records: BoxStream<'static, HostDelivery>, waiting: Vec<Question>) {
        for question in waiting {
            self.ask(question);
        }
        while let Some(delivery) = records.next().await {
            let HostDelivery::Record(record) = delivery else { continue };
            if let Event::Durable(DurableEvent::PermissionRequested { question }) = &record.event {
                self.ask(question.as_ref().clone());
            }
            // Those that have their answer need no place any more.
            while self.open.try_join_next().is_some() {}
        }
    }

    fn ask(&mut self, question: Question) {
        if !self.asked.insert((question.call_id.clone(), question.digest.clone())) {
            return;
        }
        let (host, run_id) = (Arc::clone(&self.host), self.run_id.clone());
        let (call_id, digest) = (question.call_id.clone(), question.digest.clone());
        let asking = (self.asker)(question);
        self.open.spawn(async move {
            let answer = asking.await;
            // A run that has ended needs no answer, and a question that was answered elsewhere no other.
            let _ = host.answer(&run_id, &call_id, &digest, answer).await;
        });
    }
}
