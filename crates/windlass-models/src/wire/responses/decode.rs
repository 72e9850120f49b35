//! Reads Responses answers, streamed or whole.
//!
//! The provider says everything twice, in pieces and then whole, and some servers say only one of the two:
//! what was given is remembered, and the whole adds only what is missing. Knows no tools.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;
use windlass_core::protocol::model::{Finish, ModelDelta, ModelFailure, Usage};

use super::super::{Decode, SharedTarget};
use super::item::{ItemKind, OpenItem, text_at};
use crate::failure::{in_band, malformed};
use crate::limits::ITEMS_MAX;
use crate::wire::{read_args, read_json};

/// A decoder for one answer.
pub fn decoder(target: SharedTarget) -> Box<dyn Decode> {
    Box::new(ResponsesDecoder { target, items: Vec::new(), lost_reasoning: false, is_over: false })
}

struct ResponsesDecoder {
    target: SharedTarget,
    items: Vec<OpenItem>,
    /// Thinking came that cannot be sent again: what follows it goes without its id, for an id asks for it.
    lost_reasoning: bool,
    is_over: bool,
}

#[derive(Deserialize)]
struct EventHead<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Option<Cow<'a, str>>,
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct ItemPiece {
    output_index: Option<u64>,
    item_id: Option<String>,
    summary_index: Option<u64>,
    content_index: Option<u64>,
    delta: Option<String>,
    /// As they are written: what is read of them must be what was meant.
    arguments: Option<Box<RawValue>>,
}

/// An item that begins or ends.
#[derive(Deserialize)]
struct WholeItem {
    output_index: Option<u64>,
    item: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct ItemArguments<'a> {
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// A whole answer, its items as they are written.
#[derive(Deserialize, Default)]
struct WholeOutput<'a> {
    #[serde(borrow, default)]
    output: Option<Vec<&'a RawValue>>,
}

/// The last event, with the whole answer in it.
#[derive(Deserialize)]
struct LastEvent<'a> {
    #[serde(borrow, default)]
    response: Option<&'a RawValue>,
}

impl Decode for ResponsesDecoder {
    fn frame(
        &mut self,
        event: Option<&str>,
        data: &str,
        out: &mut Vec<ModelDelta>,
    ) -> Result<(), ModelFailure> {
        let data = data.trim();
        if self.is_over || data.is_empty() || data == "[DONE]" {
            return Ok(());
        }
        let head: EventHead<'_> = read_json(&self.target, data)?;
        // Some imitations name the event in its SSE line alone.
        match head.kind.as_deref().or(event).unwrap_or_default() {
            "response.output_text.delta" | "response.refusal.delta" => {
                self.grow(ItemKind::Message, data, out)
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.grow(ItemKind::Reasoning, data, out)
            }
            "response.function_call_arguments.delta" => self.grow(ItemKind::Call, data, out),
            "response.function_call_arguments.done" => {
                let piece: ItemPiece = read_json(&self.target, data)?;
                let place = self.place_of(piece.output_index, piece.item_id.as_deref(), ItemKind::Call)?;
                self.settle_args(place, piece.arguments.as_deref(), data, out)
            }
            "response.output_item.added" => {
                let added: WholeItem = read_json(&self.target, data)?;
                let item = self.read_item(added.item.as_deref())?;
                self.begin(added.output_index, &item, out)
            }
            "response.output_item.done" => {
                let done: WholeItem = read_json(&self.target, data)?;
                let item = self.read_item(done.item.as_deref())?;
                let place = self.place_of(done.output_index, text_at(&item, "id"), ItemKind::of(&item))?;
                self.settle(place, &item, done.item.as_deref(), out)
            }
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                let last: LastEvent<'_> = read_json(&self.target, data)?;
                let text = last.response.map_or("null", RawValue::get);
                let response: &Value = &read_json(&self.target, text)?;
                let word = head.kind.as_deref().or(event).unwrap_or_default();
                let status = match text_at(response, "status") {
                    // Some servers call every end completed.
                    Some(status @ ("incomplete" | "failed" | "cancelled")) => status,
                    Some(_) | None => word.strip_prefix("response.").unwrap_or_default(),
                };
                self.finish(status, response, text, out)
            }
            "error" => self.fail(data),
            "" if head.error.is_some() => self.fail(data),
            _ => Ok(()),
        }
    }

    fn whole(&mut self, body: &str, out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        let response: Value = read_json(&self.target, body)?;
        if !response.get("output").is_some_and(Value::is_array) {
            return self.fail(body);
        }
        match text_at(&response, "status").unwrap_or("completed") {
            // An answer that is still being made is not finished.
            "queued" | "in_progress" => Ok(()),
            status => self.finish(status, &response, body, out),
        }
    }

    fn end(&mut self, _out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}

