//! Ollama's own protocol: messages with plain strings, calls with objects, answers line by line.
//!
//! Owns how that protocol is written and read. Calls come whole and have no identity of their own on older
//! daemons: each call of each line is a new one. Knows neither HTTP nor where the daemon runs.

mod decode;
mod encode;
mod truncation;

pub use encode::context_tokens;
pub use truncation::is_truncated;

use super::{Decode, Encode, RequestPlan, SharedTarget, TurnBefore, TurnPosition};
use crate::health::Turn;

#[derive(Debug, Clone, Copy, Default)]
pub struct OllamaWire;

impl Encode for OllamaWire {
    fn path(&self, _plan: &RequestPlan<'_>) -> String {
        "/api/chat".to_owned()
    }

    fn head(&self, plan: &RequestPlan<'_>, out: &mut Vec<u8>) {
        encode::write_head(plan, out);
    }

    fn turn(&self, plan: &RequestPlan<'_>, turn: &Turn<'_>, _place: TurnPosition, out: &mut Vec<u8>) {
        encode::write_turn(plan, turn, out);
    }

    fn tail(&self, plan: &RequestPlan<'_>, _before: TurnBefore, out: &mut Vec<u8>) {
        encode::write_tail(plan, out);
    }
}

/// A reader of one answer.
pub fn decoder(target: SharedTarget) -> Box<dyn Decode> {
    Box::new(decode::OllamaDecoder::new(target))
}
