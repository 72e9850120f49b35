//! Rows that are made of records.

use std::sync::Arc;

use serde_json::json;
use windlass_core::permission::{ApproveMode, Decision, Rule};
use windlass_core::ports::store::{NewSession, SessionRow, StoreFailure, StorePort};
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, Record, RunOutcome, StopReason};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::{Message, ToolMessage};
use windlass_core::protocol::model::{Finish, Sampling, StepPurpose, Usage};
use windlass_core::protocol::settings::SessionSettings;
use windlass_core::protocol::task::{Task, TaskStatus};
use windlass_core::protocol::tool::{Category, ToolOutcome, ToolOutput, Visibility};

use super::{BEGIN_MS, append, at, begin, create, is_missing, load, started, works};
use crate::breach::{Breach, ensure};
use crate::sample::sample_events;

/// Bytes of the largest outcome that every store must take.
const LARGE_BYTES: usize = 4 << 20;

pub(super) async fn begins_sessions(store: &impl StorePort) -> Result<(), Breach> {
    let id = "session-é/1".into();
    is_missing("a session that never began", &store.session(&id).await)?;
    let begin = NewSession {
        key: Some("edison:chat 1%_".to_owned()),
        history: vec![Arc::new(Message::user("früher \u{0}\u{1F980}")), Arc::new(Message::assistant("ja"))],
        ..begin("")
    };
    let row = works("a session begins", store.create_session(&id, begin.clone(), BEGIN_MS).await)?;
    let expected = SessionRow {
        session_id: id.clone(),
        begin: begin.clone(),
        created_ms: BEGIN_MS,
        updated_ms: BEGIN_MS,
        last_seq: 0,
        runs: 0,
    };
    ensure(row == expected, || format!("a new session is what it began with: {row:?}"))?;
    let again = works("a session is read", store.session(&id).await)?;
    ensure(again == row, || format!("a session is read as it was written: {again:?}"))?;
    let by_key = works("a session is found by its key", store.session_by_key("edison:chat 1%_").await)?;
    ensure(by_key == Some(row), || "a session is found by its key".to_owned())?;
    let other = works("a key is asked for", store.session_by_key("edison:chat 1").await)?;
    ensure(other.is_none(), || "a key is whole, or it is another".to_owned())?;

    let exists = |done: &Result<SessionRow, StoreFailure>| matches!(done, Err(StoreFailure::Exists(_)));
    let twice = store.create_session(&id, super::begin("other"), BEGIN_MS).await;
    ensure(exists(&twice), || format!("an id is given once: {twice:?}"))?;
    let same_key = store.create_session(&"session 2".into(), begin, BEGIN_MS).await;
    ensure(exists(&same_key), || format!("a key is given once: {same_key:?}"))?;
    is_missing("a session that was refused", &store.session(&"session 2".into()).await)?;

    works("a session is renamed", store.rename_session(&id, "Über alles").await)?;
    let renamed = works("a session is read", store.session(&id).await)?;
    ensure(renamed.begin.title == "Über alles", || "a session has its new title".to_owned())?;
    ensure(renamed.begin.approve.is_none(), || "nobody chose a mode".to_owned())?;
    works("a mode is kept", store.set_approve(&id, ApproveMode::ReadOnly).await)?;
    let kept = works("a session is read", store.session(&id).await)?;
    ensure(kept.begin.approve == Some(ApproveMode::ReadOnly), || "a session has its mode".to_owned())?;
    is_missing("a session to switch", &store.set_approve(&"nobody".into(), ApproveMode::All).await)?;
    ensure(kept.begin.settings.is_empty(), || "nobody set anything".to_owned())?;
    let sampling = Sampling { temperature: Some(0.2), seed: Some(7), ..Sampling::default() };
    let set = SessionSettings { system: Some("Be brief.".into()), sampling, ..SessionSettings::default() };
    works("settings are kept", store.set_settings(&id, set.clone()).await)?;
    let kept = works("a session is read", store.session(&id).await)?;
    ensure(kept.begin.settings == set, || format!("a session has its settings: {:?}", kept.begin.settings))?;
    is_missing("a session to set", &store.set_settings(&"nobody".into(), SessionSettings::default()).await)?;
    is_missing("a session to rename", &store.rename_session(&"nobody".into(), "x").await)
}

