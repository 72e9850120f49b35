//! Reads chat completions: streamed chunk by chunk, or whole.
//!
//! Nothing is believed that endpoints are known to lie about: what finished is told by what came, calls are
//! calls whatever the reason of the end says, and an end that nobody announced is none. Which call a piece
//! belongs to is the assembler's business.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};
use windlass_core::protocol::model::{CallDelta, Finish, ModelDelta, ModelFailure, Usage};

use super::ChatDeltas;
use super::chunk::{
    CallPiece, ChatChoice, ChatChunk, ChatFields, FunctionPiece, JsonLeaf, Perhaps, read_chunk,
};
use super::reasoning::{ReasoningSite, detail_text, details_state, fold_detail, text_state};
use super::template::ChunkTemplate;
use super::usage::ChatUsage;
use crate::failure;
use crate::quirks::ReasoningEcho;
use crate::think::{AnswerPiece, ThinkSplitter};
use crate::wire::{Decode, SharedTarget, read_args, told_after_end};

/// The last frame of a stream.
const DONE: &str = "[DONE]";

pub(super) struct ChatDecoder {
    target: SharedTarget,
    template: ChunkTemplate,
    think: ThinkSplitter,
    /// Where the thinking stands that is not closed yet.
    open: Option<ReasoningSite>,
    /// Details of the thinking that is not closed yet.
    details: Vec<Value>,
    has_text: bool,
    has_reasoning: bool,
    has_calls: bool,
    /// The call of the field that `tool_calls` replaced: kept until the end, because many endpoints say a call in
    /// both.
    legacy: CallDelta,
    usage: Option<Usage>,
    /// Why the model stopped, as the endpoint says it.
    heard: Option<Finish>,
    /// The finish that was given out.
    given: Option<Finish>,
    /// Whether the end was announced: one chunk may announce it and still say something.
    is_ended: bool,
    /// Whether something came after that, and was told.
    has_told: bool,
    is_over: bool,
}

impl Decode for ChatDecoder {
    fn frame(&mut self, event: Option<&str>, data: &str, out: &mut ChatDeltas) -> Result<(), ModelFailure> {
        let data = data.trim();
        if data.is_empty() {
            return Ok(());
        }
        if data == DONE {
            self.is_over = true;
            self.stop_if_said();
            self.settle(out);
            return Ok(());
        }
        if event == Some("error") {
            return Err(self.event_error(data));
        }
        self.read(data, false, out)?;
        // Only now: what stands beside the reason in this very chunk still counts.
        self.is_ended = self.heard.is_some();
        // The end is announced before the counts: with both there is nothing more to wait for.
        if self.heard.is_some() && self.usage.is_some() {
            self.settle(out);
        }
        Ok(())
    }

    fn whole(&mut self, body: &str, out: &mut ChatDeltas) -> Result<(), ModelFailure> {
        if !self.read(body.trim(), true, out)? {
            return Err(failure::malformed(&self.target, body, "an answer without choices"));
        }
        self.is_over = true;
        self.stop_if_said();
        self.settle(out);
        Ok(())
    }

    fn end(&mut self, out: &mut ChatDeltas) -> Result<(), ModelFailure> {
        // Without a reason and without `[DONE]` the stream was cut, so that nothing is assumed here.
        self.settle(out);
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}

impl ChatDecoder {
    pub(super) fn new(target: SharedTarget) -> Self {
        let quirks = &target.quirks;
        let think = match quirks.has_think_tags {
            true => ThinkSplitter::new(quirks.opens_thinking),
            false => ThinkSplitter::passing(),
        };
        Self {
            target,
            template: ChunkTemplate::default(),
            think,
            open: None,
            details: Vec::new(),
            has_text: false,
            has_reasoning: false,
            has_calls: false,
            legacy: CallDelta::default(),
            usage: None,
            heard: None,
            given: None,
            is_ended: false,
            has_told: false,
            is_over: false,
        }
    }

    /// Reads a chunk or an answer; says whether it had choices.
    fn read(&mut self, text: &str, is_whole: bool, out: &mut ChatDeltas) -> Result<bool, ModelFailure> {
        // Some gateways wrap their error in a list.
        if text.starts_with('[') {
            let list: Option<Value> = serde_json::from_str(text).ok();
            let error = list.as_ref().and_then(|list| list.pointer("/0/error"));
            return Err(match error {
                Some(error) => self.error(error.clone()),
                None => failure::malformed(&self.target, text, "a list where an object should be"),
            });
        }
        // Most chunks differ from the last in their delta alone, and comparing is faster than reading.
        if !is_whole && let Some((said, reason)) = self.template.read(text) {
            self.take_said(said, false, out);
            return self.take_reason(reason).map(|()| true);
        }
        let take = |chunk: ChatChunk<'_>| {
            self.template.learn(text, &chunk);
            self.take_chunk(chunk, is_whole, out)
        };
        match read_chunk(text, take) {
            Ok(taken) => taken,
            Err(error) => Err(failure::malformed(&self.target, text, &error.to_string())),
        }
    }

