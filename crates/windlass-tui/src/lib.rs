//! The terminal app: what a session looks like in a terminal, and what keys do.
//!
//! Reads records and sends what the user wants to a `HostPort`, whoever stands behind it; decides nothing of a run.
//! Knows no configuration, no environment and no file system: what of these it needs comes in (`TuiConfig`, `AppFilesPort`).
//!
//! # Layout
//!
//! - `state`: everything that is shown: a fold over records, and what the user typed
//! - `update`: one input changes the state and may ask for effects; pure, the clock comes in as data
//! - `effect`, `perform`: what the app asks of the host and of files, and how that is done
//! - `view`: draws the state; decides nothing
//! - `words`, `figures`, `transcript_text`: how things are said
//! - `markdown`, `highlight`, `diff`, `text`, `theme`: how things look
//! - `command`: the table of slash commands
//! - `fuzzy`: finding things by a few of their letters
//! - `app`, `terminal`: the loop, and the terminal that is given back as it was found
//! - `app_files`: files that the app itself needs on the machine of the terminal
//! - `input`: keys, records, answers of the host, time
//! - `keys`: the keys, in words: what the help page shows

pub mod app;
pub mod app_files;
pub mod command;
pub mod diff;
pub mod effect;
pub mod figures;
pub mod fuzzy;
pub mod highlight;
pub mod input;
pub mod keys;
pub mod markdown;
pub mod perform;
pub mod state;
pub mod terminal;
pub mod text;
pub mod theme;
pub mod transcript_text;
pub mod update;
pub mod view;
pub mod words;

pub use app::{Parting, TuiConfig, TuiError, run};
pub use app_files::{AppFilesError, AppFilesPort, TrustReport};
pub use perform::ProjectTools;
pub use theme::{Theme, ThemeKind};
