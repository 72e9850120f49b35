//! What every store promises, beside being a journal: sessions, runs, forks, claims, snapshots.

mod forks;
mod lists;
mod rows;

use std::future::Future;
use std::sync::Arc;

use windlass_core::ports::store::{NewSession, SessionRow, StoreFailure, StorePort};
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::{Millis, SessionId};
use windlass_core::protocol::message::Message;
use windlass_core::protocol::settings::SessionSettings;

use crate::breach::{Breach, ensure};

/// When the sessions of this suite begin.
const BEGIN_MS: Millis = 1_700_000_000_000;

/// Checks a store against its contract. `make` gives a new, empty one each time. A store is a journal too: it also
/// passes [`crate::journal_conformance`].
pub async fn store_conformance<S, F>(make: impl Fn() -> F) -> Result<(), Breach>
where
    S: StorePort,
    F: Future<Output = S>,
{
    rows::begins_sessions(&make().await).await?;
    rows::names_sessions_by_their_first_message(&make().await).await?;
    rows::counts_runs(&make().await).await?;
    rows::counts_questions(&make().await).await?;
    rows::keeps_grants_and_tasks(&make().await).await?;
    rows::keeps_deltas_in_their_place(&make().await).await?;
    rows::keeps_large_outcomes_and_floats(&make().await).await?;
    rows::stands_clocks_that_go_back(&make().await).await?;
    lists::lists_sessions(&make().await).await?;
    lists::finds_what_was_said(&make().await).await?;
    lists::lists_runs(&make().await).await?;
    lists::keeps_saves(&make().await).await?;
    forks::copies_sessions(&make().await).await?;
    forks::copies_all_or_nothing(&make().await).await?;
    forks::shares_outcomes_between_forks(&make().await).await?;
    forks::forgets_all_of_a_session(&make().await).await?;
    forks::claims_are_kept(&make().await).await
}

/// Turns a failure of the store into a breach.
fn works<T>(what: &str, done: Result<T, StoreFailure>) -> Result<T, Breach> {
    done.map_err(|failure| Breach::new(format!("{what}: {failure}")))
}

fn is_missing<T>(what: &str, done: &Result<T, StoreFailure>) -> Result<(), Breach> {
    ensure(matches!(done, Err(StoreFailure::Missing(_))), || {
        format!("{what} is missing, and the store says so")
    })
}

fn begin(title: &str) -> NewSession {
    NewSession {
        title: title.to_owned(),
        key: None,
        origin: "cli".to_owned(),
        root: "/home/me/project é".to_owned(),
        profile: "default".to_owned(),
        model: "m/1".to_owned(),
        history: Vec::new(),
        fork: None,
        settings: SessionSettings::default(),
        approve: None,
    }
}

async fn create(store: &impl StorePort, id: &str, title: &str, now: Millis) -> Result<SessionRow, Breach> {
    works("a session begins", store.create_session(&id.into(), begin(title), now).await)
}

async fn append(store: &impl StorePort, records: &[Arc<Record>]) -> Result<(), Breach> {
    store.append(records).await.map_err(|failure| Breach::new(format!("append failed: {failure}")))
}

async fn load(store: &impl StorePort, id: &str, after: u64) -> Result<Vec<Arc<Record>>, Breach> {
    let id = SessionId::from(id);
    store.load(&id, after).await.map_err(|failure| Breach::new(format!("load failed: {failure}")))
}

/// A record of a run at a place and a time.
fn at(session: &str, run: &str, seq: u64, ts_ms: Millis, event: Event) -> Arc<Record> {
    Arc::new(Record {
        seq,
        ts_ms,
        session_id: session.into(),
        run_id: run.into(),
        parent_id: format!("message of {run}").into(),
        event,
        cause: None,
    })
}

fn started(text: &str) -> Event {
    Event::Durable(DurableEvent::RunStarted {
        model: "m/2".to_owned(),
        profile: "edison".to_owned(),
        message: Arc::new(Message::user(text)),
        wishes: Arc::default(),
    })
}
