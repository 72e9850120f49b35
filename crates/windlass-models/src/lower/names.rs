//! Names of tools on the wire: `[A-Za-z0-9_-]{1,64}`, and no two alike.
//!
//! Every provider takes these; Gemini also wants a letter or an underscore in front.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use windlass_core::protocol::tool::ToolSpec;

use crate::target::WireKind;

/// Characters of a name.
const NAME_CHARS_MAX: usize = 64;
/// Hex digits that tell changed names apart.
const MARK_CHARS: usize = 8;

/// Whether a name may go on a wire as it is.
pub fn is_legal(wire: WireKind, name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let begins = match wire {
        WireKind::Gemini => name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'),
        WireKind::Chat | WireKind::Responses | WireKind::Messages | WireKind::Ollama => !name.is_empty(),
    };
    begins && name.len() <= NAME_CHARS_MAX && name.bytes().all(is_part)
}

/// A name that is no tool's of the request, as it may go on a wire: never one that is `taken` there, and never the
/// same for two names.
pub(super) fn strange_name(wire: WireKind, name: &str, is_taken: impl Fn(&str) -> bool) -> Cow<'_, str> {
    if is_legal(wire, name) && !is_taken(name) {
        return Cow::Borrowed(name);
    }
    let free = (0_u32..).map(|salt| marked(name, salt)).find(|made| !is_taken(made));
    Cow::Owned(free.unwrap_or_default())
}

/// At most so many characters, all of them legal.
fn cleaned(name: &str, chars_max: usize) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut legal: String = name.chars().map(|c| if is_part(c) { c } else { '_' }).collect();
    if legal.is_empty() {
        legal.push_str("unnamed");
    }
    if !legal.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        legal.insert(0, '_');
    }
    legal.truncate(chars_max);
    legal
}

/// A name that ends in a mark made of the whole name, so that two names never become one.
fn marked(name: &str, salt: u32) -> String {
    let mut legal = cleaned(name, NAME_CHARS_MAX - MARK_CHARS - 1);
    legal.push('_');
    legal.push_str(&hex(&[name.as_bytes(), &salt.to_be_bytes()], MARK_CHARS));
    legal
}

/// So many hex digits of the hash of some pieces.
pub(crate) fn hex(pieces: &[&[u8]], digits: usize) -> String {
    let mut hash = Sha256::new();
    for piece in pieces {
        hash.update(piece);
        hash.update([0]);
    }
    let mut text = windlass_core::text::hex(&hash.finalize());
    text.truncate(digits);
    text
}

/// Gives each tool of a request a name of its own.
pub(super) struct WireNames {
    wire: WireKind,
    /// Names that are legal as they are: they never give way to a changed one.
    kept: HashSet<String>,
    given: HashSet<String>,
}

impl WireNames {
    pub(super) fn of(wire: WireKind, specs: &[Arc<ToolSpec>]) -> Self {
        let legal = specs.iter().filter(|spec| is_legal(wire, &spec.name));
        Self { wire, kept: legal.map(|spec| spec.name.clone()).collect(), given: HashSet::new() }
    }

    pub(super) fn give(&mut self, name: &str) -> String {
        if is_legal(self.wire, name) && self.given.insert(name.to_owned()) {
            return name.to_owned();
        }
        let plain = std::iter::once(cleaned(name, NAME_CHARS_MAX));
        let mut free = plain.chain((0_u32..).map(|salt| marked(name, salt)));
        let free = free.find(|made| !self.kept.contains(made) && !self.given.contains(made));
        let made = free.unwrap_or_default();
        self.given.insert(made.clone());
        made
    }
}
