//! Bounds of the store, each with its reason.

/// Bytes of the file. All of it is read at every start and held in memory: more than this, and SQLite is the better store.
pub(crate) const LOG_BYTES_MAX: u64 = 256 << 20;
