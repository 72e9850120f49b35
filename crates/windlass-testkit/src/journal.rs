//! What every journal promises.

use std::future::Future;
use std::sync::Arc;

use windlass_core::ports::JournalPort;
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, Record};
use windlass_core::protocol::ids::SessionId;

use crate::breach::{Breach, ensure};
use crate::sample::{record, sample_events};

/// Bytes of the largest record that every journal must take: a whole tool output.
const LARGE_BYTES: usize = 4 << 20;

/// Checks a journal against its contract. `make` gives a new, empty one each time.
pub async fn journal_conformance<J, F>(make: impl Fn() -> F) -> Result<(), Breach>
where
    J: JournalPort,
    F: Future<Output = J>,
{
    gives_back_what_it_got(&make().await).await?;
    keeps_order_and_place(&make().await).await?;
    tells_durable_records_from_deltas(&make().await).await?;
    keeps_sessions_apart(&make().await).await?;
    takes_large_records(&make().await).await
}

async fn append(journal: &impl JournalPort, records: &[Arc<Record>]) -> Result<(), Breach> {
    journal.append(records).await.map_err(|failure| Breach::new(format!("append failed: {failure}")))
}

async fn load(journal: &impl JournalPort, id: &SessionId, after: u64) -> Result<Vec<Arc<Record>>, Breach> {
    journal.load(id, after).await.map_err(|failure| Breach::new(format!("load failed: {failure}")))
}

async fn gives_back_what_it_got(journal: &impl JournalPort) -> Result<(), Breach> {
    let id = SessionId::new("session-é/1");
    ensure(load(journal, &id, 0).await?.is_empty(), || "a session without records has none".into())?;
    append(journal, &[]).await?;
    let records: Vec<Arc<Record>> =
        (1..).zip(sample_events()).map(|(seq, event)| record(&id, seq, event)).collect();
    append(journal, &records).await?;
    let loaded = load(journal, &id, 0).await?;
    for (given, back) in records.iter().zip(&loaded) {
        ensure(given == back, || {
            format!("a record comes back as it was\ngiven: {given:?}\nback:  {back:?}")
        })?;
    }
    ensure(loaded.len() == records.len(), || "all records come back, and no others".into())
}

async fn keeps_order_and_place(journal: &impl JournalPort) -> Result<(), Breach> {
    let id = SessionId::new("s");
    let note =
        |seq: u64| record(&id, seq, Event::Durable(DurableEvent::NoteAdded { text: format!("note {seq}") }));
    // Numbers grow but have holes: deltas are numbered and not journaled.
    append(journal, &[note(1), note(3)]).await?;
    append(journal, &[note(7)]).await?;
    append(journal, &[note(8), note(100_000_000_000)]).await?;
    for (after, expected) in [
        (0, &[1, 3, 7, 8, 100_000_000_000][..]),
        (1, &[3, 7, 8, 100_000_000_000]),
        (2, &[3, 7, 8, 100_000_000_000]),
        (7, &[8, 100_000_000_000]),
        (100_000_000_000, &[]),
        (u64::MAX, &[]),
    ] {
        let seqs: Vec<u64> = load(journal, &id, after).await?.iter().map(|record| record.seq).collect();
        ensure(seqs == expected, || format!("after {after} come {expected:?} in this order, not {seqs:?}"))?;
    }
    Ok(())
}

async fn tells_durable_records_from_deltas(journal: &impl JournalPort) -> Result<(), Breach> {
    let id = SessionId::new("s");
    let records: Vec<Arc<Record>> = (1..=40)
        .map(|seq| {
            let text = format!("piece {seq}");
            let is_note = seq % 7 == 0 || seq > 38;
            let event = if is_note {
                Event::Durable(DurableEvent::NoteAdded { text })
            } else {
                Event::Delta(DeltaEvent::TextDelta { text })
            };
            record(&id, seq, event)
        })
        .collect();
    for part in records.chunks(7) {
        append(journal, part).await?;
    }
    for after in 0..=40 {
        for records_max in [1, 3, usize::MAX] {
            let found = journal.load_durable(&id, after, records_max).await;
            let found = found.map_err(|failure| Breach::new(format!("load_durable failed: {failure}")))?;
            let is_wanted = |record: &&Arc<Record>| record.seq > after && record.event.is_durable();
            let wanted: Vec<_> = records.iter().filter(is_wanted).take(records_max).cloned().collect();
            ensure(found == wanted, || {
                format!("the first {records_max} durable records after {after} come, and no others")
            })?;
        }
    }
    Ok(())
}

async fn keeps_sessions_apart(journal: &impl JournalPort) -> Result<(), Breach> {
    let ids = ["a", "A", "a ", "a%", "a_", ""].map(SessionId::new);
    for id in &ids {
        append(
            journal,
            &[record(id, 1, Event::Durable(DurableEvent::NoteAdded { text: id.as_str().into() }))],
        )
        .await?;
    }
    for id in &ids {
        let loaded = load(journal, id, 0).await?;
        let is_own = |record: &Arc<Record>| record.session_id == *id;
        ensure(loaded.len() == 1 && loaded.iter().all(is_own), || {
            format!("session {id:?} has its own record and no other")
        })?;
    }
    Ok(())
}

async fn takes_large_records(journal: &impl JournalPort) -> Result<(), Breach> {
    let id = SessionId::new("s");
    let large =
        record(&id, 1, Event::Durable(DurableEvent::NoteAdded { text: "é\n".repeat(LARGE_BYTES / 3) }));
    append(journal, std::slice::from_ref(&large)).await?;
    let loaded = load(journal, &id, 0).await?;
    ensure(loaded.first() == Some(&large), || format!("a record of {LARGE_BYTES} bytes comes back whole"))
}
