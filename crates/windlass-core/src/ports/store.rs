//! What a store keeps of sessions and runs, and the port by which it is plugged in.
//!
//! The journal is the truth; rows of sessions and runs, grants and tasks are made of it, in the same
//! transaction, so that they can be listed without reading it. Knows no database.
//!
//! `project` says what a record changes in those rows.

mod project;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::permission::{ApproveMode, Rule};
use crate::ports::JournalPort;
use crate::protocol::event::{RunOutcome, StopReason};
use crate::protocol::ids::{Millis, RunId, SessionId};
use crate::protocol::message::Message;
use crate::protocol::model::Usage;
use crate::protocol::settings::SessionSettings;
use crate::protocol::task::Task;
use crate::text::cut_chars;

pub use project::{BegunRun, RowChange, project};

/// Characters of a title: one line of a wide screen.
pub const TITLE_CHARS_MAX: usize = 200;

/// Characters of a user's message in a list of runs.
const RUN_MESSAGE_CHARS_MAX: usize = 200;

/// What a session is called until people call it something: the first line of its first message. A store gives it
/// to a session without a title when a run begins.
pub fn title_of(message: &str) -> &str {
    let line = message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    cut_chars(line, TITLE_CHARS_MAX)
}

/// What a session begins with.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewSession {
    /// What people call it; the first message until they call it something.
    #[serde(default)]
    pub title: String,
    /// A name that somebody outside knows it by, unique if there is one: `edison:CHAT_ID`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The front end that began it: `cli`, `web`, `tui`, `api`, `openai`, `edison`, `studio`.
    pub origin: String,
    /// The project root.
    pub root: String,
    /// The profile of its runs.
    pub profile: String,
    /// The model of its runs, unless a run wishes for another.
    pub model: String,
    /// How calls of its runs are approved that need asking, if not as the host has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    // A host says it in every row that it shows.
    #[cfg_attr(feature = "schema", schemars(!skip_serializing_if, required))]
    pub approve: Option<ApproveMode>,
    /// What is set for its runs.
    #[serde(default, skip_serializing_if = "SessionSettings::is_empty")]
    pub settings: SessionSettings,
    /// What was said before its first run (clients that bring their own history).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Arc<Message>>,
    /// Where it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork: Option<ForkPoint>,
}

/// Where a session was forked from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ForkPoint {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The last step that was taken over; 0 for the user's message alone.
    pub step: u32,
}

/// A session, as lists show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Session"))]
pub struct SessionRow {
    /// Its id.
    pub session_id: SessionId,
    /// What it began with.
    #[serde(flatten)]
    pub begin: NewSession,
    /// When it began.
    pub created_ms: Millis,
    /// When something last happened in it.
    pub updated_ms: Millis,
    /// The number of its newest record; 0 before the first.
    pub last_seq: u64,
    /// How many runs it has.
    pub runs: u64,
}

/// A run, as lists show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Run"))]
pub struct RunRow {
    /// Its id.
    pub run_id: RunId,
    /// Its session.
    pub session_id: SessionId,
    /// What the user said, cut short.
    pub message: String,
    /// The model that answers.
    pub model: String,
    /// The profile.
    pub profile: String,
    /// When it began.
    pub started_ms: Millis,
    /// When it ended; nothing while it has not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_ms: Option<Millis>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<RunOutcome>,
    /// Why it stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<StopReason>,
    /// The number of its first record.
    pub first_seq: u64,
    /// The number of its newest record.
    pub last_seq: u64,
    /// Steps so far.
    pub steps: u32,
    /// Calls so far.
    pub calls: u32,
    /// Questions that wait for an answer.
    pub questions: u32,
    /// Token counts so far.
    pub usage: Usage,
}

/// Which sessions are wanted, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionQuery {
    /// Only those with this text in their title or in what the user said.
    pub text: Option<String>,
    /// Only those that changed before this time and, at that time, have a smaller id (the next page).
    pub before: Option<(Millis, SessionId)>,
    /// At most so many.
    pub rows_max: usize,
}

/// Which runs are wanted, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunQuery {
    /// Only those of this session.
    pub session_id: Option<SessionId>,
    /// Only those that have not ended.
    pub is_unfinished: bool,
    /// Only those that began before this time and, at that time, have a smaller id (the next page).
    pub before: Option<(Millis, RunId)>,
    /// At most so many.
    pub rows_max: usize,
}

/// A saved snapshot: whatever a front end wants to find again, with the trace of its run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Save {
    /// Its id.
    pub save_id: String,
    /// What people call it.
    pub name: String,
    /// When it was saved.
    pub created_ms: Millis,
    /// What the front end saved, with `runTrace`.
    pub body: Value,
}

