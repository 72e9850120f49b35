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
pub(crate) mod template;
pub mod turn;

pub use heal::Healer;
pub use turn::{CallExchange, CallItem, OutcomeItem, Turn, TurnItem};
