//! Records as rows and back: deltas in blocks, large outcomes apart.
//!
//! Done by whoever appends or loads, not by the thread that writes. Knows no SQL.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, Record};
use windlass_core::protocol::ids::{CallId, MessageId, Millis, RunId, SessionId};
use windlass_core::protocol::tool::{ToolFailure, ToolOutcome, ToolOutput};

use crate::fault::StoreFault;
use crate::limits::{BLOCK_DELTAS_MAX, OUTCOME_BYTES_IN_RECORD_MAX};

/// A row of the journal.
#[derive(Debug)]
pub(crate) struct RecordRow {
    /// The record, or the first of a block of deltas.
    pub(crate) first: Arc<Record>,
    /// How many deltas it holds; 0 for a durable record.
    pub(crate) deltas: u32,
    /// The event, or the deltas, as JSON.
    pub(crate) event: String,
    /// The outcome that is kept apart.
    pub(crate) blob: Option<Blob>,
    /// What led to it, as JSON.
    pub(crate) cause: Option<String>,
}

/// An outcome that is too large for its record.
#[derive(Debug)]
pub(crate) struct Blob {
    pub(crate) hash: [u8; 32],
    /// The JSON of it.
    pub(crate) body: String,
}

/// The rows of one append.
pub(crate) fn encode(records: &[Arc<Record>]) -> Result<Vec<RecordRow>, serde_json::Error> {
    let mut rows = Vec::with_capacity(records.len().min(16));
    let mut rest = records;
    while let Some(first) = rest.first() {
        let deltas = block_len(rest);
        let (taken, more) = rest.split_at(deltas.max(1));
        rest = more;
        rows.push(if deltas == 0 { encode_durable(first)? } else { encode_block(first, taken)? });
    }
    Ok(rows)
}

/// How many deltas at the beginning stand together: the same run, places that follow one another, and not so many
/// that whoever reads a page of them reads much more.
fn block_len(records: &[Arc<Record>]) -> usize {
    let Some(first) = records.first() else { return 0 };
    let belongs = |(seq, record): &(u64, &Arc<Record>)| {
        !record.event.is_durable()
            // Only the first number is written: the others are counted from it.
            && record.seq == *seq
            && record.run_id == first.run_id
            && record.parent_id == first.parent_id
    };
    (first.seq..).zip(records).take(BLOCK_DELTAS_MAX).take_while(belongs).count()
}

fn encode_durable(record: &Arc<Record>) -> Result<RecordRow, serde_json::Error> {
    let event = serde_json::to_string(&record.event)?;
    let cause = record.cause.as_ref().map(serde_json::to_string).transpose()?;
    let row = |event, blob| RecordRow { first: Arc::clone(record), deltas: 0, event, blob, cause };
    // Asked first, so that an outcome is written out a second time only where it may be too large.
    if event.len() > OUTCOME_BYTES_IN_RECORD_MAX
        && let Event::Durable(DurableEvent::CallEnded {
            call_id,
            name,
            outcome,
            message,
            category,
            visibility,
        }) = &record.event
    {
        let body = serde_json::to_string(&outcome.body)?;
        if body.len() > OUTCOME_BYTES_IN_RECORD_MAX {
            let stub = ToolOutcome { body: Ok(ToolOutput::json(Value::Null)), meta: outcome.meta.clone() };
            let event = Event::Durable(DurableEvent::CallEnded {
                call_id: call_id.clone(),
                name: name.clone(),
                outcome: Arc::new(stub),
                message: Arc::clone(message),
                category: *category,
                visibility: *visibility,
            });
            // By its content: the same outcome in many records, and in copies of a session, is kept once.
            let hash = Sha256::digest(body.as_bytes()).into();
            return Ok(row(serde_json::to_string(&event)?, Some(Blob { hash, body })));
        }
    }
    Ok(row(event, None))
}

fn encode_block(first: &Arc<Record>, records: &[Arc<Record>]) -> Result<RecordRow, serde_json::Error> {
    let mut before_ms = first.ts_ms;
    let deltas: Vec<ShortDelta<'_>> = records
        .iter()
        .filter_map(|record| {
            // Signed, and never refused: a clock may be put back between two deltas.
            let waited_ms = record.ts_ms.cast_signed().wrapping_sub(before_ms.cast_signed());
            before_ms = record.ts_ms;
            match &record.event {
                Event::Delta(delta) => Some(ShortDelta::of(delta, waited_ms)),
                Event::Durable(_) => None,
            }
        })
        .collect();
    let count = u32::try_from(deltas.len()).unwrap_or(u32::MAX);
    Ok(RecordRow {
        first: Arc::clone(first),
        deltas: count,
        event: serde_json::to_string(&deltas)?,
        blob: None,
        cause: None,
    })
}

