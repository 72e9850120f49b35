//! The index and its searcher, from the outside: on real folders, with other processes, killed at any point.

mod child;
mod crash;
mod finding;
mod hostile;
mod place;
mod updating;
