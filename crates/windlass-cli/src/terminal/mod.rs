//! The person at the terminal: what is written for them, what they are asked, and how they interrupt.
//!
//! - `run_follower`: one run from its first event to its last; `screen`, `progress`, `answer_stream`: how it is shown
//! - `ask`, `prompt`, `quote`: the permission question; `signals`: Ctrl-C
//! - `out`, `table`, `short_line`, `nearest`: texts on stdout and stderr; `log`: the operator's log
//! - `app_files`: what the terminal app keeps between two starts; `browser`: opens the web app

pub(crate) mod answer_stream;
pub(crate) mod app_files;
pub(crate) mod ask;
pub(crate) mod browser;
pub(crate) mod log;
pub(crate) mod nearest;
pub(crate) mod out;
pub(crate) mod progress;
pub(crate) mod prompt;
pub(crate) mod quote;
pub(crate) mod run_follower;
pub(crate) mod screen;
pub(crate) mod short_line;
pub(crate) mod signals;
pub(crate) mod table;
