//! The loop: inputs in, effects out, frames drawn.
//!
//! Draws only what changed, and not more often than an eye can see; while nothing moves, nothing wakes it.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crossterm::event::{Event as TerminalEvent, EventStream};
use futures::StreamExt as _;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};
use windlass_core::ports::BoxFuture;
use windlass_core::ports::host::{HostError, HostPort};
use windlass_core::protocol::ids::{Millis, RunId, SessionId};
use windlass_core::protocol::settings::SessionSettings;

use crate::app_files::AppFilesPort;
use crate::effect::AppEffect;
use crate::input::AppInput;
use crate::perform::{EffectPerformer, ProjectTools};
use crate::state::{AllAsked, HostFacts, TuiState};
use crate::terminal::{self, OwnTerminal};
use crate::theme::ThemeKind;
use crate::update::update;
use crate::view::{self, Cache};

/// Shortest time between two frames.
const FRAME: Duration = Duration::from_millis(16);

/// How often things move that move by themselves.
const TICK: Duration = Duration::from_millis(100);

/// How long a broken stream is left alone.
const RETRY: Duration = Duration::from_millis(500);

/// Inputs that wait; whoever has more waits.
const INPUTS_MAX: usize = 512;

/// How the app begins.
#[derive(Debug, Clone)]
pub struct TuiConfig {
    /// The version to show.
    pub version: String,
    /// Where the host is, if not in this process: its address.
    pub place: Option<String>,
    pub theme: ThemeKind,
    pub tools: ProjectTools,
    /// Whether the mouse is listened to.
    pub has_mouse: bool,
    /// The session to open; nothing begins a new one with the first message.
    pub session: Option<SessionId>,
    /// Something to say at the beginning.
    pub notice: Option<String>,
}

/// What was left behind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parting {
    /// The session that was shown last.
    pub session_id: Option<SessionId>,
    /// The run that was still going on.
    pub run_id: Option<RunId>,
}

/// Why the app could not go on.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// The terminal does not do what it must.
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] io::Error),
    /// The host does not even say what it is.
    #[error("{0}")]
    Host(HostError),
}

/// Shows a host until the user leaves, or `stop` is there.
pub async fn run(
    host: Arc<dyn HostPort>,
    files: Arc<dyn AppFilesPort>,
    config: TuiConfig,
    stop: BoxFuture<'static, ()>,
) -> Result<Parting, TuiError> {
    let about = HostFacts {
        version: config.version.clone(),
        place: config.place.clone(),
        defaults: host.defaults().map_err(TuiError::Host)?,
        model: None,
        profile: None,
        approve: None,
        settings: SessionSettings::default(),
        all: AllAsked::No,
        models: Vec::new(),
        tools: host.tools(),
    };
    terminal::give_back_on_panic();
    let terminal = OwnTerminal::take(config.has_mouse)?;
    let mut state = TuiState::new(about, config.theme, terminal.size()?, files.history());
    state.now_ms = now_ms();
    if let Some(notice) = config.notice {
        state.tell(notice.clone());
        state.opening = Some(notice);
    }
    let (inputs, arrivals) = mpsc::channel(INPUTS_MAX);
    let (cache, performer) = (Cache::default(), EffectPerformer::new(host, files, config.tools));
    let app = TerminalApp { state, cache, terminal, title: String::new(), performer, inputs, follower: None };
    app.run(arrivals, config.session, stop).await
}

struct TerminalApp {
    state: TuiState,
    cache: Cache,
    terminal: OwnTerminal,
    /// What the terminal's title says.
    title: String,
    performer: EffectPerformer,
    inputs: mpsc::Sender<AppInput>,
    /// Brings the records of the session that is shown.
    follower: Option<JoinHandle<()>>,
}

