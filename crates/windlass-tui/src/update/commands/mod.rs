//! What each slash command does: one file each, `run(state, rest)` with what follows the word.
//!
//! What the table says a command needs is there when it is called.

pub(super) mod cancel;
pub(super) mod context;
pub(super) mod copy;
pub(super) mod export;
pub(super) mod fork;
pub(super) mod help;
pub(super) mod inspect;
pub(super) mod model;
pub(super) mod new;
pub(super) mod policy;
pub(super) mod profile;
pub(super) mod quit;
pub(super) mod rename;
pub(super) mod resume;
pub(super) mod search;
pub(super) mod sessions;
pub(super) mod tasks;
pub(super) mod theme;
pub(super) mod thinking;
pub(super) mod tools;
