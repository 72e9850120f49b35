//! A stage: the app without a terminal and without a host. Keys and records go in, frames and effects come out.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent, MouseEventKind};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use windlass_core::permission::ApproveMode;
use windlass_core::ports::host::{HostDefaults, HostDelivery};
use windlass_core::ports::store::{NewSession, SessionRow};
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::{Millis, SessionId};
use windlass_core::protocol::settings::SessionSettings;
use windlass_tui::ThemeKind;
use windlass_tui::effect::AppEffect;
use windlass_tui::input::{AppInput, HostReply};
use windlass_tui::state::{AllAsked, HostFacts, TuiState};
use windlass_tui::update::update;
use windlass_tui::view::{self, Cache};

/// The app between a test's hands.
pub(crate) struct Stage {
    pub(crate) state: TuiState,
    cache: Cache,
    now_ms: Millis,
    /// Everything that was asked for, in order.
    pub(crate) effects: Vec<AppEffect>,
}

/// When the stage's clock begins.
const BEGINNING_MS: Millis = 1_700_000_000_000;

impl Stage {
    /// An app without a session.
    pub(crate) fn new(columns: u16, rows: u16) -> Self {
        Self::themed(columns, rows, ThemeKind::Dark)
    }

    /// The same with another theme.
    pub(crate) fn themed(columns: u16, rows: u16, theme: ThemeKind) -> Self {
        let defaults = HostDefaults {
            root: "~/project".to_owned(),
            model: "anthropic/claude-sonnet-4-5".to_owned(),
            profile: "default".to_owned(),
            executes_while_streaming: false,
            approve: ApproveMode::Ask,
            sampling: windlass_core::protocol::model::Sampling::default(),
        };
        let about = HostFacts {
            version: "0.1.0".to_owned(),
            place: None,
            defaults,
            model: None,
            profile: None,
            approve: None,
            settings: SessionSettings::default(),
            all: AllAsked::No,
            models: Vec::new(),
            tools: Vec::new(),
        };
        let mut state = TuiState::new(about, theme, (columns, rows), Vec::new());
        state.now_ms = BEGINNING_MS;
        Self { state, cache: Cache::default(), now_ms: BEGINNING_MS, effects: Vec::new() }
    }

    /// Opens a session of `fixtures/views` as if it had been read, then followed: its last state, deltas included. The
    /// clock stands a second after its last record.
    pub(crate) fn open(&mut self, name: &str) {
        let records = records(name);
        let durable = records.iter().filter(|record| record.event.is_durable()).cloned().collect();
        let session_id =
            records.first().map_or_else(|| SessionId::new("empty"), |first| first.session_id.clone());
        self.now_ms = records.last().map_or(self.now_ms, |record| record.ts_ms + 1_000);
        self.put(AppInput::Reply(HostReply::Opened { row: Box::new(row(&session_id)), records: durable }));
        // What the stream brings again after the last durable record.
        for record in records.iter().filter(|record| !record.event.is_durable()) {
            self.put(AppInput::Delivered(session_id.clone(), HostDelivery::Record(Arc::clone(record))));
        }
    }

    /// Follows a session of `fixtures/views` live, record by record.
    pub(crate) fn follow(&mut self, name: &str) {
        let records = records(name);
        let session_id =
            records.first().map_or_else(|| SessionId::new("empty"), |first| first.session_id.clone());
        self.put(AppInput::Reply(HostReply::Opened { row: Box::new(row(&session_id)), records: Vec::new() }));
        for record in records {
            self.now_ms = record.ts_ms;
            self.put(AppInput::Delivered(session_id.clone(), HostDelivery::Record(record)));
        }
        self.now_ms += 1_000;
        self.put(AppInput::Tick);
    }

    pub(crate) fn put(&mut self, input: AppInput) {
        self.effects.extend(update(&mut self.state, input, self.now_ms));
    }

    pub(crate) fn wait(&mut self, ms: u64) {
        self.now_ms += ms;
        self.put(AppInput::Tick);
    }

    pub(crate) fn press(&mut self, code: KeyCode) {
        self.put(AppInput::Key(KeyEvent::new(code, KeyModifiers::NONE)));
    }

    /// A key with Ctrl.
    pub(crate) fn press_ctrl(&mut self, sign: char) {
        self.put(AppInput::Key(KeyEvent::new(KeyCode::Char(sign), KeyModifiers::CONTROL)));
    }