impl TerminalApp {
    async fn run(
        mut self,
        mut arrivals: mpsc::Receiver<AppInput>,
        session: Option<SessionId>,
        stop: BoxFuture<'static, ()>,
    ) -> Result<Parting, TuiError> {
        let mut stop = pin!(stop);
        let mut keys = EventStream::new();
        self.carry_out([AppEffect::ListModels, AppEffect::WatchIndex])?;
        let session = session.map(|session_id| self.state.turn_to(session_id));
        self.carry_out(session)?;
        self.draw()?;
        let (mut drawn, mut is_stale) = (Instant::now(), false);
        while !self.state.is_over {
            let input = tokio::select! {
                biased;
                () = &mut stop => Some(AppInput::Stop),
                () = sleep_until(drawn + FRAME), if is_stale => None,
                event = keys.next() => match event {
                    Some(event) => read(event?),
                    // The terminal is gone, and with it whoever could look at it.
                    None => Some(AppInput::Stop),
                },
                Some(input) = arrivals.recv() => Some(input),
                () = sleep(TICK), if self.state.is_moving() => Some(AppInput::Tick),
            };
            match input {
                Some(input) => {
                    let effects = update(&mut self.state, input, now_ms());
                    self.carry_out(effects)?;
                    is_stale = true;
                }
                None if is_stale => {
                    self.draw()?;
                    (drawn, is_stale) = (Instant::now(), false);
                }
                None => {}
            }
        }
        if let Some(follower) = self.follower.take() {
            follower.abort();
        }
        let session = self.state.session.as_ref();
        Ok(Parting {
            session_id: session.map(|session| session.row.session_id.clone()),
            run_id: self.state.running().cloned(),
        })
    }

    fn draw(&mut self) -> io::Result<()> {
        let (state, cache) = (&self.state, &mut self.cache);
        let title = view::title(state);
        if title != self.title {
            self.terminal.set_title(&title)?;
            self.title = title;
        }
        self.terminal.draw(|frame| view::draw(frame, state, cache))?;
        let seen = AppInput::Seen(Box::new(self.cache.sight()));
        let now_ms = self.state.now_ms;
        let effects = update(&mut self.state, seen, now_ms);
        self.carry_out(effects)
    }

    fn carry_out(&mut self, effects: impl IntoIterator<Item = AppEffect>) -> io::Result<()> {
        for effect in effects {
            match effect {
                AppEffect::Follow { session_id, after } => self.follow(session_id, after),
                AppEffect::Unfollow => self.unfollow(),
                AppEffect::Copy(text) => self.terminal.copy(&text)?,
                AppEffect::Bell => self.terminal.ring()?,
                AppEffect::Quit => {}
                effect => {
                    let (performer, inputs) = (self.performer.clone(), self.inputs.clone());
                    tokio::spawn(async move {
                        let reply = performer.perform(effect).await;
                        // Nobody is interested any more when the loop is over.
                        let _ = inputs.send(AppInput::Reply(reply)).await;
                    });
                }
            }
        }
        Ok(())
    }

    fn unfollow(&mut self) {
        if let Some(follower) = self.follower.take() {
            follower.abort();
        }
    }

    fn follow(&mut self, session_id: SessionId, after: u64) {
        self.unfollow();
        let (host, inputs) = (Arc::clone(&self.performer.host), self.inputs.clone());
        self.follower = Some(tokio::spawn(async move {
            if let Ok(mut stream) = host.session_events(&session_id, after).await {
                if inputs.send(AppInput::Followed(session_id.clone())).await.is_err() {
                    return;
                }
                while let Some(delivery) = stream.next().await {
                    if inputs.send(AppInput::Delivered(session_id.clone(), delivery)).await.is_err() {
                        return;
                    }
                }
            }
            sleep(RETRY).await;
            let _ = inputs.send(AppInput::StreamEnded(session_id)).await;
        }));
    }
}

fn read(event: TerminalEvent) -> Option<AppInput> {
    match event {
        TerminalEvent::Key(key) => Some(AppInput::Key(key)),
        TerminalEvent::Mouse(mouse) => Some(AppInput::Mouse(mouse)),
        TerminalEvent::Paste(text) => Some(AppInput::Paste(text)),
        TerminalEvent::Resize(columns, rows) => Some(AppInput::Resized { columns, rows }),
        TerminalEvent::FocusGained | TerminalEvent::FocusLost => None,
    }
}

fn now_ms() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis::try_from(since.as_millis()).unwrap_or(Millis::MAX)
}
