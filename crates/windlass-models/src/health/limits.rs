//! Limits of healing, with their reasons.

/// What a note keeps of an outcome that has lost its call: enough to go on, too little to fill a context.
pub(super) const STRAY_OUTCOME_CHARS_MAX: usize = 4_000;
/// Bytes of broken arguments that are searched for a readable object; the same as for calls that run.
pub(super) const ARGS_BYTES_MAX: usize = 1 << 20;
/// Bytes of a reserved token of a chat template; longer ones are text.
pub(super) const TOKEN_BYTES_MAX: usize = 64;
