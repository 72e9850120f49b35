//! What opens a call in a text, and what may still turn out to open one.

use windlass_core::protocol::ids::RunId;

use crate::lower::names::hex;

/// Hex digits of a run's tag: nobody who does not know the run can guess them.
const MARK_DIGITS: usize = 8;

/// The tag between which a model writes its calls in one run. It is made of the run's id, which is random: whatever
/// a page, a file or an outcome quotes is another tag, and text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunTag {
    /// What opens a call.
    pub(super) open: String,
    pub(super) close: String,
}

impl RunTag {
    /// The tag of a run; the same whenever it is asked for.
    pub fn of(run_id: &RunId) -> Self {
        Self::named(&format!("tool_call_{}", hex(&[run_id.as_str().as_bytes()], MARK_DIGITS)))
    }

    /// A tag of this name.
    pub fn named(word: &str) -> Self {
        Self { open: format!("<{word}>"), close: format!("</{word}>") }
    }
}
/// A fence has at least this many ticks.
const TICKS_MIN: usize = 3;
/// A fence line and the blanks behind it; more is no fence around a call.
pub(super) const FENCE_BYTES_MAX: usize = 64;

/// What stands at a place of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenerSight {
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
}

/// Whether a text begins with a word, or is the beginning of it.
pub(super) fn begins(text: &str, word: &str) -> Option<bool> {
    if text.starts_with(word) { Some(true) } else { word.starts_with(text).then_some(false) }
}

/// Where in a text something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextSpot {
    /// Only blanks stand before it in its line.
    pub(super) is_line_start: bool,
    /// A block of code is open: everything in it is text.
    pub(super) is_in_code: bool,
    /// A fence is open that was opened for a call.
    pub(super) is_in_fence: bool,
}

/// Looks at a text that begins with `<` or a tick.
pub(super) fn look(text: &str, spot: TextSpot, tag: &RunTag) -> OpenerSight {
    if text.starts_with('`') {
        return look_at_ticks(text, spot, tag);
    }
    if spot.is_in_code {
        return OpenerSight::Plain(1);
    }
    match begins(text, &tag.open) {
        Some(true) => OpenerSight::Tag { bytes: tag.open.len(), is_fenced: false },
        Some(false) => OpenerSight::Perhaps,
        None => OpenerSight::Plain(1),
    }
}

fn look_at_ticks(text: &str, spot: TextSpot, tag: &RunTag) -> OpenerSight {
    let behind = text.trim_start_matches('`');
    let ticks = text.len() - behind.len();
    if ticks > FENCE_BYTES_MAX {
        // As many as are never waited for, so that it is all one whether the rest is there already.
        return OpenerSight::Plain(FENCE_BYTES_MAX + 1);
    }
    if behind.is_empty() {
        return OpenerSight::Perhaps;
    }
    if ticks < TICKS_MIN || !spot.is_line_start {
        // A tag in ticks is spoken of, not used.
        return match begins(behind, &tag.open) {
            Some(true) => OpenerSight::Plain(ticks + tag.open.len()),
            Some(false) => OpenerSight::Perhaps,
            None => OpenerSight::Plain(ticks),
        };
    }
    let closes = spot.is_in_code || spot.is_in_fence;
    if closes { OpenerSight::Fence(ticks) } else { look_behind_fence(behind, ticks, tag) }
}

/// A fence opens a call if the run's tag follows it directly.
fn look_behind_fence(behind: &str, ticks: usize, tag: &RunTag) -> OpenerSight {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let line = behind.trim_start_matches(is_word);
    let body = line.trim_start();
    let bytes = ticks + behind.len() - body.len();
    if bytes > FENCE_BYTES_MAX {
        return OpenerSight::Fence(ticks);
    }
    if body.is_empty() {
        return OpenerSight::Perhaps;
    }
    let has_break = line.get(..line.len() - body.len()).is_some_and(|blanks| blanks.contains('\n'));
    match begins(body, &tag.open) {
        _ if !has_break => OpenerSight::Fence(ticks),
        Some(true) => OpenerSight::Tag { bytes: bytes + tag.open.len(), is_fenced: true },
        Some(false) => OpenerSight::Perhaps,
        None => OpenerSight::Fence(ticks),
    }
}