    /// A notch of the wheel.
    pub(crate) fn wheel(&mut self, is_down: bool) {
        let kind = if is_down { MouseEventKind::ScrollDown } else { MouseEventKind::ScrollUp };
        self.put(AppInput::Mouse(MouseEvent { kind, column: 0, row: 0, modifiers: KeyModifiers::NONE }));
    }

    /// A text, key by key.
    pub(crate) fn type_text(&mut self, text: &str) {
        text.chars().for_each(|sign| self.press(KeyCode::Char(sign)));
    }

    /// What is on the screen, cell by cell.
    pub(crate) fn draw(&mut self) -> Buffer {
        let (columns, rows) = self.state.size;
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        terminal.draw(|frame| view::draw(frame, &self.state, &mut self.cache)).unwrap();
        self.put(AppInput::Seen(Box::new(self.cache.sight())));
        terminal.backend().buffer().clone()
    }

    /// What would be on the screen if nothing had been drawn before.
    pub(crate) fn draw_anew(&self) -> Buffer {
        let (columns, rows) = self.state.size;
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        terminal.draw(|frame| view::draw(frame, &self.state, &mut Cache::default())).unwrap();
        terminal.backend().buffer().clone()
    }

    /// Lines that are kept from one frame to the next.
    pub(crate) fn lines_kept(&self) -> usize {
        self.cache.lines_kept()
    }

    /// Opens a session of other records.
    pub(crate) fn open_records(&mut self, records: Vec<Arc<Record>>) {
        let session_id = SessionId::new("session");
        self.now_ms = records.last().map_or(self.now_ms, |record| record.ts_ms + 1_000);
        self.put(AppInput::Reply(HostReply::Opened { row: Box::new(row(&session_id)), records }));
    }

    /// A record of the session that is followed.
    pub(crate) fn deliver(&mut self, record: Arc<Record>) {
        self.now_ms = record.ts_ms;
        self.put(AppInput::Delivered(record.session_id.clone(), HostDelivery::Record(record)));
    }

    /// The screen gets another size.
    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        self.put(AppInput::Resized { columns, rows });
    }

    /// What is on the screen, as text.
    pub(crate) fn screen(&mut self) -> String {
        text_of(&self.draw())
    }

    /// The effects that were asked for since this was last asked.
    pub(crate) fn take_effects(&mut self) -> Vec<AppEffect> {
        std::mem::take(&mut self.effects)
    }
}

/// The lines of a buffer, without the blanks at their ends.
pub(crate) fn text_of(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut skipped = 0;
        for x in 0..buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            // The cell behind a wide sign belongs to it.
            if skipped > 0 {
                skipped -= 1;
                continue;
            }
            skipped = windlass_tui::text::width(symbol).saturating_sub(1);
            line.push_str(symbol);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

pub(crate) fn row(session_id: &SessionId) -> SessionRow {
    SessionRow {
        session_id: session_id.clone(),
        begin: NewSession {
            title: "A session".to_owned(),
            origin: "tui".to_owned(),
            ..NewSession::default()
        },
        created_ms: BEGINNING_MS,
        updated_ms: BEGINNING_MS,
        last_seq: 0,
        runs: 1,
    }
}

/// The names of all sessions in `fixtures/views`.
pub(crate) fn session_names() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(fixtures())
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".records.jsonl").map(str::to_owned)
        })
        .collect();
    names.sort();
    names
}

/// The records of a session in `fixtures/views`.
pub(crate) fn records(name: &str) -> Vec<Arc<Record>> {
    let file = fixtures().join(format!("{name}.records.jsonl"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.lines().map(|line| Arc::new(serde_json::from_str(line).unwrap())).collect()
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/views")
}

/// Holds a frame against the one on file; `WINDLASS_REWRITE=1` writes it anew.
pub(crate) fn assert_frame(name: &str, screen: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frames").join(format!("{name}.txt"));
    if std::env::var_os("WINDLASS_REWRITE").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, screen).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}; WINDLASS_REWRITE=1 writes it", file.display()));
    assert!(
        kept == screen,
        "{name} looks different now; look at it, then WINDLASS_REWRITE=1 writes it\n--- was\n{kept}\n--- is\n{screen}"
    );
}
