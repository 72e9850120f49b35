//! The records of a session, of all its runs: a page of them, or a stream that goes on for as long as the
//! session is there. What a front end folds into its view.
//!
//! Records look as the journal has them, without secrets; what stands beside `event` is written here.

use std::borrow::Cow;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use bytes::{BufMut, BytesMut};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::Error;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use windlass_core::ports::host::RecordQuery;
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, Record};
use windlass_core::protocol::ids::SessionId;
use windlass_core::text::cut_chars;

use crate::answer::{Either, EventStream, Shown};
use crate::endpoint::{EVENT_STREAM, Endpoint};
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::extract::{PathOf, QueryOf, wants};
use crate::limits::{RECORDS_AT_ONCE, RECORDS_BYTES, RECORDS_MAX, RECORDS_USUAL};
use crate::openapi::{count, count_to, flag, text};
use crate::routes::events::{SEQ_MAX, after, flag_of};
use crate::shown::{show_exact, unwritten};
use crate::shutdown::Closing;
use crate::state::ServerApp;
use crate::stream::{RecordProjection, StreamStart, respond_session};

const TAG: &str = "sessions";

pub(crate) fn endpoints() -> Vec<Endpoint> {
    let rows = json!({"type": "integer", "minimum": 1, "maximum": RECORDS_MAX, "default": RECORDS_USUAL});
    vec![
        Endpoint::get("/api/sessions/{id}/records", records)
            .about(TAG, "The records of a session")
            .notes(
                "All runs of the session, in the order in which it happened: durable records are enough to fold the \
                 session's view, deltas make it live. As an event stream, what is on record comes first, and then \
                 what happens, for as long as the session is there: frames of `data: <record>`, with an `id` for \
                 durable ones. A reader that comes back sends the last id it saw. The stream of a session that is \
                 forgotten ends with `event: deleted`.",
            )
            .path_param("id", "The session.")
            .header_param("Last-Event-ID", count_to(SEQ_MAX), "The last record that was seen; counts before `after`.")
            .query_param("after", count_to(SEQ_MAX), "The last record that was seen.")
            .query_param("deltas", flag(), "Whether deltas are among them: usually not in a page, and in a stream.")
            .query_param("clip", count_to(u32::MAX.into()), "Cut texts in the outcomes of calls after so many characters.")
            .query_param("rows", rows, "At most so many, in a page.")
            .answers("A page of records.")
            .answers("The records, as they are and as they come.")
            .problems(&[ProblemKind::Missing]),
    ]
}

/// A page of records, and whether there are more.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct RecordRows {
    records: Vec<WrittenRecord>,
    last_seq: u64,
    has_more: bool,
}

/// A record as it is shown, in JSON: its events have a document of their own.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Record")]
struct WrittenRecord(#[schemars(schema_with = "record_schema")] Box<RawValue>);

fn record_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "properties": {
            "seq": count(), "ts_ms": count(), "session_id": text(), "run_id": text(), "parent_id": text(),
            "event": {
                "type": "object", "properties": {"type": text()}, "required": ["type"],
                "description": "What happened; `schema/events.schema.json` has every kind.",
            },
            "clipped": flag(),
        },
        "required": ["seq", "ts_ms", "session_id", "run_id", "parent_id", "event"],
    })
}

#[derive(Deserialize)]
struct RecordsQuery {
    after: Option<String>,
    deltas: Option<String>,
    clip: Option<String>,
    rows: Option<String>,
}

async fn records(
    State(app): State<ServerApp>,
    PathOf(id): PathOf<String>,
    QueryOf(query): QueryOf<RecordsQuery>,
    closing: Option<Extension<Closing>>,
    headers: HeaderMap,
) -> RouteResult<Either<Shown<RecordRows>, EventStream>> {
    let after = after(&headers, query.after.as_deref())?;
    let is_stream = wants(&headers, EVENT_STREAM);
    let deltas = query.deltas.as_deref().map(|text| flag_of("deltas", Some(text))).transpose()?;
    let shown = ShownRecords {
        app: app.clone(),
        has_deltas: deltas.unwrap_or(is_stream),
        clip: query.clip.as_deref().map(clip).transpose()?,
    };
    let rows_max = query.rows.as_deref().map_or(Ok(RECORDS_USUAL), rows)?;
    let session_id = SessionId::new(id);
    if !is_stream {
        return shown.page(&session_id, after, rows_max).await.map(Either::One);
    }
    let closing = closing.map(|Extension(closing)| closing).unwrap_or_default();
    let reading = StreamStart { after, cancels: false, closing };
    respond_session(&app, &session_id, reading, shown).await.map(Either::Other)
}

fn clip(text: &str) -> RouteResult<usize> {
    let number = text.parse::<u32>().ok().and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| Problem::field("clip", "'clip' must be a whole number of characters"))
}

fn rows(text: &str) -> RouteResult<usize> {
    match text.parse() {
        Ok(rows) if (1..=RECORDS_MAX).contains(&rows) => Ok(rows),
        Ok(_) | Err(_) => {
            Err(Problem::field("rows", format!("'rows' must be a whole number from 1 to {RECORDS_MAX}")))
        }
    }
}

