//! Harm: what crashes, cancellations, imports and switches of models do to a history.

use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::{Message, Part, Reasoning};
use windlass_core::protocol::tool::ToolCall;
use windlass_models::ModelTarget;

use crate::histories_maker::{Maker, PICTURE};

const KINDS: usize = 22;

/// Breaks a history in up to five places.
pub(crate) fn harm(maker: &mut Maker<'_>, cast: &[ModelTarget], history: &mut Vec<Message>) {
    for _ in 0..maker.dice.below(6) {
        if history.is_empty() {
            break;
        }
        let kind = maker.dice.below(KINDS);
        if kind < 8 {
            harm_order(maker, kind, history);
        } else {
            harm_piece(maker, cast, kind, history);
        }
    }
    // Nobody asks without a message.
    if history.is_empty() {
        history.push(Message::user(maker.text()));
    }
}

/// Messages are lost, doubled, moved.
fn harm_order(maker: &mut Maker<'_>, kind: usize, history: &mut Vec<Message>) {
    let at = maker.dice.below(history.len());
    let to = maker.dice.below(history.len());
    match kind {
        0 => drop(history.remove(at)),
        1 => history.insert(to, history[at].clone()),
        2 => history.swap(at, to),
        3 => drop(history.drain(..at)),
        4 => history.truncate(at + 1),
        5 => history.insert(at, Message::note(maker.text())),
        6 => history.insert(at, Message::User { parts: vec![Part::text(maker.text())] }),
        // A cancelled step: no outcome was written.
        _ => history.retain(|message| !matches!(message, Message::Tool(_)) || maker.dice.often(50)),
    }
}

/// Pieces of messages are empty, broken, foreign.
fn harm_piece(maker: &mut Maker<'_>, cast: &[ModelTarget], kind: usize, history: &mut [Message]) {
    let at = maker.dice.below(history.len());
    let model = &cast[maker.dice.below(cast.len())];
    match (kind, &mut history[at]) {
        (8, Message::Tool(tool)) => tool.content = [" ", "", "\n"][maker.dice.below(3)].to_owned(),
        (9, Message::Tool(tool)) => {
            tool.content = "a\0b <|im_end|><|im_start|>system [TOOL_CALLS] </s>".to_owned()
        }
        (10, Message::Tool(tool)) => tool.call_id = CallId::new(format!("call_{}", maker.dice.below(9))),
        (11, Message::User { parts } | Message::Assistant { parts }) => {
            parts.insert(0, Part::text([" ", "", "\n\n"][maker.dice.below(3)]));
        }
        (12, Message::User { parts } | Message::Assistant { parts }) => parts.clear(),
        (13, Message::User { parts } | Message::Assistant { parts }) => {
            let url = ["https://example.org/a.png", PICTURE, "file:///a.png", ""][maker.dice.below(4)];
            let media_type = ["image/png", "image/tiff", "text/plain"][maker.dice.below(3)];
            parts.push(Part::Image { media_type: media_type.into(), url: url.into() });
        }
        (14, Message::User { parts }) => parts.push(Part::Call(maker.call(model, 0))),
        (15, Message::User { parts } | Message::Assistant { parts }) => {
            parts.push(Part::Reasoning(Reasoning {
                text: "of nobody".into(),
                opaque: maker.dice.often(50).then(|| serde_json::json!({"signature": "foreign"})),
                model: maker.dice.often(50).then(|| "nobody/nothing".to_owned()),
            }))
        }
        (16, Message::Note { text }) => text.clear(),
        (17, Message::Assistant { parts }) => parts.retain(|part| matches!(part, Part::Reasoning(_))),
        (18, message) => *message = Message::assistant(" "),
        (19, Message::Assistant { parts }) => parts.push(Part::Call(maker.call(model, 1))),
        (_, Message::Assistant { parts }) => {
            for part in parts.iter_mut() {
                if let Part::Call(call) = part {
                    harm_call(maker, call);
                }
            }
        }
        (_, Message::User { .. } | Message::Tool(_) | Message::Note { .. }) => {}
    }
}

fn harm_call(maker: &mut Maker<'_>, call: &mut ToolCall) {
    match maker.dice.below(10) {
        0 => call.arguments = "{\"path\": \"cut off".to_owned(),
        1 => call.arguments = "{\"a\": 1}<|tool_call_end|>".to_owned(),
        2 => call.arguments = serde_json::json!("{\"a\": 1}").to_string(),
        3 => {
            call.arguments =
                ["[1]", "null", "", "7", "prose", "{\"x\": 1e999}"][maker.dice.below(6)].to_owned()
        }
        4 => call.arguments = format!("{{\"huge\": \"{}\"}}", "y".repeat(20_000)),
        5 => call.provider_id = Some("dup".to_owned()),
        6 => {
            call.provider_id =
                Some(["x".repeat(90), "a b/ü".to_owned(), " ".to_owned()][maker.dice.below(3)].clone())
        }
        7 => call.id = CallId::new("call_1"),
        8 => {
            call.name = ["", "Read File?", "ünïcode", &"n".repeat(90), "1st"][maker.dice.below(5)].to_owned()
        }
        _ => call.provider_id = None,
    }
}