/// Who writes a session. A session has one writer at a time, whatever the process (wall 6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// The caller writes it now.
    Taken,
    /// Another process writes it, and is alive.
    Held {
        /// Which, for people: `process 4711 on this machine, since …`.
        by: String,
    },
}

/// Why a store did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreFailure {
    /// There is no such thing.
    #[error("there is no {0}")]
    Missing(String),
    /// Something of that name exists.
    #[error("there is already {0}")]
    Exists(String),
    /// The disk is full, the folder is read-only, the file is damaged, …: what happened and what to do.
    #[error("{0}")]
    Broken(String),
}

/// Keeps sessions. Every write of a session belongs to the process that has claimed it.
#[async_trait]
pub trait StorePort: JournalPort {
    /// Begins a session.
    async fn create_session(
        &self,
        session_id: &SessionId,
        begin: NewSession,
        now: Millis,
    ) -> Result<SessionRow, StoreFailure>;

    /// Begins a session with the records of another (a fork), all or nothing. The records carry the new
    /// session's id.
    async fn copy_session(
        &self,
        session_id: &SessionId,
        begin: NewSession,
        records: Vec<Arc<crate::protocol::event::Record>>,
        now: Millis,
    ) -> Result<SessionRow, StoreFailure>;

    /// One session.
    async fn session(&self, session_id: &SessionId) -> Result<SessionRow, StoreFailure>;

    /// The session that somebody outside knows by this name.
    async fn session_by_key(&self, key: &str) -> Result<Option<SessionRow>, StoreFailure>;

    /// Sessions, newest first.
    async fn sessions(&self, query: SessionQuery) -> Result<Vec<SessionRow>, StoreFailure>;

    /// Gives a session another title.
    async fn rename_session(&self, session_id: &SessionId, title: &str) -> Result<(), StoreFailure>;

    /// Keeps how calls of a session are approved from now on.
    async fn set_approve(&self, session_id: &SessionId, approve: ApproveMode) -> Result<(), StoreFailure>;

    /// Keeps what is set for the runs of a session from now on, instead of what was set before.
    async fn set_settings(
        &self,
        session_id: &SessionId,
        settings: SessionSettings,
    ) -> Result<(), StoreFailure>;

    /// Forgets a session and all that belongs to it.
    async fn delete_session(&self, session_id: &SessionId) -> Result<(), StoreFailure>;

    /// One run.
    async fn run(&self, run_id: &RunId) -> Result<RunRow, StoreFailure>;

    /// Runs, newest first.
    async fn runs(&self, query: RunQuery) -> Result<Vec<RunRow>, StoreFailure>;

    /// The task list of a session, as its newest record has it.
    async fn tasks(&self, session_id: &SessionId) -> Result<Vec<Task>, StoreFailure>;

    /// What sessions are granted at this moment, by whatever process, oldest first.
    async fn all_grants(&self) -> Result<Vec<Rule>, StoreFailure>;

    /// Takes a grant back; whether there was one.
    async fn revoke(&self, grant_id: &str) -> Result<bool, StoreFailure>;

    /// Becomes the writer of a session, unless another living process is. A grant ends with the process that gave
    /// it; only those of a run that stopped in the middle go over to the new writer.
    async fn claim(&self, session_id: &SessionId) -> Result<Claim, StoreFailure>;

    /// The living process that writes a session, for people, if it is another one. Takes nothing.
    async fn holder(&self, session_id: &SessionId) -> Result<Option<String>, StoreFailure>;

    /// Is the writer no longer.
    async fn release(&self, session_id: &SessionId) -> Result<(), StoreFailure>;

    /// Keeps a snapshot, instead of one of the same id.
    async fn put_save(&self, save: Save) -> Result<(), StoreFailure>;

    /// One snapshot.
    async fn save(&self, save_id: &str) -> Result<Save, StoreFailure>;

    /// Snapshots, newest first, at most so many.
    async fn saves(&self, rows_max: usize) -> Result<Vec<Save>, StoreFailure>;

    /// Forgets a snapshot.
    async fn delete_save(&self, save_id: &str) -> Result<(), StoreFailure>;

    /// Writes one line of the audit log.
    async fn audit(&self, session_id: &SessionId, now: Millis, line: &str) -> Result<(), StoreFailure>;
}

/// Opens the store of a place, for so many readers at once.
pub type OpenStore = fn(&Path, usize) -> Result<Arc<dyn StorePort>, StoreFailure>;

/// One kind of store, for whoever puts a program together.
#[derive(Debug, Clone, Copy)]
pub struct StoreKind {
    /// Whether a place is one of this kind: a folder, or an address that begins with a word of its own.
    pub has_place: fn(&Path) -> bool,
    /// Whether something is kept there already.
    pub exists: fn(&Path) -> bool,
    /// Opens the store of a place, for so many readers at once; makes it if need be. Says what to do if it cannot.
    pub open: OpenStore,
}
