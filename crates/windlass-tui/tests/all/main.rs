//! The terminal app on a screen of text: sessions of `fixtures/`, keys in, frames out.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may panic"
)]

mod commands;
mod composer;
mod frames;
mod hosted;
mod inspector;
mod keys;
mod long;
mod markdown;
mod overlays;
mod panels;
mod questions;
mod searching;
mod session_commands;
mod stage;
mod stream;
mod transcript;
