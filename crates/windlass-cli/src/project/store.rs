//! What was kept: the store in the data folder, opened when a command needs it, and the sessions and runs
//! that a person means by the beginning of an id.

use std::path::Path;
use std::sync::Arc;

use windlass_core::ports::JournalFailure;
use windlass_core::ports::store::{
    Claim, RunQuery, RunRow, SessionQuery, SessionRow, StoreFailure, StoreKind, StorePort,
};
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::{RunId, SessionId};

use crate::args::GlobalArgs;
use crate::complaint::{CommandError, Result};
use crate::config::Folders;
use crate::project::lock_wait::LockWait;
use crate::terminal::nearest::nearest;

/// Rows that are looked through for the beginning of an id.
const ROWS_MAX: usize = 10_000;

/// Characters of a made id that tell it from others in a list: its time, to the millisecond.
const SHORT_CHARS: usize = 13;

/// Characters of a made id.
const ID_CHARS: usize = 36;

/// Every kind of store that there is; the last takes what no other knows.
const STORES: [StoreKind; 1] = [windlass_store::SQLITE];

fn kind_of(place: &Path) -> StoreKind {
    let [.., last] = STORES;
    STORES.into_iter().find(|kind| (kind.has_place)(place)).unwrap_or(last)
}

/// The store, and what is found in it.
pub(crate) struct SessionArchive {
    pub(crate) store: Arc<dyn StorePort>,
}

impl SessionArchive {
    /// Opens the data folder for so many readers at once, and makes it if need be.
    pub(crate) fn open(folders: &Folders, readers: usize) -> Result<Self> {
        let place = &folders.data;
        let store = (kind_of(place).open)(place, readers).map_err(|error| unusable(&error, place))?;
        #[cfg(feature = "crash-points")]
        let store = crate::crash_points::mortal_store(store);
        Ok(Self { store })
    }

    /// Opens the store of a data folder, if there is one.
    pub(crate) fn existing(folders: &Folders) -> Result<Option<Self>> {
        let is_there = (kind_of(&folders.data).exists)(&folders.data);
        is_there.then(|| Self::open(folders, 1)).transpose()
    }

    /// Opens the data folder that these flags mean, for one command.
    pub(crate) fn of_user(global: &GlobalArgs) -> Result<Self> {
        Self::open(&Folders::of_user(global.config.as_deref(), global.data.as_deref())?, 1)
    }

    /// The session that is meant.
    pub(crate) async fn session(&self, wanted: &str) -> Result<SessionRow> {
        self.find_session(wanted).await?.map_err(|known| {
            unknown(
                "session",
                wanted,
                known.iter().map(|row| row.session_id.as_str()),
                "windlass sessions list",
            )
        })
    }

    /// The session that is meant, or all that there are.
    pub(crate) async fn find_session(
        &self,
        wanted: &str,
    ) -> Result<std::result::Result<SessionRow, Vec<SessionRow>>> {
        match self.store.session(&SessionId::from(wanted)).await {
            Ok(row) => return Ok(Ok(row)),
            Err(StoreFailure::Missing(_)) => {}
            Err(failure) => return Err(failed(&failure)),
        }
        let query = SessionQuery { rows_max: ROWS_MAX, ..SessionQuery::default() };
        let rows = self.store.sessions(query).await.map_err(|failure| failed(&failure))?;
        pick("session", wanted, rows, |row| row.session_id.as_str())
    }

    /// The run that is meant.
    pub(crate) async fn run(&self, wanted: &str) -> Result<RunRow> {
        match self.store.run(&RunId::from(wanted)).await {
            Ok(row) => return Ok(row),
            Err(StoreFailure::Missing(_)) => {}
            Err(failure) => return Err(failed(&failure)),
        }
        let query = RunQuery { rows_max: ROWS_MAX, ..RunQuery::default() };
        let rows = self.store.runs(query).await.map_err(|failure| failed(&failure))?;
        pick("run", wanted, rows, |row| row.run_id.as_str())?.map_err(|known| {
            unknown("run", wanted, known.iter().map(|row| row.run_id.as_str()), "windlass runs list")
        })
    }

    pub(crate) async fn records(&self, session_id: &SessionId) -> Result<Vec<Arc<Record>>> {
        self.store.load(session_id, 0).await.map_err(|failure| unread(&failure))
    }

