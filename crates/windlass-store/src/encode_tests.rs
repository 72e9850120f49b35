use std::sync::Arc;

use super::*;

fn record(seq: u64, ts_ms: u64, run: &str, event: Event) -> Arc<Record> {
    Arc::new(Record {
        seq,
        ts_ms,
        session_id: "s".into(),
        run_id: run.into(),
        parent_id: "m".into(),
        event,
        cause: None,
    })
}

fn decode_all(rows: &[RecordRow], after: u64) -> Vec<Arc<Record>> {
    let mut records = Vec::new();
    for row in rows {
        let first = &row.first;
        let stored = StoredRow {
            seq: first.seq,
            ts_ms: first.ts_ms,
            session_id: first.session_id.clone(),
            run_id: first.run_id.clone(),
            parent_id: first.parent_id.clone(),
            deltas: row.deltas,
            event: &row.event,
            blob: row.blob.as_ref().map(|blob| blob.body.as_str()),
            cause: row.cause.as_deref(),
        };
        stored.decode(after, usize::MAX, &mut records).unwrap();
    }
    records
}

fn text(text: &str) -> Event {
    Event::Delta(DeltaEvent::TextDelta { text: text.into() })
}

#[test]
fn deltas_that_follow_one_another_are_one_row() {
    let records = [
        record(1, 10, "r", Event::Delta(DeltaEvent::ReasoningDelta { phase: 2, text: "hm \u{0}é".into() })),
        record(2, 25, "r", text("a")),
        record(3, 5, "r", Event::Delta(DeltaEvent::CallDelta { index: 1, name: None, chars: 7 })),
        record(
            4,
            5,
            "r",
            Event::Delta(DeltaEvent::CallProgressed { call_id: CallId::numbered(1), line: "half".into() }),
        ),
        record(5, 6, "r", Event::Durable(DurableEvent::NoteAdded { text: "n".into() })),
        record(6, 7, "r", text("b")),
    ];
    let rows = encode(&records).unwrap();
    assert_eq!(rows.iter().map(|row| row.deltas).collect::<Vec<_>>(), [4, 0, 1]);
    assert_eq!(
        rows[0].event,
        r#"[{"r":[0,2,"hm \u0000é"]},{"t":[15,"a"]},{"c":[-20,1,null,7]},{"p":[0,"call_1","half"]}]"#
    );
    assert_eq!(decode_all(&rows, 0), records);
}

#[test]
fn a_hole_or_another_run_begins_another_block() {
    let records =
        [record(1, 1, "r", text("a")), record(3, 1, "r", text("b")), record(4, 1, "other", text("c"))];
    let rows = encode(&records).unwrap();
    assert_eq!(rows.len(), 3);
    assert_eq!(decode_all(&rows, 0), records);
}

#[test]
fn a_block_may_be_read_from_its_middle() {
    let records: Vec<_> = (1..=5).map(|seq| record(seq, 9 - seq, "r", text(&format!("{seq}")))).collect();
    let rows = encode(&records).unwrap();
    assert_eq!(decode_all(&rows, 3), records[3..]);
}
