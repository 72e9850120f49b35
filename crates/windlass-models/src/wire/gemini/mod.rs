//! Gemini generateContent, streamed as server-sent events or whole.
//!
//! A message is a list of parts, and any part may carry a signature that must come back on that very part.
//! What has to be kept for that travels as reasoning state and call state, in forms that only this module
//! knows:
//!
//! - `{"on":"thought","bytes","signature"}` closes thinking: its last bytes were the signed part;
//! - `{"on":"text","bytes","signature"}`, without text, right behind a text whose last bytes were the part;
//! - `{"on":"nothing","signature"}` is a part of no text at all;
//! - a call: `{"id","signature"}`, each only if the provider gave it.

mod decode;
mod encode;
mod signature;

pub use decode::decoder;
pub use encode::GeminiWire;

#[cfg(test)]
#[path = "echo_tests.rs"]
mod echo_tests;
