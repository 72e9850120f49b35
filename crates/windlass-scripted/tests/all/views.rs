//! Views of sessions, kept as files: records and what they fold to, for every fold there is (`fixtures/views`).

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fs;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;
use windlass_core::ports::{BoxStream, ModelPort};
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::history::History;
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelRequest, Notice, NoticeKind};
use windlass_core::protocol::tool::ToolOutcome;
use windlass_core::protocol::view::SessionView;
use windlass_scripted::{Script, ScriptedModel};

use crate::engine::{Staging, play, play_staged};
use crate::schema::{hold, strict_validator};
use crate::scripts::{parse, repository};

/// Scripts of `fixtures/scripts` that are kept whole.
const PLAYED: [&str; 14] = [
    "reasoning",
    "parallel_reads",
    "approve_remember",
    "denied",
    "staged_edit",
    "search_quota",
    "cancel_while_thinking",
    "cancel_while_running",
    "model_recovers",
    "cut_stream",
    "model_fails_for_good",
    "length_continued",
    "two_runs",
    "ploke_failure_note",
];

/// Scripts of `fixtures/views`, which need a stage of their own.
const STAGED: [&str; 6] = ["search_links", "hidden_tools", "tasks", "while_streaming", "resumed", "adjusted"];

/// Sessions in the middle of something: the one they are cut from, and the event after which.
const CUT: [(&str, &str, &str); 6] = [
    ("asking", "approve_remember", "permission-requested"),
    ("waiting", "model_recovers", "step-delayed"),
    ("thinking", "reasoning", "reasoning-delta"),
    ("speaking", "search_links", "text-delta"),
    ("calling", "parallel_reads", "call-requested"),
    ("running", "tasks", "call-progressed"),
];

fn script(folder: &str, name: &str) -> Script {
    let path = format!("fixtures/{folder}/{name}.script");
    parse(&path, &fs::read_to_string(repository().join(&path)).unwrap())
}

/// A model whose requests had to be changed for its provider.
struct Adjusting(ScriptedModel);

struct AfterNotices {
    notices: VecDeque<Notice>,
    rest: BoxStream<'static, Result<ModelDelta, ModelFailure>>,
}

impl Stream for AfterNotices {
    type Item = Result<ModelDelta, ModelFailure>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match self.notices.pop_front() {
            Some(notice) => Poll::Ready(Some(Ok(ModelDelta::Notice(notice)))),
            None => self.rest.as_mut().poll_next(context),
        }
    }
}

impl ModelPort for Adjusting {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let notice =
            |kind, rule: &str, message: &str| Notice { kind, rule: rule.into(), message: message.into() };
        let notices = VecDeque::from([
            notice(
                NoticeKind::Emulated,
                "tool_choice_required",
                "The provider cannot be told to call a tool",
            ),
            notice(NoticeKind::Trimmed, "history", "Two old messages were left out"),
        ]);
        Box::pin(AfterNotices { notices, rest: self.0.stream(request) })
    }
}

/// The records of a session that stopped when a call began that changes something, and was opened again a minute
/// later.
async fn play_twice(script: &Script) -> Vec<Arc<Record>> {
    let staging = Staging { stops_at: Some(CallId::numbered(2)), ..Staging::default() };
    let mut records = play_staged(script, staging, &[]).await;
    let past = History::fold(&[], &records).into();
    let usual = Staging::default();
    let again = Staging { past, now_ms: usual.now_ms + 60_000, ..usual };
    let rest = play_staged(script, again, &records).await;
    records.extend(rest);
    records
}

async fn records_of(name: &str) -> Vec<Arc<Record>> {
    if PLAYED.contains(&name) {
        return play(&script("scripts", name)).await;
    }
    let script = script("views", name);
    match name {
        "while_streaming" => {
            let staging = Staging { executes_while_streaming: true, ..Staging::default() };
            play_staged(&script, staging, &[]).await
        }
        "adjusted" => {
            let model: Arc<dyn ModelPort> = Arc::new(Adjusting(ScriptedModel::new(&script)));
            play_staged(&script, Staging { model: Some(model), ..Staging::default() }, &[]).await
        }
        "resumed" => play_twice(&script).await,
        _ => play(&script).await,
    }
}

