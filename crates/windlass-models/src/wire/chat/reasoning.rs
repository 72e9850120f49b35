//! What thinking leaves behind in the history, so that the model that thought gets it back as it gave it.
//!
//! The state of a block is `{"details":[…]}` where the provider sent signed or encrypted pieces, else
//! `{"field":…}`: where the text came in. Knows no requests and no streams.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::health::{CallExchange, TurnItem};
use crate::quirks::{Quirks, ReasoningEcho, ReasoningField};

/// Where thinking stands in a chat message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReasoningSite {
    /// `reasoning_content`.
    ReasoningContent,
    /// `reasoning`.
    Reasoning,
    /// `thinking`.
    Thinking,
    /// `<think>` tags at the beginning of the content.
    Tags,
    /// A `thinking` part of the content (Mistral).
    Parts,
}

impl ReasoningSite {
    const ALL: [ReasoningSite; 5] = [
        ReasoningSite::ReasoningContent,
        ReasoningSite::Reasoning,
        ReasoningSite::Thinking,
        ReasoningSite::Tags,
        ReasoningSite::Parts,
    ];

    /// The name of the field; for thinking inside the content, the word that the state remembers.
    pub(super) fn word(self) -> &'static str {
        match self {
            ReasoningSite::ReasoningContent => "reasoning_content",
            ReasoningSite::Reasoning => "reasoning",
            ReasoningSite::Thinking => "thinking",
            ReasoningSite::Tags => "content",
            ReasoningSite::Parts => "content_parts",
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        ReasoningSite::ALL.into_iter().find(|place| place.word() == word)
    }

    fn of_quirk(field: ReasoningField) -> Self {
        match field {
            ReasoningField::ReasoningContent => ReasoningSite::ReasoningContent,
            ReasoningField::Reasoning | ReasoningField::Details => ReasoningSite::Reasoning,
            ReasoningField::Thinking => ReasoningSite::Thinking,
        }
    }
}

/// The state of thinking that came as text alone. `tail_bytes` of it stood behind its closing tag.
pub(super) fn text_state(place: ReasoningSite, tail_bytes: usize) -> Value {
    match tail_bytes {
        0 => json!({"field": place.word()}),
        _ => json!({"field": place.word(), "tail": tail_bytes}),
    }
}

/// The state of thinking that came in details.
pub(super) fn details_state(details: Vec<Value>) -> Value {
    json!({ "details": details })
}

/// Puts a streamed piece of `reasoning_details` to what came before: pieces of one type and index are one.
pub(super) fn fold_detail(details: &mut Vec<Value>, piece: Value) {
    let Value::Object(piece) = piece else { return };
    let text_key = match piece.get("type").and_then(Value::as_str) {
        Some("reasoning.text") => "text",
        Some("reasoning.summary") => "summary",
        // Encrypted pieces, and kinds unknown today, are whole: nothing may be changed about them.
        Some(_) | None => {
            details.push(Value::Object(piece));
            return;
        }
    };
    let is_same = |own: &Value| {
        let index = piece.get("index").unwrap_or(&Value::Null);
        own.get("type") == piece.get("type") && own.get("index").unwrap_or(&Value::Null) == index
    };
    match details.iter_mut().rfind(|own| is_same(own)).and_then(Value::as_object_mut) {
        Some(own) => merge_detail(own, piece, text_key),
        None => details.push(Value::Object(piece)),
    }
}

fn merge_detail(own: &mut Map<String, Value>, piece: Map<String, Value>, text_key: &str) {
    for (key, value) in piece {
        match (own.get_mut(&key), value) {
            // Pieces carry null for what they do not say: the last real signature counts.
            (_, Value::Null) => {}
            (Some(Value::String(text)), Value::String(more)) if key == text_key => text.push_str(&more),
            (Some(held), value) if held.is_null() || key == "signature" => *held = value,
            (Some(_), _) => {}
            (None, value) => {
                own.insert(key, value);
            }
        }
    }
}

/// The readable text of a detail.
pub(super) fn detail_text(detail: &Value) -> Option<&str> {
    detail.get("text").or_else(|| detail.get("summary")).and_then(Value::as_str)
}

/// What of the thinking of an exchange goes back.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Echo<'a> {
    /// `reasoning_details`, if there are any: they stand for the text too.
    pub(super) details: Cow<'a, [Value]>,
    /// The text, and where it goes.
    pub(super) text: Option<(ReasoningSite, Cow<'a, str>)>,
    /// How much of the text stands behind its closing tag.
    pub(super) tail_bytes: usize,
}

impl<'a> Echo<'a> {
    /// What the endpoint wants back of an exchange.
    pub(super) fn of(quirks: &Quirks, exchange: &CallExchange<'a>) -> Self {
        let mut echo = Echo::default();
        if quirks.echo == ReasoningEcho::Never {
            return echo;
        }
        for item in &exchange.items {
            match item {
                TurnItem::Reasoning { text, state } => echo.take(quirks, text, *state),
                TurnItem::Text(_) | TurnItem::Call(_) => {}
            }
        }
        let has_calls = exchange.calls().next().is_some();
        // DeepSeek refuses a message with calls that lacks the field, even where nothing was thought.
        if quirks.echo == ReasoningEcho::Always && has_calls && echo.text.is_none() {
            echo.text = Some((ReasoningSite::of_quirk(quirks.echo_field), Cow::Borrowed("")));
        }
        if !echo.details.is_empty() {
            echo.text = None;
        }
        echo
    }

    fn take(&mut self, quirks: &Quirks, text: &'a str, state: Option<&'a Value>) {
        if let Some(more) = state.and_then(|state| state.get("details")).and_then(Value::as_array) {
            if self.details.is_empty() {
                self.details = Cow::Borrowed(more);
            } else {
                let details = self.details.to_mut();
                more.iter().for_each(|piece| fold_detail(details, piece.clone()));
            }
            return;
        }
        if quirks.echo == ReasoningEcho::State || text.is_empty() {
            return;
        }
        let word = state.and_then(|state| state.get("field")).and_then(Value::as_str);
        let place =
            word.and_then(ReasoningSite::of_word).unwrap_or(ReasoningSite::of_quirk(quirks.echo_field));
        let tail = state.and_then(|state| state.get("tail")).and_then(Value::as_u64);
        self.tail_bytes = tail.and_then(|tail| usize::try_from(tail).ok()).unwrap_or(0);
        match &mut self.text {
            // Blocks of one answer were one text before an answer or a call stood between them.
            Some((_, own)) => own.to_mut().push_str(text),
            None => self.text = Some((place, Cow::Borrowed(text))),
        }
    }
}
