//! Reads generateContent answers, streamed or whole.
//!
//! Every frame is a small answer of its own: whole parts, and at some point a reason to stop. After it nothing
//! counts but more text: built-in tools stop in the middle. What follows is therefore kept until the connection
//! ends, and left out if it calls anything, if calls came before it, or if it says the same again. Knows no tools.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use windlass_core::calls::json::clip::clip_chars;
use windlass_core::protocol::model::{CallDelta, Finish, ModelDelta, ModelFailure, ModelFailureKind, Usage};

use super::super::{Decode, SharedTarget};
use super::signature::{Carrier, to_state};
use crate::failure::{in_band, malformed};
use crate::limits::{ITEMS_MAX, QUOTE_CHARS_MAX};
use crate::wire::{read_args, read_json, told_after_end};

/// A decoder for one answer.
pub fn decoder(target: SharedTarget) -> Box<dyn Decode> {
    Box::new(GeminiDecoder {
        target,
        calls: 0,
        has_content: false,
        said: String::new(),
        reason: None,
        later: Vec::new(),
        is_over: false,
    })
}

struct GeminiDecoder {
    target: SharedTarget,
    /// Calls so far; their numbers keep two calls of the same tool apart.
    calls: u32,
    /// Whether anything came that the user would call an answer.
    has_content: bool,
    /// All answer text so far.
    said: String,
    /// Why the model stopped.
    reason: Option<String>,
    /// What came after the reason to stop.
    later: Vec<Candidate>,
    is_over: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiChunk {
    candidates: Option<Vec<Candidate>>,
    usage_metadata: Option<GeminiUsage>,
    prompt_feedback: Option<Feedback>,
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<GeminiContent>,
    finish_reason: Option<String>,
    finish_message: Option<String>,
}

#[derive(Deserialize)]
struct GeminiContent {
    parts: Option<Vec<GeminiPart>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiPart {
    text: Option<String>,
    thought: Option<bool>,
    #[serde(default, alias = "thought_signature")]
    thought_signature: Option<String>,
    function_call: Option<FunctionCall>,
}

#[derive(Deserialize)]
struct FunctionCall {
    id: Option<String>,
    name: Option<String>,
    /// As they are written: what is read of them must be what was meant.
    args: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
    block_reason_message: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiUsage {
    prompt_token_count: Option<u64>,
    tool_use_prompt_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
}

impl Decode for GeminiDecoder {
    fn frame(
        &mut self,
        _event: Option<&str>,
        data: &str,
        out: &mut Vec<ModelDelta>,
    ) -> Result<(), ModelFailure> {
        let data = data.trim();
        if self.is_over || data.is_empty() || data == "[DONE]" {
            return Ok(());
        }
        if data.starts_with('[') {
            let chunks: Vec<GeminiChunk> = read_json(&self.target, data)?;
            return chunks.into_iter().try_for_each(|chunk| self.take(chunk, out));
        }
        let chunk = read_json(&self.target, data)?;
        self.take(chunk, out)
    }

    fn whole(&mut self, body: &str, out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        self.frame(None, body, out)?;
        self.end(out)
    }

    fn end(&mut self, out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        if self.is_over {
            return Ok(());
        }
        self.take_later(out)?;
        // Nobody gave a reason, so the stream was cut and gets no finish.
        let Some(reason) = self.reason.take() else { return Ok(()) };
        self.is_over = true;
        let finish = match reason.as_str() {
            // Gemini says STOP where it calls, too.
            "STOP" | "FUNCTION_CALL" | "FINISH_REASON_UNSPECIFIED" if self.calls > 0 => Finish::Calls,
            "STOP" | "FUNCTION_CALL" => Finish::Stop,
            "MAX_TOKENS" => Finish::Length,
            "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "IMAGE_SAFETY" => {
                if !self.has_content {
                    return Err(self.withheld(&reason, None));
                }
                Finish::Filtered
            }
            _ => Finish::Other(reason),
        };
        out.push(ModelDelta::Finish(finish));
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}

impl GeminiDecoder {
    fn take(&mut self, chunk: GeminiChunk, out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        if let Some(error) = chunk.error {
            return Err(in_band(&self.target, &error));
        }
        if let Some(counts) = chunk.usage_metadata {
            out.push(ModelDelta::Usage(counts.to_usage()));
        }
        // Only one answer is ever asked for.
        if let Some(candidate) = chunk.candidates.and_then(|candidates| candidates.into_iter().next()) {
            match self.reason {
                None => self.take_candidate(candidate, out)?,
                Some(_) if self.later.len() < ITEMS_MAX => self.later.push(candidate),
                Some(_) => {
                    let why = format!("more than {ITEMS_MAX} events after the end of an answer");
                    return Err(malformed(&self.target, "", &why));
                }
            }
        }
        match chunk.prompt_feedback {
            Some(Feedback { block_reason: Some(reason), block_reason_message }) => {
                Err(self.withheld(&reason, block_reason_message))
            }
            Some(Feedback { block_reason: None, .. }) | None => Ok(()),
        }
    }

    fn take_candidate(
        &mut self,
        candidate: Candidate,
        out: &mut Vec<ModelDelta>,
    ) -> Result<(), ModelFailure> {
        for piece in candidate.content.and_then(|content| content.parts).unwrap_or_default() {
            self.take_piece(piece, out)?;
        }
        if let Some(reason) = candidate.finish_reason.filter(|reason| !reason.is_empty()) {
            self.judge(&reason, candidate.finish_message)?;
            self.reason = Some(reason);
        }
        Ok(())
    }

