//! The store against its contract and against real faults.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod child;
mod claims;
mod conformance;
mod crash;
mod fixture;
mod folder;
mod full;
mod place;
mod torn;
mod writing;
