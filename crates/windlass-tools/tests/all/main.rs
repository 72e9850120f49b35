//! The integration tests of the built-in tools: real files, real processes, loopback only.

// A test that cannot go on should say so loudly; the allowance for tests does not reach their fixtures.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod conformance;
mod context;
mod display;
mod edison;
mod files_command;
mod files_edit;
mod files_escape;
mod files_path;
mod files_read;
mod files_search;
mod files_tree;
mod files_undo;
mod files_write;
mod loopback;
mod project;
mod shelf;
mod specs;
mod world_catalogue;
mod world_context;
mod world_fetch;
mod world_image;
mod world_machine;
mod world_passages;
mod world_results;
mod world_search;
mod world_tasks;
