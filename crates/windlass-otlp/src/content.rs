//! What was said, in the form of the GenAI conventions: only for those who ask for content, and without
//! secrets.

use serde_json::{Value, json};

use crate::{CONTENT_CHARS_MAX, SpanRules};
use windlass_core::calls::json::clip::clip_chars;
use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::model::Finish;

/// The conventions' word for an end of speech.
pub(crate) fn finish_word(finish: &Finish) -> &str {
    match finish {
        Finish::Stop => "stop",
        Finish::Calls => "tool_call",
        Finish::Length => "length",
        Finish::Paused => "pause",
        Finish::Filtered => "content_filter",
        Finish::Other(word) => word,
    }
}

/// A text without secrets, cut to size.
pub(crate) fn clean(rules: &SpanRules, text: &str) -> String {
    clip_chars(&rules.redactor.clean(text), CONTENT_CHARS_MAX).into_owned()
}

/// One message as the conventions' JSON text.
pub(crate) fn messages(rules: &SpanRules, message: &Message, finish: Option<&Finish>) -> String {
    let (role, parts): (&str, Vec<Value>) = match message {
        Message::User { parts } => ("user", parts.iter().map(|part| part_of(rules, part)).collect()),
        Message::Assistant { parts } => {
            ("assistant", parts.iter().map(|part| part_of(rules, part)).collect())
        }
        Message::Tool(tool) => (
            "tool",
            vec![json!({
                "type": "tool_call_response", "id": tool.call_id, "response": clean(rules, &tool.content),
            })],
        ),
        Message::Note { text } => ("system", vec![json!({"type": "text", "content": clean(rules, text)})]),
    };
    let mut shown = json!({"role": role, "parts": parts});
    if let (Some(finish), Some(fields)) = (finish, shown.as_object_mut()) {
        fields.insert("finish_reason".into(), finish_word(finish).into());
    }
    json!([shown]).to_string()
}

fn part_of(rules: &SpanRules, part: &Part) -> Value {
    match part {
        Part::Text { text } => json!({"type": "text", "content": clean(rules, text)}),
        Part::Reasoning(reasoning) => json!({"type": "reasoning", "content": clean(rules, &reasoning.text)}),
        Part::Call(call) => json!({
            "type": "tool_call", "id": call.id, "name": call.name, "arguments": clean(rules, &call.arguments),
        }),
        // A picture may be megabytes of `data:` address.
        Part::Image { media_type, .. } => {
            json!({"type": "uri", "modality": "image", "mime_type": media_type})
        }
    }
}
