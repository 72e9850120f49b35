//! Everything that is on the screen.
//!
//! A fold over records and over what the user does; nothing in it knows how it is drawn.

pub mod cells;
pub mod composer;
pub mod inspector;
pub mod overlay;
pub mod question;
pub mod session;
pub mod steps;
pub mod timing;
pub mod transcript;

use std::collections::VecDeque;
use std::sync::Arc;

use windlass_core::permission::ApproveMode;
use windlass_core::ports::host::{HostDefaults, ModelRow};
use windlass_core::ports::search::IndexProgress;
use windlass_core::protocol::ids::{Millis, RunId, SessionId};
use windlass_core::protocol::settings::SessionSettings;
use windlass_core::protocol::tool::ToolSpec;

use crate::effect::{AppEffect, MessageBackground};
use crate::theme::{Theme, ThemeKind};
use composer::Composer;
use overlay::Overlay;
use question::Asking;
use session::OpenSession;
use transcript::TranscriptState;

/// How long a notice stays.
const NOTICE_MS: u64 = 6_000;

/// Columns and rows below which nothing useful can be shown.
pub const SIZE_MIN: (u16, u16) = (30, 8);

/// Within this time a second wish to stop is one to leave.
pub const LEAVE_MS: u64 = 2_000;

#[derive(Debug)]
pub struct TuiState {
    /// The time of the last input.
    pub now_ms: Millis,
    pub size: (u16, u16),
    pub theme: Theme,
    /// What is known of the host.
    pub about: HostFacts,
    /// The session that is shown; nothing before the first message.
    pub session: Option<OpenSession>,
    /// The session that was chosen and is being read: messages wait for it.
    pub turning_to: Option<SessionId>,
    /// How many sessions were opened so far.
    pub opened: u64,
    /// Where the transcript stands and what of it is unfolded.
    pub transcript: TranscriptState,
    /// Where messages are written.
    pub composer: Composer,
    pub focus: Focus,
    /// Questions that wait for the user.
    pub asking: Asking,
    /// What lies over the rest.
    pub overlay: Option<Overlay>,
    /// Messages that wait for the run to end.
    pub waiting: VecDeque<String>,
    /// A message on its way whose run has not begun yet, with the time at which it was sent.
    pub sending: Option<(String, Millis)>,
    /// What was said when the app began; the welcome screen keeps it.
    pub opening: Option<String>,
    /// Background that goes with the next message.
    pub background: Option<MessageBackground>,
    /// Since when nothing has come of a run that had not ended when its session was opened.
    pub still_since: Option<Millis>,
    /// Something that the user should hear of, and until when.
    pub notice: Option<ScreenNotice>,
    /// When the user last wanted to stop something: the next such wish leaves.
    pub stopped_ms: Option<Millis>,
    /// The run that was asked to stop.
    pub cancelling: Option<RunId>,
    /// How far the index of the project is, while it is built.
    pub indexing: Option<IndexProgress>,
    /// When somebody last asked for that.
    pub index_asked_ms: Millis,
    /// Whether the task list is shown.
    pub shows_tasks: bool,
    /// Whether the app is over.
    pub is_over: bool,
}

/// Where keys go when nothing lies over the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    #[default]
    Composer,
    Transcript,
}

/// What is known of the host and of the choices for the next run.
#[derive(Debug, Clone)]
pub struct HostFacts {
    /// The version of this app.
    pub version: String,
    /// Where the host is, if not in this process: its address.
    pub place: Option<String>,
    /// What holds where nobody chooses.
    pub defaults: HostDefaults,
    /// The model that was chosen here.
    pub model: Option<String>,
    /// The profile that was chosen here.
    pub profile: Option<String>,
    /// The mode that was chosen here, for a session that begins.
    pub approve: Option<ApproveMode>,
    /// What is set for a session that begins.
    pub settings: SessionSettings,
    /// Whether the user was asked about the mode *all*, and what they said.
    pub all: AllAsked,
    /// The models, once they were listed.
    pub models: Vec<ModelRow>,
    pub tools: Vec<Arc<ToolSpec>>,
}

