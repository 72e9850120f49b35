//! Files of every released schema are opened and read by this version.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use tempfile::TempDir;
use windlass_core::ports::JournalPort as _;
use windlass_core::ports::store::{ForkPoint, NewSession, Save, SessionQuery, StorePort as _};
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event};
use windlass_core::protocol::tool::{ToolOutcome, ToolOutput};
use windlass_store::SqliteStore;
use windlass_testkit::{record, sample_events};

use crate::place::open;

fn fixture(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../fixtures/store/v{version}.db"))
}

/// The large outcome of the file: more than fits into a record.
fn large_text() -> String {
    "0123456789".repeat(3_300)
}

async fn fill(store: &SqliteStore) {
    let begin = NewSession {
        title: "Erste Sitzung".into(),
        key: Some("edison:1".into()),
        origin: "edison".into(),
        root: "/home/me".into(),
        profile: "edison".into(),
        model: "m/1".into(),
        history: vec![],
        fork: None,
        approve: None,
        settings: Default::default(),
    };
    let first = "session_1".into();
    store.create_session(&first, begin.clone(), 1_700_000_000_000).await.unwrap();
    // Only what there was with that schema.
    let mut events = sample_events();
    events.retain(|event| !event.name().starts_with("inner-call"));
    events.insert(1, Event::Delta(DeltaEvent::TextDelta { text: "Hallo ".into() }));
    events.insert(2, Event::Delta(DeltaEvent::TextDelta { text: "Welt".into() }));
    let records: Vec<_> = (1..).zip(events).map(|(seq, event)| record(&first, seq, event)).collect();
    store.append(&records).await.unwrap();
    store.audit(&first, 1_700_000_000_500, "allowed read_file").await.unwrap();
    let fork = ForkPoint { session_id: first.clone(), run_id: "run_1".into(), step: 1 };
    let begin = NewSession { key: None, fork: Some(fork), ..begin };
    let ended = sample_events().into_iter().find_map(|event| match event {
        Event::Durable(DurableEvent::CallEnded { call_id, name, message, category, visibility, .. }) => {
            let outcome = ToolOutcome::ok(ToolOutput::text(large_text())).into();
            Some(Event::Durable(DurableEvent::CallEnded {
                call_id,
                name,
                outcome,
                message,
                category,
                visibility,
            }))
        }
        _ => None,
    });
    let second = "session_2".into();
    let records = vec![record(&second, 1, ended.unwrap())];
    store.copy_session(&second, begin, records, 1_700_000_001_000).await.unwrap();
    let body = json!({"runTrace": {"totalDurationMs": 12}});
    let save = Save { save_id: "save_1".into(), name: "Stand".into(), created_ms: 1_700_000_002_000, body };
    store.put_save(save).await.unwrap();
}

/// What was written with the first schema. The expectations are words of that time, not of today's samples.
async fn check_v1(store: &SqliteStore) {
    let rows = store.sessions(SessionQuery { rows_max: 9, ..SessionQuery::default() }).await.unwrap();
    let ids: Vec<&str> = rows.iter().map(|row| row.session_id.as_str()).collect();
    assert_eq!(ids, ["session_2", "session_1"]);
    let row = store.session_by_key("edison:1").await.unwrap().unwrap();
    assert_eq!((row.begin.title.as_str(), row.last_seq, row.runs), ("Erste Sitzung", 19, 1));
    let records = store.load(&"session_1".into(), 0).await.unwrap();
    let names: Vec<&str> = records.iter().map(|record| record.event.name()).collect();
    let wanted = "run-started text-delta text-delta run-resumed tasks-changed step-started step-delayed request-adjusted \
                  step-ended call-requested permission-requested permission-decided call-started call-ended call-ended \
                  note-added warning-raised error-raised run-ended";
    assert_eq!(names.join(" "), wanted.split_whitespace().collect::<Vec<_>>().join(" "));
    assert_eq!(records.iter().map(|record| record.ts_ms).max(), Some(1_700_000_000_019));
    let run = store.run(&"run_1".into()).await.unwrap();
    assert_eq!((run.message.as_str(), run.steps, run.calls, run.questions), ("hi", 1, 1, 0));
    let grants = store.grants(&"session_1".into()).await.unwrap().unwrap();
    assert!(grants.is_empty(), "a grant ends with the process that gave it: {grants:?}");
    assert_eq!(store.tasks(&"session_1".into()).await.unwrap()[0].content, "look");
    assert_eq!(store.audit_lines(&"session_1".into()).await.unwrap()[0].1, "allowed read_file");
    let fork = store.session(&"session_2".into()).await.unwrap();
    assert_eq!(fork.begin.fork.unwrap().session_id.as_str(), "session_1");
    let outcome = store.load(&"session_2".into(), 0).await.unwrap();
    let Event::Durable(DurableEvent::CallEnded { outcome, .. }) = &outcome[0].event else {
        panic!("{outcome:?}")
    };
    assert_eq!(outcome.output().unwrap().readable(), large_text());
    assert_eq!(store.save("save_1").await.unwrap().body["runTrace"]["totalDurationMs"], 12);
}

#[tokio::test]
async fn a_file_of_schema_1_is_opened_and_read() {
    let folder = TempDir::new().unwrap();
    fs::copy(fixture(1), folder.path().join("windlass.db")).unwrap();
    let store = open(folder.path());
    check_v1(&store).await;
    // It can be written too.
    store.delete_session(&"session_1".into()).await.unwrap();
    assert!(store.session_by_key("edison:1").await.unwrap().is_none());
}

/// Today's schema is the last released one: writes its file, for the day on which another follows.
#[tokio::test]
async fn the_newest_schema_reads_what_it_wrote() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    fill(&store).await;
    check_v1(&store).await;
    drop(store);
    if std::env::var_os("WINDLASS_WRITE_FIXTURES").is_some() {
        fs::create_dir_all(fixture(1).parent().unwrap()).unwrap();
        fs::copy(folder.path().join("windlass.db"), fixture(1)).unwrap();
    }
    check_v1(&open(folder.path())).await;
}
