//! Shell lines as people and models write them: which programs they run, with which arguments.
//!
//! The one splitter of the house: the floor, rules for commands and warnings look at lines through it. It takes off
//! quotes and wrappers (`env`, `sudo`, `sh -c`, `xargs`, …), follows variables, folders and pipes as far as the line
//! itself says what is in them, and runs nothing. What it cannot know, it leaves out: it is no fence.
//!
//! - `lex`: words and operators
//! - `walk`: commands, one after another, with variables, folder and input
//! - `wrap`, `wrappers`: programs that run other programs; `code`: code and flags that do
//! - `filter`: what simple programs print
//! - `builtins`: commands that change folder, variables and names
//! - `braces`: words that braces become
//! - `change`: what `${NAME#…}` and its kin make of a value
//!
//! There are two readings. `runs` takes a line for what it most likely is: the floor and warnings ask it. `possible_runs`
//! is for rules: what the line leaves open is unknown there, and a rule that denies takes it for what it denies.

mod braces;
mod builtins;
mod change;
mod code;
mod filter;
mod lex;
mod walk;
mod wrap;
mod wrappers;

pub use lex::Redirect;
pub use walk::{CommandInput, HOME, ProgramRun, STRANGE, UNKNOWN, possible_runs, runs};
pub use wrap::is_wrapper;
