//! Shell lines as people and models write them: which programs they run, with which arguments.
//!
//! The one splitter of the house: the floor, rules for commands and warnings look at lines through it. It takes off
//! quotes and wrappers (`env`, `sudo`, `sh -c`, `xargs`, …), follows variables, folders and pipes as far as the line
//! itself says what is in them, and runs nothing. What it cannot know, it leaves out: it is no fence.
//!
//! - `lex`: words and operators
//! - `walk`: commands, one after another, with variables, folder and input
//! - `wrap`: programs that run other programs
//! - `filter`: what simple programs print

mod filter;
mod lex;
mod walk;
mod wrap;

pub use lex::Redirect;
pub use walk::{CommandInput, HOME, ProgramRun, STRANGE, UNKNOWN, runs};
