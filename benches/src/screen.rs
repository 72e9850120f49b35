//! The terminal app without a terminal: a long session, an answer that streams into it, and a screen to draw it on.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use windlass_core::permission::ApproveMode;
use windlass_core::ports::host::{HostDefaults, HostDelivery};
use windlass_core::ports::store::{NewSession, SessionRow};
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, Record, RunOutcome, StopReason};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::{Message, Part, Reasoning, ToolMessage};
use windlass_core::protocol::model::{Finish, StepPurpose, Usage};
use windlass_core::protocol::tool::{Category, ToolCall, ToolOutcome, ToolOutput, Visibility};
use windlass_tui::ThemeKind;
use windlass_tui::input::{AppInput, HostReply};
use windlass_tui::state::{AllAsked, HostFacts, TuiState};
use windlass_tui::update::update;
use windlass_tui::view::{self, Cache};

const BEGINNING_MS: u64 = 1_700_000_000_000;

/// The last words of an answer that is streamed.
pub const THE_END: &str = "the end of it";

/// The app on a screen in memory.
pub struct AppInMemory {
    state: TuiState,
    cache: Cache,
    terminal: Option<Terminal<TestBackend>>,
}

impl AppInMemory {
    /// A screen without a session.
    pub fn new(columns: u16, rows: u16) -> Self {
        let about = HostFacts {
            version: String::new(),
            place: None,
            defaults: HostDefaults {
                root: "~/project".to_owned(),
                model: "bench/model".to_owned(),
                profile: "default".to_owned(),
                executes_while_streaming: false,
                approve: ApproveMode::Ask,
                sampling: Default::default(),
            },
            model: None,
            profile: None,
            approve: None,
            settings: Default::default(),
            all: AllAsked::No,
            models: Vec::new(),
            tools: Vec::new(),
        };
        let state = TuiState::new(about, ThemeKind::Dark, (columns, rows), Vec::new());
        // A screen in memory cannot fail.
        let terminal = Terminal::new(TestBackend::new(columns, rows)).ok();
        Self { state, cache: Cache::default(), terminal }
    }

    fn put(&mut self, input: AppInput, now_ms: u64) {
        update(&mut self.state, input, now_ms);
    }

    pub fn open(&mut self, records: &[Arc<Record>]) {
        let row = SessionRow {
            session_id: "session".into(),
            begin: NewSession::default(),
            created_ms: BEGINNING_MS,
            updated_ms: BEGINNING_MS,
            last_seq: 0,
            runs: 1,
        };
        self.put(
            AppInput::Reply(HostReply::Opened { row: Box::new(row), records: records.to_vec() }),
            BEGINNING_MS,
        );
    }

    pub fn deliver(&mut self, record: Arc<Record>) {
        let now_ms = record.ts_ms;
        self.put(AppInput::Delivered(record.session_id.clone(), HostDelivery::Record(record)), now_ms);
    }

    fn press(&mut self, code: KeyCode) {
        let now_ms = self.state.now_ms;
        self.put(AppInput::Key(KeyEvent::new(code, KeyModifiers::CONTROL)), now_ms);
    }

    /// To the first line.
    pub fn home(&mut self) {
        self.press(KeyCode::Home);
    }

    /// To the last line.
    pub fn end(&mut self) {
        self.press(KeyCode::End);
    }

    /// Whether a text is on the screen.
    pub fn shows(&self, text: &str) -> bool {
        let Some(terminal) = &self.terminal else { return false };
        let signs: String = terminal.backend().buffer().content.iter().map(|cell| cell.symbol()).collect();
        signs.contains(text)
    }

    /// Draws a frame, as the loop does.
    pub fn draw(&mut self) {
        let (state, cache) = (&self.state, &mut self.cache);
        if let Some(terminal) = &mut self.terminal {
            let _ = terminal.draw(|frame| view::draw(frame, state, cache));
        }
        let now_ms = self.state.now_ms;
        self.put(AppInput::Seen(Box::new(self.cache.sight())), now_ms);
    }
}

/// Records, one after the other.
struct RecordWriter {
    records: Vec<Arc<Record>>,
    run: String,
    seq: u64,
}

impl RecordWriter {
    fn push(&mut self, event: Event) {
        self.seq += 1;
        self.records.push(Arc::new(Record {
            seq: self.seq,
            ts_ms: BEGINNING_MS + self.seq * 20,
            session_id: "session".into(),
            run_id: self.run.as_str().into(),
            parent_id: "message".into(),
            event,
            cause: None,
        }));
    }

