//! A store whose process dies before or after its N-th write.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use windlass_core::permission::{ApproveMode, Rule};
use windlass_core::ports::store::{
    Claim, NewSession, RunQuery, RunRow, Save, SessionQuery, SessionRow, StoreFailure, StorePort,
};
use windlass_core::ports::{BoxFuture, JournalFailure, JournalPort};
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

impl JournalPort for MortalStore {
    fn append<'a>(&'a self, records: &'a [Arc<Record>]) -> BoxFuture<'a, Result<(), JournalFailure>> {
        Box::pin(self.write(self.store.append(records)))
    }

    fn load<'a>(
        &'a self,
        session_id: &'a SessionId,
        after: u64,
    ) -> BoxFuture<'a, Result<Vec<Arc<Record>>, JournalFailure>> {
        self.store.load(session_id, after)
    }

    fn load_page<'a>(
        &'a self,
        session_id: &'a SessionId,
        after: u64,
        records_max: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Record>>, JournalFailure>> {
        self.store.load_page(session_id, after, records_max)
    }

    fn grants<'a>(
        &'a self,
        session_id: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<Vec<Rule>>, JournalFailure>> {
        self.store.grants(session_id)
    }
}

impl StorePort for MortalStore {
    fn create_session<'a>(
        &'a self,
        session_id: &'a SessionId,
        begin: NewSession,
        now: Millis,
    ) -> BoxFuture<'a, Result<SessionRow, StoreFailure>> {
        Box::pin(self.write(self.store.create_session(session_id, begin, now)))
    }

    fn copy_session<'a>(
        &'a self,
        session_id: &'a SessionId,
        begin: NewSession,
        records: Vec<Arc<Record>>,
        now: Millis,
    ) -> BoxFuture<'a, Result<SessionRow, StoreFailure>> {
        Box::pin(self.write(self.store.copy_session(session_id, begin, records, now)))
    }

    fn session<'a>(&'a self, session_id: &'a SessionId) -> BoxFuture<'a, Result<SessionRow, StoreFailure>> {
        self.store.session(session_id)
    }

    fn session_by_key<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<SessionRow>, StoreFailure>> {
        self.store.session_by_key(key)
    }

    fn sessions(&self, query: SessionQuery) -> BoxFuture<'_, Result<Vec<SessionRow>, StoreFailure>> {
        self.store.sessions(query)
    }

    fn rename_session<'a>(
        &'a self,
        session_id: &'a SessionId,
        title: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreFailure>> {
        Box::pin(self.write(self.store.rename_session(session_id, title)))
    }

    fn set_approve<'a>(
        &'a self,
        session_id: &'a SessionId,
        approve: ApproveMode,
    ) -> BoxFuture<'a, Result<(), StoreFailure>> {
        Box::pin(self.write(self.store.set_approve(session_id, approve)))
    }

    fn set_settings<'a>(
        &'a self,
        session_id: &'a SessionId,
        settings: SessionSettings,
    ) -> BoxFuture<'a, Result<(), StoreFailure>> {
        Box::pin(self.write(self.store.set_settings(session_id, settings)))
    }

    fn delete_session<'a>(&'a self, session_id: &'a SessionId) -> BoxFuture<'a, Result<(), StoreFailure>> {
        Box::pin(self.write(self.store.delete_session(session_id)))
    }

    fn run<'a>(&'a self, run_id: &'a RunId) -> BoxFuture<'a, Result<RunRow, StoreFailure>> {
        self.store.run(run_id)
    }

    fn runs(&self, query: RunQuery) -> BoxFuture<'_, Result<Vec<RunRow>, StoreFailure>> {
        self.store.runs(query)
    }

    fn tasks<'a>(&'a self, session_id: &'a SessionId) -> BoxFuture<'a, Result<Vec<Task>, StoreFailure>> {
        self.store.tasks(session_id)
    }

    fn all_grants(&self) -> BoxFuture<'_, Result<Vec<Rule>, StoreFailure>> {
        self.store.all_grants()
    }

    fn revoke<'a>(&'a self, grant_id: &'a str) -> BoxFuture<'a, Result<bool, StoreFailure>> {
        self.store.revoke(grant_id)
    }

    fn claim<'a>(&'a self, session_id: &'a SessionId) -> BoxFuture<'a, Result<Claim, StoreFailure>> {
        Box::pin(self.write(self.store.claim(session_id)))
    }

    fn holder<'a>(
        &'a self,
        session_id: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<String>, StoreFailure>> {
        self.store.holder(session_id)
    }

    fn release<'a>(&'a self, session_id: &'a SessionId) -> BoxFuture<'a, Result<(), StoreFailure>> {
        Box::pin(self.write(self.store.release(session_id)))
    }

    fn put_save(&self, save: Save) -> BoxFuture<'_, Result<(), StoreFailure>> {
        Box::pin(self.write(self.store.put_save(save)))
    }

    fn save<'a>(&'a self, save_id: &'a str) -> BoxFuture<'a, Result<Save, StoreFailure>> {
        self.store.save(save_id)
    }

    fn saves(&self, rows_max: usize) -> BoxFuture<'_, Result<Vec<Save>, StoreFailure>> {
        self.store.saves(rows_max)
    }

    fn delete_save<'a>(&'a self, save_id: &'a str) -> BoxFuture<'a, Result<(), StoreFailure>> {
        Box::pin(self.write(self.store.delete_save(save_id)))
    }

    fn audit<'a>(
        &'a self,
        session_id: &'a SessionId,
        now: Millis,
        line: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreFailure>> {
        Box::pin(self.write(self.store.audit(session_id, now, line)))
    }
}
