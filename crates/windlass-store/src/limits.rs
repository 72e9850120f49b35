//! Bounds of the store, each with its reason.

/// Bytes of an outcome that stay in its record; a larger one is kept apart, once, however many records have it.
pub(crate) const OUTCOME_BYTES_IN_RECORD_MAX: usize = 32 * 1024;

/// Jobs of one transaction: a crowd must not hold the first of them back for long.
pub(crate) const BATCH_JOBS_MAX: usize = 512;

/// Deltas in one row: a row is read whole, however few of its deltas are wanted.
pub(crate) const BLOCK_DELTAS_MAX: usize = 64;

/// Jobs of a transaction that make the next one wait for company: fewer gain nothing by it.
pub(crate) const CROWD_JOBS_MIN: usize = 4;

/// The part of a sync's own time that is waited for company: a quarter costs less than it saves.
pub(crate) const CROWD_WAIT_SHARE: u32 = 4;

/// The longest wait for company, in microseconds, however slow the disk is.
pub(crate) const CROWD_WAIT_US_MAX: u64 = 1_000;

/// Deltas that may wait for the next transaction; more wait for the disk, so that memory stays bounded.
pub(crate) const UNWRITTEN_DELTAS_MAX: usize = 16 * 1024;

/// How long deltas wait for a durable record to be written with.
pub(crate) const DELTAS_WAIT_MS: u64 = 500;

/// Pages of the write-ahead log before it is put into the file: 16 MiB, so that a busy store does it seldom.
pub(crate) const CHECKPOINT_PAGES: u32 = 4_096;

/// Sessions whose deletion is remembered, so that a run that still goes on cannot bring one back.
pub(crate) const DELETED_MAX: usize = 10_000;

/// Sessions whose number in the file is remembered by the writer.
pub(crate) const KNOWN_SESSIONS_MAX: usize = 100_000;