impl ResponsesDecoder {
    /// An error in the place of an answer: its words are at the top or a level below.
    fn fail(&self, text: &str) -> Result<(), ModelFailure> {
        let body: Value = read_json(&self.target, text)?;
        Err(in_band(&self.target, body.get("error").filter(|error| error.is_object()).unwrap_or(&body)))
    }

    /// Where an item is; it is opened if it was not announced.
    fn place_of(
        &mut self,
        output_index: Option<u64>,
        item_id: Option<&str>,
        kind: ItemKind,
    ) -> Result<usize, ModelFailure> {
        let found = match (output_index, item_id) {
            (None, None) => self.items.iter().rposition(|item| item.kind == kind && !item.is_done),
            (Some(_), _) => self.items.iter().rposition(|item| item.output_index == output_index),
            (None, Some(_)) => self.items.iter().rposition(|item| item.item_id.as_deref() == item_id),
        };
        match found {
            Some(place) => Ok(place),
            None => self.open(output_index, item_id, kind),
        }
    }

    fn open(
        &mut self,
        output_index: Option<u64>,
        item_id: Option<&str>,
        kind: ItemKind,
    ) -> Result<usize, ModelFailure> {
        let place = self.items.len();
        let slot = u32::try_from(place).ok().filter(|_| place < ITEMS_MAX);
        let slot = slot.ok_or_else(|| {
            malformed(&self.target, "", &format!("an answer of more than {ITEMS_MAX} items"))
        })?;
        self.items.push(OpenItem::new(output_index, item_id.map(str::to_owned), kind, slot));
        Ok(place)
    }

    /// A piece of an item.
    fn grow(&mut self, kind: ItemKind, data: &str, out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        let piece: ItemPiece = read_json(&self.target, data)?;
        let place = self.place_of(piece.output_index, piece.item_id.as_deref(), kind)?;
        let Some(item) = self.items.get_mut(place).filter(|item| !item.is_done) else { return Ok(()) };
        let delta = piece.delta.unwrap_or_default();
        match kind {
            ItemKind::Message => item.grow_text(delta, out),
            ItemKind::Reasoning => {
                item.grow_reasoning(piece.summary_index.or(piece.content_index), delta, out)
            }
            ItemKind::Call => item.grow_args(delta, out),
            ItemKind::CustomCall | ItemKind::Other => {}
        }
        Ok(())
    }

    fn read_item(&self, written: Option<&RawValue>) -> Result<Value, ModelFailure> {
        read_json(&self.target, written.map_or("null", RawValue::get))
    }

    fn begin(
        &mut self,
        output_index: Option<u64>,
        added: &Value,
        out: &mut Vec<ModelDelta>,
    ) -> Result<(), ModelFailure> {
        let place = self.place_of(output_index, text_at(added, "id"), ItemKind::of(added))?;
        let keeps_id = !self.lost_reasoning;
        let is_named = text_at(added, "name").is_some();
        if let Some(item) = self.items.get_mut(place).filter(|item| is_named && item.kind.is_call()) {
            item.name_call(added, keeps_id, out);
        }
        Ok(())
    }

    /// The provider says the whole of an item; only the first time counts.
    fn settle(
        &mut self,
        place: usize,
        whole: &Value,
        written: Option<&RawValue>,
        out: &mut Vec<ModelDelta>,
    ) -> Result<(), ModelFailure> {
        let keeps_id = !self.lost_reasoning;
        let Some(item) = self.items.get_mut(place).filter(|item| !item.is_done) else { return Ok(()) };
        match item.kind {
            ItemKind::Message => item.settle_message(whole, keeps_id, out),
            ItemKind::Reasoning => self.lost_reasoning |= !item.settle_reasoning(whole, out),
            ItemKind::CustomCall => {
                item.name_call(whole, keeps_id, out);
                item.settle_input(whole, out);
            }
            ItemKind::Call => {
                item.name_call(whole, keeps_id, out);
                let text = written.map_or("null", RawValue::get);
                let call: Option<ItemArguments<'_>> = read_json(&self.target, text)?;
                self.settle_args(place, call.and_then(|call| call.arguments), text, out)?;
            }
            ItemKind::Other => {}
        }
        if let Some(item) = self.items.get_mut(place) {
            item.is_done = true;
        }
        Ok(())
    }

