//! Executors: programs of a user's own that run tools, in this process or behind HTTP.
//!
//! An executor is a source of tools behind the one tool port (decision 0029): its tools stand in the registry beside
//! all others, so their calls are checked, judged, asked about, limited, journaled and audited as every call is, and an
//! executor hears of a call only when it may run. `queue` is what lies between the two: calls that wait, news and
//! answers. `tool` is the port, `in_process` the face for programs that embed Windlass; [`ExecutorsPort`] is that for a
//! server. Knows no HTTP and no session.

mod in_process;
mod offer;
mod queue;
mod tool;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use async_trait::async_trait;
use uuid::Uuid;
use windlass_core::ports::ToolPort;
use windlass_core::ports::host::{
    ExecutorAnswer, ExecutorBadge, ExecutorNews, ExecutorOffer, ExecutorRow, ExecutorTicket, ExecutorsPort,
    HostError,
};
use windlass_core::protocol::tool::ToolSpec;

pub use self::in_process::{CallOver, Executor, TakenCall};
pub use self::offer::OfferError;
use self::queue::{CallQueue, QueueRefusal};
use self::tool::ExecutorTool;
pub(crate) use self::tool::gone;
use crate::clock::Clock;
use crate::limits::{EXECUTOR_LEASE_MS_MAX, EXECUTOR_LEASE_MS_MIN, EXECUTOR_RETURN_MS, EXECUTORS_MAX};
use crate::registry::{RegisterError, Registry};

/// The executors of a host or an agent; clones are the same.
#[derive(Clone)]
pub struct Executors {
    inner: Arc<ExecutorTable>,
}

struct ExecutorTable {
    registry: Registry,
    clock: Clock,
    members: Mutex<BTreeMap<String, Member>>,
}

struct Member {
    queue: Arc<CallQueue>,
    tools: Vec<Arc<dyn ToolPort>>,
}

impl Executors {
    /// Executors whose tools go into this registry.
    pub fn new(registry: Registry, clock: Clock) -> Self {
        Self { inner: Arc::new(ExecutorTable { registry, clock, members: Mutex::default() }) }
    }

    /// Lets in an executor of this process: it is there until it is dropped.
    pub fn connect(&self, offer: ExecutorOffer) -> Result<Executor, OfferError> {
        Ok(Executor::new(self.clone(), self.admit(offer, None)?))
    }

    fn admit(&self, offer: ExecutorOffer, lease: Option<Duration>) -> Result<Arc<CallQueue>, OfferError> {
        let ExecutorOffer { name, tools } = offer::checked(offer)?;
        // Held until the entry is made: of two offers with one name only one may pass.
        let mut members = self.inner.members();
        if members.len() >= EXECUTORS_MAX {
            return Err(OfferError::Full(format!(
                "there are {EXECUTORS_MAX} executors, which is all there may be; end one first"
            )));
        }
        if members.values().any(|member| member.queue.name == name) {
            return Err(OfferError::Full(format!(
                "an executor '{name}' is there already; end it, wait until its lease is over, or take another name"
            )));
        }
        // The id tells its time and is shown in lists; the secret has to be nothing but chance.
        let (executor_id, secret) = (Uuid::now_v7().to_string(), Uuid::new_v4().simple().to_string());
        let queue = Arc::new(CallQueue::new(executor_id.clone(), name, secret, lease));
        let port = |spec: ToolSpec| -> Arc<dyn ToolPort> {
            Arc::new(ExecutorTool::new(spec, Arc::clone(&queue), Arc::downgrade(&self.inner)))
        };
        let tools: Vec<_> = tools.into_iter().map(port).collect();
        self.inner.registry.register_new(tools.iter().cloned())?;
        members.insert(executor_id, Member { queue: Arc::clone(&queue), tools });
        Ok(queue)
    }

    /// Takes an executor out: no later request lists its tools, and its calls end.
    fn dismiss(&self, executor_id: &str) {
        self.inner.dismiss(executor_id);
    }

    /// The queue of whoever shows this; one whose lease is over has none.
    fn queue_of(&self, badge: ExecutorBadge<'_>) -> Result<Arc<CallQueue>, HostError> {
        let members = self.inner.members();
        // A wrong secret is no other answer than a wrong id: nobody learns which ids there are.
        let member = members.get(badge.executor_id).filter(|member| member.queue.has_secret(badge.secret));
        let missing = || HostError::Missing { what: "executor", id: badge.executor_id.to_owned() };
        member.map(|member| Arc::clone(&member.queue)).ok_or_else(missing)
    }
}

impl ExecutorTable {
    fn members(&self) -> MutexGuard<'_, BTreeMap<String, Member>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn dismiss(&self, executor_id: &str) {
        let Some(member) = self.members().remove(executor_id) else { return };
        // Before its calls end: one that may be repeated would find the same tool in the registry and be
        // sent here again.
        self.registry.take_out(&member.tools);
        member.queue.close();
    }
}

