//! What is read: records, sessions, runs, tasks, grants, snapshots.

use std::sync::Arc;

use rusqlite::types::{Type, ValueRef};
use rusqlite::{OptionalExtension as _, Row, params};
use serde::de::DeserializeOwned;
use windlass_core::permission::{ApproveMode, Rule};
use windlass_core::ports::store::{
    NewSession, RunQuery, RunRow, Save, SessionQuery, SessionRow, StoreFailure,
};
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::{MessageId, Millis, RunId, SessionId};
use windlass_core::protocol::model::Usage;
use windlass_core::protocol::task::Task;

use crate::encode::StoredRow;
use crate::fault::StoreFault;
use crate::limits::BLOCK_DELTAS_MAX;
use crate::statements::Statements;
use crate::transaction::{int, missing_session};

/// Rows of sessions; what follows says which.
macro_rules! select_sessions {
    ($which:literal) => {
        concat!(
            "SELECT s.id, s.key, s.title, s.origin, s.root, s.profile, s.model, s.fork, s.history, s.created_ms, ",
            "h.updated_ms, h.last_seq, h.runs, s.approve, s.settings FROM sessions s JOIN heads h ON h.session = s.n ",
            $which
        )
    };
}

/// Rows of runs; what follows says which.
macro_rules! select_runs {
    ($which:literal) => {
        concat!(
            "SELECT r.run_id, s.id, r.message, r.model, r.profile, r.started_ms, r.ended_ms, r.outcome, r.reason, ",
            "r.first_seq, r.last_seq, r.steps, r.calls, ",
            "(SELECT count(*) FROM questions q WHERE q.session = r.session AND q.run_id = r.run_id), ",
            "r.input, r.output, r.cached, r.reasoning, r.cost_usd ",
            "FROM runs r JOIN sessions s ON s.n = r.session ",
            $which
        )
    };
}

/// The first `records_max` records of a session with `seq > after`, in order, with or without deltas.
pub(crate) fn load(
    statements: &mut Statements<'_>,
    session_id: &SessionId,
    after: u64,
    records_max: usize,
    has_deltas: bool,
) -> Result<Vec<Arc<Record>>, StoreFault> {
    // The block that `after` lies in begins before it.
    let statement = statements.get(
        "SELECT r.seq, r.deltas, r.ts_ms, r.run_id, r.parent_id, r.event, b.body, r.cause
         FROM sessions s JOIN records r ON r.session = s.n LEFT JOIN blobs b ON b.hash = r.blob
         WHERE s.id = ?1 AND r.seq >= coalesce(
             (SELECT seq FROM records p WHERE p.session = s.n AND p.seq <= ?2 ORDER BY p.seq DESC LIMIT 1), 0)
             AND (?3 OR r.deltas = 0)
         ORDER BY r.seq",
    )?;
    let mut rows = statement.query(params![session_id.as_str(), int(after), has_deltas])?;
    let (mut run_id, mut parent_id) = (RunId::from(""), MessageId::from(""));
    // Whoever wants a page keeps it: no room beyond.
    let mut records = Vec::with_capacity(if records_max <= BLOCK_DELTAS_MAX { records_max } else { 0 });
    while records.len() < records_max
        && let Some(row) = rows.next()?
    {
        let (seq, deltas): (u64, u32) = (unsigned(row, 0)?, row.get(1)?);
        if deltas == 0 && seq <= after {
            continue;
        }
        // Neighbours share their ids.
        let (run, parent) = (text(row, 3)?, text(row, 4)?);
        if run != run_id.as_str() {
            run_id = run.into();
        }
        if parent != parent_id.as_str() {
            parent_id = parent.into();
        }
        let stored = StoredRow {
            seq,
            ts_ms: unsigned(row, 2)?,
            session_id: session_id.clone(),
            run_id: run_id.clone(),
            parent_id: parent_id.clone(),
            deltas,
            event: text(row, 5)?,
            blob: optional_text(row, 6)?,
            cause: optional_text(row, 7)?,
        };
        stored.decode(after, records_max, &mut records)?;
    }
    Ok(records)
}

pub(crate) fn session(
    statements: &mut Statements<'_>,
    session_id: &SessionId,
) -> Result<SessionRow, StoreFault> {
    one_session(statements, select_sessions!("WHERE s.id = ?1"), session_id.as_str())?
        .ok_or_else(|| StoreFault::Refused(missing_session(session_id)))
}