    /// What came after the first reason to stop, if it goes on with the answer.
    fn take_later(&mut self, out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        let later = std::mem::take(&mut self.later);
        let pieces =
            || later.iter().filter_map(|candidate| candidate.content.as_ref()?.parts.as_ref()).flatten();
        if pieces().next().is_none() {
            return later.into_iter().try_for_each(|candidate| self.take_candidate(candidate, out));
        }
        let is_answer = |piece: &&GeminiPart| piece.thought != Some(true);
        let text: String = pieces().filter(is_answer).filter_map(|piece| piece.text.as_deref()).collect();
        let has_calls = self.calls > 0 || pieces().any(|piece| piece.function_call.is_some());
        let is_said = !text.is_empty() && !self.said.is_empty();
        let says_again = is_said && text.split(&self.said).all(str::is_empty);
        if has_calls || says_again {
            out.push(told_after_end(&self.target));
            return Ok(());
        }
        later.into_iter().try_for_each(|candidate| self.take_candidate(candidate, out))
    }

    fn take_piece(&mut self, piece: GeminiPart, out: &mut Vec<ModelDelta>) -> Result<(), ModelFailure> {
        let signature = piece.thought_signature.filter(|signature| !signature.is_empty());
        if let Some(call) = piece.function_call {
            return self.take_call(call, signature, out);
        }
        // Of a part without text, call or signature nothing is understood and nothing is kept.
        let text = piece.text.unwrap_or_default();
        let bytes = text.len();
        let carrier = match (bytes, piece.thought == Some(true)) {
            (0, _) => Carrier::Nothing,
            (_, true) => {
                out.push(ModelDelta::Reasoning(text));
                Carrier::Thought(bytes)
            }
            (_, false) => {
                self.has_content = true;
                self.said.push_str(&text);
                out.push(ModelDelta::Text(text));
                Carrier::Text(bytes)
            }
        };
        // Right behind its part, for there the encoder looks for it.
        if let Some(signature) = signature {
            out.push(ModelDelta::ReasoningState(to_state(carrier, &signature)));
        }
        Ok(())
    }

    fn take_call(
        &mut self,
        call: FunctionCall,
        signature: Option<String>,
        out: &mut Vec<ModelDelta>,
    ) -> Result<(), ModelFailure> {
        if self.calls as usize >= ITEMS_MAX {
            return Err(malformed(&self.target, "", &format!("an answer of more than {ITEMS_MAX} calls")));
        }
        let id = call.id.filter(|id| !id.is_empty());
        let mut state = Map::new();
        for (name, value) in [("id", id.clone()), ("signature", signature)] {
            if let Some(value) = value {
                state.insert(name.to_owned(), Value::String(value));
            }
        }
        let (args_text, args_value) = match read_args(call.args.as_deref()) {
            // Calls come whole here: arguments that are missing are none, and not yet to come.
            (None, None) => (None, Some(Value::Object(Map::new()))),
            read => read,
        };
        out.push(ModelDelta::Call(CallDelta {
            index: Some(self.calls),
            id,
            name: call.name,
            args_text,
            args_value: args_value.map(Box::new),
            state: (!state.is_empty()).then(|| Box::new(Value::Object(state))),
            ..CallDelta::default()
        }));
        self.calls = self.calls.saturating_add(1);
        self.has_content = true;
        Ok(())
    }

    /// Reasons that are failures and no ends.
    fn judge(&self, reason: &str, message: Option<String>) -> Result<(), ModelFailure> {
        let model = &self.target.name;
        let mut failure = match reason {
            "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" => ModelFailure::passing(
                ModelFailureKind::Malformed,
                format!("{model} wrote a call that its provider could not read ({reason})"),
            ),
            "TOO_MANY_TOOL_CALLS" => ModelFailure::fatal(
                ModelFailureKind::BadRequest,
                format!(
                    "{model} called tools too often in a row and was stopped by its provider ({reason}); \
                     ask for less at once"
                ),
            ),
            "MISSING_THOUGHT_SIGNATURE" => ModelFailure::fatal(
                ModelFailureKind::BadRequest,
                format!(
                    "the provider of {model} misses a signature in the history ({reason}); begin a new \
                     session, or go on with another model"
                ),
            ),
            _ => return Ok(()),
        };
        failure.detail = message.map(|message| clip_chars(&message, QUOTE_CHARS_MAX).into_owned());
        Err(failure)
    }

    fn withheld(&self, reason: &str, message: Option<String>) -> ModelFailure {
        let mut failure = ModelFailure::fatal(
            ModelFailureKind::Filtered,
            format!("{} withheld its answer ({reason}); ask in other words", self.target.provider),
        );
        failure.detail = message.map(|message| clip_chars(&message, QUOTE_CHARS_MAX).into_owned());
        failure
    }
}

impl GeminiUsage {
    /// Thinking is counted apart from the answer, cached input within the input.
    fn to_usage(&self) -> Usage {
        let thoughts = self.thoughts_token_count.unwrap_or(0);
        let prompt = self.prompt_token_count.unwrap_or(0);
        Usage {
            input: prompt.saturating_add(self.tool_use_prompt_token_count.unwrap_or(0)),
            output: self.candidates_token_count.unwrap_or(0).saturating_add(thoughts),
            cached: self.cached_content_token_count.unwrap_or(0),
            reasoning: thoughts,
            cost_usd: None,
        }
    }
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
