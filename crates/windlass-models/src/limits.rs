//! Every limit of a model exchange, with its reason.

/// Limits of one exchange with a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeLimits {
    /// A server that has not accepted a connection by then is down.
    pub connect_timeout_ms: u64,
    /// Headers and the first byte: large prompts on small machines think long before they speak.
    pub first_byte_timeout_ms: u64,
    /// Silence in the middle of an answer; every provider sends something more often than this.
    pub idle_timeout_ms: u64,
    pub total_timeout_ms: u64,
    pub answer_bytes_max: u64,
}

impl Default for ExchangeLimits {
    fn default() -> Self {
        Self {
            connect_timeout_ms: 10_000,
            first_byte_timeout_ms: 120_000,
            idle_timeout_ms: 60_000,
            total_timeout_ms: 600_000,
            answer_bytes_max: ANSWER_BYTES_MAX,
        }
    }
}

/// One event of a stream: whole tool outcomes never travel this way, so more is a broken or hostile server.
pub const FRAME_BYTES_MAX: usize = 16 << 20;
/// One whole answer of a model.
pub const ANSWER_BYTES_MAX: u64 = 64 << 20;
/// What is read of an error page.
pub const ERROR_BODY_BYTES_MAX: usize = 64 << 10;
/// What an error message quotes of a provider's own words.
pub const QUOTE_CHARS_MAX: usize = 400;
/// Items or calls of one answer: no model makes as many, and each is looked up among the others.
pub const ITEMS_MAX: usize = 4096;
/// Longest `Retry-After` that is believed: what is longer than any run is told and not waited for.
pub const RETRY_AFTER_MS_MAX: u64 = 24 * 60 * 60_000;
/// Raw text of a call that could not be read, as it is shown to the model again.
pub const BROKEN_ARGS_CHARS_MAX: usize = 800;
/// What a server may still say after its last word, so that its connection can be used again.
pub const DRAIN_TIMEOUT_MS: u64 = 50;
/// Notices that a run remembers as told; a history that needs more is told twice rather than kept.
pub const NOTICES_TOLD_MAX: usize = 256;
/// What is read of a connection at a time: a TLS record has twice as much, an event of a stream far less.
pub const READ_BYTES_MAX: usize = 8 << 10;
/// The head of an answer, interim answers included; honest ones have a twentieth.
pub const HEAD_BYTES_MAX: usize = 64 << 10;
/// Headers of an answer.
pub const HEAD_FIELDS_MAX: usize = 100;
/// What may stand behind the size of a chunk; nobody sends any.
pub const CHUNK_LINE_BYTES_MAX: u32 = 4 << 10;
/// What may follow the last chunk.
pub const TRAILER_BYTES_MAX: u32 = 16 << 10;
/// Connections to one place that wait for a request: each is a file of the process.
pub const IDLE_CONNECTIONS_MAX: usize = 256;
/// How long one waits; most servers close it sooner or a little later.
pub const IDLE_CONNECTION_MS_MAX: u64 = 90_000;
/// Alarms that are kept for the next exchange.
pub const IDLE_ALARMS_MAX: usize = 64;
