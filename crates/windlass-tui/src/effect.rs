//! What the app asks for. How it is done is `perform`'s business.

use windlass_core::permission::{ApproveMode, PermissionAnswer};
use windlass_core::ports::host::{ForkWish, ResumeWish};
use windlass_core::protocol::ids::{CallId, RunId, SessionId};
use windlass_core::protocol::settings::SessionSettings;

use crate::theme::ThemeKind;

/// Something to be done outside the state.
#[derive(Debug, Clone, PartialEq)]
pub enum AppEffect {
    /// Show a session: read what is on record, then follow it.
    Open(SessionId),
    /// Follow a session from after a record on. What was followed before is let go.
    Follow {
        /// The session.
        session_id: SessionId,
        /// The last record that is known.
        after: u64,
    },
    /// Stop following.
    Unfollow,
    /// Send a message; begins a session if there is none.
    Send(Box<Sending>),
    /// Stop a run.
    Cancel(RunId),
    /// Answer a question.
    Answer {
        /// The run.
        run_id: RunId,
        /// The call.
        call_id: CallId,
        /// The digest of what the user saw.
        digest: String,
        /// The answer.
        answer: PermissionAnswer,
    },
    /// Take up a run that stopped in the middle.
    Resume {
        /// The run.
        run_id: RunId,
        /// How.
        wish: ResumeWish,
    },
    /// Copy a run up to a step into a new session and go on there.
    Fork {
        /// The run.
        run_id: RunId,
        /// How.
        wish: ForkWish,
    },
    /// List sessions, newest first.
    ListSessions {
        /// Only those with this text.
        text: Option<String>,
    },
    /// Give a session another title.
    Rename {
        /// The session.
        session_id: SessionId,
        /// The title.
        title: String,
    },
    /// Change how calls of a session are approved.
    SetApprove {
        /// The session.
        session_id: SessionId,
        /// The mode.
        approve: ApproveMode,
    },
    /// Change the settings of a session.
    SetSettings {
        /// The session.
        session_id: SessionId,
        /// All of them.
        settings: Box<SessionSettings>,
    },
    /// Forget a session.
    Delete(SessionId),
    /// List runs that have not ended.
    ListUnfinished,
    /// List models.
    ListModels,
    /// List rules.
    ListRules,
    /// Store a rule: `allow`, `deny` or `ask`, and its pattern.
    AddRule {
        /// The effect's word.
        effect: &'static str,
        /// The pattern.
        pattern: String,
    },
    /// Forget a rule.
    RemoveRule(String),
    /// Say what decides a call.
    Explain {
        /// The tool.
        tool: String,
        /// Its arguments, as JSON text.
        arguments: String,
    },
    /// Read the paths of the project.
    ListPaths,
    /// Read the paths of the project as a tree, for `/context`.
    ReadTree,
    /// Search the project.
    Search(String),
    /// Look how far the index of the project is.
    WatchIndex,
    /// Run a call that was staged, as its user has now seen it.
    Apply(Box<Proposal>),
    /// Put text on the clipboard of the terminal.
    Copy(String),
    /// Call the user, who may look elsewhere: a question came up, or a long run has ended.
    Bell,
    /// Write a file.
    Export {
        /// Its name.
        name: String,
        /// What goes into it.
        text: String,
    },
    /// Keep what was typed.
    Remember(String),
    /// Keep the theme for the next start.
    KeepTheme(ThemeKind),
    /// Leave.
    Quit,
}

/// A message that is to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Sending {
    /// The session; a new one unless there is one.
    pub session_id: Option<SessionId>,
    /// What is said.
    pub text: String,
    /// Another model than the session's.
    pub model: Option<String>,
    /// Another profile than the session's.
    pub profile: Option<String>,
    /// The mode of a session that begins with the message, if it was chosen.
    pub approve: Option<ApproveMode>,
    /// The settings of a session that begins with the message.
    pub settings: SessionSettings,
    /// Background for the message.
    pub context: Option<MessageBackground>,
}

/// Background that goes with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageBackground {
    /// What it is, in a few words: `file tree, 120 paths`.
    pub label: String,
    /// What the model gets.
    pub text: String,
}

/// An edit that was staged and is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The run that staged it.
    pub run_id: RunId,
    /// The call that was staged.
    pub call_id: CallId,
    /// The digest of what was shown.
    pub digest: String,
    /// The word that must be typed for it, if it is critical.
    pub confirm_word: Option<String>,
    /// The word that was typed.
    pub confirmation: Option<String>,
}
