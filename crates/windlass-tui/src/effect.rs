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
        session_id: SessionId,
        /// The last record that is known.
        after: u64,
    },
    Unfollow,
    /// Send a message; begins a session if there is none.
    Send(Box<Sending>),
    Cancel(RunId),
    Answer {
        run_id: RunId,
        call_id: CallId,
        /// The digest of what the user saw.
        digest: String,
        answer: PermissionAnswer,
    },
    /// Take up a run that stopped in the middle.
    Resume {
        run_id: RunId,
        wish: ResumeWish,
    },
    /// Copy a run up to a step into a new session and go on there.
    Fork {
        run_id: RunId,
        wish: ForkWish,
    },
    /// List sessions, newest first.
    ListSessions {
        /// Only those with this text.
        text: Option<String>,
    },
    /// Give a session another title.
    Rename {
        session_id: SessionId,
        title: String,
    },
    /// Change how calls of a session are approved.
    SetApprove {
        session_id: SessionId,
        approve: ApproveMode,
    },
    /// Change the settings of a session.
    SetSettings {
        session_id: SessionId,
        settings: Box<SessionSettings>,
    },
    Delete(SessionId),
    /// List runs that have not ended.
    ListUnfinished,
    ListModels,
    ListRules,
    /// Store a rule: `allow`, `deny` or `ask`, and its pattern.
    AddRule {
        effect: &'static str,
        pattern: String,
    },
    RemoveRule(String),
    /// Say what decides a call.
    Explain {
        tool: String,
        /// Its arguments, as JSON text.
        arguments: String,
    },
    /// Read the paths of the project.
    ListPaths,
    /// Read the paths of the project as a tree, for `/context`.
    ReadTree,
    Search(String),
    /// Look how far the index of the project is.
    WatchIndex,
    /// Run a call that was staged, as its user has now seen it.
    Apply(Box<Proposal>),
    /// Put text on the clipboard of the terminal.
    Copy(String),
    /// Call the user, who may look elsewhere: a question came up, or a long run has ended.
    Bell,
    Export {
        name: String,
        /// What goes into it.
        text: String,
    },
    /// Look at what the project's folder brings of its own.
    LookAtFolder,
    /// Trust the folder with just the contents of this digest.
    TrustFolder(String),
    /// Trust the folder no longer.
    RevokeTrust,
    /// Keep what was typed.
    Remember(String),
    /// Keep the theme for the next start.
    KeepTheme(ThemeKind),
    Quit,
}

/// A message that is to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Sending {
    /// The session; a new one unless there is one.
    pub session_id: Option<SessionId>,
    pub text: String,
    /// Another model than the session's.
    pub model: Option<String>,
    /// Another profile than the session's.
    pub profile: Option<String>,
    /// The mode of a session that begins with the message, if it was chosen.
    pub approve: Option<ApproveMode>,
    /// The settings of a session that begins with the message.
    pub settings: SessionSettings,
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
