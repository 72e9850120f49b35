//! Transcript health: proves a history legal for a provider before it is sent, and heals what is not.
//!
//! A history becomes turns. A turn is legal by construction: an assistant message always stands with
//! exactly the outcomes of its calls, in their order; ids and names follow the provider's rules; arguments
//! are JSON objects; provider state is there only for the model that made it; nothing is empty. Whatever
//! had to be changed for that is told as a notice. Knows no wire.
//!
//! - `heal`: the history as a whole: pairing and order
//! - `piece`: one text, picture, thought or call
//! - `args`, `ids`, `template`: arguments, call ids, reserved tokens
//! - `finding`: what had to be healed, told once

mod args;
mod finding;
mod heal;
mod ids;
mod limits;
mod piece;
mod template;
pub mod turn;

pub use heal::Healer;
pub use turn::{CallItem, Exchange, Item, OutcomeItem, Turn};

/// Heals histories.
#[derive(Debug, Default)]
pub struct Healer;

impl Healer {
    /// Nothing was seen yet.
    pub fn new() -> Self {
        Self
    }

    /// The turns of some messages, each with how many messages it took.
    pub fn turns<'a>(
        &mut self,
        _target: &crate::target::Target,
        _tools: &'a crate::lower::LoweredTools,
        messages: &'a [std::sync::Arc<windlass_core::message::Message>],
        _notices: &mut Vec<windlass_core::model::Notice>,
    ) -> Vec<(usize, Turn<'a>)> {
        use std::borrow::Cow;

        use windlass_core::message::{Message, Part};
        let mut turns: Vec<(usize, Turn<'a>)> = Vec::new();
        for message in messages {
            match &**message {
                Message::User { parts } => {
                    turns.push((1, Turn::User(parts.iter().map(Cow::Borrowed).collect())));
                }
                Message::Note { text } => turns.push((1, Turn::Note(Cow::Borrowed(text)))),
                Message::Assistant { parts } => {
                    let items = parts.iter().filter_map(|part| match part {
                        Part::Text { text } => Some(Item::Text(Cow::Borrowed(text.as_str()))),
                        Part::Call(call) => Some(Item::Call(CallItem {
                            id: Cow::Borrowed(call.id.as_str()),
                            name: Cow::Borrowed(&call.name),
                            args: Cow::Borrowed(&call.arguments),
                            state: None,
                        })),
                        Part::Reasoning(_) | Part::Image { .. } => None,
                    });
                    turns
                        .push((1, Turn::Exchange(Exchange { items: items.collect(), outcomes: Vec::new() })));
                }
                Message::Tool(tool) => {
                    if let Some((count, Turn::Exchange(exchange))) = turns.last_mut() {
                        *count += 1;
                        exchange.outcomes.push(OutcomeItem {
                            id: Cow::Borrowed(tool.call_id.as_str()),
                            name: Cow::Borrowed(&tool.name),
                            content: Cow::Borrowed(&tool.content),
                            is_ok: tool.is_ok,
                        });
                    }
                }
            }
        }
        turns
    }
}
