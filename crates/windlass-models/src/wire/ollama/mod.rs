//! Ollama's own protocol: messages with plain strings, calls with objects, answers line by line.
//!
//! Owns how that protocol is written and read. Calls come whole and have no identity of their own on older
//! daemons: each call of each line is a new one. Knows neither HTTP nor where the daemon runs.

mod decode;
mod encode;
mod truncation;

pub use encode::context_tokens;
pub use truncation::is_truncated;

use super::{Before, Decode, Encode, Place, Plan, SharedTarget};
use crate::health::Turn;

/// Writes requests.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wire;

impl Encode for Wire {
    fn path(&self, _plan: &Plan<'_>) -> String {
        "/api/chat".to_owned()
    }

    fn head(&self, plan: &Plan<'_>, out: &mut Vec<u8>) {
        encode::write_head(plan, out);
    }

    fn turn(&self, plan: &Plan<'_>, turn: &Turn<'_>, _place: Place, out: &mut Vec<u8>) {
        encode::write_turn(plan, turn, out);
    }

    fn tail(&self, plan: &Plan<'_>, _before: Before, out: &mut Vec<u8>) {
        encode::write_tail(plan, out);
    }
}

/// A reader of one answer.
pub fn decoder(target: SharedTarget) -> Box<dyn Decode> {
    Box::new(decode::Decoder::new(target))
}