pub(super) async fn names_sessions_by_their_first_message(store: &impl StorePort) -> Result<(), Breach> {
    create(store, "unnamed", "", BEGIN_MS).await?;
    create(store, "named", "Mine", BEGIN_MS).await?;
    for (session, run) in [("unnamed", "run a"), ("named", "run b")] {
        let message = "\n  Guten Tag  \nund mehr";
        append(store, &[at(session, run, 1, BEGIN_MS + 1, started(message))]).await?;
        append(store, &[at(session, run, 2, BEGIN_MS + 2, ended(Usage::default()))]).await?;
    }
    append(store, &[at("unnamed", "run c", 3, BEGIN_MS + 3, started("Noch etwas"))]).await?;
    for (session, title) in [("unnamed", "Guten Tag"), ("named", "Mine")] {
        let row = works("a session is read", store.session(&session.into()).await)?;
        ensure(row.begin.title == title, || {
            format!("a title is its own or the first line said: {:?}", row.begin.title)
        })?;
    }
    Ok(())
}

fn usage(input: u64, output: u64, cost_usd: Option<f64>) -> Usage {
    Usage { input, output, cached: input / 2, reasoning: 1, cost_usd }
}

fn step_ended(step: u32, usage: Option<Usage>) -> Event {
    Event::Durable(DurableEvent::StepEnded {
        step,
        message: Arc::new(Message::assistant("so")),
        finish: Finish::Stop,
        usage,
    })
}

fn ended(usage: Usage) -> Event {
    Event::Durable(DurableEvent::RunEnded {
        outcome: RunOutcome::LimitReached,
        reason: StopReason::StepsMax,
        answer: "done".to_owned(),
        usage,
    })
}

pub(super) async fn counts_runs(store: &impl StorePort) -> Result<(), Breach> {
    create(store, "s", "t", BEGIN_MS).await?;
    is_missing("a run that never began", &store.run(&"run a".into()).await)?;
    let step = |step, attempt| {
        Event::Durable(DurableEvent::StepStarted { step, purpose: StepPurpose::Work, attempt })
    };
    let call = sample_events()
        .into_iter()
        .find(|event| matches!(event, Event::Durable(DurableEvent::CallRequested { .. })));
    let call = call.ok_or_else(|| Breach::new("the samples have a call"))?;
    let say = |seq, event| at("s", "run a", seq, BEGIN_MS + seq, event);
    append(store, &[say(1, started("Guten Tag")), say(2, step(1, 1))]).await?;
    append(store, &[say(3, step(1, 2))]).await?;
    append(store, &[say(4, step_ended(1, Some(usage(10, 5, Some(0.1)))))]).await?;
    append(store, &[say(5, call.clone()), say(6, call)]).await?;
    append(store, &[say(7, step(2, 1)), say(8, step_ended(2, Some(usage(20, 6, Some(0.2)))))]).await?;
    append(store, &[say(9, step_ended(3, None))]).await?;
    let row = works("a run is read", store.run(&"run a".into()).await)?;
    let mut sum = usage(10, 5, Some(0.1));
    sum.add(&usage(20, 6, Some(0.2)));
    let texts = [row.session_id.as_str(), row.message.as_str(), row.model.as_str(), row.profile.as_str()];
    ensure(texts == ["s", "Guten Tag", "m/2", "edison"], || format!("a run says what it is: {row:?}"))?;
    ensure((row.steps, row.calls) == (2, 2), || {
        format!("steps by their number, calls by their count: {row:?}")
    })?;
    ensure(row.usage == sum, || format!("token counts add up: {:?} is not {sum:?}", row.usage))?;
    ensure((row.started_ms, row.first_seq, row.last_seq) == (BEGIN_MS + 1, 1, 9), || {
        format!("a run has its place: {row:?}")
    })?;
    let is_open = row.ended_ms.is_none() && row.outcome.is_none() && row.reason.is_none();
    ensure(is_open, || format!("a run that goes on has no end: {row:?}"))?;

    let whole = usage(99, 98, None);
    append(store, &[say(12, ended(whole))]).await?;
    let row = works("a run is read", store.run(&"run a".into()).await)?;
    let end = (row.ended_ms, row.outcome, row.reason.clone(), row.last_seq);
    let wanted = (Some(BEGIN_MS + 12), Some(RunOutcome::LimitReached), Some(StopReason::StepsMax), 12);
    ensure(end == wanted, || format!("a run has its end: {row:?}"))?;
    ensure(row.usage == whole, || format!("the end's token counts are the run's: {row:?}"))?;
    let session = works("a session is read", store.session(&"s".into()).await)?;
    let place = (session.last_seq, session.updated_ms, session.runs);
    ensure(place == (12, BEGIN_MS + 12, 1), || format!("a session knows its newest record: {session:?}"))
}