    fn begin(&mut self, number: usize) {
        self.run = format!("run_{number}");
        let message = Message::user(format!("Question {number}: what does this module do, and why?"));
        self.push(Event::Durable(DurableEvent::RunStarted {
            model: "bench/model".into(),
            profile: "default".into(),
            message: Arc::new(message),
            wishes: Arc::default(),
        }));
        self.push(Event::Durable(DurableEvent::StepStarted {
            step: 1,
            purpose: StepPurpose::Work,
            attempt: 1,
        }));
    }

    fn run(&mut self, number: usize) {
        let call = ToolCall {
            id: CallId::numbered(number as u64),
            provider_id: None,
            step: 1,
            index: 0,
            name: "read_file".into(),
            arguments: format!("{{\"path\":\"src/module_{number}/lib.rs\"}}"),
            state: None,
        };
        let (category, visibility) = (Category::Other, Visibility::Primary);
        let thought = Reasoning { text: "I should read the module first.".into(), ..Reasoning::default() };
        let usage = Some(Usage { input: 1_000, output: 200, ..Usage::default() });
        let said = |parts: Vec<Part>| Arc::new(Message::Assistant { parts });
        let answer = answer(number);
        self.begin(number);
        self.push(Event::Durable(DurableEvent::StepEnded {
            step: 1,
            message: said(vec![Part::Reasoning(thought), Part::Call(call.clone())]),
            finish: Finish::Calls,
            usage,
        }));
        self.push(Event::Durable(DurableEvent::CallRequested {
            call: call.clone(),
            category,
            visibility,
            vendor: "scripted".into(),
        }));
        let (call_id, name) = (call.id.clone(), call.name.clone());
        self.push(Event::Durable(DurableEvent::CallStarted {
            call_id,
            name,
            by: Some("risk".into()),
            category,
            visibility,
        }));
        let content = "fn main() {}\n".repeat(40);
        let message = Message::Tool(ToolMessage {
            call_id: call.id.clone(),
            provider_id: None,
            name: call.name.clone(),
            content: content.clone(),
            is_ok: true,
            is_valid_call: true,
            label: None,
        });
        self.push(Event::Durable(DurableEvent::CallEnded {
            call_id: call.id,
            name: call.name,
            outcome: Arc::new(ToolOutcome::ok(ToolOutput::text(content))),
            message: Arc::new(message),
            category,
            visibility,
        }));
        self.push(Event::Durable(DurableEvent::StepStarted {
            step: 2,
            purpose: StepPurpose::Work,
            attempt: 1,
        }));
        let message = said(vec![Part::text(&answer)]);
        self.push(Event::Durable(DurableEvent::StepEnded { step: 2, message, finish: Finish::Stop, usage }));
        self.push(Event::Durable(DurableEvent::RunEnded {
            outcome: RunOutcome::Completed,
            reason: StopReason::Answered,
            answer,
            usage: Usage::default(),
        }));
    }
}

fn answer(number: usize) -> String {
    format!(
        "## Module {number}\n\nIt **reads** a file, splits it into `lines` and counts what it finds; see \
         [the guide](https://example.com/{number}).\n\n- the first pass collects names\n- the second resolves \
         them\n\n```rust\nfn count(text: &str) -> usize {{\n    text.lines().count() // all of them\n}}\n```\n\n\
         | pass | lines |\n|---|---|\n| first | {number} |\n| second | 12 |\n"
    )
}

/// A session of that many runs: thinking, a call, an answer with headings, lists, code and a table.
pub fn long_session(runs: usize) -> Vec<Arc<Record>> {
    let mut writer = RecordWriter { records: Vec::new(), run: String::new(), seq: 0 };
    (1..=runs).for_each(|number| writer.run(number));
    writer.records
}

/// One more run of that session whose answer comes in so many pieces.
pub fn streamed(session: &[Arc<Record>], pieces: usize) -> Vec<Arc<Record>> {
    let seq = session.last().map_or(0, |record| record.seq);
    let mut writer = RecordWriter { records: Vec::new(), run: String::new(), seq };
    writer.begin(usize::MAX);
    let mut words = Vec::new();
    let mut number = 0;
    while words.len() < pieces {
        number += 1;
        words.extend(answer(number).split_inclusive([' ', '\n']).map(str::to_owned));
        words.push("\n".to_owned());
    }
    for word in words.into_iter().take(pieces) {
        writer.push(Event::Delta(DeltaEvent::TextDelta { text: word }));
    }
    writer.push(Event::Delta(DeltaEvent::TextDelta { text: format!("\n```\n\n{THE_END}") }));
    writer.records
}
