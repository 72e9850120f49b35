//! Appending: the records of one session, and the rows of runs, grants, tasks and questions that are made of them.

use rusqlite::params;
use windlass_core::ports::store::{BegunRun, RowChange, StoreFailure, project};
use windlass_core::protocol::event::{Record, RunOutcome, StopReason};
use windlass_core::protocol::ids::{CallId, RunId, SessionId};
use windlass_core::protocol::model::Usage;

use crate::claim::{describe, now_ms};
use crate::encode::RecordRow;
use crate::fault::StoreFault;
use crate::transaction::{KnownSession, Transaction, int};

/// Token counts above this are nonsense of a provider; sums of them must not overflow.
const TOKENS_MAX: u64 = 1 << 52;

/// Moves a session's head if this process writes it, or nobody does, and the records are new.
const MOVE_HEAD: &str = "UPDATE heads SET last_seq = ?2, updated_ms = max(updated_ms, ?3),
         writer_ms = iif(writer IS NULL, ?6, writer_ms), writer = ?4
     WHERE session = ?1 AND (writer = ?4 OR writer IS NULL) AND last_seq < ?5";
const INSERT_RECORD: &str =
    "INSERT INTO records (session, seq, deltas, ts_ms, run_id, parent_id, event, blob, cause)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
const INSERT_BLOB: &str = "INSERT OR IGNORE INTO blobs (hash, body) VALUES (?1, ?2)";
const UPDATE_RUN: &str = "UPDATE runs SET last_seq = ?3, steps = max(steps, ?4), calls = calls + ?5,
         input = input + ?6, output = output + ?7, cached = cached + ?8, reasoning = reasoning + ?9,
         cost_usd = iif(?10 IS NULL, cost_usd, coalesce(cost_usd, 0.0) + ?10)
     WHERE session = ?1 AND run_id = ?2";
const SETTLE_QUESTION: &str = "DELETE FROM questions WHERE session = ?1 AND call_id = ?2";

/// What an append changes in the row of a run.
struct RunTally<'r> {
    run_id: &'r RunId,
    last_seq: u64,
    steps: u32,
    calls: u32,
    usage: Usage,
}

impl<'r> RunTally<'r> {
    fn of(run_id: &'r RunId) -> Self {
        Self { run_id, last_seq: 0, steps: 0, calls: 0, usage: Usage::default() }
    }
}

