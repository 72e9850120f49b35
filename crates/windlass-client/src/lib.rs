//! A host behind a server: the same port as the host in this process, spoken over HTTP.
//!
//! # Layout
//!
//! - `host`: the port, one request a question; `wishes`: what is asked, in the words of the API
//! - `follow`: the live records of a session, over as many connections as it takes
//! - `known`: what the port gives without waiting
//! - `line`: requests and their answers; `address`: where they go; `errors`: what a refusal means
//! - `limits`: the bounds
//!
//! Knows the routes of the server and nothing of what is behind them.

mod address;
mod errors;
mod follow;
mod host;
mod known;
mod limits;
mod line;
mod wishes;

pub use address::{ServerReach, reach_of};
pub use host::RemoteHost;
