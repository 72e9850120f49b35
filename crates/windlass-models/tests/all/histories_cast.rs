//! The cast: models of the catalogue that speak in a history, each as its own wire would have read it.
//!
//! What a provider signs or encrypts carries a mark that stands nowhere else, so that a test can see where it
//! goes.

use serde_json::{Value, json};
use windlass_core::protocol::message::{Part, Reasoning};
use windlass_core::protocol::tool::ProviderState;
use windlass_models::catalog::{Overrides, find_provider, target};
use windlass_models::quirks::ReasoningField;
use windlass_models::{ModelName, ModelTarget, WireKind};

use crate::histories_dice::Dice;

/// The target of a provider's usual model, at no address.
pub(crate) fn target_of(provider: &str) -> ModelTarget {
    let row = find_provider(provider).unwrap();
    let name = ModelName { provider: provider.into(), model: row.usual_model.unwrap_or("model-1").into() };
    target(&name, &Overrides { base_url: Some("http://127.0.0.1:1".into()), ..Overrides::default() }).unwrap()
}

/// One provider for each wire, such that all of them echo their thinking.
pub(crate) const LEADS: [&str; 5] = ["openrouter", "openai", "anthropic", "gemini", "ollama"];

/// Thinking before an answer or a call.
pub(crate) fn thinking(dice: &mut Dice, model: &ModelTarget) -> Vec<Part> {
    let (text, state) = match model.wire {
        WireKind::Chat if model.quirks.echo_field != ReasoningField::Details => {
            (dice.mark(), Some(json!({"field": "reasoning_content"})))
        }
        WireKind::Chat => {
            let text = dice.mark();
            let signed =
                json!({"type": "reasoning.text", "text": text, "signature": dice.mark(), "index": 0});
            let sealed = json!({"type": "reasoning.encrypted", "data": dice.mark(), "index": 1});
            (text, Some(json!({"details": [signed, sealed]})))
        }
        WireKind::Responses => {
            let id = format!("rs_{}", dice.mark());
            let summary = json!([{"type": "summary_text", "text": dice.mark()}]);
            let state =
                json!({"type": "reasoning", "id": id, "summary": summary, "encrypted_content": dice.mark()});
            ("in short".to_owned(), Some(state))
        }
        WireKind::Messages if dice.often(20) => {
            (String::new(), Some(json!({"type": "redacted_thinking", "data": dice.mark()})))
        }
        WireKind::Messages => (dice.mark(), Some(json!({"type": "thinking", "signature": dice.mark()}))),
        WireKind::Gemini => {
            let text = dice.mark();
            let state = json!({"on": "thought", "bytes": text.len(), "signature": dice.mark()});
            (text, Some(state))
        }
        WireKind::Ollama => (dice.mark(), None),
    };
    vec![thought(model, text, state)]
}

/// What follows a text: state of the text itself, on wires that have it.
pub(crate) fn behind_text(dice: &mut Dice, model: &ModelTarget, text: &str) -> Option<Part> {
    match model.wire {
        WireKind::Responses => {
            let state = json!({"type": "message", "id": format!("msg_{}", dice.mark())});
            Some(thought(model, String::new(), Some(state)))
        }
        WireKind::Gemini => {
            let state = json!({"on": "text", "bytes": text.len(), "signature": dice.mark()});
            Some(thought(model, String::new(), Some(state)))
        }
        WireKind::Chat | WireKind::Messages | WireKind::Ollama => None,
    }
}

/// What a provider keeps with a call; on some wires only with the first of several.
pub(crate) fn call_state(dice: &mut Dice, model: &ModelTarget, index: usize) -> Option<Box<ProviderState>> {
    let value = match model.wire {
        WireKind::Responses => json!({"type": "function_call", "id": format!("fc_{}", dice.mark())}),
        WireKind::Gemini if index == 0 => json!({"signature": dice.mark()}),
        WireKind::Chat | WireKind::Messages | WireKind::Gemini | WireKind::Ollama => return None,
    };
    Some(Box::new(ProviderState { model: model.name.clone(), value }))
}

/// The id that a provider gives to a call, if it gives one.
pub(crate) fn provider_id(dice: &mut Dice, model: &ModelTarget) -> Option<String> {
    let number = dice.next();
    match (model.wire, model.provider.as_str()) {
        (_, "mistral") => Some(format!("{number:016x}")[..9].to_owned()),
        (_, "moonshot") => Some(format!("functions.read_file:{}", number % 5)),
        (WireKind::Chat, _) => Some(format!("call_{number:024x}")),
        (WireKind::Responses, _) => Some(format!("call_{number:032x}")),
        (WireKind::Messages, _) => Some(format!("toolu_{number:024x}")),
        (WireKind::Gemini, _) => None,
        (WireKind::Ollama, _) => dice.often(50).then(|| format!("call_{:08x}", number % 0xFFFF_FFFF)),
    }
}

fn thought(model: &ModelTarget, text: String, opaque: Option<Value>) -> Part {
    Part::Reasoning(Reasoning { text, opaque, model: Some(model.name.clone()) })
}
