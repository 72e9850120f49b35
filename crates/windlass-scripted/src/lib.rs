//! Conversation scripts: a model, a user, tools and expectations in one readable file.
//!
//! [`Script::parse`] reads a script and `to_string` writes it. [`ScriptedModel`] plays its model lines in
//! real runs and [`ScriptedUser`] its user lines; [`Script::check_session`] checks what came of it.
//! [`play`] plays a whole script on a run machine, without a runtime.
//!
//! Keeps in: the script language. Knows no tool, no session and no file: whoever has the text of a
//! script parses it.
//!
//! ```
//! use windlass_scripted::Script;
//!
//! let script = Script::parse(
//!     "hello.script",
//!     r#"
//!         user What is in this folder?
//!         model call 1 get_file_tree {}
//!         tool 1 ok ["README.md"]
//!         model text There is a README.
//!         expect-answer README
//!     "#,
//! )?;
//! assert_eq!(script.runs()[0].len(), 2);
//! assert_eq!(Script::parse("again", &script.to_string())?.to_string(), script.to_string());
//! # Ok::<(), windlass_scripted::ScriptParseError>(())
//! ```
//!
//!
//! - `beat`: a script as the things that happen one after the other
//! - `calls`: which call of a run is meant by a number in a script
//! - `expect`: checks what happened against what was expected
//! - `limits`: the limits of scripts, each with its reason
//! - `model`: plays the model lines of a script, one step a request
//! - `parse`: reads the text form of scripts
//! - `place`: how far a script is, for each run that it serves
//! - `print`: writes scripts in their text form
//! - `request`: checks what a model was asked: proof of what really goes into a request
//! - `script`: what a script says: its header and its happenings, one a line
//! - `step`: the model lines of a script put together, cut into the pieces that a provider would stream
//! - `user`: sends the messages of a script and answers questions as the script says
//! - `words`: the words of scripts and what they mean
#![doc = include_str!("../docs/scripts.md")]

mod beat;
mod calls;
mod expect;
pub mod limits;
mod model;
mod parse;
mod place;
mod play;
mod print;
mod request;
#[cfg(test)]
#[path = "sample_tests.rs"]
mod sample;
mod script;
mod step;
mod user;
mod words;

pub use beat::{Beat, BeatKind};
pub use calls::CallBook;
pub use expect::{Mismatch, SeenRun};
pub use model::ScriptedModel;
pub use parse::ScriptParseError;
pub use play::{Director, Move, PendingRun, ScriptStage, play};
pub use request::request_text;
pub use script::{
    ArgsForm, CallEnding, CallExpectation, CallLine, EventPattern, Expectation, JsonText, ModelLine,
    ProviderId, RequestExpectation, Script, ScriptHappening, ScriptHeader, ScriptLine, TextChunking,
};
pub use step::{ScriptedStep, StepEnding, StepPiece};
pub use user::ScriptedUser;
