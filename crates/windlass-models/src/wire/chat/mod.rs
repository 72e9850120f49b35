//! OpenAI Chat Completions, and everything that is shaped like it: most hosted providers, every local server.
//!
//! What one endpoint does differently comes in as quirks; nothing here knows who is asked. `chunk` is the
//! shape of an answer, `reasoning` the state that thinking leaves in the history.

mod chunk;
mod decode;
mod encode;
mod reasoning;
mod template;
mod usage;

use windlass_core::protocol::model::ModelDelta;

use super::{Decode, Encode, RequestPlan, SharedTarget, TurnBefore, TurnPosition};
use crate::health::Turn;

/// Writes chat completion requests.
#[derive(Debug, Clone, Copy, Default)]
pub struct ChatWire;

impl Encode for ChatWire {
    fn path(&self, plan: &RequestPlan<'_>) -> String {
        encode::path(plan.target)
    }

    fn head(&self, plan: &RequestPlan<'_>, out: &mut Vec<u8>) {
        encode::write_head(plan, out);
    }

    fn turn(&self, plan: &RequestPlan<'_>, turn: &Turn<'_>, place: TurnPosition, out: &mut Vec<u8>) {
        encode::write_turn(plan, turn, place.before, out);
    }

    fn tail(&self, plan: &RequestPlan<'_>, before: TurnBefore, out: &mut Vec<u8>) {
        encode::write_tail(plan, before, out);
    }
}

/// Reads one chat completion.
pub fn decoder(target: SharedTarget) -> Box<dyn Decode> {
    Box::new(decode::ChatDecoder::new(target))
}

type ChatDeltas = Vec<ModelDelta>;

/// A target for the tests of this wire.
#[cfg(test)]
fn sample_target(quirks: crate::quirks::Quirks) -> crate::target::ModelTarget {
    crate::target::ModelTarget {
        name: "test/model".to_owned(),
        provider: "test".to_owned(),
        model: "model".to_owned(),
        wire: crate::target::WireKind::Chat,
        base_url: "http://localhost/v1".to_owned(),
        auth: crate::target::AuthForm::Open,
        key: None,
        headers: Vec::new(),
        quirks,
        abilities: crate::target::Abilities::default(),
    }
}