impl HostFacts {
    /// What is known of a model.
    pub fn model_row(&self, name: &str) -> Option<&ModelRow> {
        self.models.iter().find(|row| row.name == name)
    }
}

/// Whether the user was asked about the mode *all*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AllAsked {
    #[default]
    No,
    /// They were, and have not said yes.
    Open,
    Yes,
}

/// Something that the user should hear of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenNotice {
    /// How it is meant.
    pub tone: Tone,
    pub text: String,
    pub until_ms: Millis,
}

/// How a notice is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    /// Something did not go as wished.
    Bad,
}

impl TuiState {
    /// An app without a session.
    pub fn new(about: HostFacts, theme: ThemeKind, size: (u16, u16), history: Vec<String>) -> Self {
        Self {
            now_ms: 0,
            size,
            theme: Theme::new(theme),
            about,
            session: None,
            opened: 0,
            transcript: TranscriptState::default(),
            composer: Composer::new(history),
            focus: Focus::Composer,
            asking: Asking::default(),
            overlay: None,
            waiting: VecDeque::new(),
            turning_to: None,
            sending: None,
            opening: None,
            background: None,
            still_since: None,
            notice: None,
            stopped_ms: None,
            cancelling: None,
            indexing: None,
            index_asked_ms: 0,
            shows_tasks: true,
            is_over: false,
        }
    }

    /// The run that goes on.
    pub fn running(&self) -> Option<&RunId> {
        self.session.as_ref()?.running()
    }

    /// Whether the screen changes with time alone.
    pub fn is_moving(&self) -> bool {
        self.running().is_some()
            || self.sending.is_some()
            || self.notice.is_some()
            || self.indexing.is_some()
            || self.is_loading()
    }

    /// Whether a message must wait: for a run to end, or for the session that it is meant for.
    pub fn is_busy(&self) -> bool {
        self.running().is_some() || self.sending.is_some() || self.turning_to.is_some()
    }

    /// Turns to another session. What waited to be sent in this one is not sent there.
    pub fn turn_to(&mut self, session_id: SessionId) -> AppEffect {
        self.take_back_waiting();
        self.turning_to = Some(session_id.clone());
        AppEffect::Open(session_id)
    }

    /// What waited to be sent goes back into the message, to be looked at.
    pub fn take_back_waiting(&mut self) {
        let waiting: Vec<String> = self.waiting.drain(..).collect();
        if !waiting.is_empty() {
            self.composer.put_back(&waiting.join("\n\n"));
        }
    }

    /// Whether the screen is too small for anything.
    pub fn is_too_small(&self) -> bool {
        self.size.0 < SIZE_MIN.0 || self.size.1 < SIZE_MIN.1
    }

    fn is_loading(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.is_loading)
    }

    /// The model that answers the next message.
    pub fn model(&self) -> &str {
        let own = self.session.as_ref().map(|session| session.row.begin.model.as_str());
        let chosen = self.about.model.as_deref().or(own.filter(|model| !model.is_empty()));
        chosen.unwrap_or(&self.about.defaults.model)
    }

    /// The profile of the next run.
    pub fn profile(&self) -> &str {
        let own = self.session.as_ref().map(|session| session.row.begin.profile.as_str());
        let chosen = self.about.profile.as_deref().or(own.filter(|profile| !profile.is_empty()));
        chosen.unwrap_or(&self.about.defaults.profile)
    }

    /// How calls are approved that need asking.
    pub fn approve(&self) -> ApproveMode {
        let own = self.session.as_ref().and_then(|session| session.row.begin.approve);
        own.or(self.about.approve.filter(|_| self.session.is_none())).unwrap_or(self.about.defaults.approve)
    }

    pub fn tell(&mut self, text: impl Into<String>) {
        self.notice =
            Some(ScreenNotice { tone: Tone::Plain, text: text.into(), until_ms: self.now_ms + NOTICE_MS });
    }

    /// Tells that something did not go as wished.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.notice =
            Some(ScreenNotice { tone: Tone::Bad, text: text.into(), until_ms: self.now_ms + NOTICE_MS });
    }
}
