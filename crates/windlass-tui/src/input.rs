//! What comes in: keys, records, answers of the host, time.

use std::sync::Arc;

use crossterm::event::{KeyEvent, MouseEvent};
use windlass_core::event::Record;
use windlass_core::host::{Explanation, HostDelivery, HostError, ModelRow, StartedRun};
use windlass_core::ids::{CallId, SessionId};
use windlass_core::permission::Rule;
use windlass_core::store::{RunRow, SessionRow};

use crate::state::transcript::Sight;

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Input {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse did something.
    Mouse(MouseEvent),
    /// Text was pasted.
    Paste(String),
    /// The terminal has another size.
    Resized {
        /// Columns.
        columns: u16,
        /// Rows.
        rows: u16,
    },
    /// A frame was drawn: what it showed.
    Seen(Box<Sight>),
    /// The session that is followed has news.
    Delivered(SessionId, HostDelivery),
    /// The stream of the session ended: the host is gone, or goes.
    StreamEnded(SessionId),
    /// An effect was carried out, or could not be.
    Reply(Reply),
    /// Time passed while something moves.
    Tick,
    /// The process is asked to end (a signal): the app goes, whatever it does.
    Stop,
}

/// What an effect gave.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A session and what is on record of it.
    Opened {
        /// The session.
        row: Box<SessionRow>,
        /// Its durable records.
        records: Vec<Arc<Record>>,
    },
    /// A run began; its session, if it was begun for it.
    Started {
        /// The run.
        run: StartedRun,
        /// The session that was begun with it.
        session: Option<Box<SessionRow>>,
    },
    /// Sessions, newest first.
    Sessions(Vec<SessionRow>),
    /// Runs that have not ended, newest first.
    UnfinishedRuns(Vec<RunRow>),
    /// Models that can be chosen.
    Models(Vec<ModelRow>),
    /// Stored rules, after a change or without.
    Rules(Vec<Rule>),
    /// What decides a call.
    Explained {
        /// The tool.
        tool: String,
        /// The gates.
        explanation: Box<Explanation>,
    },
    /// Paths of the project.
    Paths(Vec<String>),
    /// What a search found.
    Found {
        /// What was searched for.
        query: String,
        /// What the tool gave, as a reader sees it.
        text: String,
    },
    /// Something was done that the user should hear of.
    Done(String),
    /// Something was done that nobody needs to hear of.
    Quiet,
    /// It was not done.
    Refused {
        /// What was wanted.
        wish: Wish,
        /// Why not.
        error: HostError,
    },
}

/// What was wanted when the host refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// To open a session.
    Open,
    /// To send this message.
    Send(String),
    /// To stop a run.
    Cancel,
    /// To answer the question about this call.
    Answer(CallId),
    /// Anything else, in words: `list the sessions`.
    Other(&'static str),
}
