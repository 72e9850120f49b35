//! What durable sessions cost: the store's figures of `docs/figures.md`.

#![allow(clippy::expect_used, missing_docs)]

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use windlass_benches::{cpu_time, figure};
use windlass_core::ports::JournalPort as _;
use windlass_core::ports::store::{Claim, NewSession, RunQuery, StorePort as _};
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, Record};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::{Message, ToolMessage};
use windlass_core::protocol::model::{Finish, StepPurpose, Usage};
use windlass_core::protocol::tool::{Category, ToolCall, ToolOutcome, ToolOutput, Visibility};
use windlass_store::{SqliteStore, StoreConfig};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SESSIONS: usize = 64;
const STEPS: u64 = 60;
const UNFINISHED: usize = 1_000;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let is_wanted =
        |name: &str| wanted.is_empty() || wanted.iter().any(|filter| name.contains(filter.as_str()));
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_time().build().expect("a runtime");
    let folder = tempfile::tempdir_in(".").expect("a folder on this disk");
    if is_wanted("store durable") {
        sync_cost(folder.path());
        for sessions in [1, 8, SESSIONS] {
            durable_events(&runtime, &folder.path().join(format!("events-{sessions}")), sessions);
        }
    }
    if is_wanted("store deltas") {
        deltas(&runtime, &folder.path().join("deltas"));
    }
    if is_wanted("store recovery") {
        recovery(&runtime, &folder.path().join("recovery"));
    }
}

/// What this disk asks for one small durable write.
fn sync_cost(folder: &Path) {
    let path = folder.join("sync");
    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("a file");
    let mut times: Vec<Duration> = (0..200)
        .map(|_| {
            file.write_all(&[7; 4_096]).expect("written");
            let before = Instant::now();
            file.sync_data().expect("synced");
            before.elapsed()
        })
        .collect();
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    figure("sync of 4 KiB on this disk, median", median.as_secs_f64() * 1e6, "µs", "");
}

fn record(session: &str, seq: u64, event: Event) -> Arc<Record> {
    Arc::new(Record {
        seq,
        ts_ms: 1_700_000_000_000 + seq,
        session_id: session.into(),
        run_id: format!("run_0198f3c2-7b1e-7c3a-9f00-{session}").into(),
        parent_id: format!("message_0198f3c2-7b1e-7c3a-9f00-{session}").into(),
        event,
        cause: None,
    })
}

/// The appends of one step with a call, as a session makes them: each ends with what must be durable.
fn step_appends(session: &str, first_seq: u64, step: u64) -> Vec<Vec<Arc<Record>>> {
    let (category, visibility) = (Category::Other, Visibility::Primary);
    let call = ToolCall {
        id: CallId::numbered(step),
        provider_id: Some(format!("toolu_{step:024}")),
        step: step as u32,
        index: 0,
        name: "read_file".into(),
        arguments: json!({"path": format!("src/module_{step}/lib.rs"), "from": 1, "lines": 200}).to_string(),
        state: None,
    };
    let message = Message::Tool(ToolMessage {
        call_id: call.id.clone(),
        provider_id: call.provider_id.clone(),
        name: call.name.clone(),
        content: "fn main() {}\n".repeat(40),
        is_ok: true,
        is_valid_call: true,
        label: None,
    });
    let outcome = ToolOutcome::ok(ToolOutput::text("fn main() {}\n".repeat(40)));
    let usage = Usage { input: 1_000, output: 50, cached: 900, reasoning: 0, cost_usd: Some(0.001) };
    let step = step as u32;
    let appends = [
        vec![Event::Durable(DurableEvent::StepStarted { step, purpose: StepPurpose::Work, attempt: 1 })],
        vec![
            Event::Durable(DurableEvent::StepEnded {
                step,
                message: Message::assistant("I shall read the module first.").into(),
                finish: Finish::Calls,
                usage: Some(usage),
            }),
            Event::Durable(DurableEvent::CallRequested {
                call: call.clone(),
                category,
                visibility,
                vendor: "openai".into(),
            }),
            Event::Durable(DurableEvent::CallStarted {
                call_id: call.id.clone(),
                name: call.name.clone(),
                by: None,
                category,
                visibility,
            }),
        ],
        vec![Event::Durable(DurableEvent::CallEnded {
            call_id: call.id,
            name: call.name,
            outcome: outcome.into(),
            message: message.into(),
            category,
            visibility,
        })],
    ];
    let mut seq = first_seq;
    let mut number = |event| {
        let record = record(session, seq, event);
        seq += 1;
        record
    };
    appends.into_iter().map(|events| events.into_iter().map(&mut number).collect()).collect()
}

fn started(session: &str) -> Arc<Record> {
    let message = Arc::new(Message::user("Please read the modules and tell me what they do."));
    let event = Event::Durable(DurableEvent::RunStarted {
        model: "m/1".into(),
        profile: "default".into(),
        message,
        wishes: Arc::default(),
    });
    record(session, 1, event)
}

async fn begin(store: &SqliteStore, session: &str) {
    store.create_session(&session.into(), NewSession::default(), 0).await.expect("begun");
    assert_eq!(store.claim(&session.into()).await.expect("claimed"), Claim::Taken);
    store.append(&[started(session)]).await.expect("appended");
}

/// The records of a session of that many steps: five a step, in three appends.
fn session_appends(session: &str, steps: u64) -> Vec<Vec<Arc<Record>>> {
    (1..=steps).flat_map(|step| step_appends(session, step * 5 - 3, step)).collect()
}

