//! Lists: sessions, runs and snapshots, newest first, in pages.

use serde_json::json;
use windlass_core::ports::store::{RunQuery, Save, SessionQuery, StorePort};
use windlass_core::protocol::event::{DurableEvent, Event, RunOutcome, StopReason};
use windlass_core::protocol::model::Usage;

use super::{BEGIN_MS, append, at, create, is_missing, started, works};
use crate::breach::{Breach, ensure};

async fn session_ids(store: &impl StorePort, query: SessionQuery) -> Result<Vec<String>, Breach> {
    let rows = works("sessions are listed", store.sessions(query).await)?;
    Ok(rows.into_iter().map(|row| row.session_id.to_string()).collect())
}

async fn run_ids(store: &impl StorePort, query: RunQuery) -> Result<Vec<String>, Breach> {
    let rows = works("runs are listed", store.runs(query).await)?;
    Ok(rows.into_iter().map(|row| row.run_id.to_string()).collect())
}

pub(super) async fn lists_sessions(store: &impl StorePort) -> Result<(), Breach> {
    for (id, ms) in [("b", 5), ("a", 5), ("c", 1), ("d", 9), ("é", 5)] {
        create(store, id, "t", BEGIN_MS + ms).await?;
    }
    append(store, &[at("c", "run c", 1, BEGIN_MS + 20, started("hi"))]).await?;
    let all = SessionQuery { rows_max: 100, ..SessionQuery::default() };
    let wanted = ["c", "d", "é", "b", "a"];
    let ids = session_ids(store, all.clone()).await?;
    ensure(ids == wanted, || format!("sessions come newest first, then by id: {ids:?} is not {wanted:?}"))?;
    let none = session_ids(store, SessionQuery { rows_max: 0, ..all.clone() }).await?;
    ensure(none.is_empty(), || "none are wanted, none come".to_owned())?;

    let (mut paged, mut before) = (Vec::new(), None);
    loop {
        let query = SessionQuery { rows_max: 2, before: before.clone(), text: None };
        let page = works("a page is listed", store.sessions(query).await)?;
        let Some(last) = page.last() else { break };
        before = Some((last.updated_ms, last.session_id.clone()));
        paged.extend(page.into_iter().map(|row| row.session_id.to_string()));
        ensure(paged.len() <= wanted.len(), || format!("pages end: {paged:?}"))?;
    }
    ensure(paged == wanted, || format!("pages are the list: {paged:?}"))
}

pub(super) async fn finds_what_was_said(store: &impl StorePort) -> Result<(), Breach> {
    create(store, "title", "100% Kürbis_suppe", BEGIN_MS).await?;
    create(store, "message", "t", BEGIN_MS + 1).await?;
    create(store, "neither", "t", BEGIN_MS + 2).await?;
    let long = format!("{} und zuletzt ein Wal\\fisch", "viel ".repeat(2_000));
    append(store, &[at("message", "run 1", 1, BEGIN_MS + 1, started("Wo ist der kürbis?"))]).await?;
    append(store, &[at("message", "run 2", 2, BEGIN_MS + 1, started(&long))]).await?;
    for (text, wanted) in [
        ("KÜRBIS", &["message", "title"][..]),
        ("Wal\\fisch", &["message"]),
        ("100%", &["title"]),
        ("%", &["title"]),
        ("s_s", &["title"]),
        ("r_", &[]),
        ("'\"; --", &[]),
        ("", &["neither", "message", "title"]),
    ] {
        let query = SessionQuery { text: Some(text.to_owned()), rows_max: 10, before: None };
        let ids = session_ids(store, query).await?;
        ensure(ids == wanted, || format!("{text:?} is found in {wanted:?}, not in {ids:?}"))?;
    }
    works("a session is renamed", store.rename_session(&"title".into(), "Brot").await)?;
    let query = SessionQuery { text: Some("suppe".to_owned()), rows_max: 10, before: None };
    let ids = session_ids(store, query).await?;
    ensure(ids.is_empty(), || format!("an old title is not found: {ids:?}"))
}

