//! Everything that is written beside the journal: sessions begun, copied, renamed and deleted; claims, snapshots, audit.

use rusqlite::{OptionalExtension as _, params};
use windlass_core::permission::{ApproveMode, Rule};
use windlass_core::ports::store::{Claim, NewSession, Save, StoreFailure};
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::{Millis, SessionId};
use windlass_core::protocol::message::Message;
use windlass_core::protocol::settings::SessionSettings;

use crate::claim::now_ms;
use crate::encode::RecordRow;
use crate::fault::StoreFault;
use crate::query::grant_row;
use crate::transaction::{KnownSession, Transaction, int};

impl Transaction<'_> {
    pub(crate) fn create(
        &mut self,
        session_id: &SessionId,
        begin: &NewSession,
        now: Millis,
    ) -> Result<i64, StoreFault> {
        if self.find(session_id)?.is_some() {
            return Err(StoreFailure::Exists(format!("a session {session_id}")).into());
        }
        if let Some(key) = &begin.key {
            let holder: Option<String> = self
                .query_row("SELECT id FROM sessions WHERE key = ?1", [key], |row| row.get(0))
                .optional()?;
            if let Some(holder) = holder {
                return Err(StoreFailure::Exists(format!("a session {holder} with the key {key}")).into());
            }
        }
        let number = self.insert_session(session_id, begin, now)?;
        self.remember(session_id, KnownSession { number, is_asking: false });
        Ok(number)
    }

    /// Begins a session with records; it is whole or not there.
    pub(crate) fn copy(
        &mut self,
        session_id: &SessionId,
        begin: &NewSession,
        rows: &[RecordRow],
        last: Option<&Record>,
        now: Millis,
    ) -> Result<(), StoreFault> {
        let number = self.create(session_id, begin, now)?;
        let Some(last) = last else { return Ok(()) };
        let mut known = KnownSession { number, is_asking: false };
        self.insert(&mut known, rows)?;
        self.remember(session_id, known);
        self.execute(
            "UPDATE heads SET last_seq = ?2, updated_ms = max(updated_ms, ?3) WHERE session = ?1",
            params![number, int(last.seq), int(now)],
        )?;
        // What was granted elsewhere is not granted here, but for the run that goes on here.
        self.execute("UPDATE grants SET holder = '' WHERE session = ?1", [number])?;
        self.adopt_grants(number)
    }

    pub(crate) fn insert_session(
        &mut self,
        session_id: &SessionId,
        begin: &NewSession,
        now: Millis,
    ) -> Result<i64, StoreFault> {
        let json = |text: serde_json::Result<String>| {
            text.map_err(|error| StoreFault::unreadable(&"the beginning of a session", &error))
        };
        let fork = begin.fork.as_ref().map(|fork| json(serde_json::to_string(fork))).transpose()?;
        let history =
            if begin.history.is_empty() { None } else { Some(json(serde_json::to_string(&begin.history))?) };
        let settings = settings_text(&begin.settings)?;
        self.execute(
            "INSERT INTO sessions (id, key, title, origin, root, profile, model, fork, history, created_ms,
                 approve, settings)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            params![
                session_id.as_str(),
                begin.key,
                begin.title,
                begin.origin,
                begin.root,
                begin.profile,
                begin.model,
                fork,
                history,
                int(now),
                begin.approve.map(ApproveMode::word),
                settings,
            ],
        )?;
        let number = self.inserted();
        self.execute(
            "INSERT INTO heads (session, last_seq, updated_ms, runs) VALUES (?1, 0, ?2, 0)",
            params![number, int(now)],
        )?;
        if !begin.title.is_empty() {
            self.insert_said(number, "title", &begin.title)?;
        }
        for message in begin.history.iter().filter(|message| matches!(&***message, Message::User { .. })) {
            self.insert_said(number, "message", &message.text())?;
        }
        Ok(number)
    }

    /// Gives a session another title.
    pub(crate) fn rename(&mut self, session_id: &SessionId, title: &str) -> Result<(), StoreFault> {
        let number = self.require_ours(session_id)?;
        self.execute("UPDATE sessions SET title = ?2 WHERE n = ?1", params![number, title])?;
        self.execute("DELETE FROM said WHERE session = ?1 AND kind = 'title'", [number])?;
        Ok(self.insert_said(number, "title", title)?)
    }

    /// Keeps how calls of a session are approved.
    pub(crate) fn set_approve(
        &mut self,
        session_id: &SessionId,
        approve: ApproveMode,
    ) -> Result<(), StoreFault> {
        let number = self.require_ours(session_id)?;
        self.execute("UPDATE sessions SET approve = ?2 WHERE n = ?1", params![number, approve.word()])?;
        Ok(())
    }

    /// Keeps what is set for the runs of a session.
    pub(crate) fn set_settings(
        &mut self,
        session_id: &SessionId,
        settings: &SessionSettings,
    ) -> Result<(), StoreFault> {
        let number = self.require_ours(session_id)?;
        let text = settings_text(settings)?;
        self.execute("UPDATE sessions SET settings = ?2 WHERE n = ?1", params![number, text])?;
        Ok(())
    }

    /// Forgets a session, with the blobs that nobody else needs.
    pub(crate) fn delete(&mut self, session_id: &SessionId) -> Result<(), StoreFault> {
        let number = self.require_ours(session_id)?;
        self.execute("CREATE TEMP TABLE IF NOT EXISTS orphans (hash BLOB PRIMARY KEY) WITHOUT ROWID", [])?;
        // Noted before the records go: afterwards nobody knows which blobs were theirs.
        self.execute(
            "INSERT OR IGNORE INTO temp.orphans
             SELECT blob FROM records WHERE session = ?1 AND blob IS NOT NULL",
            [number],
        )?;
        self.execute("DELETE FROM sessions WHERE n = ?1", [number])?;
        self.execute(
            "DELETE FROM blobs WHERE hash IN (SELECT hash FROM temp.orphans)
                 AND NOT EXISTS (SELECT 1 FROM records WHERE records.blob = blobs.hash)",
            [],
        )?;
        self.execute("DELETE FROM temp.orphans", [])?;
        self.execute("DELETE FROM audit WHERE session_id = ?1", [session_id.as_str()])?;
        // A run that still goes on would otherwise bring the session back with its next record.
        self.forget_deleted(session_id);
        Ok(())
    }

    /// The session's number, unless another living process writes it.
    fn require_ours(&mut self, session_id: &SessionId) -> Result<i64, StoreFault> {
        let known = self.require(session_id)?;
        match self.other_writer(known.number)? {
            Some(by) => Err(StoreFailure::Broken(format!(
                "session {session_id} is written by {by}; stop it there, or wait until it is done, and try again"
            ))
            .into()),
            None => Ok(known.number),
        }
    }

    /// Becomes the writer, unless another living process is.
    pub(crate) fn claim(&mut self, session_id: &SessionId) -> Result<Claim, StoreFault> {
        let known = self.require(session_id)?;
        if let Some(by) = self.other_writer(known.number)? {
            return Ok(Claim::Held { by });
        }
        let lock = self.lock;
        self.execute(
            "UPDATE heads SET writer = ?2, writer_ms = ?3 WHERE session = ?1 AND writer IS NOT ?2",
            params![known.number, lock.token(), int(now_ms())],
        )?;
        self.adopt_grants(known.number)?;
        Ok(Claim::Taken)
    }

    /// Takes over what was granted in a run that has not ended; all else that other processes granted has ended.
    fn adopt_grants(&mut self, number: i64) -> Result<(), StoreFault> {
        let lock = self.lock;
        self.execute(
            "DELETE FROM grants WHERE session = ?1 AND holder <> ?2
                 AND seq < ifnull((SELECT max(first_seq) FROM runs WHERE session = ?1 AND ended_ms IS NULL), seq + 1)",
            params![number, lock.token()],
        )?;
        self.execute(
            "UPDATE grants SET holder = ?2 WHERE session = ?1 AND holder <> ?2",
            params![number, lock.token()],
        )?;
        Ok(())
    }

    /// What sessions are granted, by all processes that live, and what waits for a run to go on.
    pub(crate) fn all_grants(&mut self) -> Result<Vec<Rule>, StoreFault> {
        let lock = self.lock;
        let rows = self.query_all(
            "SELECT g.n, s.id, g.rule, g.given_ms, g.holder, g.seq >= ifnull(
                 (SELECT max(first_seq) FROM runs r WHERE r.session = g.session AND r.ended_ms IS NULL), g.seq + 1)
             FROM grants g JOIN sessions s ON s.n = g.session ORDER BY g.n",
            [],
            |row| Ok((grant_row(row)?, row.get::<_, String>(4)?, row.get::<_, bool>(5)?)),
        )?;
        let held = rows.into_iter().filter(|(_, holder, is_open)| *is_open || lock.is_alive(holder));
        Ok(held.filter_map(|(rule, ..)| rule).collect())
    }

    /// Takes a grant back; whether there was one.
    pub(crate) fn revoke(&mut self, number: u64) -> Result<bool, StoreFault> {
        Ok(self.execute("DELETE FROM grants WHERE n = ?1", [int(number)])? > 0)
    }

    /// Is the writer no longer.
    pub(crate) fn release(&mut self, session_id: &SessionId) -> Result<(), StoreFault> {
        let Some(known) = self.find(session_id)? else { return Ok(()) };
        let lock = self.lock;
        // Only its own: another process may have taken the session over meanwhile.
        self.execute(
            "UPDATE heads SET writer = NULL WHERE session = ?1 AND writer = ?2",
            params![known.number, lock.token()],
        )?;
        Ok(())
    }

    /// Keeps a snapshot, instead of one of the same id.
    pub(crate) fn put_save(&mut self, save: &Save, body: &str) -> Result<(), StoreFault> {
        self.execute(
            "INSERT INTO saves (id, name, created_ms, body) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (id) DO UPDATE SET name = ?2, created_ms = ?3, body = ?4",
            params![save.save_id, save.name, int(save.created_ms), body],
        )?;
        Ok(())
    }

    pub(crate) fn delete_save(&mut self, save_id: &str) -> Result<(), StoreFault> {
        match self.execute("DELETE FROM saves WHERE id = ?1", [save_id])? {
            0 => Err(StoreFailure::Missing(format!("save {save_id}")).into()),
            _ => Ok(()),
        }
    }

    /// Writes one line of the audit log.
    pub(crate) fn audit(
        &mut self,
        session_id: &SessionId,
        now: Millis,
        line: &str,
    ) -> Result<(), StoreFault> {
        self.execute(
            "INSERT INTO audit (session_id, ts_ms, line) VALUES (?1, ?2, ?3)",
            params![session_id.as_str(), int(now), line],
        )?;
        Ok(())
    }
}

/// Settings as the file has them; nothing where nothing is set.
fn settings_text(settings: &SessionSettings) -> Result<Option<String>, StoreFault> {
    if settings.is_empty() {
        return Ok(None);
    }
    let text = serde_json::to_string(settings);
    text.map(Some).map_err(|error| StoreFault::unreadable(&"the settings of a session", &error))
}
