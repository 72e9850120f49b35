//! The stage: a request comes in, the part is looked up in it, and an answer goes out, damaged where it should be.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::act::{self, Act};
use super::fault::Fault;
use super::history::{Asked, Refusal};
use super::http::Incoming;
use super::ledger::Heard;
use super::limits::SPLIT_BYTES;
use super::script::{Say, Script};
use super::wire::{Vendor, Wire};

/// An answer, and what was made of the request.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) acts: Vec<Act>,
    pub(super) heard: Heard,
}

/// Where parts are played. It remembers how often each has failed on purpose.
#[derive(Debug, Default)]
pub(super) struct Stage {
    failed: Mutex<HashMap<String, usize>>,
}

impl Stage {
    pub(super) fn play(&self, request: &Incoming) -> Answer {
        let path = request.path.split('?').next().unwrap_or_default();
        let Some(wire) = Wire::of_path(path) else {
            return Answer { acts: elsewhere(path), heard: Heard::default() };
        };
        let vendor = Vendor::of_path(path);
        match self.perform(wire, vendor, request) {
            Ok((acts, pictures)) => Answer { acts, heard: Heard { refusal: None, pictures } },
            Err(Refusal(words)) => {
                let acts = act::document(400, &wire.error(400, &words));
                Answer { acts, heard: Heard { refusal: Some(words), pictures: Vec::new() } }
            }
        }
    }

    fn perform(
        &self,
        wire: Wire,
        vendor: Vendor,
        request: &Incoming,
    ) -> Result<(Vec<Act>, Vec<String>), Refusal> {
        let body: Value = serde_json::from_slice(&request.body)
            .map_err(|error| Refusal(format!("We could not parse the JSON body of your request: {error}")))?;
        let mut asked = wire.read(vendor, request, &body)?;
        let script = Script::parse(&asked.model);
        let done = script.steps_done(&asked);
        for (step, exchange) in done.iter().enumerate() {
            wire.check_echo(vendor, exchange, script.thought(step).as_ref())?;
        }
        let step = done.len();
        let fault = self.due(&script, &asked, step);
        let pictures = std::mem::take(&mut asked.pictures);
        if let Some(acts) = fault.and_then(|fault| instead(wire, fault, request, &asked)) {
            return Ok((acts, pictures));
        }
        let say = script.say(step, fault, &asked);
        if !asked.streams || fault == Some(Fault::Whole) {
            return Ok((act::document(200, &wire.whole(vendor, &asked, &say)), pictures));
        }
        Ok((stream(wire, &script, fault, frames(wire, vendor, &asked, &say, fault)), pictures))
    }

    fn due(&self, script: &Script, asked: &Asked, step: usize) -> Option<Fault> {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let times = failed.entry(asked.model.clone()).or_default();
        let fault = script.fault_at(step, *times)?;
        *times += 1;
        Some(fault)
    }
}

fn elsewhere(path: &str) -> Vec<Act> {
    if path.ends_with("/models") {
        return act::document(200, &json!({"object": "list", "data": [{"id": "k0", "object": "model"}]}));
    }
    act::document(404, &json!({"error": {"message": format!("Unknown path {path}"), "code": 404}}))
}

/// Faults that come instead of an answer.
fn instead(wire: Wire, fault: Fault, request: &Incoming, asked: &Asked) -> Option<Vec<Act>> {
    let error = |status: u16, words: &str| act::document(status, &wire.error(status, words));
    Some(match fault {
        Fault::Status500 => error(500, "The server had an error while processing your request."),
        Fault::Status503 => error(503, "The service is temporarily unavailable."),
        Fault::ModelUnknown => error(404, &wire.model_unknown(&asked.model)),
        Fault::RateLimit => {
            let body = wire.error(429, "Rate limit reached; please slow down.");
            act::whole(429, "application/json", &[("retry-after", "1")], &body.to_string())
        }
        Fault::CloseBeforeHead => vec![Act::Close],
        Fault::EndlessHead => vec![Act::Write(act::endless_head()), Act::Hang],
        Fault::HtmlPage => act::whole(200, "text/html", &[], "<html><body>502 Bad Gateway</body></html>"),
        Fault::NoToolSupport if !asked.tools.is_empty() => {
            let (status, words) = wire.no_tool_support(&asked.model);
            error(status, &words)
        }
        Fault::ErrorBody => error_body(wire),
        Fault::KeyInError => {
            let key = request
                .headers
                .iter()
                .find(|(name, _)| matches!(name.as_str(), "authorization" | "x-api-key" | "x-goog-api-key"));
            let key = key.map_or("", |(_, value)| value.trim_start_matches("Bearer "));
            error(401, &format!("Incorrect API key provided: {key}. You can find your key in the console."))
        }
        Fault::Overflow => error(400, wire.overflow()),
        _ => return None,
    })
}

fn error_body(wire: Wire) -> Vec<Act> {
    act::document(200, &wire.error(502, "The upstream provider is overloaded."))
}

/// The events of an answer, damaged where they should be.
fn frames(wire: Wire, vendor: Vendor, asked: &Asked, say: &Say, fault: Option<Fault>) -> Vec<String> {
    let mut frames = wire.frames(vendor, asked, say);
    let middle = frames.len() / 2;
    match fault {
        Some(Fault::MalformedEvent) => {
            if let Some(frame) = frames.get_mut(middle) {
                *frame = wire.malformed().to_owned();
            }
        }
        Some(Fault::NoLastWord) => {
            frames.pop_if(|frame| wire.is_last_word(frame));
        }
        Some(Fault::OddFraming) => frames.iter_mut().for_each(|frame| *frame = wire.odd(frame)),
        Some(Fault::ErrorEvent) => {
            frames.truncate(middle.max(1));
            frames.push(wire.error_frame());
        }
        _ => {}
    }
    frames
}

/// The acts of a stream.
fn stream(wire: Wire, script: &Script, fault: Option<Fault>, frames: Vec<String>) -> Vec<Act> {
    let mut acts = Vec::new();
    let mut pending = act::stream_head(wire.content_type());
    let slice = match fault {
        Some(Fault::ByteByByte) => Some(1),
        Some(Fault::SplitCharacters) => Some(SPLIT_BYTES),
        _ => None,
    };
    if let Some(bytes) = slice {
        acts.push(Act::Write(std::mem::take(&mut pending)));
        for piece in frames.concat().as_bytes().chunks(bytes) {
            let mut chunk = Vec::new();
            act::put_chunk(&mut chunk, piece);
            acts.push(Act::Write(chunk));
        }
        acts.push(Act::Write(act::LAST_CHUNK.to_vec()));
        return acts;
    }
    let middle = frames.len() / 2;
    for (place, frame) in (1..).zip(&frames) {
        act::put_chunk(&mut pending, frame.as_bytes());
        let is_cut = fault == Some(Fault::Cut) && place > middle;
        let is_stuck = fault == Some(Fault::Hang);
        let is_held = place == script.hold_after;
        let is_full = script.batch > 0 && place % script.batch == 0;
        if is_cut || is_stuck || is_held || is_full {
            acts.push(Act::Write(std::mem::take(&mut pending)));
        }
        if is_cut {
            acts.push(Act::Close);
            return acts;
        }
        if is_stuck {
            acts.push(Act::Hang);
            return acts;
        }
        if is_held {
            acts.push(Act::Hold);
        }
    }
    pending.extend_from_slice(act::LAST_CHUNK);
    acts.push(Act::Write(pending));
    acts
}