    fn settle_args(
        &mut self,
        place: usize,
        args: Option<&RawValue>,
        piece: &str,
        out: &mut Vec<ModelDelta>,
    ) -> Result<(), ModelFailure> {
        let args = match read_args(args) {
            (Some(text), _) => text,
            (None, Some(_)) => args.map_or("", RawValue::get).to_owned(),
            (None, None) => String::new(),
        };
        let settled = self.items.get_mut(place).map_or(Ok(()), |item| item.settle_args(&args, out));
        settled.map_err(|()| {
            let why = "the arguments of a call, said again as a whole, are not those that were streamed";
            malformed(&self.target, piece, why)
        })
    }

    /// The last word: items that never came one by one are in it, then the counts, then the reason.
    fn finish(
        &mut self,
        status: &str,
        response: &Value,
        text: &str,
        out: &mut Vec<ModelDelta>,
    ) -> Result<(), ModelFailure> {
        if matches!(status, "failed" | "cancelled") {
            let error = response.get("error").filter(|error| error.is_object()).unwrap_or(response);
            return Err(in_band(&self.target, error));
        }
        let whole: Option<WholeOutput<'_>> = read_json(&self.target, text)?;
        // Items that are opened below must not be taken for the next ones of the same list.
        let streamed = self.items.len();
        for (index, written) in whole.unwrap_or_default().output.into_iter().flatten().enumerate() {
            let item = self.read_item(Some(written))?;
            if let Some(place) = self.place_in_output(index, &item, streamed)? {
                self.settle(place, &item, Some(written), out)?;
            }
        }
        // A call that never got its name is given all the same: it fails aloud instead of being lost.
        for item in self.items.iter_mut().filter(|item| item.kind.is_call()) {
            item.name_call(&Value::Null, false, out);
        }
        if let Some(usage) = response.get("usage").filter(|usage| usage.is_object()) {
            out.push(ModelDelta::Usage(read_usage(usage)));
        }
        let reason = response.get("incomplete_details").and_then(|details| text_at(details, "reason"));
        let has_calls = self.items.iter().any(|item| item.kind.is_call());
        self.is_over = true;
        out.push(ModelDelta::Finish(match (status, reason) {
            ("incomplete", Some("content_filter")) => Finish::Filtered,
            ("incomplete", Some("max_output_tokens") | None) => Finish::Length,
            ("incomplete", Some(other)) => Finish::Other(other.to_owned()),
            // An answer is called completed with calls and without.
            _ if has_calls => Finish::Calls,
            _ => Finish::Stop,
        }));
        Ok(())
    }

    /// Where an item of the final list is among those that were streamed. One that cannot be found is new
    /// only if nothing of its kind was streamed: else a server that renames its items would say it twice.
    fn place_in_output(
        &mut self,
        index: usize,
        whole: &Value,
        streamed: usize,
    ) -> Result<Option<usize>, ModelFailure> {
        let (id, kind) = (text_at(whole, "id"), ItemKind::of(whole));
        let index = u64::try_from(index).ok();
        let known = self.items.get(..streamed).unwrap_or_default();
        let by_id = known.iter().position(|item| id.is_some() && item.item_id.as_deref() == id);
        let by_index = || known.iter().position(|item| item.output_index == index && item.kind == kind);
        match by_id.or_else(by_index) {
            Some(place) => Ok(Some(place)),
            None if known.iter().any(|item| item.kind == kind) => Ok(None),
            None => self.open(None, id, kind).map(Some),
        }
    }
}

/// Counts include what was cached and what was thought already.
fn read_usage(usage: &Value) -> Usage {
    let count = |value: Option<&Value>| value.and_then(Value::as_u64).unwrap_or(0);
    let detail = |list: &str, name: &str| count(usage.get(list).and_then(|details| details.get(name)));
    Usage {
        input: count(usage.get("input_tokens")),
        output: count(usage.get("output_tokens")),
        cached: detail("input_tokens_details", "cached_tokens"),
        reasoning: detail("output_tokens_details", "reasoning_tokens"),
        cost_usd: usage.get("cost").and_then(Value::as_f64),
    }
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
