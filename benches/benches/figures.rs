//! The figures of `docs/figures.md`: run by `cargo xtask bench`.

#![allow(clippy::expect_used, missing_docs)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use windlass_benches::broken::{Broken, corpus};
use windlass_benches::idle::idle_session_bytes;
use windlass_benches::loads::parts;
use windlass_benches::sample::{edit_args, edit_call, edit_schema, edit_toolset};
use windlass_benches::{best_of, cpu_time, figure};
use windlass_core::calls::args::read_args;
use windlass_core::calls::check::check_call;
use windlass_core::calls::json::repair::{RepairMode, repair};
use windlass_core::protocol::command::MessageSend;
use windlass_core::protocol::event::{DeltaEvent, Event, Record};
use windlass_core::protocol::tool::RawArgs;
use windlass_engine::bus::{Delivery, EventLog};
use windlass_engine::ids::{new_message_id, new_run_id};
use windlass_engine::journal::MemoryJournal;
use windlass_engine::session::Session;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: u32 = 7;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let is_wanted =
        |name: &str| wanted.is_empty() || wanted.iter().any(|filter| name.contains(filter.as_str()));
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    if is_wanted("step") {
        steps(&runtime);
    }
    if is_wanted("check") {
        checks();
    }
    if is_wanted("repair") {
        repairs();
    }
    if is_wanted("event") {
        events(&runtime);
    }
    if is_wanted("idle") {
        let bytes = runtime.block_on(idle_session_bytes(1_000));
        figure("idle session, memory", bytes as f64 / 1024.0, "KiB", "at most 16");
    }
}

/// CPU of one run of `steps` steps.
fn run_of(runtime: &Runtime, steps: usize) -> Duration {
    runtime.block_on(async {
        let session = Session::start(parts(steps, 0));
        let send = MessageSend::text(new_run_id(), new_message_id(), "Go.");
        let before = cpu_time();
        let finished = session.send(send).await.expect("sent").finished().await.expect("finished");
        let spent = cpu_time() - before;
        assert_eq!(finished.answer, "Done.");
        spent
    })
}

/// A step is measured as the difference between runs, so that starting a run is not counted.
fn steps(runtime: &Runtime) {
    let micros = |from: usize, to: usize| {
        let long = best_of(ROUNDS * 4, || run_of(runtime, to));
        let short = best_of(ROUNDS * 4, || run_of(runtime, from));
        (long.saturating_sub(short)).as_secs_f64() * 1e6 / (to - from) as f64
    };
    run_of(runtime, 200);
    let early = micros(5, 15);
    let late = micros(95, 105);
    let whole = best_of(ROUNDS, || run_of(runtime, 1_000)).as_secs_f64() * 1e6 / 1_000.0;
    figure("engine step, pure tool", whole, "µs CPU", "at most 25");
    figure("engine step around step 10", early, "µs CPU", "");
    figure("engine step around step 100", late, "µs CPU", "");
    figure("growth of a step from 10 to 100 steps of history", late / early, "times", "at most 1.2");
}

fn checks() {
    const N: u32 = 20_000;
    let text = edit_args();
    let toolset = edit_toolset().expect("a toolset");
    let raw = RawArgs::Text(text.clone());
    let ours = best_of(ROUNDS * 4, || {
        let mut call = edit_call();
        let before = cpu_time();
        for _ in 0..N {
            let read = read_args(black_box(&raw), 1 << 20).expect("arguments");
            let checked = black_box(check_call(&toolset, call, read.value).expect("a call"));
            call = checked.call;
        }
        cpu_time() - before
    });
    let validator = windlass_engine::validate::compile(&edit_schema()).expect("a schema");
    let floor = best_of(ROUNDS * 4, || {
        let before = cpu_time();
        for _ in 0..N {
            let value: Value = serde_json::from_str(black_box(&text)).expect("JSON");
            black_box(windlass_core::ports::ArgsValidator::check(&validator, &value).is_empty());
        }
        cpu_time() - before
    });
    let rate = |time: Duration| f64::from(N) / time.as_secs_f64();
    figure(
        &format!("check of a {}-byte call: parse, defaults, types, full schema", text.len()),
        rate(ours),
        "calls a CPU-second",
        "at least 300000",
    );
    figure("the same by serde_json and jsonschema alone", rate(floor), "calls a CPU-second", "");
}

fn repairs() {
    const N: u32 = 200;
    // A file of JSON lines with the fields `broken` and `want`, if somebody has one to compare with.
    let corpus = corpus(std::env::var("WINDLASS_REPAIR_CORPUS").ok().as_deref());
    let all = corpus.len();
    for (name, mode) in [("lossless only", RepairMode::Lossless), ("everything", RepairMode::Everything)] {
        let read = |broken: &Broken| repair(&broken.text, mode).ok().map(|repaired| repaired.value);
        let right = corpus.iter().filter(|broken| read(broken).as_ref() == Some(&broken.want)).count();
        let wrong =
            corpus.iter().filter(|broken| read(broken).is_some_and(|value| value != broken.want)).count();
        let spent = best_of(ROUNDS, || {
            let before = cpu_time();
            for _ in 0..N {
                corpus.iter().for_each(|broken| drop(black_box(read(broken))));
            }
            cpu_time() - before
        });
        figure(&format!("repair, {name}: right of {all} texts"), right as f64, "texts", "");
        figure(&format!("repair, {name}: wrong values of {all} texts"), wrong as f64, "texts", "0");
        let rate = f64::from(N) * all as f64 / spent.as_secs_f64();
        figure(&format!("repair, {name}: speed"), rate, "texts a CPU-second", "at least 30000");
    }
}

fn events(runtime: &Runtime) {
    for subscribers in [0usize, 1, 10, 1_000] {
        let count: u64 = if subscribers >= 1_000 { 200 } else { 5_000 };
        let spent = best_of(3, || runtime.block_on(publish(subscribers, count)));
        let name = format!("event through the bus to {subscribers} subscribers");
        figure(&name, spent.as_secs_f64() * 1e6 / count as f64, "µs CPU", "");
    }
}

/// CPU of publishing `count` events which every subscriber reads.
async fn publish(subscribers: usize, count: u64) -> Duration {
    let log = Arc::new(EventLog::new("bench".into(), Arc::new(MemoryJournal::new())));
    let readers: Vec<_> = (0..subscribers)
        .map(|_| {
            let mut events = log.subscribe();
            tokio::spawn(async move {
                let mut seen = 0u64;
                loop {
                    match events.next().await {
                        Delivery::Record(record) => seen = record.seq,
                        Delivery::Snapshot { upto_seq, .. } | Delivery::Gap { upto_seq, .. } => {
                            seen = upto_seq
                        }
                        Delivery::Closed => return seen,
                    }
                }
            })
        })
        .collect();
    tokio::task::yield_now().await;
    let before = cpu_time();
    for seq in 1..=count {
        log.publish(Arc::new(Record {
            seq,
            ts_ms: 0,
            session_id: "bench".into(),
            run_id: "run".into(),
            parent_id: "message".into(),
            event: Event::Delta(DeltaEvent::TextDelta { text: "word ".into() }),
            cause: None,
        }));
        tokio::task::yield_now().await;
    }
    log.close();
    for reader in readers {
        assert_eq!(reader.await.expect("a reader"), count);
    }
    cpu_time() - before
}
