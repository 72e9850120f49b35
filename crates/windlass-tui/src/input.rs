//! What comes in: keys, records, answers of the host, time.

use std::sync::Arc;

use crossterm::event::{KeyEvent, MouseEvent};
use windlass_core::permission::{ApproveMode, Rule};
use windlass_core::ports::host::{Explanation, HostDelivery, HostError, ModelRow, StartedRun};
use windlass_core::ports::search::IndexProgress;
use windlass_core::ports::store::{RunRow, SessionRow};
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::{CallId, SessionId};
use windlass_core::protocol::settings::SessionSettings;

use crate::app_files::TrustReport;
use crate::effect::Sending;
use crate::state::transcript::TranscriptSight;

#[derive(Debug, Clone)]
pub enum AppInput {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse did something.
    Mouse(MouseEvent),
    Paste(String),
    /// The terminal has another size.
    Resized {
        columns: u16,
        rows: u16,
    },
    /// A frame was drawn: what it showed.
    Seen(Box<TranscriptSight>),
    /// The session that is followed has news.
    Delivered(SessionId, HostDelivery),
    /// The stream of the session is open: what happens from now on comes.
    Followed(SessionId),
    /// The stream of the session ended: the host is gone, or goes.
    StreamEnded(SessionId),
    /// An effect was carried out, or could not be.
    Reply(HostReply),
    /// Time passed while something moves.
    Tick,
    /// The process is asked to end (a signal): the app goes, whatever it does.
    Stop,
}

/// What an effect gave.
#[derive(Debug, Clone)]
pub enum HostReply {
    /// A session and what is on record of it.
    Opened {
        row: Box<SessionRow>,
        records: Vec<Arc<Record>>,
    },
    /// A run began; its session, if it was begun for it.
    Started {
        run: StartedRun,
        /// The session that was begun with it.
        session: Option<Box<SessionRow>>,
    },
    /// A run was copied into a session of its own, and goes on there.
    Forked(StartedRun),
    /// A run that stopped in the middle goes on.
    Resumed(StartedRun),
    Sessions {
        /// What was looked for in them.
        text: Option<String>,
        rows: Vec<SessionRow>,
    },
    /// A session has another title.
    Renamed {
        session_id: SessionId,
        title: String,
    },
    /// Calls of a session are approved another way.
    Switched {
        session_id: SessionId,
        approve: ApproveMode,
    },
    /// A session has other settings.
    Set {
        session_id: SessionId,
        settings: Box<SessionSettings>,
    },
    /// A session was forgotten.
    Deleted(SessionId),
    /// Runs that have not ended, newest first.
    UnfinishedRuns(Vec<RunRow>),
    /// Models that can be chosen.
    Models(Vec<ModelRow>),
    Rules(Vec<Rule>),
    /// A rule was forgotten.
    RuleRemoved {
        id: String,
        /// Those that are left.
        rules: Vec<Rule>,
    },
    /// What decides a call.
    Explained {
        tool: String,
        explanation: Box<Explanation>,
    },
    /// Paths of the project.
    Paths(Vec<String>),
    /// The paths of the project, for `/context`.
    Tree {
        paths: Vec<String>,
        /// Whether there are more.
        is_cut: bool,
    },
    /// What a search found.
    Found {
        /// What was searched for.
        query: String,
        hits: Vec<FoundLine>,
        /// Whether it may be in more places.
        is_cut: bool,
        /// Which way of finding could not be used, and why.
        notice: Option<String>,
    },
    /// How far the index of the project is; nothing when it is complete, or when there is none.
    Indexing(Option<IndexProgress>),
    /// What the project's folder brings of its own.
    Folder(Box<TrustReport>),
    /// Something was done that the user should hear of.
    Done(String),
    /// Something was done that nobody needs to hear of.
    Quiet,
    /// It was not done.
    Refused {
        wish: RefusedWish,
        error: HostError,
    },
}

/// A line or a passage that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLine {
    /// The file, or the name of the document.
    pub path: String,
    /// Which line of it.
    pub line: u64,
    pub text: String,
    /// Why it was found, where an index says so: what it defines, and the parts of its score.
    pub why: Option<String>,
    /// Whether it is of a document that was added, and of no file.
    pub is_document: bool,
}

/// What was wanted when the host refused.
#[derive(Debug, Clone, PartialEq)]
pub enum RefusedWish {
    Open(SessionId),
    /// To send this message.
    Send(Box<Sending>),
    /// To stop a run.
    Cancel,
    /// To answer the question about this call.
    Answer(CallId),
    /// To fill what lies over the screen, in words (`wants`).
    Fill(&'static str),
    /// To carry out a line that was typed: what that would have done, and the line.
    Line(&'static str, String),
    /// Anything else, in words: `delete the session`.
    Other(&'static str),
}

/// What fills that which lies over the screen, in words: who waits for it knows it by them.
pub mod wants {
    pub const SESSIONS: &str = "list the sessions";
    /// Runs that have not ended.
    pub const RUNS: &str = "list the runs";
    pub const MODELS: &str = "list the models";
    pub const RULES: &str = "list the rules";
    pub const TREE: &str = "read the paths of the project";
    /// What is found in files.
    pub const SEARCH: &str = "search the project";
}
