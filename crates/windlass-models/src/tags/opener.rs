//! What opens a call in a text, and what may still turn out to open one.

/// Opens a call of the Hermes and Qwen form.
pub(super) const OPEN: &str = "<tool_call>";
/// Closes it.
pub(super) const CLOSE: &str = "</tool_call>";
/// Opens calls of the Mistral form.
pub(super) const LIST_OPEN: &str = "[TOOL_CALLS]";
/// A fence has at least this many ticks.
const TICKS_MIN: usize = 3;
/// A fence line and the blanks behind it; more is no fence around a call.
pub(super) const FENCE_BYTES_MAX: usize = 64;

/// What stands at a place of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    /// Nothing of interest in so many bytes.
    Plain(usize),
    /// Perhaps something; more must come.
    Perhaps,
    /// A fence that opens or closes a block of code, in so many bytes.
    Fence(usize),
    /// A tag; its block begins after so many bytes.
    Tag {
        /// Length of the tag and of the fence before it.
        bytes: usize,
        /// Whether a fence stands before it.
        is_fenced: bool,
    },
    /// Mistral's mark, in so many bytes.
    List(usize),
}

/// Whether a text begins with a word, or is the beginning of it.
pub(super) fn begins(text: &str, word: &str) -> Option<bool> {
    if text.starts_with(word) { Some(true) } else { word.starts_with(text).then_some(false) }
}

/// Where in a text something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    /// Only blanks stand before it in its line.
    pub(super) is_line_start: bool,
    /// A block of code is open: everything in it is text.
    pub(super) is_in_code: bool,
    /// A fence is open that was opened for a call.
    pub(super) is_in_fence: bool,
}

/// Looks at a text that begins with `<`, `[` or a tick.
pub(super) fn look(text: &str, spot: Spot) -> Sight {
    if text.starts_with('`') {
        return look_at_ticks(text, spot);
    }
    if spot.is_in_code {
        return Sight::Plain(1);
    }
    match (begins(text, OPEN), begins(text, LIST_OPEN)) {
        (Some(true), _) => Sight::Tag { bytes: OPEN.len(), is_fenced: false },
        (_, Some(true)) => Sight::List(LIST_OPEN.len()),
        (Some(false), _) | (_, Some(false)) => Sight::Perhaps,
        (None, None) => Sight::Plain(1),
    }
}

fn look_at_ticks(text: &str, spot: Spot) -> Sight {
    let behind = text.trim_start_matches('`');
    let ticks = text.len() - behind.len();
    if ticks > FENCE_BYTES_MAX {
        // As many as are never waited for, so that it is all one whether the rest is there already.
        return Sight::Plain(FENCE_BYTES_MAX + 1);
    }
    if behind.is_empty() {
        return Sight::Perhaps;
    }
    if ticks < TICKS_MIN || !spot.is_line_start {
        // A tag in ticks is spoken of, not used.
        return match begins(behind, OPEN) {
            Some(true) => Sight::Plain(ticks + OPEN.len()),
            Some(false) => Sight::Perhaps,
            None => Sight::Plain(ticks),
        };
    }
    let closes = spot.is_in_code || spot.is_in_fence;
    if closes { Sight::Fence(ticks) } else { look_behind_fence(behind, ticks) }
}

/// A fence opens a call if a tag follows it directly, or if it says so itself.
fn look_behind_fence(behind: &str, ticks: usize) -> Sight {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let line = behind.trim_start_matches(is_word);
    let word = behind.get(..behind.len() - line.len()).unwrap_or_default();
    let body = line.trim_start();
    let bytes = ticks + behind.len() - body.len();
    if bytes > FENCE_BYTES_MAX {
        return Sight::Fence(ticks);
    }
    if body.is_empty() {
        return Sight::Perhaps;
    }
    let has_break = line.get(..line.len() - body.len()).is_some_and(|blanks| blanks.contains('\n'));
    let says_so = matches!(word, "tool_call" | "tool_calls");
    match begins(body, OPEN) {
        _ if !has_break => Sight::Fence(ticks),
        Some(true) => Sight::Tag { bytes: bytes + OPEN.len(), is_fenced: true },
        Some(false) => Sight::Perhaps,
        None if says_so && body.starts_with(['{', '[']) => Sight::Tag { bytes, is_fenced: true },
        None => Sight::Fence(ticks),
    }
}
