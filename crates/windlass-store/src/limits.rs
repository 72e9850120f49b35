//! Bounds of the store, each with its reason.

/// Bytes of an outcome that stay in its record; a larger one is kept apart, once, however many records have it.
pub(crate) const OUTCOME_BYTES_IN_RECORD_MAX: usize = 32 * 1024;

/// Jobs of one transaction: a crowd must not hold the first of them back for long.
pub(crate) const BATCH_JOBS_MAX: usize = 512;

/// Deltas that may wait for the next transaction; more wait for the disk, so that memory stays bounded.
pub(crate) const UNWRITTEN_DELTAS_MAX: usize = 16 * 1024;

/// How long deltas wait for a durable record to be written with.
pub(crate) const DELTAS_WAIT_MS: u64 = 500;

/// Characters of a user's message in a list of runs.
pub(crate) const RUN_MESSAGE_CHARS_MAX: usize = 200;

/// Pages of the write-ahead log before it is put into the file: 16 MiB, so that a busy store does it seldom.
pub(crate) const CHECKPOINT_PAGES: u32 = 4_096;

/// Sessions whose deletion is remembered, so that a run that still goes on cannot bring one back.
pub(crate) const DELETED_MAX: usize = 10_000;

/// Sessions whose number in the file is remembered by the writer.
pub(crate) const KNOWN_SESSIONS_MAX: usize = 100_000;
