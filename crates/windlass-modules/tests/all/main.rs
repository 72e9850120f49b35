//! The tests of the crate over real files, and with real sessions.

mod predict;
mod reload;
mod tools;
mod world;
