//! Where the writing thread works: its connection, its statements, and what it knows of sessions.
//!
//! What it remembers is only what the file says; a transaction that is undone makes it forget.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension as _, Statement};
use windlass_core::ids::{Millis, SessionId};
use windlass_core::store::{NewSession, StoreFailure};

use crate::claim::{WriterLock, describe};
use crate::fault::Fault;
use crate::limits::{DELETED_MAX, KNOWN_SESSIONS_MAX};

/// What the thread knows of a session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    /// Its number in the file.
    pub(crate) number: i64,
    /// Whether questions of it wait for an answer.
    pub(crate) is_asking: bool,
}

/// Where the writing thread works.
pub(crate) struct Desk<'c> {
    pub(crate) connection: &'c Connection,
    pub(crate) lock: &'c WriterLock,
    pub(crate) statements: Statements<'c>,
    known: HashMap<SessionId, Known>,
    deleted: HashSet<SessionId>,
}

/// What is written most, prepared once.
pub(crate) struct Statements<'c> {
    begin: Statement<'c>,
    commit: Statement<'c>,
    /// Moves a session's head if this process writes it and the records are new.
    pub(crate) move_head: Statement<'c>,
    pub(crate) insert_record: Statement<'c>,
    pub(crate) insert_blob: Statement<'c>,
    pub(crate) update_run: Statement<'c>,
    pub(crate) settle_question: Statement<'c>,
}

impl<'c> Desk<'c> {
    pub(crate) fn new(connection: &'c Connection, lock: &'c WriterLock) -> rusqlite::Result<Self> {
        let statements = Statements {
            begin: connection.prepare("BEGIN IMMEDIATE")?,
            commit: connection.prepare("COMMIT")?,
            move_head: connection.prepare(
                "UPDATE heads SET last_seq = ?2, updated_ms = max(updated_ms, ?3),
                     writer_ms = iif(writer IS NULL, ?6, writer_ms), writer = ?4
                 WHERE session = ?1 AND (writer = ?4 OR writer IS NULL) AND last_seq < ?5",
            )?,
            insert_record: connection.prepare(
                "INSERT INTO records (session, seq, deltas, ts_ms, run_id, parent_id, event, blob)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?,
            insert_blob: connection.prepare("INSERT OR IGNORE INTO blobs (hash, body) VALUES (?1, ?2)")?,
            update_run: connection.prepare(
                "UPDATE runs SET last_seq = ?3, steps = max(steps, ?4), calls = calls + ?5,
                     input = input + ?6, output = output + ?7, cached = cached + ?8, reasoning = reasoning + ?9,
                     cost_usd = iif(?10 IS NULL, cost_usd, coalesce(cost_usd, 0.0) + ?10)
                 WHERE session = ?1 AND run_id = ?2",
            )?,
            settle_question: connection.prepare("DELETE FROM questions WHERE session = ?1 AND call_id = ?2")?,
        };
        Ok(Self { connection, lock, statements, known: HashMap::new(), deleted: HashSet::new() })
    }

    pub(crate) fn begin(&mut self) -> rusqlite::Result<()> {
        self.statements.begin.execute([]).map(drop)
    }

    pub(crate) fn commit(&mut self) -> rusqlite::Result<()> {
        self.statements.commit.execute([]).map(drop)
    }

    /// Undoes the transaction and forgets what it may have changed.
    pub(crate) fn undo(&mut self) {
        self.known.clear();
        if !self.connection.is_autocommit() {
            // A transaction that cannot be undone is not kept either: the next one cannot begin, and says why.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }

    /// Whether a transaction waits for the disk.
    pub(crate) fn set_synced(&self, is_synced: bool) {
        let level = if is_synced { 2 } else { 1 };
        // At worst deltas are synced too; a failure shows in the next transaction.
        let _ = self.connection.pragma_update(None, "synchronous", level);
    }

    /// What is known of a session, if there is one.
    pub(crate) fn find(&mut self, session_id: &SessionId) -> rusqlite::Result<Option<Known>> {
        if let Some(known) = self.known.get(session_id) {
            return Ok(Some(*known));
        }
        let found = self
            .connection
            .query_row(
                "SELECT n, EXISTS (SELECT 1 FROM questions WHERE session = n) FROM sessions WHERE id = ?1",
                [session_id.as_str()],
                |row| Ok(Known { number: row.get(0)?, is_asking: row.get(1)? }),
            )
            .optional()?;
        if let Some(known) = found {
            self.remember(session_id, known);
        }
        Ok(found)
    }

    pub(crate) fn remember(&mut self, session_id: &SessionId, known: Known) {
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
    pub(crate) fn require(&mut self, session_id: &SessionId) -> Result<Known, Fault> {
        self.find(session_id)?.ok_or_else(|| Fault::Refused(missing_session(session_id)))
    }

    /// The session for an append: a journal takes records of sessions that nobody has announced.
    pub(crate) fn find_or_begin(&mut self, session_id: &SessionId, now: Millis) -> Result<Known, Fault> {
        if let Some(known) = self.find(session_id)? {
            return Ok(known);
        }
        if self.deleted.contains(session_id) {
            return Err(missing_session(session_id).into());
        }
        let number = self.insert_session(session_id, &NewSession::default(), now)?;
        let known = Known { number, is_asking: false };
        self.remember(session_id, known);
        Ok(known)
    }

    /// The living process that writes a session, if it is another one.
    pub(crate) fn other_writer(&self, number: i64) -> rusqlite::Result<Option<String>> {
        let (writer, since_ms): (Option<String>, i64) = self.connection.query_row(
            "SELECT writer, writer_ms FROM heads WHERE session = ?1",
            [number],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
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
