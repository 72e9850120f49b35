//! The index and its searcher, from the outside: on real folders, with other processes, killed at any point.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod child;
mod crash;
mod documents;
mod finding;
mod hostile;
mod meaning;
mod place;
mod updating;
mod watching;
