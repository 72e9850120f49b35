//! The tests of the crate over real files.
