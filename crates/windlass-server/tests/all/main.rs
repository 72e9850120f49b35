//! The integration tests of the server: a real listener on loopback, a real host, scripts as models, and a
//! client that knows nothing of either.

// A test that cannot go on should say so loudly; the allowance for tests does not reach their fixtures.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod approvals;
mod choices;
mod client;
mod contract;
mod document;
mod goldens;
mod modules;
mod outside;
mod reconnect;
mod records;
mod routes;
mod safety;
mod search;
mod stage;
mod streams;
mod web;