pub(super) async fn lists_runs(store: &impl StorePort) -> Result<(), Breach> {
    create(store, "s", "t", BEGIN_MS).await?;
    create(store, "u", "t", BEGIN_MS).await?;
    let ended = Event::Durable(DurableEvent::RunEnded {
        outcome: RunOutcome::Completed,
        reason: StopReason::Answered,
        answer: String::new(),
        usage: Usage::default(),
    });
    append(store, &[at("s", "run 1", 1, BEGIN_MS + 1, started("one"))]).await?;
    append(store, &[at("s", "run 1", 2, BEGIN_MS + 2, ended.clone())]).await?;
    append(store, &[at("s", "run 2", 3, BEGIN_MS + 3, started("two"))]).await?;
    append(store, &[at("u", "run 3", 1, BEGIN_MS + 3, started("three"))]).await?;
    append(store, &[at("u", "run 3", 2, BEGIN_MS + 3, ended)]).await?;
    append(store, &[at("u", "run 4", 3, BEGIN_MS, started("four"))]).await?;
    let all = RunQuery { rows_max: 10, ..RunQuery::default() };
    let of_s = RunQuery { session_id: Some("s".into()), ..all.clone() };
    let queries = [
        (all.clone(), &["run 3", "run 2", "run 1", "run 4"][..]),
        (RunQuery { rows_max: 1, ..all.clone() }, &["run 3"]),
        (
            RunQuery { before: Some((BEGIN_MS + 3, "run 3".into())), ..all.clone() },
            &["run 2", "run 1", "run 4"],
        ),
        (RunQuery { is_unfinished: true, ..all.clone() }, &["run 2", "run 4"]),
        (RunQuery { is_unfinished: true, rows_max: 1, ..all.clone() }, &["run 2"]),
        (of_s.clone(), &["run 2", "run 1"]),
        (RunQuery { is_unfinished: true, ..of_s.clone() }, &["run 2"]),
        (RunQuery { before: Some((BEGIN_MS + 3, "run 2".into())), ..of_s }, &["run 1"]),
        (RunQuery { session_id: Some("nobody".into()), ..all }, &[]),
    ];
    for (query, wanted) in queries {
        let ids = run_ids(store, query.clone()).await?;
        ensure(ids == wanted, || format!("{query:?} gives {wanted:?}, not {ids:?}"))?;
    }
    let row = works("a session is read", store.session(&"s".into()).await)?;
    ensure(row.runs == 2, || format!("a session counts its runs: {row:?}"))
}

pub(super) async fn keeps_saves(store: &impl StorePort) -> Result<(), Breach> {
    let save = |id: &str, ms| Save {
        save_id: id.to_owned(),
        name: format!("Name von {id} é"),
        created_ms: BEGIN_MS + ms,
        body: json!({"prompt": "p", "runTrace": {"reasoning": [{"content": "hm\u{0}"}], "totalDurationMs": 1.5,
                     "tools": [{"outputRaw": "x".repeat(100_000)}], "zeta": 1, "alpha": u64::MAX}}),
    };
    is_missing("a save that never was", &store.save("a").await)?;
    for (id, ms) in [("a", 1), ("b", 3), ("c", 2)] {
        works("a save is kept", store.put_save(save(id, ms)).await)?;
    }
    let back = works("a save is read", store.save("a").await)?;
    ensure(back == save("a", 1), || "a save comes back as it was (R-29)".to_owned())?;
    let (text, wanted) = (back.body.to_string(), save("a", 1).body.to_string());
    ensure(text == wanted, || "its fields come back in their order".to_owned())?;
    works("a save is replaced", store.put_save(Save { name: "neu".to_owned(), ..save("a", 9) }).await)?;
    let listed = works("saves are listed", store.saves(2).await)?;
    let names: Vec<&str> = listed.iter().map(|save| save.name.as_str()).collect();
    ensure(names == ["neu", "Name von b é"], || format!("saves come newest first: {names:?}"))?;
    works("a save is forgotten", store.delete_save("b").await)?;
    is_missing("a save that is gone", &store.save("b").await)?;
    is_missing("a save to forget", &store.delete_save("b").await)?;
    let left = works("saves are listed", store.saves(10).await)?;
    ensure(left.len() == 2, || "the others stay".to_owned())
}