pub(crate) fn session_by_key(
    statements: &mut Statements<'_>,
    key: &str,
) -> Result<Option<SessionRow>, StoreFault> {
    one_session(statements, select_sessions!("WHERE s.key = ?1"), key)
}

fn one_session(
    statements: &mut Statements<'_>,
    sql: &'static str,
    value: &str,
) -> Result<Option<SessionRow>, StoreFault> {
    Ok(statements.get(sql)?.query_row([value], session_row).optional()?)
}

pub(crate) fn sessions(
    statements: &mut Statements<'_>,
    query: &SessionQuery,
) -> Result<Vec<SessionRow>, StoreFault> {
    let sql = select_sessions!(
        "WHERE (?1 IS NULL OR EXISTS
                   (SELECT 1 FROM said WHERE said.session = s.n AND instr(said.folded, ?1) > 0))
           AND (?2 IS NULL OR (h.updated_ms, s.id) < (?2, ?3))
         ORDER BY h.updated_ms DESC, s.id DESC LIMIT ?4"
    );
    // Folded as the texts were: SQLite's own folding knows ASCII alone.
    let wanted = query.text.as_deref().filter(|text| !text.is_empty()).map(str::to_lowercase);
    let before_ms = query.before.as_ref().map(|(ms, _)| int(*ms));
    let before_id = query.before.as_ref().map(|(_, id)| id.as_str());
    let statement = statements.get(sql)?;
    let rows =
        statement.query_map(params![wanted, before_ms, before_id, limit(query.rows_max)], session_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(crate) fn run(statements: &mut Statements<'_>, run_id: &RunId) -> Result<RunRow, StoreFault> {
    statements
        .get(select_runs!("WHERE r.run_id = ?1 ORDER BY r.n DESC LIMIT 1"))?
        .query_row([run_id.as_str()], run_row)
        .optional()?
        .ok_or_else(|| StoreFailure::Missing(format!("run {run_id}")).into())
}

pub(crate) fn runs(statements: &mut Statements<'_>, query: &RunQuery) -> Result<Vec<RunRow>, StoreFault> {
    // The bound is written into the text: SQLite then takes the index of unfinished runs.
    let open = if query.is_unfinished { "r.ended_ms IS NULL AND" } else { "" };
    let sql = format!(
        "{} WHERE {open} (?1 IS NULL OR s.id = ?1) AND (?2 IS NULL OR (r.started_ms, r.run_id) < (?2, ?3))
         ORDER BY r.started_ms DESC, r.run_id DESC LIMIT ?4",
        select_runs!("")
    );
    let session_id = query.session_id.as_ref().map(SessionId::as_str);
    let before_ms = query.before.as_ref().map(|(ms, _)| int(*ms));
    let before_id = query.before.as_ref().map(|(_, id)| id.as_str());
    // Not among those that are kept: their texts are fixed.
    let mut statement = statements.connection().prepare(&sql)?;
    let rows =
        statement.query_map(params![session_id, before_ms, before_id, limit(query.rows_max)], run_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The task list of a session.
pub(crate) fn tasks(
    statements: &mut Statements<'_>,
    session_id: &SessionId,
) -> Result<Vec<Task>, StoreFault> {
    let number = session_number(statements, session_id)?;
    let tasks = statements
        .get("SELECT tasks FROM tasks WHERE session = ?1")?
        .query_row([number], |row| json(row, 0))
        .optional()?;
    Ok(tasks.unwrap_or_default())
}

/// What this process granted to a session, oldest first.
pub(crate) fn grants(
    statements: &mut Statements<'_>,
    session_id: &SessionId,
    holder: &str,
) -> Result<Vec<Rule>, StoreFault> {
    let statement = statements.get(
        "SELECT g.n, s.id, g.rule, g.given_ms FROM grants g JOIN sessions s ON s.n = g.session
         WHERE s.id = ?1 AND g.holder = ?2 ORDER BY g.n",
    )?;
    let rules = statement.query_map([session_id.as_str(), holder], grant_row)?;
    Ok(rules.filter_map(Result::transpose).collect::<rusqlite::Result<_>>()?)
}

/// A grant; nothing for a text that is no rule any more.
pub(crate) fn grant_row(row: &Row<'_>) -> rusqlite::Result<Option<Rule>> {
    let (session_id, text): (String, String) = (row.get(1)?, row.get(2)?);
    Ok(Rule::granted(unsigned(row, 0)?, &text, session_id.as_str().into(), unsigned(row, 3)?).ok())
}

/// Lines of the audit log, oldest first.
pub(crate) fn audit_lines(
    statements: &mut Statements<'_>,
    session_id: &SessionId,
) -> Result<Vec<(Millis, String)>, StoreFault> {
    let statement = statements.get("SELECT ts_ms, line FROM audit WHERE session_id = ?1 ORDER BY n")?;
    let lines = statement.query_map([session_id.as_str()], |row| Ok((unsigned(row, 0)?, row.get(1)?)))?;
    Ok(lines.collect::<rusqlite::Result<_>>()?)
}

pub(crate) fn save(statements: &mut Statements<'_>, save_id: &str) -> Result<Save, StoreFault> {
    statements
        .get("SELECT id, name, created_ms, body FROM saves WHERE id = ?1")?
        .query_row([save_id], save_row)
        .optional()?
        .ok_or_else(|| StoreFailure::Missing(format!("save {save_id}")).into())
}

pub(crate) fn saves(statements: &mut Statements<'_>, rows_max: usize) -> Result<Vec<Save>, StoreFault> {
    let statement = statements
        .get("SELECT id, name, created_ms, body FROM saves ORDER BY created_ms DESC, id DESC LIMIT ?1")?;
    let saves = statement.query_map([limit(rows_max)], save_row)?;
    Ok(saves.collect::<rusqlite::Result<_>>()?)
}

fn session_number(statements: &mut Statements<'_>, session_id: &SessionId) -> Result<i64, StoreFault> {
    statements
        .get("SELECT n FROM sessions WHERE id = ?1")?
        .query_row([session_id.as_str()], |row| row.get(0))
        .optional()?
        .ok_or_else(|| StoreFault::Refused(missing_session(session_id)))
}

fn session_row(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    Ok(SessionRow {
        session_id: text(row, 0)?.into(),
        begin: NewSession {
            key: row.get(1)?,
            title: row.get(2)?,
            origin: row.get(3)?,
            root: row.get(4)?,
            profile: row.get(5)?,
            model: row.get(6)?,
            fork: optional_json(row, 7)?,
            history: optional_json(row, 8)?.unwrap_or_default(),
            // A word of a later release means what holds where nobody chose.
            approve: row.get::<_, Option<String>>(13)?.and_then(|word| ApproveMode::from_word(&word)),
            settings: optional_json(row, 14)?.unwrap_or_default(),
        },
        created_ms: unsigned(row, 9)?,
        updated_ms: unsigned(row, 10)?,
        last_seq: unsigned(row, 11)?,
        runs: unsigned(row, 12)?,
    })
}

fn run_row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    let usage = Usage {
        input: unsigned(row, 14)?,
        output: unsigned(row, 15)?,
        cached: unsigned(row, 16)?,
        reasoning: unsigned(row, 17)?,
        cost_usd: row.get(18)?,
    };
    Ok(RunRow {
        run_id: text(row, 0)?.into(),
        session_id: text(row, 1)?.into(),
        message: row.get(2)?,
        model: row.get(3)?,
        profile: row.get(4)?,
        started_ms: unsigned(row, 5)?,
        ended_ms: row.get::<_, Option<i64>>(6)?.map(i64::cast_unsigned),
        outcome: optional_json(row, 7)?,
        reason: optional_json(row, 8)?,
        first_seq: unsigned(row, 9)?,
        last_seq: unsigned(row, 10)?,
        steps: row.get(11)?,
        calls: row.get(12)?,
        questions: row.get(13)?,
        usage,
    })
}

fn save_row(row: &Row<'_>) -> rusqlite::Result<Save> {
    Ok(Save { save_id: row.get(0)?, name: row.get(1)?, created_ms: unsigned(row, 2)?, body: json(row, 3)? })
}

/// A text, where it lies.
fn text<'r>(row: &'r Row<'_>, column: usize) -> rusqlite::Result<&'r str> {
    Ok(row.get_ref(column)?.as_str()?)
}

fn optional_text<'r>(row: &'r Row<'_>, column: usize) -> rusqlite::Result<Option<&'r str>> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        value => Ok(Some(value.as_str()?)),
    }
}

fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    serde_json::from_str(text(row, column)?)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}

fn optional_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>> {
    optional_text(row, column)?.map(|_| json(row, column)).transpose()
}

fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::cast_unsigned)
}

fn limit(rows_max: usize) -> i64 {
    i64::try_from(rows_max).unwrap_or(i64::MAX)
}