fn question(call: u64) -> Result<Event, Breach> {
    let mut events = sample_events().into_iter();
    let asked = events.find_map(|event| match event {
        Event::Durable(DurableEvent::PermissionRequested { question }) => Some(question),
        Event::Durable(other) => other.ignored(),
        Event::Delta(_) => None,
    });
    let mut question = asked.ok_or_else(|| Breach::new("the samples have a question"))?;
    question.call_id = CallId::numbered(call);
    Ok(Event::Durable(DurableEvent::PermissionRequested { question }))
}

fn decided(call: u64, decision: Decision, rule: Option<&str>) -> Event {
    Event::Durable(DurableEvent::PermissionDecided {
        call_id: CallId::numbered(call),
        decision,
        by: "user".to_owned(),
        rule: rule.map(str::to_owned),
        problem: None,
        denied_by: None,
        message: None,
    })
}

fn call_ended(call: u64, outcome: ToolOutcome) -> Event {
    Event::Durable(DurableEvent::CallEnded {
        call_id: CallId::numbered(call),
        name: "read_file".to_owned(),
        message: Arc::new(Message::Tool(ToolMessage {
            call_id: CallId::numbered(call),
            provider_id: None,
            name: "read_file".to_owned(),
            content: "cut".to_owned(),
            is_ok: outcome.is_ok(),
            is_valid_call: true,
            label: None,
        })),
        outcome: Arc::new(outcome),
        category: Category::Other,
        visibility: Visibility::Primary,
    })
}

pub(super) async fn counts_questions(store: &impl StorePort) -> Result<(), Breach> {
    create(store, "s", "t", BEGIN_MS).await?;
    let outcome = || ToolOutcome::ok(ToolOutput::text("ok"));
    let steps = [
        (vec![started("hi")], 0),
        (vec![question(1)?, question(2)?, question(3)?], 3),
        (vec![decided(2, Decision::Once, None)], 2),
        (vec![call_ended(2, outcome())], 2),
        (vec![call_ended(3, outcome())], 1),
        (vec![question(4)?, decided(4, Decision::Deny, None)], 1),
        (vec![ended(usage(1, 1, None))], 0),
    ];
    let mut seq = 0;
    for (events, wanted) in steps {
        let next = |event| {
            seq += 1;
            at("s", "run", seq, BEGIN_MS, event)
        };
        let records: Vec<Arc<Record>> = events.into_iter().map(next).collect();
        append(store, &records).await?;
        let row = works("a run is read", store.run(&"run".into()).await)?;
        ensure(row.questions == wanted, || {
            format!("after record {seq}, {wanted} questions wait, not {}", row.questions)
        })?;
    }
    Ok(())
}