fn durable_events(runtime: &Runtime, folder: &Path, sessions: usize) {
    let store = Arc::new(SqliteStore::open(folder, StoreConfig::default()).expect("a store"));
    let work: Vec<(String, Vec<Vec<Arc<Record>>>)> = (0..sessions)
        .map(|number| {
            let name = format!("{number:012}");
            let appends = session_appends(&name, STEPS * if sessions < 8 { 4 } else { 1 });
            (name, appends)
        })
        .collect();
    let appends: usize = work.iter().map(|(_, appends)| appends.len()).sum();
    let events: usize = work.iter().flat_map(|(_, appends)| appends).map(Vec::len).sum();
    runtime.block_on(async {
        for (name, _) in &work {
            begin(&store, name).await;
        }
    });
    let (wall, cpu) = (Instant::now(), cpu_time());
    runtime.block_on(async {
        let writers: Vec<_> = work
            .into_iter()
            .map(|(_, appends)| {
                let store = Arc::clone(&store);
                tokio::spawn(async move {
                    for records in appends {
                        store.append(&records).await.expect("appended");
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.await.expect("a writer");
        }
    });
    let (wall, cpu) = (wall.elapsed(), cpu_time() - cpu);
    let target = if sessions == SESSIONS { "at least 8000" } else { "" };
    let name = format!("durable events over {sessions} sessions");
    figure(&name, events as f64 / wall.as_secs_f64(), "a second", target);
    figure(&format!("{name}: appends"), appends as f64 / wall.as_secs_f64(), "a second", "");
    figure(&format!("{name}: an append"), cpu.as_secs_f64() * 1e6 / appends as f64, "µs CPU", "");
    figure(&format!("{name}: an event"), cpu.as_secs_f64() * 1e6 / events as f64, "µs CPU", "");
}

/// Deltas that come with the next durable record.
fn deltas(runtime: &Runtime, folder: &Path) {
    const BLOCKS: u64 = 200;
    const DELTAS: u64 = 100;
    let store = SqliteStore::open(folder, StoreConfig::default()).expect("a store");
    let blocks: Vec<Vec<Arc<Record>>> = (0..BLOCKS)
        .map(|block| {
            let first = block * (DELTAS + 1) + 2;
            let delta = |seq| record("s", seq, Event::Delta(DeltaEvent::TextDelta { text: "token ".into() }));
            let note =
                record("s", first + DELTAS, Event::Durable(DurableEvent::NoteAdded { text: "n".into() }));
            (first..first + DELTAS).map(delta).chain([note]).collect()
        })
        .collect();
    let measure = |with_deltas: bool, session: &str| {
        runtime.block_on(async {
            begin(&store, session).await;
            let cpu = cpu_time();
            for block in &blocks {
                let records: Vec<Arc<Record>> = block
                    .iter()
                    .filter(|record| with_deltas || record.event.is_durable())
                    .map(|record| Arc::new(Record { session_id: session.into(), ..(**record).clone() }))
                    .collect();
                store.append(&records).await.expect("appended");
            }
            cpu_time() - cpu
        })
    };
    let without = measure(false, "without");
    let with = measure(true, "with");
    let each = with.saturating_sub(without).as_secs_f64() * 1e6 / (BLOCKS * DELTAS) as f64;
    figure("a delta that comes with a durable record", each, "µs CPU", "");
}

fn recovery(runtime: &Runtime, folder: &Path) {
    let names: Vec<String> = (0..UNFINISHED).map(|number| format!("{number:012}")).collect();
    {
        let store = SqliteStore::open(folder, StoreConfig::default()).expect("a store");
        runtime.block_on(async {
            for name in &names {
                let mut records = vec![started(name)];
                records.extend(session_appends(name, 4).into_iter().flatten());
                let copied =
                    store.copy_session(&name.as_str().into(), NewSession::default(), records, 0).await;
                copied.expect("copied");
            }
        });
    }
    let (wall, cpu) = (Instant::now(), cpu_time());
    let store = SqliteStore::open(folder, StoreConfig::default()).expect("a store");
    let records = runtime.block_on(async {
        let query = RunQuery { is_unfinished: true, rows_max: 10_000, ..RunQuery::default() };
        let runs = store.runs(query).await.expect("listed");
        assert_eq!(runs.len(), UNFINISHED);
        let mut records = 0;
        for run in &runs {
            assert_eq!(store.claim(&run.session_id).await.expect("claimed"), Claim::Taken);
            records += store.load(&run.session_id, 0).await.expect("loaded").len();
        }
        records
    });
    let (wall, cpu) = (wall.elapsed(), cpu_time() - cpu);
    figure(
        &format!("{UNFINISHED} unfinished sessions found, claimed and read ({records} records)"),
        wall.as_secs_f64() * 1e3,
        "ms",
        "under 1000",
    );
    figure("the same, CPU", cpu.as_secs_f64() * 1e3, "ms CPU", "");
    let wall = Instant::now();
    runtime.block_on(async {
        let loads =
            names.iter().map(|name| async { store.load(&name.as_str().into(), 0).await.expect("loaded") });
        futures::future::join_all(loads.collect::<Vec<_>>()).await
    });
    figure("the same without claims, all at once", wall.elapsed().as_secs_f64() * 1e3, "ms", "");
}
