//! The stage: a request comes in, the part is looked up in it, and an answer goes out, damaged where it should be.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::act::{self, Act};
use super::fault::VendorFault;
use super::history::{LegalRequest, VendorRefusal};
use super::http::Incoming;
use super::ledger::HeardRequest;
use super::limits::SPLIT_BYTES;
use super::script::{Say, VendorScript};
use super::taught::TaughtParts;
use super::wire::{Vendor, VendorWire};

/// An answer, and what was made of the request.
#[derive(Debug)]
pub(super) struct PlayedAnswer {
    pub(super) acts: Vec<Act>,
    pub(super) heard: HeardRequest,
}

/// Where parts are played. It remembers how often each has failed on purpose, and what it was taught to say.
#[derive(Debug, Default)]
pub(super) struct VendorStage {
    failed: Mutex<HashMap<String, usize>>,
    pub(super) taught: TaughtParts,
}

impl VendorStage {
    pub(super) fn play(&self, request: &Incoming) -> PlayedAnswer {
        let path = request.path.split('?').next().unwrap_or_default();
        let Some(wire) = VendorWire::of_path(path) else {
            return PlayedAnswer { acts: elsewhere(path), heard: HeardRequest::default() };
        };
        let vendor = Vendor::of_path(path);
        match self.perform(wire, vendor, request) {
            Ok((acts, pictures)) => PlayedAnswer { acts, heard: HeardRequest { refusal: None, pictures } },
            Err(VendorRefusal(words)) => {
                let acts = act::document(400, &wire.error(400, &words));
                PlayedAnswer { acts, heard: HeardRequest { refusal: Some(words), pictures: Vec::new() } }
            }
        }
    }

    fn perform(
        &self,
        wire: VendorWire,
        vendor: Vendor,
        request: &Incoming,
    ) -> Result<(Vec<Act>, Vec<String>), VendorRefusal> {
        let body: Value = serde_json::from_slice(&request.body).map_err(|error| {
            VendorRefusal(format!("We could not parse the JSON body of your request: {error}"))
        })?;
        let mut asked = wire.read(vendor, request, &body)?;
        let script = VendorScript::parse(&asked.model);
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
        let mut say = script.say(step, fault, &asked);
        if let Some(place) = script.taught {
            self.taught.say(place, &asked, &request.body, &mut say)?;
        }
        if !asked.streams || fault == Some(VendorFault::Whole) {
            return Ok((act::document(200, &wire.whole(vendor, &asked, &say)), pictures));
        }
        Ok((stream(wire, &script, fault, frames(wire, vendor, &asked, &say, fault)), pictures))
    }

    fn due(&self, script: &VendorScript, asked: &LegalRequest, step: usize) -> Option<VendorFault> {
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
fn instead(
    wire: VendorWire,
    fault: VendorFault,
    request: &Incoming,
    asked: &LegalRequest,
) -> Option<Vec<Act>> {
    let error = |status: u16, words: &str| act::document(status, &wire.error(status, words));
    Some(match fault {
        VendorFault::Status500 => error(500, "The server had an error while processing your request."),
        VendorFault::Status503 => error(503, "The service is temporarily unavailable."),
        VendorFault::ModelUnknown => error(404, &wire.model_unknown(&asked.model)),
        VendorFault::RateLimit => {
            let body = wire.error(429, "Rate limit reached; please slow down.");
            act::whole(429, "application/json", &[("retry-after", "1")], &body.to_string())
        }
        VendorFault::CloseBeforeHead => vec![Act::Close],
        VendorFault::EndlessHead => vec![Act::Write(act::endless_head()), Act::Hang],
        VendorFault::HtmlPage => {
            act::whole(200, "text/html", &[], "<html><body>502 Bad Gateway</body></html>")
        }
        VendorFault::NoToolSupport if !asked.tools.is_empty() => {
            let (status, words) = wire.no_tool_support(&asked.model);
            error(status, &words)
        }
        VendorFault::ErrorBody => error_body(wire),
        VendorFault::KeyInError => {
            let key = request
                .headers
                .iter()
                .find(|(name, _)| matches!(name.as_str(), "authorization" | "x-api-key" | "x-goog-api-key"));
            let key = key.map_or("", |(_, value)| value.trim_start_matches("Bearer "));
            error(401, &format!("Incorrect API key provided: {key}. You can find your key in the console."))
        }
        VendorFault::Overflow => error(400, wire.overflow()),
        _ => return None,
    })
}

fn error_body(wire: VendorWire) -> Vec<Act> {
    act::document(200, &wire.error(502, "The upstream provider is overloaded."))
}

/// The events of an answer, damaged where they should be.
fn frames(
    wire: VendorWire,
    vendor: Vendor,
    asked: &LegalRequest,
    say: &Say,
    fault: Option<VendorFault>,
) -> Vec<String> {
    let mut frames = wire.frames(vendor, asked, say);
    let middle = frames.len() / 2;
    match fault {
        Some(VendorFault::MalformedEvent) => {
            if let Some(frame) = frames.get_mut(middle) {
                *frame = wire.malformed().to_owned();
            }
        }
        Some(VendorFault::NoLastWord) => {
            frames.pop_if(|frame| wire.is_last_word(frame));
        }
        Some(VendorFault::OddFraming) => frames.iter_mut().for_each(|frame| *frame = wire.odd(frame)),
        Some(VendorFault::ErrorEvent) => {
            frames.truncate(middle.max(1));
            frames.push(wire.error_frame());
        }
        _ => {}
    }
    frames
}

/// The acts of a stream.
fn stream(
    wire: VendorWire,
    script: &VendorScript,
    fault: Option<VendorFault>,
    frames: Vec<String>,
) -> Vec<Act> {
    let mut acts = Vec::new();
    let mut pending = act::stream_head(wire.content_type());
    let slice = match fault {
        Some(VendorFault::ByteByByte) => Some(1),
        Some(VendorFault::SplitCharacters) => Some(SPLIT_BYTES),
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
        let is_cut = fault == Some(VendorFault::Cut) && place > middle;
        let is_stuck = fault == Some(VendorFault::Hang);
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
