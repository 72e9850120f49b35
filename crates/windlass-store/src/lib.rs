//! Sessions in SQLite.
