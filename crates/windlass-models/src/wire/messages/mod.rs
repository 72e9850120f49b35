//! Anthropic Messages: turns of content blocks, thinking that is signed, answers in named events.
//!
//! Owns how that protocol is written and read. Thinking comes back byte for byte: the state of a thinking
//! block is the block without its text, the state of any other opaque block is the block itself. Knows
//! neither HTTP nor who sells the model: what differs between endpoints is in the target's quirks.

mod decode;
mod encode;
mod wishes;

use super::{Decode, Encode, RequestPlan, SharedTarget, TurnBefore, TurnPosition};
use crate::health::Turn;

#[derive(Debug, Clone, Copy, Default)]
pub struct MessagesWire;

impl Encode for MessagesWire {
    fn path(&self, _plan: &RequestPlan<'_>) -> String {
        "/v1/messages".to_owned()
    }

    fn head(&self, plan: &RequestPlan<'_>, out: &mut Vec<u8>) {
        encode::write_head(plan, out);
    }

    fn turn(&self, plan: &RequestPlan<'_>, turn: &Turn<'_>, place: TurnPosition, out: &mut Vec<u8>) {
        encode::write_turn(plan, turn, place, out);
    }

    fn tail(&self, plan: &RequestPlan<'_>, before: TurnBefore, out: &mut Vec<u8>) {
        encode::write_tail(plan, before, out);
    }
}

/// A reader of one answer.
pub fn decoder(target: SharedTarget) -> Box<dyn Decode> {
    Box::new(decode::MessagesDecoder::new(target))
}
