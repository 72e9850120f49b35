//! Turns: a history as every provider could take it.

use std::borrow::Cow;

use serde_json::Value;
use windlass_core::protocol::message::Part;

/// One turn of a healthy history.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn<'a> {
    /// From the user; never empty, only text and pictures.
    User(Vec<Cow<'a, Part>>),
    /// A remark of the runtime; never empty.
    Note(Cow<'a, str>),
    /// From the model, with the outcomes of its calls; never empty.
    Exchange(CallExchange<'a>),
}

/// An assistant message and exactly the outcomes of its calls, in their order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CallExchange<'a> {
    /// Text, reasoning and calls in the order in which they came.
    pub items: Vec<TurnItem<'a>>,
    /// One for each call of `items`, same order, same ids.
    pub outcomes: Vec<OutcomeItem<'a>>,
}

/// A piece of an assistant message.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnItem<'a> {
    Text(Cow<'a, str>),
    /// Thinking of this very model. `state` is what its wire's decoder gave as reasoning state.
    Reasoning {
        /// Readable thinking; may be empty.
        text: &'a str,
        state: Option<&'a Value>,
    },
    Call(CallItem<'a>),
}

/// A call as it goes on the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct CallItem<'a> {
    /// Legal for the provider and unique in the history.
    pub id: Cow<'a, str>,
    /// The name as the provider knows it.
    pub name: Cow<'a, str>,
    /// The text of a JSON object.
    pub args: Cow<'a, str>,
    /// Provider state of this very model, untouched.
    pub state: Option<&'a Value>,
}

/// The outcome of a call as it goes on the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeItem<'a> {
    /// The id of its call.
    pub id: Cow<'a, str>,
    /// The name of its call.
    pub name: Cow<'a, str>,
    /// What the model sees; never empty.
    pub content: Cow<'a, str>,
    /// Whether the call worked.
    pub is_ok: bool,
}

impl<'a> CallExchange<'a> {
    pub fn calls(&self) -> impl Iterator<Item = &CallItem<'a>> {
        self.items.iter().filter_map(|item| match item {
            TurnItem::Call(call) => Some(call),
            TurnItem::Text(_) | TurnItem::Reasoning { .. } => None,
        })
    }

    pub fn text(&self) -> Cow<'_, str> {
        let mut texts = self.items.iter().filter_map(|item| match item {
            TurnItem::Text(text) => Some(text.as_ref()),
            TurnItem::Reasoning { .. } | TurnItem::Call(_) => None,
        });
        let Some(first) = texts.next() else { return Cow::Borrowed("") };
        let mut joined = Cow::Borrowed(first);
        for text in texts {
            joined.to_mut().push_str(text);
        }
        joined
    }
}
