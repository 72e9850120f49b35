//! Who has read what: the hash of each file as a session last saw it.
//!
//! An edit is allowed when the file is still what the session saw. Bounded: the oldest entry goes first.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use windlass_core::protocol::ids::SessionId;

use super::limits::LEDGER_ENTRIES_MAX;

type LedgerKey = (SessionId, PathBuf);

/// What sessions have seen of files.
#[derive(Default)]
pub(crate) struct ReadLedger {
    seen: Mutex<SeenFile>,
}

#[derive(Default)]
struct SeenFile {
    hashes: HashMap<LedgerKey, String>,
    /// Keys in the order in which they came, for forgetting.
    order: VecDeque<LedgerKey>,
    /// Sessions whose past was looked at.
    recalled: HashSet<SessionId>,
}

impl ReadLedger {
    /// Remembers what a session saw of a file.
    pub(crate) fn record(&self, session: &SessionId, file: &Path, sha256: &str) {
        let key = (session.clone(), file.to_path_buf());
        let mut seen = self.lock();
        if seen.hashes.insert(key.clone(), sha256.to_owned()).is_none() {
            seen.order.push_back(key);
        }
        while seen.order.len() > LEDGER_ENTRIES_MAX {
            if let Some(oldest) = seen.order.pop_front() {
                seen.hashes.remove(&oldest);
            }
        }
    }

    /// Whether the past of a session has yet to be looked at, asked once: a session may be older than the process.
    pub(crate) fn is_first_sight(&self, session: &SessionId) -> bool {
        let mut seen = self.lock();
        if seen.recalled.len() >= LEDGER_ENTRIES_MAX {
            seen.recalled.clear();
        }
        seen.recalled.insert(session.clone())
    }

    /// The hash of a file as the session last saw it.
    pub(crate) fn last_seen(&self, session: &SessionId, file: &Path) -> Option<String> {
        self.lock().hashes.get(&(session.clone(), file.to_path_buf())).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, SeenFile> {
        // Every change is complete before the lock is left, so a poisoned one is still whole.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