/// The grants of a session, as texts.
pub(super) async fn granted(store: &impl StorePort, session_id: &str) -> Result<Vec<String>, Breach> {
    let granted = store.grants(&session_id.into()).await;
    let granted = granted.map_err(|failure| StoreFailure::Broken(failure.message));
    let granted = works("grants are read", granted)?.unwrap_or_default();
    Ok(granted.iter().map(ToString::to_string).collect())
}

pub(super) async fn keeps_grants_and_tasks(store: &impl StorePort) -> Result<(), Breach> {
    create(store, "s", "t", BEGIN_MS).await?;
    create(store, "other", "t", BEGIN_MS).await?;
    let id = "s".into();
    let empty =
        granted(store, "s").await?.is_empty() && works("tasks are read", store.tasks(&id).await)?.is_empty();
    ensure(empty, || "a new session has neither grants nor tasks".to_owned())?;
    let say = |seq, event| at("s", "run", seq, BEGIN_MS, event);
    let task = |n: u32, status| Task { task_id: format!("task_{n}"), status, content: format!("tu {n} é") };
    let first: Arc<[Task]> = Arc::new([task(1, TaskStatus::Pending)]);
    let second: Arc<[Task]> = Arc::new([task(1, TaskStatus::Completed), task(2, TaskStatus::InProgress)]);
    append(
        store,
        &[
            say(1, decided(1, Decision::Session, Some("write_file(b)"))),
            say(2, decided(2, Decision::Once, Some("write_file(x)"))),
            say(3, Event::Durable(DurableEvent::TasksChanged { tasks: first })),
            say(4, decided(3, Decision::Remember, Some("write_file(a)"))),
        ],
    )
    .await?;
    append(
        store,
        &[say(5, decided(4, Decision::Deny, Some("no"))), say(6, decided(5, Decision::Session, None))],
    )
    .await?;
    append(store, &[say(7, Event::Durable(DurableEvent::TasksChanged { tasks: Arc::clone(&second) }))])
        .await?;
    append(store, &[say(8, decided(6, Decision::Session, Some("write_file(c)")))]).await?;
    let grants = granted(store, "s").await?;
    ensure(grants == ["write_file(b)", "write_file(c)"], || {
        format!("rules for the session are grants, oldest first: {grants:?}")
    })?;
    let all = works("all grants are read", store.all_grants().await)?;
    let is_ours = |rule: &&Rule| rule.session_id.as_ref().is_some_and(|owner| *owner == id);
    ensure(all.len() == 2 && all.iter().filter(is_ours).count() == 2, || {
        format!("a grant names its session: {all:?}")
    })?;
    for (grant_id, is_there) in
        all.first().map(|rule| [(&rule.id, true), (&rule.id, false)]).into_iter().flatten()
    {
        let revoked = works("a grant is revoked", store.revoke(grant_id).await)?;
        ensure(revoked == is_there, || format!("a grant is revoked once: {revoked}"))?;
    }
    let grants = granted(store, "s").await?;
    ensure(grants == ["write_file(c)"], || format!("what is revoked is gone: {grants:?}"))?;
    let tasks = works("tasks are read", store.tasks(&id).await)?;
    ensure(tasks == *second, || format!("the task list is the newest: {tasks:?}"))?;
    let others = granted(store, "other").await?;
    ensure(others.is_empty(), || "another session's grants are not ours".to_owned())
}