/// Records as a front end sees them.
struct ShownRecords {
    app: ServerApp,
    has_deltas: bool,
    /// Characters that are left of a text in the outcome of a call.
    clip: Option<usize>,
}

impl ShownRecords {
    async fn page(
        &self,
        session_id: &SessionId,
        after: u64,
        rows_max: usize,
    ) -> RouteResult<Shown<RecordRows>> {
        let (mut records, mut last_seq, mut bytes) = (Vec::new(), after, 0);
        // One more is asked for in the end: whether there are more.
        let has_more = 'pages: loop {
            let wanted = RECORDS_AT_ONCE.min(rows_max + 1 - records.len());
            let query = RecordQuery { after: last_seq, rows_max: wanted, has_deltas: self.has_deltas };
            let page = self.app.host.record_page(session_id, query).await?;
            for record in &page {
                if records.len() == rows_max || bytes >= RECORDS_BYTES {
                    break 'pages true;
                }
                let written = to_raw_value(&ShownRecord(self, record)).map_err(|error| unwritten(&error))?;
                (last_seq, bytes) = (record.seq, bytes + written.get().len() + 1);
                records.push(WrittenRecord(written));
            }
            if page.len() < wanted {
                break false;
            }
        };
        // Secrets are out of each record already.
        show_exact(&RecordRows { records, last_seq, has_more })
    }

    /// Says beside `event` that something was cut, and puts questions in complete: neither their look nor their
    /// length takes anything out of them.
    fn add(&self, record: &Record, value: &mut Value) {
        let redactor = &self.app.redactor;
        match &record.event {
            Event::Durable(DurableEvent::PermissionRequested { question }) => {
                let question = question.as_ref().clone().sealed(&record.run_id);
                question.put_shown(redactor, value, "/event/question");
            }
            Event::Durable(DurableEvent::CallEnded { outcome, .. }) => {
                if let Some(chars_max) = self.clip {
                    let parts = ["/event/outcome", "/event/message"];
                    let cut = parts
                        .map(|part| value.pointer_mut(part).is_some_and(|part| cut_texts(part, chars_max)));
                    if let (true, Value::Object(fields)) = (cut.contains(&true), &mut *value) {
                        fields.insert("clipped".to_owned(), Value::Bool(true));
                    }
                }
                if let Some(staged) = &outcome.meta.proposal {
                    staged.put_shown(redactor, value, "/event/outcome/meta/proposal");
                }
            }
            Event::Durable(other) => other.ignored(),
            Event::Delta(_) => {}
        }
    }
}

/// A record without secrets. Pieces of text and thinking, which are nearly all there is, are written without building a
/// tree first.
struct ShownRecord<'a>(&'a ShownRecords, &'a Record);

impl Serialize for ShownRecord<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let Self(shown, record) = self;
        let redactor = &shown.app.redactor;
        let is_plain = match &record.event {
            Event::Delta(DeltaEvent::TextDelta { text })
            | Event::Delta(DeltaEvent::ReasoningDelta { text, .. }) => {
                matches!(redactor.clean(text), Cow::Borrowed(_))
            }
            Event::Durable(_) => false,
            Event::Delta(other) => other.ignored(),
        };
        if is_plain {
            return record.serialize(out);
        }
        let mut value = serde_json::to_value(record).map_err(S::Error::custom)?;
        redactor.clean_value(&mut value);
        // After the cleaning: in a question nothing is hidden because it looks like a key (U-1).
        shown.add(record, &mut value);
        value.serialize(out)
    }
}

/// Cuts every text that is too long; whether there was one.
fn cut_texts(value: &mut Value, chars_max: usize) -> bool {
    match value {
        Value::String(text) => {
            let bytes = cut_chars(text, chars_max).len();
            let is_long = bytes < text.len();
            text.truncate(bytes);
            is_long
        }
        Value::Array(items) => {
            let mut has_cut = false;
            // Not `any`, which would stop at the first and leave the others long.
            items.iter_mut().for_each(|item| has_cut |= cut_texts(item, chars_max));
            has_cut
        }
        Value::Object(fields) => {
            let mut has_cut = false;
            fields.values_mut().for_each(|field| has_cut |= cut_texts(field, chars_max));
            has_cut
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

impl RecordProjection for ShownRecords {
    fn write(&mut self, record: &Record, out: &mut BytesMut) {
        if record.event.is_durable() {
            out.put_slice(format!("id: {}\n", record.seq).as_bytes());
        } else if !self.has_deltas {
            return;
        }
        out.put_slice(b"data: ");
        let written = serde_json::to_writer(out.writer(), &ShownRecord(self, record));
        debug_assert!(written.is_ok(), "records are written to memory");
        out.put_slice(b"\n\n");
    }

    fn write_deleted(&mut self, out: &mut BytesMut) {
        out.put_slice(b"event: deleted\ndata: {}\n\n");
    }
}
