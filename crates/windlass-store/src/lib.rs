//! Keeps sessions in one SQLite file: journal, runs, grants, tasks, snapshots, audit.
//!
//! One thread writes for all sessions: it takes every job that waits, one transaction, one sync. Readers have
//! connections of their own and never wait for it. Between processes, a session is written by the one that has
//! claimed it. The journal is the truth; all other rows are made of it in the same transaction.
//!
//! SQL stays in this crate. It knows neither runs that go on nor front ends.

mod appending;
mod claim;
mod encode;
mod fault;
mod limits;
mod open;
mod query;
mod reader;
mod schema;
mod sessions;
mod statements;
mod store;
mod transaction;
mod writer;

pub use fault::OpenError;
pub use open::{FILE_NAME, StoreConfig};
pub use store::{SQLITE, SqliteStore};
