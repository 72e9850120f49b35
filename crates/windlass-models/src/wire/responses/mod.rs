//! OpenAI Responses (`/responses`), as OpenAI, xAI and servers that imitate them speak it.
//!
//! An answer is a list of items: thinking, messages, calls. Nothing is stored at the provider, so every item
//! goes back whole, in its order, with its own id. What has to be kept for that travels as reasoning state
//! and call state, in forms that only this module knows:
//!
//! - thinking: the provider's reasoning item, untouched;
//! - a message: `{"type":"message","id","phase"}` in a state without text, right behind the text;
//! - a call: `{"type":"function_call","id","namespace"}`, or `"custom_tool_call"`.

mod decode;
mod encode;
mod item;

pub use decode::decoder;
pub use encode::ResponsesWire;

#[cfg(test)]
#[path = "echo_tests.rs"]
mod echo_tests;
#[cfg(test)]
#[path = "recording_tests.rs"]
pub(crate) mod recording;
