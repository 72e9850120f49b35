//! Keeps sessions in one file of JSON lines, for who reads them with a pager: a folder whose name ends in `.jsonl`.
//!
//! Every change is a line, synced before it is answered; what the store knows is folded of the lines when it is opened,
//! and is in memory whole. One process has the file at a time. It knows neither SQL nor runs that go on.
//!
//! - `limits`: how much one file may hold, and why
//! - `line`: what a line says
//! - `log`: the file: locked, read, appended, its torn end cut off
//! - `rows`: what is known of one session, made of its lines
//! - `store`: the store as ports see it

mod limits;
mod line;
mod log;
mod rows;
mod store;

pub use store::{JSONL, JsonlStore};
