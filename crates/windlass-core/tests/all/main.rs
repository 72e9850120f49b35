//! The integration tests of the core: whole runs through the pure machine, no runtime, no IO.

mod sim;
mod walks;
