//! The integration tests of the built-in tools: real files, real processes, loopback only.

mod conformance;
mod context;
mod files_command;
mod files_edit;
mod files_escape;
mod files_path;
mod files_read;
mod files_search;
mod files_tree;
mod files_undo;
mod files_write;
mod project;
