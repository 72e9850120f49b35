//! Where the writing thread works: its connection, its statements, and what it knows of sessions.
//!
//! What it remembers is only what the file says; a transaction that is undone makes it forget.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension as _, Params, Row};
use windlass_core::ports::store::{NewSession, StoreFailure};
use windlass_core::protocol::ids::{Millis, SessionId};

use crate::claim::{WriterLock, describe};
use crate::fault::StoreFault;
use crate::limits::{DELETED_MAX, KNOWN_SESSIONS_MAX};
use crate::statements::Statements;

/// What the thread knows of a session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownSession {
    /// Its number in the file.
    pub(crate) number: i64,
    /// Whether questions of it wait for an answer.
    pub(crate) is_asking: bool,
}

/// Where the writing thread works.
pub(crate) struct Transaction<'c> {
    statements: Statements<'c>,
    pub(crate) lock: &'c WriterLock,
    known: HashMap<SessionId, KnownSession>,
    deleted: HashSet<SessionId>,
    is_synced: bool,
}

impl<'c> Transaction<'c> {
    pub(crate) fn new(connection: &'c Connection, lock: &'c WriterLock) -> Self {
        Self {
            statements: Statements::new(connection),
            lock,
            known: HashMap::new(),
            deleted: HashSet::new(),
            is_synced: true,
        }
    }

    /// Runs a statement; gives how many rows it changed.
    pub(crate) fn execute(&mut self, sql: &'static str, params: impl Params) -> rusqlite::Result<usize> {
        self.statements.get(sql)?.execute(params)
    }

    /// The first row that a statement gives.
    pub(crate) fn query_row<T>(
        &mut self,
        sql: &'static str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        self.statements.get(sql)?.query_row(params, read)
    }

    /// All rows that a statement gives.
    pub(crate) fn query_all<T>(
        &mut self,
        sql: &'static str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<T>> {
        self.statements.get(sql)?.query_map(params, read)?.collect()
    }

    /// The number of the row that was inserted last.
    pub(crate) fn inserted(&self) -> i64 {
        self.statements.connection().last_insert_rowid()
    }

    /// Begins a transaction; says whether it will wait for the disk.
    pub(crate) fn begin(&mut self, is_synced: bool) -> rusqlite::Result<()> {
        if is_synced != self.is_synced {
            // Before the transaction: SQLite changes this only between two of them.
            self.statements.connection().pragma_update(None, "synchronous", if is_synced { 2 } else { 1 })?;
            self.is_synced = is_synced;
        }
        // Immediate, so that waiting for another process happens here and no job fails half-way.
        self.execute("BEGIN IMMEDIATE", []).map(drop)
    }

    pub(crate) fn commit(&mut self) -> rusqlite::Result<()> {
        self.execute("COMMIT", []).map(drop)
    }

    /// Undoes the transaction and forgets what it may have changed.
    pub(crate) fn undo(&mut self) {
        // Numbers that it gave to new sessions are void with it.
        self.known.clear();
        // A full disk makes SQLite undo the transaction itself.
        if !self.statements.connection().is_autocommit() {
            // A transaction that cannot be undone is not kept either: the next one cannot begin, and says why.
            let _ = self.statements.connection().execute_batch("ROLLBACK");
        }
    }

    /// What is known of a session, if there is one.
    pub(crate) fn find(&mut self, session_id: &SessionId) -> rusqlite::Result<Option<KnownSession>> {
        if let Some(known) = self.known.get(session_id) {
            return Ok(Some(*known));
        }
        let found = self
            .query_row(
                "SELECT n, EXISTS (SELECT 1 FROM questions WHERE session = n) FROM sessions WHERE id = ?1",
                [session_id.as_str()],
                |row| Ok(KnownSession { number: row.get(0)?, is_asking: row.get(1)? }),
            )
            .optional()?;
        if let Some(known) = found {
            self.remember(session_id, known);
        }
        Ok(found)
    }

    pub(crate) fn remember(&mut self, session_id: &SessionId, known: KnownSession) {
        if self.known.len() >= KNOWN_SESSIONS_MAX {
            self.known.clear();
        }
        self.known.insert(session_id.clone(), known);
    }

    pub(crate) fn forget_deleted(&mut self, session_id: &SessionId) {
        self.known.remove(session_id);
        if self.deleted.len() >= DELETED_MAX {
            self.deleted.clear();
        }
        self.deleted.insert(session_id.clone());
    }

    /// The session, or a refusal that there is none.
    pub(crate) fn require(&mut self, session_id: &SessionId) -> Result<KnownSession, StoreFault> {
        self.find(session_id)?.ok_or_else(|| StoreFault::Refused(missing_session(session_id)))
    }

    /// The session for an append: a journal takes records of sessions that nobody has announced.
    pub(crate) fn find_or_begin(
        &mut self,
        session_id: &SessionId,
        now: Millis,
    ) -> Result<KnownSession, StoreFault> {
        if let Some(known) = self.find(session_id)? {
            return Ok(known);
        }
        if self.deleted.contains(session_id) {
            return Err(missing_session(session_id).into());
        }
        let number = self.insert_session(session_id, &NewSession::default(), now)?;
        let known = KnownSession { number, is_asking: false };
        self.remember(session_id, known);
        Ok(known)
    }

    /// The living process that writes a session, if it is another one.
    pub(crate) fn other_writer(&mut self, number: i64) -> rusqlite::Result<Option<String>> {
        let (writer, since_ms): (Option<String>, i64) =
            self.query_row("SELECT writer, writer_ms FROM heads WHERE session = ?1", [number], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        let other = writer.filter(|token| token != self.lock.token() && self.lock.is_alive(token));
        Ok(other.map(|token| describe(&token, since_ms.cast_unsigned())))
    }
}

/// There is no such session.
pub(crate) fn missing_session(session_id: &SessionId) -> StoreFailure {
    StoreFailure::Missing(format!("session {session_id}"))
}

/// A number as SQLite has them; what is larger than any real one is the largest.
pub(crate) fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
