//! Keeps sessions in one SQLite file: journal, runs, grants, tasks, snapshots, audit.
//!
//! One thread writes for all sessions: it takes every job that waits, one transaction, one sync. Readers have
//! connections of their own and never wait for it. Between processes, a session is written by the one that has
//! claimed it. The journal is the truth; all other rows are made of it in the same transaction.
//!
//! SQL stays in this crate. It knows neither runs that go on nor front ends.
//!
//! - `appending`: the records of one session, and the rows of runs, grants, tasks and questions that are made of them
//! - `claim`: which processes are alive: each holds a lock of the operating system on a file of its own, for its life
//! - `encode`: records as rows and back: deltas in blocks, large outcomes apart
//! - `fault`: what can go wrong with the file, in words: what happened, where, what to do
//! - `limits`: bounds of the store, each with its reason
//! - `open`: its folder, its settings, its schema, and what is said when that fails
//! - `query`: records, sessions, runs, tasks, grants, snapshots
//! - `reader`: threads that read, each with a connection of its own: they never wait for the one that writes
//! - `schema`: the schema of the file and the steps that lead to it: forward only, each once, in one transaction
//! - `sessions`: everything that is written beside the journal
//! - `statements`: statements by their text, each prepared once for a connection; all texts are written in this crate
//! - `store`: the store as ports see it: jobs go to the thread that writes, questions to those that read
//! - `transaction`: where the writing thread works: its connection, its statements, and what it knows of sessions
//! - `writer`: the thread that writes for all sessions: every job that waits, one transaction, one sync

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
