//! A wire.

pub use super::chat::{Wire, decoder};
