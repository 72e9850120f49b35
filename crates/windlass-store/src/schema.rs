//! The schema of the file and the steps that lead to it: forward only, each once, in one transaction.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _};

use crate::fault::OpenError;

/// Marks the file as ours: `WNDL`.
const APPLICATION_ID: i64 = 0x574e_444c;

/// The steps, oldest first: the schema's version is how many were taken. A released step never changes.
const STEPS: [&str; 5] = [
    include_str!("schema/0001.sql"),
    include_str!("schema/0002.sql"),
    include_str!("schema/0003.sql"),
    include_str!("schema/0004.sql"),
    include_str!("schema/0005.sql"),
];

/// The newest schema that this program knows.
pub(crate) const VERSION: u32 = STEPS.len() as u32;

/// Brings the file to the newest schema. Writes nothing to a file that is not ours or is newer.
pub(crate) fn migrate(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let fault = |error: rusqlite::Error| OpenError::of(&error, path);
    if version(connection, path)? == VERSION {
        return Ok(());
    }
    // Immediate: a transaction that only reads at first cannot wait for its turn to write.
    connection.execute_batch("BEGIN IMMEDIATE").map_err(fault)?;
    // Another process may have been faster.
    let taken = version(connection, path)
        .and_then(|from| take_steps(connection, from).map_err(fault))
        .and_then(|()| connection.execute_batch("COMMIT").map_err(fault));
    if taken.is_err() {
        // The transaction may be over already; what matters is the first failure.
        let _ = connection.execute_batch("ROLLBACK");
    }
    taken
}

fn take_steps(connection: &Connection, from: u32) -> rusqlite::Result<()> {
    if from == 0 {
        connection.execute_batch(
            "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
        )?;
        connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    for step in STEPS.iter().skip(from as usize) {
        connection.execute_batch(step)?;
    }
    connection
        .execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('schema', ?1)", [VERSION.to_string()])
        .map(drop)
}

/// The schema of the file; 0 for one that is empty.
fn version(connection: &Connection, path: &Path) -> Result<u32, OpenError> {
    let fault = |error: rusqlite::Error| OpenError::of(&error, path);
    let foreign = |reason: &str| OpenError::Foreign { path: path.to_path_buf(), reason: reason.to_owned() };
    let tables: u32 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(fault)?;
    // Asked before the mark: a new file has none yet, and is no stranger's.
    if tables == 0 {
        return Ok(0);
    }
    let id: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(fault)?;
    if id != APPLICATION_ID {
        return Err(foreign("it belongs to another program"));
    }
    let text: Option<String> = connection
        .query_row("SELECT value FROM meta WHERE key = 'schema'", [], |row| row.get(0))
        .optional()
        .map_err(fault)?;
    let found: u32 = text
        .and_then(|text| text.parse().ok())
        .filter(|found| *found > 0)
        .ok_or_else(|| foreign("it does not say which schema it has"))?;
    if found > VERSION {
        return Err(OpenError::Newer { path: path.to_path_buf(), found, known: VERSION });
    }
    Ok(found)
}
