//! Rhai tools of the project and of the user, in the registry beside the tools of this program.
//!
//! A script never takes the name of another tool: neither a project's that of the user's, nor any that of a built-in one.

