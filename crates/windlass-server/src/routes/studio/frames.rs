//! Prompt Studio's frames: `data: …` alone, its names and its shape of results (S-4…S-13).
//!
//! A literal client splits at blank lines and strips `data: `: the id of a frame therefore follows as a block of its
//! own, which sets it for an EventSource and means nothing to anybody else.

use std::collections::HashMap;
use std::io::Write;

use bytes::{BufMut, BytesMut};
use serde_json::Value;
use windlass_core::calls::envelope::studio_result;
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::frame;

use crate::state::ServerApp;
use crate::stream::RecordProjection;

/// Names that Prompt Studio has for tools of ours.
const OWN_NAMES: [(&str, &str); 1] = [("web_search", "search_web")];

/// What a client of Prompt Studio sees of a run.
pub(super) struct StudioFrames {
    app: ServerApp,
    /// Every name by which a tool can be called, and the one by which it is shown.
    names: HashMap<String, String>,
}

impl StudioFrames {
    /// The frames, without secrets.
    pub(super) fn new(app: &ServerApp) -> Self {
        let mut names = HashMap::new();
        for spec in app.host.tools() {
            let own = OWN_NAMES.iter().find(|(name, _)| *name == spec.name);
            let shown = own.map_or(spec.name.as_str(), |(_, shown)| shown);
            for name in std::iter::once(&spec.name).chain(&spec.aliases) {
                names.insert(name.clone(), shown.to_owned());
            }
        }
        Self { app: app.clone(), names }
    }

    /// One name a tool, in whatever frame.
    fn rename(&self, value: Option<&mut Value>) {
        if let Some(Value::String(name)) = value
            && let Some(shown) = self.names.get(name.as_str())
        {
            name.clone_from(shown);
        }
    }

    fn payload(&self, record: &Record) -> Option<Value> {
        let mut payload = frame::shown_payload(record, &self.app.redactor)?;
        self.rename(payload.get_mut("name"));
        for call in payload.get_mut("calls").and_then(Value::as_array_mut).into_iter().flatten() {
            self.rename(call.get_mut("name"));
        }
        if let (Event::Durable(DurableEvent::CallEnded { outcome, .. }), Some(result)) =
            (&record.event, payload.pointer_mut("/result/result"))
            && outcome.is_ok()
        {
            *result = studio_result(result.take());
        }
        Some(payload)
    }
}

impl RecordProjection for StudioFrames {
    fn write(&mut self, record: &Record, out: &mut BytesMut) {
        let Some(payload) = self.payload(record) else { return };
        let id = if record.event.is_durable() { format!("id: {}\n\n", record.seq) } else { String::new() };
        let written = write!(out.writer(), "data: {payload}\n\n{id}");
        debug_assert!(written.is_ok(), "frames are written to memory");
    }
}
