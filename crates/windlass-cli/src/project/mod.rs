//! What belongs to the project and to the user: opened when a command needs it.
//!
//! - `store`: sessions and runs on record; `lock_wait`: waits for a process that still holds something
//! - `index`, `embedder`: the index of the project's files, and who makes its vectors
//! - `modules`, `scripts`: modules and Rhai tools of the project and of the user

pub(crate) mod embedder;
pub(crate) mod index;
pub(crate) mod lock_wait;
pub(crate) mod modules;
pub(crate) mod scripts;
pub(crate) mod store;