/// A delta in a block: the milliseconds since the one before, then its fields.
#[derive(Debug, Serialize, Deserialize)]
enum ShortDelta<'a> {
    #[serde(rename = "t")]
    Text(i64, Cow<'a, str>),
    #[serde(rename = "r")]
    Reasoning(i64, u32, Cow<'a, str>),
    #[serde(rename = "c")]
    Call(i64, u32, Option<Cow<'a, str>>, u64),
    #[serde(rename = "p")]
    Progress(i64, CallId, Cow<'a, str>),
    #[serde(rename = "s")]
    Reading(i64, u64, u64, Option<u64>),
}

impl<'a> ShortDelta<'a> {
    fn of(delta: &'a DeltaEvent, waited_ms: i64) -> Self {
        match delta {
            DeltaEvent::TextDelta { text } => ShortDelta::Text(waited_ms, text.into()),
            DeltaEvent::ReasoningDelta { phase, text } => {
                ShortDelta::Reasoning(waited_ms, *phase, text.into())
            }
            DeltaEvent::CallDelta { index, name, chars } => {
                ShortDelta::Call(waited_ms, *index, name.as_deref().map(Cow::Borrowed), *chars)
            }
            DeltaEvent::CallProgressed { call_id, line } => {
                ShortDelta::Progress(waited_ms, call_id.clone(), line.into())
            }
            DeltaEvent::StepProgressed { tokens_read, tokens_total, remaining_ms } => {
                ShortDelta::Reading(waited_ms, *tokens_read, *tokens_total, *remaining_ms)
            }
        }
    }

    fn into_event(self) -> (i64, Event) {
        match self {
            ShortDelta::Text(waited_ms, text) => {
                (waited_ms, Event::Delta(DeltaEvent::TextDelta { text: text.into_owned() }))
            }
            ShortDelta::Reasoning(waited_ms, phase, text) => {
                (waited_ms, Event::Delta(DeltaEvent::ReasoningDelta { phase, text: text.into_owned() }))
            }
            ShortDelta::Call(waited_ms, index, name, chars) => (
                waited_ms,
                Event::Delta(DeltaEvent::CallDelta { index, name: name.map(Cow::into_owned), chars }),
            ),
            ShortDelta::Progress(waited_ms, call_id, line) => {
                (waited_ms, Event::Delta(DeltaEvent::CallProgressed { call_id, line: line.into_owned() }))
            }
            ShortDelta::Reading(waited_ms, tokens_read, tokens_total, remaining_ms) => (
                waited_ms,
                Event::Delta(DeltaEvent::StepProgressed { tokens_read, tokens_total, remaining_ms }),
            ),
        }
    }
}

/// A row as it was read.
pub(crate) struct StoredRow<'a> {
    pub(crate) seq: u64,
    pub(crate) ts_ms: Millis,
    pub(crate) session_id: SessionId,
    pub(crate) run_id: RunId,
    pub(crate) parent_id: MessageId,
    pub(crate) deltas: u32,
    pub(crate) event: &'a str,
    pub(crate) blob: Option<&'a str>,
    pub(crate) cause: Option<&'a str>,
}

impl StoredRow<'_> {
    /// Its records with `seq > after`, in order, until there are `records_max`.
    pub(crate) fn decode(
        self,
        after: u64,
        records_max: usize,
        into: &mut Vec<Arc<Record>>,
    ) -> Result<(), StoreFault> {
        let StoredRow { seq, ts_ms, session_id, run_id, parent_id, deltas, event, blob, cause } = self;
        let what = format_args!("record {seq} of session {session_id}");
        let unreadable = |error: serde_json::Error| StoreFault::unreadable(&what, &error);
        if deltas == 0 {
            let mut event: Event = serde_json::from_str(event).map_err(unreadable)?;
            if let (Some(body), Event::Durable(DurableEvent::CallEnded { outcome, .. })) = (blob, &mut event)
            {
                let body: Result<ToolOutput, ToolFailure> = serde_json::from_str(body).map_err(unreadable)?;
                *outcome = Arc::new(ToolOutcome { body, meta: outcome.meta.clone() });
            }
            if let Event::Durable(DurableEvent::PermissionRequested { question }) = &mut event {
                // A record may be older than digests, and its question still waits for an answer that names one.
                **question = question.as_ref().clone().sealed(&run_id);
            }
            let cause = cause.map(serde_json::from_str).transpose().map_err(unreadable)?;
            into.push(Arc::new(Record { seq, ts_ms, session_id, run_id, parent_id, event, cause }));
            return Ok(());
        }
        let block: Vec<ShortDelta<'_>> = serde_json::from_str(event).map_err(unreadable)?;
        let mut ts_ms = ts_ms;
        for (seq, delta) in (seq..).zip(block) {
            let (waited_ms, event) = delta.into_event();
            // Also for deltas that are left out: each time is counted from the one before.
            ts_ms = ts_ms.wrapping_add_signed(waited_ms);
            if into.len() >= records_max {
                break;
            }
            if seq > after {
                let (session_id, run_id, parent_id) = (session_id.clone(), run_id.clone(), parent_id.clone());
                into.push(Arc::new(Record { seq, ts_ms, session_id, run_id, parent_id, event, cause: None }));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;
