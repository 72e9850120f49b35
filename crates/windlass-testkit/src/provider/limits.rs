//! Bounds of the server.

/// One request: no test sends a longer one.
pub(super) const REQUEST_BYTES_MAX: usize = 64 << 20;
/// Longest id of a call in a chat request.
pub(super) const CHAT_ID_CHARS_MAX: usize = 40;
/// Longest id of a call where the vendor says so.
pub(super) const WORD_ID_CHARS_MAX: usize = 64;
/// The one length of an id that Mistral takes.
pub(super) const MISTRAL_ID_CHARS: usize = 9;
/// Longest name of a tool.
pub(super) const NAME_CHARS_MAX: usize = 64;
/// Breakpoints of Anthropic's cache.
pub(super) const CACHE_MARKS_MAX: usize = 4;
/// Bytes of one write when characters are to be split.
pub(super) const SPLIT_BYTES: usize = 7;
