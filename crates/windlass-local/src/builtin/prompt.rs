//! What the built-in model is shown: the tools it may call now by name, the words of the user, and one line for each
//! outcome. It was trained on exactly this; everything else of a request would only confuse it.

use std::sync::Arc;

use serde_json::{Map, Value};
use windlass_core::protocol::message::{Message, ToolMessage, Transcript};
use windlass_core::protocol::model::ModelRequest;
use windlass_core::protocol::tool::{ToolSpec, Trust};
use windlass_core::text::cut_chars;

use super::grammar::TOOLS;
use super::outcome::{AnsweredCall, answered_calls, read};
use crate::grammar::CopySources;

/// Requests of the user that are shown, the present one included: it was trained on few.
const REQUESTS_MAX: usize = 2;
/// Characters of one message of the user: it was trained on short ones.
const MESSAGE_CHARS_MAX: usize = 1_200;
/// Characters of an outcome: enough to see that it came.
const OUTCOME_CHARS_MAX: usize = 120;

/// A request as the built-in model is shown it: pieces, and whether reserved tokens in them mean what they say.
///
/// All tools are named that there are: of one that is missing it was taught to say that the request is beyond it.
pub(super) fn pieces(request: &ModelRequest) -> Vec<(String, bool)> {
    let names: Vec<String> = known_tools(request).iter().map(|spec| spec.name.clone()).collect();
    let mut pieces = Vec::new();
    say(&mut pieces, "system", &format!("tools: {}", names.join(" ")), Trust::Own);
    for message in shown(&request.messages) {
        match message {
            Message::User { .. } => {
                say(
                    &mut pieces,
                    "user",
                    cut_chars(message.text().trim(), MESSAGE_CHARS_MAX),
                    Trust::Untrusted,
                );
            }
            Message::Assistant { .. } => speak(&mut pieces, message),
            Message::Tool(tool) => say(&mut pieces, "tool", &outcome_line(tool), Trust::Untrusted),
            Message::Note { .. } => {}
        }
    }
    pieces.push(("<|im_start|>assistant\n".to_owned(), true));
    pieces
}

fn say(pieces: &mut Vec<(String, bool)>, role: &str, text: &str, trust: Trust) {
    pieces.push((format!("<|im_start|>{role}\n"), true));
    pieces.push((text.to_owned(), trust == Trust::Own));
    pieces.push(("<|im_end|>\n".to_owned(), true));
}

/// What it said itself: calls as it wrote them; its answers were rendered, to it they were one word.
fn speak(pieces: &mut Vec<(String, bool)>, message: &Message) {
    let mut has_called = false;
    for call in message.calls() {
        has_called = true;
        let name = serde_json::Value::from(call.name.as_str());
        pieces.push(("<|im_start|>assistant\n<tool_call>".to_owned(), true));
        pieces.push((format!(r#"{{"name":{name},"arguments":{}}}"#, call.arguments), false));
        pieces.push(("</tool_call><|im_end|>\n".to_owned(), true));
    }
    if !has_called {
        pieces.push(("<|im_start|>assistant\n<answer>done<|im_end|>\n".to_owned(), true));
    }
}

/// What may be called now, of what it knows.
pub(super) fn known_tools(request: &ModelRequest) -> Vec<Arc<ToolSpec>> {
    let mut tools = request.tools.to_vec();
    tools.retain(|spec| TOOLS.iter().any(|(name, _)| *name == spec.name));
    tools
}

/// The present request and the one before it.
fn shown(messages: &Transcript) -> impl Iterator<Item = &Message> {
    let is_request = |message: &&Arc<Message>| matches!(message.as_ref(), Message::User { .. });
    let requests = messages.iter().filter(is_request).count();
    let mut left_out = requests.saturating_sub(REQUESTS_MAX) + 1;
    messages.iter().map(AsRef::as_ref).skip_while(move |message| {
        left_out -= usize::from(matches!(message, Message::User { .. }));
        left_out > 0
    })
}

/// The words that arguments are copied from: the user's own.
pub(super) fn sources(request: &ModelRequest) -> CopySources {
    let texts = shown(&request.messages).filter_map(|message| match message {
        Message::User { .. } => Some(cut_chars(message.text().trim(), MESSAGE_CHARS_MAX).into()),
        Message::Assistant { .. } | Message::Tool(_) | Message::Note { .. } => None,
    });
    CopySources { texts: texts.collect() }
}

/// One line on an outcome.
fn outcome_line(tool: &ToolMessage) -> String {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    match read(tool, Map::new()).result {
        Ok(value) => {
            let text = match value {
                Value::String(text) => text,
                other => other.to_string(),
            };
            let (lines, noun) = match text.lines().count() {
                1 => (1, "line"),
                lines => (lines, "lines"),
            };
            format!("ok {lines} {noun}: {}", cut_chars(&flat(&text), OUTCOME_CHARS_MAX))
        }
        Err(complaint) if complaint.is_denied => "denied".to_owned(),
        Err(complaint) => format!("failed: {}", cut_chars(&flat(&complaint.message), OUTCOME_CHARS_MAX)),
    }
}

/// The calls of the present request, for its answer.
pub(super) fn calls_of(request: &ModelRequest) -> Vec<AnsweredCall> {
    answered_calls(request.messages.iter().map(AsRef::as_ref))
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
