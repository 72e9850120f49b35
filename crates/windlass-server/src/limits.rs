//! Every bound of the server, with its reason (house, wall 7). Configuration may change those in
//! [`ServerLimits`]; the others are properties of the wire.

use std::time::Duration;

/// Bytes that a connection holds of what it reads, and about as many of what it writes: the least that the HTTP
/// library takes. A request's head must fit.
pub const CONNECTION_BUFFER_BYTES: usize = 8 * 1024;

/// Bytes of one chunk of an event stream: a page of the journal and a little more. The connection copies chunks
/// into its buffer while that is not full, so this is what a reader that does not read holds beyond it; and what
/// is written at once is the buffer, not the chunk.
pub const CHUNK_BYTES: usize = 3 * 1024;

/// Records of one chunk: as many as a host reads of its journal at once, so that a reader that does not read has no
/// next page waiting.
pub const CHUNK_RECORDS_MAX: usize = 16;

/// Connections at once; each costs a file descriptor and some kilobytes. Others wait until one ends.
pub const CONNECTIONS_MAX: usize = 16_384;

/// Headers of one request; browsers send about 20.
pub const HEADERS_MAX: usize = 64;

/// How long a client may take to send a request's head, and to agree on TLS before it: more is an attack by slowness.
pub const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a client may take to send a request's body: a message with pictures comes in that time
/// over a slow line, and one that takes longer holds a place for nothing.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes of a request to sign in, which anybody may send: a token or a code, and no more.
pub(crate) const SIGN_IN_BYTES_MAX: usize = 4 * 1024;

/// How long the link of `windlass serve` signs a browser in: somebody starts it and clicks, perhaps after a coffee.
pub const SIGN_IN_CODE_LIFETIME: Duration = Duration::from_secs(10 * 60);

/// Codes that may be used within their lifetime: each browser needs one.
pub(crate) const SIGN_IN_CODES_MAX: usize = 1_000;

/// How long a browser stays signed in.
pub(crate) const COOKIE_LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Silence after which a stream says that it lives; proxies close at 30 to 60 seconds.
pub const HEARTBEAT: Duration = Duration::from_secs(15);

/// How often a reader that was too slow is set up again from the journal without getting one record further.
pub const RESYNCS_MAX: u32 = 8;

/// How long requests may go on after the server was asked to stop.
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// Rows of a list when nobody says how many.
pub const ROWS_USUAL: usize = 50;

/// Passages of a search when nobody says how many.
pub const PASSAGES_USUAL: usize = 10;

/// Characters of a query: a question, not a file.
pub(crate) const QUERY_CHARS_MAX: usize = 1_000;

/// Characters of a document's name.
pub(crate) const DOCUMENT_NAME_CHARS_MAX: usize = 120;

/// Passages of a search at most: nobody reads further.
pub const PASSAGES_MAX: usize = 100;

/// Tokens of all passages of a search: one answer stays below a megabyte.
pub const SEARCH_TOKENS_MAX: u32 = 60_000;

/// Rows of a list at most: one answer stays below a megabyte.
pub const ROWS_MAX: usize = 500;

/// Records of a page when nobody says how many: what a screen needs at first.
pub const RECORDS_USUAL: usize = 1_000;

/// Records of a page at most.
pub const RECORDS_MAX: usize = 5_000;

/// Bytes of a page of records, about: the record that goes over it is still in the page, so that every page
/// gets further.
pub const RECORDS_BYTES: usize = 4 * 1024 * 1024;

/// Records that are asked of the host at once: a page of large ones ends before many more are read.
pub const RECORDS_AT_ONCE: usize = 128;

/// Answers in one request; more questions than that are not open at once.
pub const ANSWERS_MAX: usize = 64;

/// Addresses whose rate is remembered; above that, those that are quiet are forgotten.
pub const CLIENTS_MAX: usize = 10_000;

/// Runs whose beginning is remembered for the latency histograms.
pub const OPEN_RUNS_MAX: usize = 100_000;

/// Label values of one metric: tool names come from outside, and each makes a line for good.
pub const LABELS_MAX: usize = 256;

/// Seconds that a request for calls of an executor waits at most: proxies close at 30 to 60.
pub(crate) const EXECUTOR_WAIT_S_MAX: u32 = 30;

/// Seconds of silence after which an executor counts as gone, unless it says how many.
pub(crate) const EXECUTOR_LEASE_S: u32 = 30;

/// How often one client may ask.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Requests a second, in the long run.
    pub per_second: u32,
    pub burst: u32,
}

/// Bounds that an operator may want to change.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerLimits {
    /// Bytes of a request's body: a message with a few pictures.
    pub body_bytes_max: usize,
    /// Requests at work at once, event streams not counted: what waits longer than a client does is refused.
    pub requests_max: usize,
    /// Event streams at once.
    pub streams_max: usize,
    /// How long a request may take that is no stream. A tool's own deadline ends before that.
    pub request_timeout: Duration,
    /// How often a client on this machine may ask: a test suite, not an attacker.
    pub near_rate: Rate,
    /// How often any other client may ask: people and their scripts.
    pub far_rate: Rate,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            body_bytes_max: 8 * 1024 * 1024,
            requests_max: 4_096,
            streams_max: 12_288,
            request_timeout: Duration::from_secs(330),
            near_rate: Rate { per_second: 10_000, burst: 50_000 },
            far_rate: Rate { per_second: 50, burst: 200 },
        }
    }
}