impl Transaction<'_> {
    /// Appends records, if this process writes the session and they are new.
    pub(crate) fn append(
        &mut self,
        session_id: &SessionId,
        rows: &[RecordRow],
        last: &Record,
    ) -> Result<(), StoreFault> {
        let Some(first) = rows.first() else { return Ok(()) };
        let mut known = self.find_or_begin(session_id, first.first.ts_ms)?;
        let lock = self.lock;
        let head = params![
            known.number,
            int(last.seq),
            int(last.ts_ms),
            lock.token(),
            int(first.first.seq),
            int(now_ms()),
        ];
        let moved = self.execute(MOVE_HEAD, head)?;
        // The condition is in the statement itself: a look before it could be outrun by another process.
        if moved == 0 {
            return Err(self.refuse(session_id, known, first.first.seq)?.into());
        }
        let was_asking = known.is_asking;
        self.insert(&mut known, rows)?;
        if known.is_asking != was_asking {
            self.remember(session_id, known);
        }
        Ok(())
    }

    /// Why a head did not move.
    fn refuse(
        &mut self,
        session_id: &SessionId,
        known: KnownSession,
        seq: u64,
    ) -> rusqlite::Result<StoreFailure> {
        let (writer, since_ms, last_seq): (Option<String>, i64, i64) = self.query_row(
            "SELECT writer, writer_ms, last_seq FROM heads WHERE session = ?1",
            [known.number],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )?;
        Ok(StoreFailure::Broken(match writer.filter(|token| token != self.lock.token()) {
            Some(token) => format!(
                "session {session_id} was taken over by {}; this process may not write it any more",
                describe(&token, since_ms.cast_unsigned())
            ),
            None => {
                format!("session {session_id} has records up to {last_seq}; a record {seq} comes too late")
            }
        }))
    }

    /// Inserts rows below a head that has moved, with all that is made of them.
    pub(crate) fn insert(&mut self, known: &mut KnownSession, rows: &[RecordRow]) -> Result<(), StoreFault> {
        let mut tally: Option<RunTally<'_>> = None;
        for row in rows {
            self.insert_row(known.number, row)?;
            let record = &*row.first;
            // An append may hold the end of one run and the beginning of the next.
            if tally.as_ref().is_none_or(|tally| *tally.run_id != record.run_id) {
                self.settle(known.number, tally.take())?;
            }
            let tally = tally.get_or_insert_with(|| RunTally::of(&record.run_id));
            // A row of deltas has the number of its first one.
            tally.last_seq = record.seq + u64::from(row.deltas.saturating_sub(1));
            for change in project(record) {
                self.apply(known, record, change, tally)?;
            }
        }
        Ok(self.settle(known.number, tally)?)
    }

    fn insert_row(&mut self, session: i64, row: &RecordRow) -> rusqlite::Result<()> {
        let record = &row.first;
        if let Some(blob) = &row.blob {
            self.execute(INSERT_BLOB, params![&blob.hash[..], blob.body])?;
        }
        self.execute(
            INSERT_RECORD,
            params![
                session,
                int(record.seq),
                row.deltas,
                int(record.ts_ms),
                record.run_id.as_str(),
                record.parent_id.as_str(),
                row.event,
                row.blob.as_ref().map(|blob| &blob.hash[..]),
                row.cause,
            ],
        )
        .map(drop)
    }

    /// Writes what was counted for a run.
    fn settle(&mut self, session: i64, tally: Option<RunTally<'_>>) -> rusqlite::Result<()> {
        let Some(RunTally { run_id, last_seq, steps, calls, usage }) = tally else { return Ok(()) };
        self.execute(
            UPDATE_RUN,
            params![
                session,
                run_id.as_str(),
                int(last_seq),
                steps,
                calls,
                tokens(usage.input),
                tokens(usage.output),
                tokens(usage.cached),
                tokens(usage.reasoning),
                usage.cost_usd,
            ],
        )
        .map(drop)
    }

    fn apply(
        &mut self,
        known: &mut KnownSession,
        record: &Record,
        change: RowChange<'_>,
        tally: &mut RunTally<'_>,
    ) -> Result<(), StoreFault> {
        match change {
            RowChange::RunBegun(begun) => self.begin_run(known.number, record, &begun)?,
            RowChange::StepReached(step) => tally.steps = tally.steps.max(step),
            RowChange::UsageAdded(usage) => tally.usage.add(usage),
            RowChange::CallCounted => tally.calls = tally.calls.saturating_add(1),
            RowChange::QuestionAsked(call_id) => {
                self.ask(known.number, record, call_id)?;
                known.is_asking = true;
            }
            RowChange::QuestionSettled(call_id) => self.settle_question(known, call_id)?,
            RowChange::Granted(rule) => {
                let lock = self.lock;
                self.execute(
                    "INSERT INTO grants (session, seq, rule, holder, given_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![known.number, int(record.seq), rule, lock.token(), int(record.ts_ms)],
                )?;
            }
            RowChange::TasksReplaced(tasks) => {
                let tasks = serde_json::to_string(tasks)
                    .map_err(|error| StoreFault::unreadable(&"a task list", &error))?;
                self.execute(
                    "INSERT OR REPLACE INTO tasks (session, seq, tasks) VALUES (?1, ?2, ?3)",
                    params![known.number, int(record.seq), tasks],
                )?;
            }
            RowChange::RunEnded { outcome, reason, usage } => {
                // What was counted before in this append must not be added to the whole run's counts.
                tally.usage = Usage::default();
                self.end_run(known, record, (outcome, reason), usage)?;
            }
        }
        Ok(())
    }

    fn begin_run(&mut self, session: i64, record: &Record, begun: &BegunRun<'_>) -> rusqlite::Result<()> {
        let inserted = self.execute(
            "INSERT OR IGNORE INTO runs (session, run_id, message, model, profile, started_ms, first_seq, last_seq)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)",
            params![
                session,
                record.run_id.as_str(),
                begun.message(),
                begun.model,
                begun.profile,
                int(record.ts_ms),
                int(record.seq),
            ],
        )?;
        if inserted == 0 {
            return Ok(());
        }
        self.execute("UPDATE heads SET runs = runs + 1 WHERE session = ?1", [session])?;
        // Searches find it in the message.
        self.execute(
            "UPDATE sessions SET title = ?2 WHERE n = ?1 AND title = ''",
            params![session, begun.title()],
        )?;
        self.insert_said(session, "message", &begun.said)
    }

    /// Keeps a text that searches look through.
    pub(crate) fn insert_said(&mut self, session: i64, kind: &str, text: &str) -> rusqlite::Result<()> {
        self.execute(
            "INSERT INTO said (session, kind, folded) VALUES (?1, ?2, ?3)",
            // Folded here: SQLite knows the case of ASCII letters alone.
            params![session, kind, text.to_lowercase()],
        )
        .map(drop)
    }

    fn ask(&mut self, session: i64, record: &Record, call_id: &CallId) -> rusqlite::Result<()> {
        self.execute(
            "INSERT OR REPLACE INTO questions (session, call_id, run_id) VALUES (?1, ?2, ?3)",
            params![session, call_id.as_str(), record.run_id.as_str()],
        )
        .map(drop)
    }

    fn settle_question(&mut self, known: &KnownSession, call_id: &CallId) -> rusqlite::Result<()> {
        // Nearly every call ends without ever having asked: that costs no statement.
        if known.is_asking {
            self.execute(SETTLE_QUESTION, params![known.number, call_id.as_str()])?;
        }
        Ok(())
    }

    fn end_run(
        &mut self,
        known: &mut KnownSession,
        record: &Record,
        (outcome, reason): (RunOutcome, &StopReason),
        usage: &Usage,
    ) -> Result<(), StoreFault> {
        let word = |text: serde_json::Result<String>| {
            text.map_err(|error| StoreFault::unreadable(&"the end of a run", &error))
        };
        self.execute(
            "UPDATE runs SET ended_ms = ?3, outcome = ?4, reason = ?5, input = ?6, output = ?7, cached = ?8,
                 reasoning = ?9, cost_usd = ?10
             WHERE session = ?1 AND run_id = ?2",
            params![
                known.number,
                record.run_id.as_str(),
                int(record.ts_ms),
                word(serde_json::to_string(&outcome))?,
                word(serde_json::to_string(reason))?,
                tokens(usage.input),
                tokens(usage.output),
                tokens(usage.cached),
                tokens(usage.reasoning),
                usage.cost_usd,
            ],
        )?;
        if known.is_asking {
            self.execute(
                "DELETE FROM questions WHERE session = ?1 AND run_id = ?2",
                params![known.number, record.run_id.as_str()],
            )?;
            known.is_asking = self.query_row(
                "SELECT EXISTS (SELECT 1 FROM questions WHERE session = ?1)",
                [known.number],
                |row| row.get(0),
            )?;
        }
        Ok(())
    }
}

fn tokens(count: u64) -> i64 {
    int(count.min(TOKENS_MAX))
}