    pub(crate) async fn records_of_run(&self, row: &RunRow) -> Result<Vec<Arc<Record>>> {
        let after = row.first_seq.saturating_sub(1);
        let mut records =
            self.store.load(&row.session_id, after).await.map_err(|failure| unread(&failure))?;
        records.retain(|record| record.run_id == row.run_id);
        Ok(records)
    }

    /// The process that writes the session, if one does and goes on doing so.
    pub(crate) async fn writer(&self, session_id: &SessionId) -> Result<Option<String>> {
        let mut wait = LockWait::begin(in_use(session_id));
        loop {
            let holder = self.store.holder(session_id).await.map_err(|failure| failed(&failure))?;
            if holder.is_none() || !wait.goes_on().await {
                return Ok(holder);
            }
        }
    }

    /// Takes the session for this process; if another one holds it and does not let go of it, which.
    pub(crate) async fn claim(&self, session_id: &SessionId) -> Result<Option<String>> {
        let mut wait = LockWait::begin(in_use(session_id));
        loop {
            match self.store.claim(session_id).await.map_err(|failure| failed(&failure))? {
                Claim::Taken => return Ok(None),
                Claim::Held { by } => {
                    if !wait.goes_on().await {
                        return Ok(Some(by));
                    }
                }
            }
        }
    }

    /// Runs that have not ended, newest first.
    pub(crate) async fn unfinished(&self, rows_max: usize) -> Result<Vec<RunRow>> {
        let query = RunQuery { is_unfinished: true, rows_max, ..RunQuery::default() };
        self.store.runs(query).await.map_err(|failure| failed(&failure))
    }
}

fn in_use(session_id: &SessionId) -> String {
    format!("session {session_id} is in use; waiting for the program that holds it")
}

/// The only row whose id begins as wanted; all rows when there is none.
pub(crate) fn pick<T>(
    what: &str,
    wanted: &str,
    rows: Vec<T>,
    id: impl Fn(&T) -> &str,
) -> Result<std::result::Result<T, Vec<T>>> {
    let is_meant = |row: &T| !wanted.is_empty() && id(row).starts_with(wanted);
    match rows.iter().filter(|row| is_meant(row)).count() {
        0 => Ok(Err(rows)),
        1 => Ok(rows.into_iter().find(is_meant).ok_or_else(Vec::new)),
        count => {
            let some: Vec<&str> = rows.iter().filter(|row| is_meant(row)).map(&id).take(3).collect();
            Err(CommandError::usage(format!("'{wanted}' begins the ids of {count} {what}s"))
                .at(some.join(", "))
                .cure("more of the id"))
        }
    }
}

/// There is no such thing, but perhaps one with nearly that id; `list` shows all.
pub(crate) fn unknown<'a>(
    what: &str,
    wanted: &str,
    known: impl Iterator<Item = &'a str>,
    list: &str,
) -> CommandError {
    let cure = nearest(wanted, known).map_or_else(|| list.to_owned(), |id| format!("did you mean '{id}'?"));
    CommandError::usage(format!("there is no {what} '{wanted}'")).cure(cure)
}

/// The store did not do what it was asked.
pub(crate) fn failed(failure: &StoreFailure) -> CommandError {
    match failure {
        StoreFailure::Missing(_) | StoreFailure::Exists(_) => CommandError::usage(failure.to_string()),
        StoreFailure::Broken(_) => CommandError::failed(failure.to_string()),
    }
}

fn unread(failure: &JournalFailure) -> CommandError {
    CommandError::failed(failure.to_string())
}

/// The data folder cannot be used at all.
fn unusable(error: &StoreFailure, folder: &Path) -> CommandError {
    CommandError::failed(format!("sessions cannot be kept: {error}")).at(folder.display()).cure(
        "--data DIR for another folder, or for a run whose session is not kept: windlass run --ephemeral …",
    )
}

/// An id as lists show it: whole, unless its beginning is enough among these.
pub(crate) fn short<'a>(id: &'a str, all: &[&str]) -> &'a str {
    let Some(short) = id.get(..SHORT_CHARS).filter(|_| id.len() == ID_CHARS) else { return id };
    let is_alone = all.iter().filter(|other| other.starts_with(short)).count() <= 1;
    if is_alone { short } else { id }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
