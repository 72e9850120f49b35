//! Bounds of a host behind a server, with their reasons.

use windlass_models::limits::ExchangeLimits;

/// Time to take a connection: a server that needs longer is not there.
pub(crate) const CONNECT_MS: u64 = 10_000;

/// Rows of a list that are asked for at once: as many as the server gives.
pub(crate) const ROWS_AT_ONCE: usize = 500;

/// Records that are asked for at once: as many as the server gives.
pub(crate) const RECORDS_AT_ONCE: usize = 5_000;

/// What is read of an answer that is no stream. A page of records has 4 MiB and one record more.
pub(crate) const ANSWER_BYTES_MAX: usize = 256 << 20;

/// What is read of a refusal.
pub(crate) const REFUSAL_BYTES_MAX: usize = 64 << 10;

/// The first wait before a lost stream is asked for again; each one after that is twice as long.
pub(crate) const AGAIN_MS_MIN: u64 = 100;

/// The longest wait, also where the server names one.
pub(crate) const AGAIN_MS_MAX: u64 = 2_000;

/// How often in a row, one second and a half in all: a hiccup of the network or a quick restart goes by unseen, and of
/// anything longer the reader hears by the end of the stream.
pub(crate) const AGAIN_MAX: u32 = 5;

/// A stream that lived as long as this was a good one, although nothing happened in it.
pub(crate) const GOOD_STREAM_MS: u64 = 10_000;

/// Questions that are answered at once.
pub(crate) fn of_reading() -> ExchangeLimits {
    ExchangeLimits {
        connect_timeout_ms: CONNECT_MS,
        first_byte_timeout_ms: 60_000,
        idle_timeout_ms: 60_000,
        total_timeout_ms: 300_000,
        answer_bytes_max: ANSWER_BYTES_MAX as u64,
    }
}

/// What may take as long as a tool does: the server gives up first, and says so.
pub(crate) fn of_work() -> ExchangeLimits {
    ExchangeLimits { first_byte_timeout_ms: 360_000, total_timeout_ms: 600_000, ..of_reading() }
}

/// What takes as long as it takes.
pub(crate) fn of_waiting() -> ExchangeLimits {
    ExchangeLimits { first_byte_timeout_ms: u64::MAX, total_timeout_ms: u64::MAX, ..of_reading() }
}

/// Event streams: without end, but never silent for three heartbeats.
pub(crate) fn of_stream() -> ExchangeLimits {
    const SILENCE_MS: u64 = 45_000;
    ExchangeLimits {
        first_byte_timeout_ms: SILENCE_MS,
        idle_timeout_ms: SILENCE_MS,
        total_timeout_ms: u64::MAX,
        answer_bytes_max: u64::MAX,
        ..of_reading()
    }
}
