//! The tests of the crate over real files.

mod script_calls;
mod script_dspy;
mod script_hostile;
mod script_library;
mod script_tool;
mod script_world;
