//! For tests of agents: models that say what a test wants, recordings of real ones, and what must have happened.
//!
//! Owns what a test needs around an agent. Knows no provider: a recording stands before any model. This is test code:
//! what goes wrong panics, at the line of the test and with the whole trace.
//!
//! ```
//! use serde_json::json;
//! use windlass::prelude::*;
//! use windlass::testing::{self, expect};
//!
//! /// Adds two integers.
//! #[tool]
//! async fn add(a: i64, b: i64) -> Result<i64, ToolError> {
//!     Ok(a + b)
//! }
//!
//! # fn main() -> Result<(), WindlassError> {
//! let model = "user 2 + 3?\nmodel call 1 add {\"a\":2,\"b\":3}\nmodel end\nmodel text 5.\n";
//! let answer = testing::scripted_agent(model).tool(add).build()?.run_sync("2 + 3?")?;
//! expect(&answer).called("add").with(json!({"a": 2, "b": 3})).times(1).no_failures().answer_has("5");
//! # Ok(())
//! # }
//! ```
//!
//! - `cassette`: a model recorded to a file, and played from it
//! - `clock`: a clock that does not tick
//! - `difference`: where two JSON values part
//! - `expectation`: what must have happened in a run
//! - `question`: what a model is asked, as JSON that is the same from run to run
//! - `readable`: a trace for people
//! - `reel`: the lines of a cassette's file

// Whoever calls this is a test: panicking is how it says that it failed.
#![allow(clippy::panic)]

mod cassette;
mod clock;
mod difference;
mod expectation;
mod question;
mod readable;
mod reel;

pub use windlass_scripted::{Script, ScriptedModel};

pub use self::cassette::{Cassette, CassetteError};
pub use self::clock::FixedClock;
pub use self::expectation::{CallsExpected, RunExpected, Traced, expect};
pub use self::readable::readable;
use crate::agent::Windlass;
use crate::builder::Builder;

/// A model that plays a script; `docs/scripts.md` has the language. Panics where the script cannot be read.
#[track_caller]
pub fn scripted(script: &str) -> ScriptedModel {
    match Script::parse("test", script) {
        Ok(script) => ScriptedModel::new(&script),
        Err(error) => panic!("the script cannot be played: {error}"),
    }
}

/// The builder of an agent whose model plays a script and whose clock stands still. Panics where the script cannot be
/// read.
#[track_caller]
pub fn scripted_agent(script: &str) -> Builder {
    Windlass::builder().model_port(scripted(script)).clock(FixedClock::default())
}
