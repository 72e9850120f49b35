//! Conversation scripts: what a user says, what a model answers, how calls end and what is expected of
//! all that, in one readable file, one line a happening.
//!
//! The same script drives the run machine without a runtime ([`play`]), serves as a model in real runs
//! ([`ScriptedModel`], `--model scripted/FILE`), answers questions there ([`ScriptedUser`]) and checks
//! what came of it ([`Script::check_session`]).
//!
//! Keeps in: the script language. Knows no tool, no session and no file: whoever has the text of a
//! script parses it with [`Script::parse`].
//!
//! # A script
//!
//! ```
//! use windlass_scripted::Script;
//!
//! let script = Script::parse(
//!     "hello.script",
//!     r#"
//!         title Look before you speak
//!
//!         user What is in this folder?
//!         model reasoning I should look first.
//!         model text Let me look.
//!         model call 1 get_file_tree {}
//!         tool 1 ok ["README.md"]
//!         model text There is a README.
//!         expect run-started ... call-ended step-started step-ended run-ended
//!         expect-outcome completed answered
//!         expect-answer README
//!     "#,
//! )?;
//! assert_eq!(script.runs()[0].len(), 2);
//! assert_eq!(Script::parse("again", &script.to_string())?.to_string(), script.to_string());
//! # Ok::<(), windlass_scripted::ScriptError>(())
//! ```
//!
//! # Lines
//!
//! Blank lines and lines that begin with `#` say nothing. A TEXT runs to the end of its line; a longer
//! one is a here-text: `<<END`, its lines, and a line `END` (any word of capitals will do).
//!
//! Header, before the first `user` line:
//!
//! | line | meaning |
//! |---|---|
//! | `title TEXT` | what the script shows |
//! | `profile NAME` | the profile of its runs |
//! | `root FOLDER` | the project root, relative to the current folder |
//! | `approve ask\|never\|safe\|all` | what happens to calls that need asking |
//! | `max-steps N`, `limit NAME N` | limits of its runs |
//! | `allow RULE`, `deny RULE` | permission rules of its runs |
//! | `tools-allowed true\|false` | whether tools may be used at all |
//! | `chunk words\|all\|N` | how text is streamed: by words, whole, by N characters |
//! | `interleave true` | the calls of a step arrive in turns, fragment by fragment |
//!
//! Happenings:
//!
//! | line | meaning |
//! |---|---|
//! | `user TEXT` | a message; begins a run |
//! | `model text TEXT`, `model reasoning TEXT` | a line of the answer, of thinking |
//! | `model reasoning-state JSON` | opaque provider state |
//! | `model call N [id=ID\|id=-] TOOL [JSON]` | a call; its arguments stream as text |
//! | `model raw-call N [id=…] TOOL [TEXT]` | the same with arguments of any shape |
//! | `model value-call N [id=…] TOOL JSON` | the same with arguments as one value |
//! | `model delay 200ms` | the model takes its time |
//! | `model usage input=N output=N [cached=N] [reasoning=N] [cost_usd=X]` | token counts |
//! | `model end [stop\|calls\|length\|filtered\|other:WORD]` | the step ends; any line that is not the model's ends it too |
//! | `model cut` | the connection is lost |
//! | `model hang` | nothing more comes |
//! | `model fail CODE [after=2s] TEXT`, `model fail! …` | the provider fails; `fail!` for good |
//! | `approve N [confirm=WORD] [once\|session\|remember [RULE]]`, `deny N` | answers the question about call N |
//! | `tool N ok JSON`, `text TEXT`, `fill CHARS`, `fail KIND TEXT`, `timeout`, `hang` | call N ends; ignored when real tools run |
//! | `cancel`, `deadline` | the user stops the run; it is out of time |
//!
//! Expectations:
//!
//! | line | meaning |
//! |---|---|
//! | `expect NAME[*TIMES] … [...]` | the durable events since the last such line; `...` is any or none |
//! | `expect-outcome OUTCOME [REASON]` | how the run ended |
//! | `expect-answer TEXT` | the answer contains it |
//! | `expect-warning CODE\|none` | the run warned of it, or of nothing |
//! | `expect-call N [STATUS] [KIND] [cached] [truncated] [says TEXT]` | the outcome of call N |
//! | `expect-request contains TEXT`, `lacks TEXT`, `tools a,b\|none`, `tool-choice WORD`, `purpose WORD`, `same-prefix` | what the request must be that the following model lines answer |

mod beat;
mod calls;
mod expect;
pub mod limits;
mod model;
mod parse;
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
pub use expect::{Mismatch, Seen};
pub use model::ScriptedModel;
pub use parse::ScriptError;
pub use play::{Director, Move, Pending, Stage, play};
pub use request::request_text;
pub use script::{
    ArgsForm, CallEnding, CallExpectation, CallLine, Chunk, EventPattern, Expectation, Happening, Header,
    JsonText, Line, ModelLine, ProviderId, RequestExpectation, Script,
};
pub use step::{Piece, ScriptedStep, StepEnding};
pub use user::ScriptedUser;
