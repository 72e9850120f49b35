//! Forks, claims and the end of sessions.

use std::sync::Arc;

use windlass_core::permission::Decision;
use windlass_core::ports::store::{Claim, ForkPoint, NewSession, RunQuery, SessionQuery, StorePort};
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, Record};
use windlass_core::protocol::tool::{ToolOutcome, ToolOutput};

use super::rows::granted;
use super::{BEGIN_MS, append, at, begin, create, is_missing, load, started, works};
use crate::breach::{Breach, ensure};
use crate::sample::sample_events;

fn fork_of(session: &str) -> NewSession {
    let fork = ForkPoint { session_id: session.into(), run_id: "run_1".into(), step: 2 };
    NewSession { fork: Some(fork), ..begin("fork") }
}

/// One record of every durable kind, and deltas among them.
fn records_of(session: &str, run: &str) -> Vec<Arc<Record>> {
    let delta = |text: &str| Event::Delta(DeltaEvent::TextDelta { text: text.to_owned() });
    let mut events = sample_events();
    // The samples end their run: a fork stops before.
    events.truncate(events.len().saturating_sub(1));
    for event in &mut events {
        if let Event::Durable(DurableEvent::PermissionDecided { decision, .. }) = event {
            *decision = Decision::Session;
        }
    }
    events.insert(4, delta("a"));
    events.insert(5, delta("b"));
    (1..).zip(events).map(|(seq, event)| at(session, run, seq, BEGIN_MS + seq, event)).collect()
}

pub(super) async fn copies_sessions(store: &impl StorePort) -> Result<(), Breach> {
    create(store, "first", "t", BEGIN_MS).await?;
    append(store, &records_of("first", "run 1")).await?;
    let records = records_of("fork", "run 2");
    let last_seq = records.last().map_or(0, |record| record.seq);
    let copied = store.copy_session(&"fork".into(), fork_of("first"), records.clone(), BEGIN_MS + 500).await;
    let row = works("a session is copied", copied)?;
    ensure(row.begin == fork_of("first"), || format!("a fork says where it comes from: {row:?}"))?;
    ensure((row.last_seq, row.runs) == (last_seq, 1), || format!("a fork has its records: {row:?}"))?;
    let read = works("a fork is read", store.session(&"fork".into()).await)?;
    ensure(read == row, || format!("a fork is read as it was written: {read:?}"))?;
    let loaded = load(store, "fork", 0).await?;
    ensure(loaded == records, || "a fork's records come back as they were".to_owned())?;
    let run = works("a fork's run is read", store.run(&"run 2".into()).await)?;
    ensure(run.session_id.as_str() == "fork" && run.calls == 1, || {
        format!("a fork has its own run: {run:?}")
    })?;
    let grants = granted(store, "fork").await?;
    let tasks = works("tasks are read", store.tasks(&"fork".into()).await)?;
    ensure((grants.len(), tasks.len()) == (1, 1), || {
        format!("a fork has grants and tasks: {grants:?} {tasks:?}")
    })?;

    append(store, &[at("fork", "run 2", last_seq + 1, BEGIN_MS + 600, started("more"))]).await?;
    let first = load(store, "first", 0).await?;
    ensure(first == records_of("first", "run 1"), || {
        "what a fork does is not seen where it was forked".to_owned()
    })
}

pub(super) async fn copies_all_or_nothing(store: &impl StorePort) -> Result<(), Breach> {
    create(store, "there", "t", BEGIN_MS).await?;
    append(store, &[at("there", "run", 1, BEGIN_MS, started("hi"))]).await?;
    let copied =
        store.copy_session(&"there".into(), begin("x"), records_of("there", "run 9"), BEGIN_MS).await;
    ensure(copied.is_err(), || "a session is not written over".to_owned())?;
    let keyed = NewSession { key: Some("k".to_owned()), ..begin("t") };
    works("a session begins", store.create_session(&"keyed".into(), keyed.clone(), BEGIN_MS).await)?;
    let copied = store.copy_session(&"new".into(), keyed, records_of("new", "run 9"), BEGIN_MS).await;
    ensure(copied.is_err(), || "a key is given once, to forks too".to_owned())?;
    is_missing("a session whose copy failed", &store.session(&"new".into()).await)?;
    ensure(load(store, "new", 0).await?.is_empty(), || "a copy that failed left no records".to_owned())?;
    is_missing("a run whose copy failed", &store.run(&"run 9".into()).await)?;
    let kept = load(store, "there", 0).await?;
    ensure(kept.len() == 1, || "what was there is as it was".to_owned())
}

