//! A store whose process dies before or after its N-th write.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use windlass_core::permission::{ApproveMode, Rule};
use windlass_core::ports::store::{
    Claim, NewSession, RunQuery, RunRow, Save, SessionQuery, SessionRow, StoreFailure, StorePort,
};
use windlass_core::ports::{JournalFailure, JournalPort};
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::{Millis, RunId, SessionId};
use windlass_core::protocol::settings::SessionSettings;
use windlass_core::protocol::task::Task;

use super::{die, place};

/// The store, as mortal as the environment wants it.
pub(crate) fn mortal_store(store: Arc<dyn StorePort>) -> Arc<dyn StorePort> {
    match place("CRASH_AT").and_then(|(number, is_after)| Some((number.parse().ok()?, is_after))) {
        Some((at, is_after)) => Arc::new(MortalStore { store, at, is_after, writes: AtomicU64::new(0) }),
        None => store,
    }
}

struct MortalStore {
    store: Arc<dyn StorePort>,
    at: u64,
    is_after: bool,
    writes: AtomicU64,
}

impl MortalStore {
    /// Does a write, if the process lives to see it.
    async fn write<T>(&self, write: impl Future<Output = T>) -> T {
        let is_it = self.writes.fetch_add(1, Ordering::SeqCst).saturating_add(1) == self.at;
        if is_it && !self.is_after {
            die();
        }
        let done = write.await;
        if is_it {
            die();
        }
        done
    }
}

#[async_trait]
impl JournalPort for MortalStore {
    async fn append(&self, records: &[Arc<Record>]) -> Result<(), JournalFailure> {
        self.write(self.store.append(records)).await
    }

    async fn load(&self, session_id: &SessionId, after: u64) -> Result<Vec<Arc<Record>>, JournalFailure> {
        self.store.load(session_id, after).await
    }

    async fn load_page(
        &self,
        session_id: &SessionId,
        after: u64,
        records_max: usize,
    ) -> Result<Vec<Arc<Record>>, JournalFailure> {
        self.store.load_page(session_id, after, records_max).await
    }

    async fn grants(&self, session_id: &SessionId) -> Result<Option<Vec<Rule>>, JournalFailure> {
        self.store.grants(session_id).await
    }
}

#[async_trait]
impl StorePort for MortalStore {
    async fn create_session(
        &self,
        session_id: &SessionId,
        begin: NewSession,
        now: Millis,
    ) -> Result<SessionRow, StoreFailure> {
        self.write(self.store.create_session(session_id, begin, now)).await
    }

    async fn copy_session(
        &self,
        session_id: &SessionId,
        begin: NewSession,
        records: Vec<Arc<Record>>,
        now: Millis,
    ) -> Result<SessionRow, StoreFailure> {
        self.write(self.store.copy_session(session_id, begin, records, now)).await
    }

    async fn session(&self, session_id: &SessionId) -> Result<SessionRow, StoreFailure> {
        self.store.session(session_id).await
    }

    async fn session_by_key(&self, key: &str) -> Result<Option<SessionRow>, StoreFailure> {
        self.store.session_by_key(key).await
    }

    async fn sessions(&self, query: SessionQuery) -> Result<Vec<SessionRow>, StoreFailure> {
        self.store.sessions(query).await
    }

    async fn rename_session(&self, session_id: &SessionId, title: &str) -> Result<(), StoreFailure> {
        self.write(self.store.rename_session(session_id, title)).await
    }

    async fn set_approve(&self, session_id: &SessionId, approve: ApproveMode) -> Result<(), StoreFailure> {
        self.write(self.store.set_approve(session_id, approve)).await
    }

    async fn set_settings(
        &self,
        session_id: &SessionId,
        settings: SessionSettings,
    ) -> Result<(), StoreFailure> {
        self.write(self.store.set_settings(session_id, settings)).await
    }

    async fn delete_session(&self, session_id: &SessionId) -> Result<(), StoreFailure> {
        self.write(self.store.delete_session(session_id)).await
    }

    async fn run(&self, run_id: &RunId) -> Result<RunRow, StoreFailure> {
        self.store.run(run_id).await
    }

    async fn runs(&self, query: RunQuery) -> Result<Vec<RunRow>, StoreFailure> {
        self.store.runs(query).await
    }

    async fn tasks(&self, session_id: &SessionId) -> Result<Vec<Task>, StoreFailure> {
        self.store.tasks(session_id).await
    }

    async fn all_grants(&self) -> Result<Vec<Rule>, StoreFailure> {
        self.store.all_grants().await
    }

    async fn revoke(&self, grant_id: &str) -> Result<bool, StoreFailure> {
        self.store.revoke(grant_id).await
    }

    async fn claim(&self, session_id: &SessionId) -> Result<Claim, StoreFailure> {
        self.write(self.store.claim(session_id)).await
    }

    async fn holder(&self, session_id: &SessionId) -> Result<Option<String>, StoreFailure> {
        self.store.holder(session_id).await
    }

    async fn release(&self, session_id: &SessionId) -> Result<(), StoreFailure> {
        self.write(self.store.release(session_id)).await
    }

    async fn put_save(&self, save: Save) -> Result<(), StoreFailure> {
        self.write(self.store.put_save(save)).await
    }

    async fn save(&self, save_id: &str) -> Result<Save, StoreFailure> {
        self.store.save(save_id).await
    }

    async fn saves(&self, rows_max: usize) -> Result<Vec<Save>, StoreFailure> {
        self.store.saves(rows_max).await
    }

    async fn delete_save(&self, save_id: &str) -> Result<(), StoreFailure> {
        self.write(self.store.delete_save(save_id)).await
    }

    async fn audit(&self, session_id: &SessionId, now: Millis, line: &str) -> Result<(), StoreFailure> {
        self.write(self.store.audit(session_id, now, line)).await
    }
}
