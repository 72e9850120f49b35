//! The binary, run as a user runs it: in folders of its own, on real files, processes and terminals.

mod commands;
mod config;
mod lifeline;
mod place;
mod policy;
mod refusals;
mod run;
mod stop;
mod terminal;
mod tools;