fn large_outcome(session: &str, run: &str) -> Result<Vec<Arc<Record>>, Breach> {
    let mut events = sample_events().into_iter();
    let ended = events.find_map(|event| match event {
        Event::Durable(DurableEvent::CallEnded { call_id, name, message, category, visibility, .. }) => {
            let outcome = Arc::new(ToolOutcome::ok(ToolOutput::text("groß ".repeat(20_000))));
            Some(Event::Durable(DurableEvent::CallEnded {
                call_id,
                name,
                outcome,
                message,
                category,
                visibility,
            }))
        }
        Event::Durable(other) => other.ignored(),
        Event::Delta(_) => None,
    });
    let ended = ended.ok_or_else(|| Breach::new("the samples have an outcome"))?;
    Ok(vec![at(session, run, 1, BEGIN_MS, started("hi")), at(session, run, 2, BEGIN_MS, ended)])
}

pub(super) async fn shares_outcomes_between_forks(store: &impl StorePort) -> Result<(), Breach> {
    create(store, "first", "t", BEGIN_MS).await?;
    append(store, &large_outcome("first", "run 1")?).await?;
    let records = large_outcome("fork", "run 2")?;
    let copied = store.copy_session(&"fork".into(), fork_of("first"), records.clone(), BEGIN_MS).await;
    works("a session is copied", copied)?;
    works("a session is forgotten", store.delete_session(&"first".into()).await)?;
    let loaded = load(store, "fork", 0).await?;
    ensure(loaded == records, || "a fork keeps its outcomes when the first session is gone".to_owned())
}

pub(super) async fn forgets_all_of_a_session(store: &impl StorePort) -> Result<(), Breach> {
    let id = "s".into();
    let keyed = NewSession { key: Some("k".to_owned()), ..begin("Zebra") };
    works("a session begins", store.create_session(&id, keyed.clone(), BEGIN_MS).await)?;
    create(store, "other", "t", BEGIN_MS).await?;
    append(store, &records_of("s", "run 1")).await?;
    append(store, &records_of("other", "run 2")).await?;
    works("a line is audited", store.audit(&id, BEGIN_MS, "allowed é").await)?;
    works("a session is forgotten", store.delete_session(&id).await)?;
    is_missing("a session that is gone", &store.session(&id).await)?;
    is_missing("a session to forget", &store.delete_session(&id).await)?;
    is_missing("a run that is gone", &store.run(&"run 1".into()).await)?;
    is_missing("a task list that is gone", &store.tasks(&id).await)?;
    let all = works("all grants are read", store.all_grants().await)?;
    ensure(all.iter().all(|rule| rule.session_id.as_ref() != Some(&id)), || {
        "its grants are gone".to_owned()
    })?;
    ensure(load(store, "s", 0).await?.is_empty(), || "its records are gone".to_owned())?;
    let by_key = works("a key is asked for", store.session_by_key("k").await)?;
    ensure(by_key.is_none(), || "its key is gone".to_owned())?;
    for text in ["Zebra", "hi"] {
        let query = SessionQuery { text: Some(text.to_owned()), rows_max: 9, before: None };
        let found = works("sessions are listed", store.sessions(query).await)?;
        ensure(found.iter().all(|row| row.session_id != id), || format!("{text:?} does not find it"))?;
    }
    let runs = works("runs are listed", store.runs(RunQuery { rows_max: 9, ..RunQuery::default() }).await)?;
    ensure(runs.len() == 1, || format!("only the other session's run is left: {runs:?}"))?;
    let other = load(store, "other", 0).await?;
    ensure(other == records_of("other", "run 2"), || "the other session is as it was".to_owned())?;
    works("the key can be given again", store.create_session(&"new".into(), keyed, BEGIN_MS).await).map(drop)
}

pub(super) async fn claims_are_kept(store: &impl StorePort) -> Result<(), Breach> {
    create(store, "s", "t", BEGIN_MS).await?;
    let id = "s".into();
    for _ in 0..2 {
        let claim = works("a session is claimed", store.claim(&id).await)?;
        ensure(claim == Claim::Taken, || format!("whoever is the writer may claim again: {claim:?}"))?;
    }
    append(store, &[at("s", "run", 1, BEGIN_MS, started("hi"))]).await?;
    works("a session is released", store.release(&id).await)?;
    works("a session is released twice", store.release(&id).await)?;
    let claim = works("a session is claimed", store.claim(&id).await)?;
    ensure(claim == Claim::Taken, || format!("a session that was released can be claimed: {claim:?}"))?;
    append(
        store,
        &[at("s", "run", 2, BEGIN_MS, Event::Durable(DurableEvent::NoteAdded { text: "n".to_owned() }))],
    )
    .await?;
    works("a writer forgets its session", store.delete_session(&id).await)
}