pub(super) async fn keeps_deltas_in_their_place(store: &impl StorePort) -> Result<(), Breach> {
    create(store, "s", "t", BEGIN_MS).await?;
    let text = |text: &str| Event::Delta(DeltaEvent::TextDelta { text: text.to_owned() });
    let call_id = CallId::numbered(1);
    let events = [
        (1, 5, started("hi")),
        (2, 6, Event::Delta(DeltaEvent::ReasoningDelta { phase: 0, text: "hm\u{0} \u{1F980}".to_owned() })),
        (3, 9, text("")),
        (4, 8, Event::Delta(DeltaEvent::CallDelta { index: 2, name: Some("é".to_owned()), chars: u64::MAX })),
        (5, 8, Event::Delta(DeltaEvent::CallDelta { index: 2, name: None, chars: 0 })),
        (7, 8, text("a")),
        (8, 8, Event::Delta(DeltaEvent::CallProgressed { call_id, line: "half\n".to_owned() })),
        (9, 8, Event::Durable(DurableEvent::NoteAdded { text: "n".to_owned() })),
        (10, 8, text("b")),
        (11, 10, text("c")),
    ];
    let all: Vec<Arc<Record>> =
        events.into_iter().map(|(seq, ms, event)| at("s", "run", seq, BEGIN_MS + ms, event)).collect();
    let (first, rest) = all.split_at(1);
    let (together, alone) = rest.split_at(7);
    append(store, first).await?;
    append(store, together).await?;
    append(store, alone).await?;
    for after in 0..=12 {
        let wanted: Vec<&Arc<Record>> = all.iter().filter(|record| record.seq > after).collect();
        let loaded = load(store, "s", after).await?;
        ensure(loaded.iter().collect::<Vec<_>>() == wanted, || {
            format!("after {after} all records come, deltas among them\nwanted {wanted:?}\nloaded {loaded:?}")
        })?;
        let page = store.load_page(&"s".into(), after, 3).await;
        let page = page.map_err(|failure| Breach::new(format!("a page failed: {failure}")))?;
        ensure(page.iter().eq(wanted.into_iter().take(3)), || {
            format!("a page after {after} has the first three: {page:?}")
        })?;
    }
    Ok(())
}

pub(super) async fn keeps_large_outcomes_and_floats(store: &impl StorePort) -> Result<(), Breach> {
    create(store, "s", "t", BEGIN_MS).await?;
    let numbers = json!([0.1, 1e300, -0.0, 5e-324, 123_456_789.123_456_79, 1.0, u64::MAX, i64::MIN]);
    let large = ToolOutput::json(json!({"n": numbers, "text": "é\"\\\n".repeat(LARGE_BYTES / 5)}))
        .with_text("漢".repeat(LARGE_BYTES / 3));
    let records = [
        at("s", "run", 1, BEGIN_MS, call_ended(1, ToolOutcome::ok(ToolOutput::json(numbers)))),
        at("s", "run", 2, BEGIN_MS, call_ended(2, ToolOutcome::ok(large.clone()))),
        at("s", "run", 3, BEGIN_MS, call_ended(3, ToolOutcome::ok(large).timed(7, 9))),
    ];
    append(store, &records).await?;
    let loaded = load(store, "s", 0).await?;
    for (given, back) in records.iter().zip(&loaded) {
        ensure(given == back, || format!("the outcome of record {} comes back as it was", given.seq))?;
    }
    ensure(loaded.len() == records.len(), || "all outcomes come back".to_owned())
}

pub(super) async fn stands_clocks_that_go_back(store: &impl StorePort) -> Result<(), Breach> {
    create(store, "s", "t", BEGIN_MS).await?;
    let note = |seq, ts_ms| {
        at("s", "run", seq, ts_ms, Event::Durable(DurableEvent::NoteAdded { text: seq.to_string() }))
    };
    append(store, &[note(1, BEGIN_MS + 1_000)]).await?;
    append(store, &[note(2, BEGIN_MS - 60_000), note(3, 0)]).await?;
    append(store, &[note(4, BEGIN_MS + 2)]).await?;
    let loaded = load(store, "s", 0).await?;
    let places: Vec<(u64, u64)> = loaded.iter().map(|record| (record.seq, record.ts_ms)).collect();
    let wanted = [(1, BEGIN_MS + 1_000), (2, BEGIN_MS - 60_000), (3, 0), (4, BEGIN_MS + 2)];
    ensure(places == wanted, || format!("records keep their order and their times: {places:?}"))?;
    let row = works("a session is read", store.session(&"s".into()).await)?;
    ensure((row.last_seq, row.updated_ms) == (4, BEGIN_MS + 1_000), || {
        format!("a session does not become older: {row:?}")
    })
}
