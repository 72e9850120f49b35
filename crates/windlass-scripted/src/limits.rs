//! The limits of scripts, each with its reason.

/// Bytes of one script: a conversation that a person can read is far smaller.
pub const SCRIPT_BYTES_MAX: usize = 4 << 20;

/// The longest wait that a script may ask for: longer than any limit of a run that a wait could test.
pub const DELAY_MS_MAX: u64 = 3_600_000;

/// Characters of one streamed piece: more is the same as `chunk all`.
pub const CHUNK_CHARS_MAX: usize = 1_000_000;

/// Characters of a made-up outcome (`tool N fill CHARS`): above every outcome limit of a run.
pub const FILL_CHARS_MAX: usize = 64 << 20;

/// How often one event may be asked for in a row (`call-requested*16`): above the calls of a run.
pub const EVENT_TIMES_MAX: u32 = 1_000;

/// Runs whose place is remembered: far more than go on at once. A forgotten one is placed by its request.
pub(crate) const RUNS_REMEMBERED_MAX: usize = 4_096;

/// Characters of a text that an error message repeats.
pub(crate) const SHOWN_CHARS_MAX: usize = 200;
