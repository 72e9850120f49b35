//! The transcript: what was said, thought, called and answered, in order.
//!
//! Display items are not messages: what a screen shows is a fold over events (`view`), so nothing
//! made for a reader can reach a model by accident.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::protocol::ids::CallId;
use crate::protocol::tool::{Label, ToolCall, ToolOutcome};

/// One entry of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// From the user.
    User {
        /// What was said.
        parts: Vec<Part>,
    },
    /// From the model: text, reasoning and calls in the order in which they came.
    Assistant {
        /// What was said, thought and called.
        parts: Vec<Part>,
    },
    /// The outcome of one call, in the form the model sees.
    Tool(ToolMessage),
    /// A remark of the runtime to the model: corrections, limits, waiting approvals.
    Note {
        /// The remark.
        text: String,
    },
}

/// The outcome of one call, in the form the model sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolMessage {
    /// The call that it answers.
    pub call_id: CallId,
    /// The provider's id of that call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
    /// The tool's name: canonical if it could be resolved, else as the model wrote it.
    pub name: String,
    /// The envelope of the profile, cut to its budget.
    pub content: String,
    /// Whether the call worked.
    pub is_ok: bool,
    /// Whether the call could be read at all; one that could not is answered by a correction.
    pub is_valid_call: bool,
    /// Who wrote what is in it; nothing where that is this program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Label>,
}

/// What a model is told where a tool gave nothing: several providers refuse an outcome without a word in it.
pub const NO_OUTPUT: &str = "(no output)";

impl ToolMessage {
    /// The message with the label of its outcome, also where its record is older than labels.
    pub(crate) fn labelled(message: &Arc<Message>, outcome: &ToolOutcome) -> Arc<Message> {
        match message.as_ref() {
            Message::Tool(tool) if tool.label.is_none() => match outcome.label(&tool.name) {
                Some(label) => Arc::new(Message::Tool(Self { label: Some(label), ..tool.clone() })),
                None => Arc::clone(message),
            },
            Message::Tool(_) | Message::User { .. } | Message::Assistant { .. } | Message::Note { .. } => {
                Arc::clone(message)
            }
        }
    }

    /// What the model is told, the same on every wire; never empty.
    pub fn told(&self) -> &str {
        if self.content.trim().is_empty() { NO_OUTPUT } else { &self.content }
    }
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// Thinking, with whatever the provider needs to see again.
    Reasoning(Reasoning),
    /// A call.
    Call(ToolCall),
    /// A picture.
    Image {
        /// Its media type.
        media_type: String,
        /// A `data:` or `https:` address.
        url: String,
    },
}

/// Thinking of a model. `opaque` is the provider's own state (signatures, encrypted content):
/// echoed byte for byte to the same model, dropped on another.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reasoning {
    /// Readable thinking; may be empty.
    pub text: String,
    /// Provider state, untouched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Value>,
    /// The model that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Part {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Part::Text { text: text.into() }
    }
}

impl Message {
    /// A user message of text alone.
    pub fn user(text: impl Into<String>) -> Self {
        Message::User { parts: vec![Part::text(text)] }
    }

    /// An assistant message of text alone.
    pub fn assistant(text: impl Into<String>) -> Self {
        Message::Assistant { parts: vec![Part::text(text)] }
    }

    /// A note to the model.
    pub fn note(text: impl Into<String>) -> Self {
        Message::Note { text: text.into() }
    }

    /// The text of the message, without reasoning and calls.
    pub fn text(&self) -> String {
        match self {
            Message::User { parts } | Message::Assistant { parts } => text_of(parts),
            Message::Tool(tool) => tool.content.clone(),
            Message::Note { text } => text.clone(),
        }
    }

    /// The calls in the message.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        let parts: &[Part] = match self {
            Message::Assistant { parts } => parts,
            Message::User { .. } | Message::Tool(_) | Message::Note { .. } => &[],
        };
        parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            Part::Text { .. } | Part::Reasoning(_) | Part::Image { .. } => None,
        })
    }
}

/// The text of some parts, joined.
pub fn text_of(parts: &[Part]) -> String {
    parts
        .iter()
        .filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            Part::Reasoning(_) | Part::Call(_) | Part::Image { .. } => None,
        })
        .collect()
}

/// Puts calls between parts, each behind as many of them as it says; the calls keep their own order.
pub(crate) fn weave_calls(parts: Vec<Part>, calls: impl Iterator<Item = (usize, ToolCall)>) -> Vec<Part> {
    let mut woven = Vec::with_capacity(parts.len().saturating_add(calls.size_hint().0));
    let mut parts = (1_usize..).zip(parts).peekable();
    for (after_parts, call) in calls {
        while let Some((_, part)) = parts.next_if(|(count, _)| *count <= after_parts) {
            woven.push(part);
        }
        woven.push(Part::Call(call));
    }
    woven.extend(parts.map(|(_, part)| part));
    woven
}

/// A transcript that is cheap to share: appended to by its session, read by model requests.
pub type Transcript = Arc<Vec<Arc<Message>>>;
