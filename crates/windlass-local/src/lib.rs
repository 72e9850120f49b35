//! Models in the process: files of weights are read, run on this machine, and held to the grammar of the tools.
//!
//! Owns inference, tokens, chat templates, grammars and the built-in model. Knows no session, no tool and no
//! configuration: a request comes in, deltas go out.

pub mod embed;
pub mod grammar;