/// The same records whenever they were made: waits have some chance in them.
fn timed(records: &[Arc<Record>]) -> Vec<Arc<Record>> {
    let mut started = HashMap::new();
    let mut timed = Vec::new();
    for record in records {
        let mut record = Record::clone(record);
        record.ts_ms = Staging::default().now_ms + 25 * record.seq;
        match &mut record.event {
            Event::Durable(DurableEvent::CallStarted { call_id, .. }) => {
                started.insert(call_id.clone(), record.ts_ms);
            }
            Event::Durable(DurableEvent::CallEnded { call_id, outcome, .. }) => {
                let began_ms = started.get(call_id).copied().unwrap_or(record.ts_ms);
                *outcome = Arc::new(ToolOutcome::clone(outcome).timed(began_ms, record.ts_ms));
            }
            _ => {}
        }
        timed.push(Arc::new(record));
    }
    timed
}

/// All sessions that are kept, by name.
async fn sessions() -> Vec<(&'static str, Vec<Arc<Record>>)> {
    let mut all = Vec::new();
    for name in PLAYED.into_iter().chain(STAGED) {
        all.push((name, timed(&records_of(name).await)));
    }
    for (name, whole, event) in CUT {
        let mut records = timed(&records_of(whole).await);
        let after = records.iter().position(|record| record.event.name() == event).unwrap();
        records.truncate(after + 1);
        all.push((name, records));
    }
    all
}

fn view_of<'a>(records: impl IntoIterator<Item = &'a Arc<Record>>) -> SessionView {
    SessionView::fold(records.into_iter().map(|record| &**record))
}

fn is_over(records: &[Arc<Record>]) -> bool {
    matches!(records.last().unwrap().event, Event::Durable(DurableEvent::RunEnded { .. }))
}

#[tokio::test(start_paused = true)]
async fn s_34_the_views_of_sessions_are_those_that_are_kept() {
    let validator = strict_validator();
    for (name, records) in sessions().await {
        let line = |record: &Arc<Record>| format!("{}\n", serde_json::to_string(&**record).unwrap());
        hold(&format!("fixtures/views/{name}.records.jsonl"), &records.iter().map(line).collect::<String>());
        for record in &records {
            let value = serde_json::to_value(&**record).unwrap();
            assert!(validator.is_valid(&value), "{name}: {value}");
        }
        let view = view_of(&records);
        hold(&format!("fixtures/views/{name}.view.json"), &text_of(&view));
        // Whoever has the durable records alone sees the same, but for what is being said now.
        let durable = view_of(records.iter().filter(|record| record.event.is_durable()));
        let kept = format!("fixtures/views/{name}.durable.view.json");
        let shown = |view: &SessionView| serde_json::to_value(&view.runs).unwrap();
        if shown(&durable) == shown(&view) {
            assert!(!repository().join(&kept).exists(), "{kept} says nothing of its own");
        } else {
            assert!(!is_over(&records), "{name}: the end of a run makes them alike");
            hold(&kept, &text_of(&durable));
        }
    }
}

fn text_of(view: &SessionView) -> String {
    format!("{:#}\n", serde_json::to_value(view).unwrap())
}

#[tokio::test(start_paused = true)]
async fn the_kept_views_show_everything_that_a_view_can_show() {
    let (mut events, mut views) = (BTreeSet::new(), String::new());
    for (_, records) in sessions().await {
        events.extend(records.iter().map(|record| record.event.name()));
        views.push_str(&serde_json::to_string(&view_of(&records)).unwrap());
    }
    assert_eq!(events.len(), 20, "{events:?}");
    for shown in [
        "\"kind\":\"reasoning\",\"phase\":1",
        "\"state\":{\"kind\":\"asking\"}",
        "\"state\":{\"kind\":\"running\"}",
        "\"state\":{\"kind\":\"requested\"}",
        "\"progress\":\"compiling\"",
        "\"waiting\":{",
        "\"questions\":[{",
        "\"warnings\":[{",
        "\"adjustments\":[{",
        "\"tasks\":[{",
        "\"links\":[{",
        "\"visibility\":\"hidden\"",
        "\"kind\":\"interrupted\"",
        "\"kind\":\"permission_denied\"",
        "\"outcome\":\"cancelled\"",
        "\"outcome\":\"failed\"",
        "\"outcome\":\"limit_reached\"",
        "\"cost_usd\":0.0031",
    ] {
        assert!(views.contains(shown), "no view has {shown}");
    }
}

/// Every file that is kept is one that is made.
#[test]
fn no_view_is_kept_that_nobody_makes() {
    let names: BTreeSet<&str> = PLAYED.into_iter().chain(STAGED).chain(CUT.map(|(name, ..)| name)).collect();
    for entry in fs::read_dir(repository().join("fixtures/views")).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let name = file.split('.').next().unwrap();
        assert!(names.contains(name), "fixtures/views/{file}");
    }
}