impl std::fmt::Debug for Executors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.inner.members().values().map(|member| &member.queue.name)).finish()
    }
}

#[async_trait]
impl ExecutorsPort for Executors {
    fn register(&self, offer: ExecutorOffer, lease_ms: u64) -> Result<ExecutorTicket, HostError> {
        if !(EXECUTOR_LEASE_MS_MIN..=EXECUTOR_LEASE_MS_MAX).contains(&lease_ms) {
            let (least, most) = (EXECUTOR_LEASE_MS_MIN / 1_000, EXECUTOR_LEASE_MS_MAX / 1_000);
            let message = format!("'lease_s' must be from {least} to {most} seconds");
            return Err(HostError::Invalid { field: Some("lease_s"), message });
        }
        let queue = self.admit(offer, Some(Duration::from_millis(lease_ms)))?;
        tokio::spawn(end_lease(Arc::downgrade(&self.inner), Arc::downgrade(&queue)));
        Ok(ExecutorTicket {
            executor_id: queue.executor_id.clone(),
            secret: queue.secret().to_owned(),
            lease_ms,
        })
    }

    async fn poll(
        &self,
        badge: ExecutorBadge<'_>,
        after: u64,
        wait_ms: u64,
    ) -> Result<ExecutorNews, HostError> {
        let queue = self.queue_of(badge)?;
        let news = queue.poll(after, Some(Duration::from_millis(wait_ms))).await;
        news.map_err(|refusal| refused(refusal, badge.executor_id, 0))
    }

    fn answer(&self, badge: ExecutorBadge<'_>, call: u64, answer: ExecutorAnswer) -> Result<(), HostError> {
        let answered = self.queue_of(badge)?.answer(call, answer);
        answered.map_err(|refusal| refused(refusal, badge.executor_id, call))
    }

    fn leave(&self, badge: ExecutorBadge<'_>) -> Result<(), HostError> {
        let queue = self.queue_of(badge)?;
        self.dismiss(&queue.executor_id);
        Ok(())
    }

    fn list(&self) -> Vec<ExecutorRow> {
        let members = self.inner.members();
        let row = |member: &Member| ExecutorRow {
            executor_id: member.queue.executor_id.clone(),
            name: member.queue.name.clone(),
            tools: member.tools.iter().map(|tool| tool.spec().name.clone()).collect(),
            calls: member.queue.open_calls(),
        };
        members.values().map(row).collect()
    }
}

/// Waits until an executor was silent for too long, and takes it out.
async fn end_lease(executors: Weak<ExecutorTable>, queue: Weak<CallQueue>) {
    loop {
        // Held for a look only: waiting for a lease must keep nothing alive.
        let Some(left) = queue.upgrade().and_then(|queue| queue.lease_left()) else { return };
        if left.is_zero() {
            break;
        }
        tokio::time::sleep(left).await;
    }
    if let (Some(executors), Some(queue)) = (executors.upgrade(), queue.upgrade()) {
        tracing::warn!(executor = %queue.name, "an executor was silent for too long; its tools are gone");
        executors.dismiss(&queue.executor_id);
    }
}

/// The tool of an executor that is not there now, if it comes back in time; nothing for a tool of anybody else.
pub(crate) async fn await_executor(registry: &Registry, spec: &ToolSpec) -> Option<Arc<dyn ToolPort>> {
    spec.executor.as_ref()?;
    let returned = registry.wait_for(&spec.name, |own| own.executor == spec.executor);
    tokio::time::timeout(Duration::from_millis(EXECUTOR_RETURN_MS), returned).await.ok()
}

fn refused(refusal: QueueRefusal, executor_id: &str, call: u64) -> HostError {
    match refusal {
        QueueRefusal::Gone => HostError::Missing { what: "executor", id: executor_id.to_owned() },
        QueueRefusal::Cursor => HostError::Invalid {
            field: Some("after"),
            message: "'after' must be what the last answer said, and 0 at first".to_owned(),
        },
        QueueRefusal::UnknownCall => HostError::Missing { what: "call", id: call.to_string() },
        QueueRefusal::CallOver => HostError::Conflict(format!(
            "call {call} is over: it was answered, cancelled or out of time; this answer changes nothing"
        )),
    }
}

impl From<OfferError> for HostError {
    fn from(error: OfferError) -> Self {
        let message = error.to_string();
        match error {
            OfferError::Invalid { field, .. } => HostError::Invalid { field: Some(field), message },
            OfferError::Full(_) | OfferError::Tool(RegisterError::Clash(_) | RegisterError::Full) => {
                HostError::Conflict(message)
            }
            OfferError::Tool(
                RegisterError::Spec(_) | RegisterError::Schema { .. } | RegisterError::Default { .. },
            ) => HostError::Invalid { field: Some("tools"), message },
        }
    }
}
