//! The commands of `windlass`, one room each. Each takes what was typed and gives an exit code.
//!
//! - `app`, `attach`: the terminal app, over a host in this process or behind a server
//! - `run`, `serve`, `sessions`, `runs`: sessions and their runs; `token`: who may come in
//! - `index`, `search`: the index of the project
//! - `tools`, `policy`, `trust`, `sandbox`, `config`, `completions`: what a run may use, and what is set
//! - `models`, `modules`: who answers; `secrets`: what tools may send where

pub(crate) mod app;
pub(crate) mod attach;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod index;
pub(crate) mod models;
pub(crate) mod modules;
pub(crate) mod policy;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod sandbox;
pub(crate) mod search;
pub(crate) mod secrets;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod token;
pub(crate) mod tools;
pub(crate) mod trust;