    fn take_chunk(
        &mut self,
        chunk: ChatChunk<'_>,
        is_whole: bool,
        out: &mut ChatDeltas,
    ) -> Result<bool, ModelFailure> {
        if let Some(error) = real_error(chunk.error) {
            return Err(self.error(error));
        }
        let choices = chunk.choices.unwrap_or_default();
        if choices.is_empty() {
            let is_error = chunk.object == JsonLeaf::Text(Cow::Borrowed("error"));
            let words = chunk.message.into_value().or_else(|| chunk.detail.into_value());
            // In a stream, an object without choices may also be news that nobody knows yet.
            if let Some(words) = words.filter(|_| is_error || is_whole) {
                return Err(self.error(words));
            }
        }
        // Outside the loop, because the chunk with the counts often has an empty list of choices.
        self.take_usage(&chunk.usage);
        // Groq puts its counts into an object of its own.
        if let JsonLeaf::Other(groq) = chunk.x_groq {
            if let Some(Ok(counts)) = groq.get("usage").map(Perhaps::deserialize) {
                self.take_usage(&counts);
            }
            if let Some(error) = groq.get("error").filter(|error| !error.is_null()) {
                return Err(self.error(error.clone()));
            }
        }
        let has_choices = !choices.is_empty();
        // All choices are one answer: Copilot sends text and calls as two of them.
        for choice in choices {
            self.take_choice(choice, out)?;
        }
        Ok(has_choices)
    }

    fn take_choice(&mut self, choice: ChatChoice<'_>, out: &mut ChatDeltas) -> Result<(), ModelFailure> {
        if let Some(error) = real_error(choice.error) {
            return Err(self.error(error));
        }
        // Moonshot counts inside the choice.
        self.take_usage(&choice.usage);
        if let Some(said) = choice.delta {
            self.take_said(said, false, out);
        }
        if let Some(said) = choice.message {
            self.take_message(*said, out);
        }
        // OpenRouter sends both; the upstream's own word speaks only where the normal one is silent.
        let reason = choice.finish_reason.filled().or_else(|| choice.native_finish_reason.filled());
        self.take_reason(reason.as_deref())
    }

    fn take_reason(&mut self, reason: Option<&str>) -> Result<(), ModelFailure> {
        match reason.filter(|reason| !reason.is_empty()) {
            Some("error") => return Err(self.error(json!("the model stopped with an error"))),
            Some(reason) => self.heard = Some(finish_of(reason)),
            None => {}
        }
        Ok(())
    }

    fn take_usage(&mut self, counts: &Perhaps<ChatUsage<'_>>) {
        // Some send counts with every chunk (xAI): the last ones stand for all and are told once, at the end.
        self.usage = counts.0.as_ref().and_then(|counts| counts.to_usage()).or(self.usage);
    }

    /// A whole message, in a stream or instead of one (S-24). Some endpoints send it beside the deltas:
    /// what came in deltas is not taken twice.
    fn take_message(&mut self, mut said: ChatFields<'_>, out: &mut ChatDeltas) {
        if self.has_text {
            said.content = JsonLeaf::Null;
            said.refusal = JsonLeaf::Null;
        }
        if self.has_reasoning {
            said.reasoning_content = JsonLeaf::Null;
            said.reasoning = JsonLeaf::Null;
            said.reasoning_details = JsonLeaf::Null;
        }
        if self.has_calls {
            said.tool_calls = None;
            said.function_call = None;
        }
        self.take_said(said, true, out);
    }

    fn take_said(&mut self, said: ChatFields<'_>, is_whole: bool, out: &mut ChatDeltas) {
        if self.is_ended {
            self.pass_over(&said, out);
            return;
        }
        let mut has_thought = false;
        let thoughts = [
            (ReasoningSite::ReasoningContent, said.reasoning_content),
            (ReasoningSite::Reasoning, said.reasoning),
        ];
        // Where both fields are there they say the same.
        for (place, thought) in thoughts {
            if let Some(text) = thought.filled().filter(|_| !has_thought) {
                has_thought = true;
                self.give_reasoning(place, text.into_owned(), out);
            }
        }
        if let JsonLeaf::Other(details) = said.reasoning_details {
            self.take_details(*details, has_thought, is_whole, out);
        }
        match said.content {
            JsonLeaf::Null => {}
            JsonLeaf::Text(text) => self.take_text(text, out),
            JsonLeaf::Other(parts) => self.take_parts(&parts, out),
            JsonLeaf::Number(_) => {}
        }
        if let Some(refusal) = said.refusal.filled() {
            self.take_text(refusal, out);
        }
        for (place, piece) in said.tool_calls.into_iter().flatten().enumerate() {
            let index = piece.index.number();
            // A whole message lists all of its calls, so that the place is the index. The list of a delta has
            // only the calls that grew.
            let counted = || u32::try_from(place).ok().filter(|_| is_whole);
            self.take_call(index.or_else(counted), piece, out);
        }
        if let Some(function) = said.function_call {
            self.keep_legacy(*function);
        }
    }

    /// The end was announced: nothing that is said after it counts.
    fn pass_over(&mut self, said: &ChatFields<'_>, out: &mut ChatDeltas) {
        let is_filled = |leaf: &JsonLeaf<'_>| {
            !matches!(leaf, JsonLeaf::Null) && *leaf != JsonLeaf::Text(Cow::Borrowed(""))
        };
        let has_calls = said.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty());
        let says_more = has_calls || said.function_call.is_some() || is_filled(&said.content);
        if says_more && !self.has_told {
            self.has_told = true;
            out.push(told_after_end(&self.target));
        }
    }

    fn keep_legacy(&mut self, piece: FunctionPiece<'_>) {
        let (text, value) = read_args(piece.arguments);
        self.legacy.name = self.legacy.name.take().or(piece.name.filled().map(Cow::into_owned));
        if let Some(text) = text {
            self.legacy.args_text.get_or_insert_default().push_str(&text);
        }
        self.legacy.args_value = value.map(Box::new).or(self.legacy.args_value.take());
        self.has_calls |= self.legacy != CallDelta::default();
    }

    /// Gives the call of the legacy field; whether `tool_calls` said it already is found out where calls are put together.
    fn give_legacy(&mut self, out: &mut ChatDeltas) {
        let legacy = std::mem::take(&mut self.legacy);
        if legacy != CallDelta::default() {
            self.give_call(CallDelta { is_echo: true, ..legacy }, out);
        }
    }

    /// Details are returned as they came: a whole message's untouched, streamed pieces put together.
    fn take_details(&mut self, details: Value, has_thought: bool, is_whole: bool, out: &mut ChatDeltas) {
        let Value::Array(details) = details else { return };
        self.has_reasoning |= !details.is_empty();
        for detail in details {
            if let Some(text) = detail_text(&detail).filter(|text| !has_thought && !text.is_empty()) {
                self.give_reasoning(ReasoningSite::Reasoning, text.to_owned(), out);
            }
            match is_whole {
                true => self.details.push(detail),
                false => fold_detail(&mut self.details, detail),
            }
        }
    }

    fn take_text(&mut self, text: Cow<'_, str>, out: &mut ChatDeltas) {
        if text.is_empty() {
            return;
        }
        if self.think.is_passing() {
            self.give_text(text.into_owned(), out);
            return;
        }
        let mut pieces = Vec::new();
        self.think.push(&text, &mut pieces);
        self.give_pieces(pieces, out);
    }

    /// Content in parts: text and thinking (Mistral).
    fn take_parts(&mut self, parts: &Value, out: &mut ChatDeltas) {
        let parts = parts.as_array().map_or(std::slice::from_ref(parts), Vec::as_slice);
        for part in parts {
            match part.get("type").and_then(Value::as_str) {
                Some("thinking") => {
                    let mut text = String::new();
                    part.get("thinking").into_iter().for_each(|thinking| join_text(thinking, &mut text));
                    if !text.is_empty() {
                        self.give_reasoning(ReasoningSite::Parts, text, out);
                    }
                }
                Some("text") | None => {
                    let mut text = String::new();
                    join_text(part, &mut text);
                    self.take_text(Cow::Owned(text), out);
                }
                Some(_) => {}
            }
        }
    }

    fn take_call(&mut self, index: Option<u32>, piece: CallPiece<'_>, out: &mut ChatDeltas) {
        let FunctionPiece { name, arguments } = piece.function.unwrap_or_default();
        let (args_text, args_value) = read_args(arguments);
        let args_text = args_text.filter(|text| !text.is_empty());
        let delta = CallDelta {
            index,
            id: piece.id.filled().map(Cow::into_owned),
            name: name.filled().map(Cow::into_owned),
            args_text,
            args_value: args_value.map(Box::new),
            state: piece.extra_content.into_value().map(|state| Box::new(json!({ "extra_content": state }))),
            is_echo: false,
        };
        // An index with nothing beside it would become a call without a name, which fails.
        let is_empty = CallDelta { index, ..CallDelta::default() } == delta;
        if is_empty {
            return;
        }
        self.give_call(delta, out);
    }

    fn give_call(&mut self, delta: CallDelta, out: &mut ChatDeltas) {
        // Text that was held back for a tag was said before the call.
        self.flush_text(out);
        self.close_reasoning(out);
        self.has_calls = true;
        out.push(ModelDelta::Call(delta));
    }

    fn flush_text(&mut self, out: &mut ChatDeltas) {
        let mut pieces = Vec::new();
        self.think.flush(&mut pieces);
        self.give_pieces(pieces, out);
    }

    fn give_pieces(&mut self, pieces: Vec<AnswerPiece>, out: &mut ChatDeltas) {
        for piece in pieces {
            match piece {
                AnswerPiece::Text(text) => self.give_text(text, out),
                AnswerPiece::Reasoning(text) => self.give_reasoning(ReasoningSite::Tags, text, out),
            }
        }
    }

    fn give_text(&mut self, text: String, out: &mut ChatDeltas) {
        self.close_reasoning(out);
        self.has_text = true;
        out.push(ModelDelta::Text(text));
    }

    fn give_reasoning(&mut self, place: ReasoningSite, text: String, out: &mut ChatDeltas) {
        self.has_reasoning = true;
        self.open = Some(place);
        out.push(ModelDelta::Reasoning(text));
    }

    /// What the model wants to see again of its thinking, where the thinking ends.
    fn close_reasoning(&mut self, out: &mut ChatDeltas) {
        let open = self.open.take();
        // Details hold the text too; a state of both would send it back twice.
        if !self.details.is_empty() {
            out.push(ModelDelta::ReasoningState(details_state(std::mem::take(&mut self.details))));
            return;
        }
        let wants_text = match self.target.quirks.echo {
            ReasoningEcho::Text | ReasoningEcho::Always => true,
            ReasoningEcho::Never | ReasoningEcho::State => false,
        };
        if let Some(place) = open.filter(|_| wants_text) {
            let tail_bytes = if place == ReasoningSite::Tags { self.think.tail_bytes() } else { 0 };
            out.push(ModelDelta::ReasoningState(text_state(place, tail_bytes)));
        }
    }

    /// An announced end after anything readable is an end, also where no reason was given.
    fn stop_if_said(&mut self) {
        if self.heard.is_none() && (self.has_text || self.has_reasoning || self.has_calls) {
            self.heard = Some(Finish::Stop);
        }
    }

    /// Gives everything that was kept until the end, and the end itself if it was announced.
    fn settle(&mut self, out: &mut ChatDeltas) {
        self.give_legacy(out);
        self.flush_text(out);
        self.close_reasoning(out);
        out.extend(self.usage.take().map(ModelDelta::Usage));
        let finish = match self.heard.clone() {
            None => return,
            // Before the calls: those of an answer that was cut may be cut themselves.
            Some(Finish::Length) => Finish::Length,
            // Several servers say `stop`, or nothing, beside calls: what came counts.
            Some(_) if self.has_calls => Finish::Calls,
            // Calls were announced and none came: not what an answer looks like.
            Some(Finish::Calls) => Finish::Other("tool_calls".to_owned()),
            Some(heard) => heard,
        };
        // This is asked when reason and counts are there, at `[DONE]` and again at the end of the connection.
        if self.given.as_ref() != Some(&finish) {
            self.given = Some(finish.clone());
            out.push(ModelDelta::Finish(finish));
        }
    }

    fn error(&self, error: Value) -> ModelFailure {
        let error = match error {
            Value::String(message) => json!({ "message": message }),
            other => other,
        };
        failure::in_band(&self.target, &error)
    }

    fn event_error(&self, data: &str) -> ModelFailure {
        let value = serde_json::from_str(data).unwrap_or_else(|_| Value::String(data.to_owned()));
        let inner = value.get("error").filter(|error| !error.is_null()).cloned();
        self.error(inner.unwrap_or(value))
    }
}

/// An error that says something: some endpoints send the field with every chunk.
fn real_error(error: JsonLeaf<'_>) -> Option<Value> {
    error.into_value().filter(|error| match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(true) | Value::Number(_) | Value::Array(_) => true,
    })
}

/// Text of a part, of a list of parts, or of a bare string.
fn join_text(part: &Value, text: &mut String) {
    match part {
        Value::String(more) => text.push_str(more),
        Value::Array(parts) => parts.iter().for_each(|part| join_text(part, text)),
        Value::Object(fields) => {
            fields.get("text").and_then(Value::as_str).into_iter().for_each(|more| text.push_str(more));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn finish_of(reason: &str) -> Finish {
    match reason {
        "stop" | "STOP" | "end_turn" | "stop_sequence" | "eos" | "completed" => Finish::Stop,
        "tool_calls" | "function_call" | "tool_use" => Finish::Calls,
        "length" | "model_length" | "max_tokens" | "MAX_TOKENS" => Finish::Length,
        "content_filter" | "safety" | "SAFETY" | "refusal" => Finish::Filtered,
        other => Finish::Other(other.to_owned()),
    }
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
