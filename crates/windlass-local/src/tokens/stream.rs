//! Text of tokens as they come: a letter is given when all of its bytes are there.

use super::ModelTokens;

/// Turns tokens into text, one at a time.
#[derive(Debug, Default)]
pub(crate) struct TextStream {
    pending: Vec<u8>,
    is_begun: bool,
}

impl TextStream {
    /// The text that a token completes; empty while a letter is in the middle.
    pub(crate) fn push(&mut self, tokens: &ModelTokens, token: u32) -> String {
        let mut bytes = tokens.bytes(token);
        if !self.is_begun && !bytes.is_empty() {
            self.is_begun = true;
            if tokens.has_space_prefix() {
                bytes = bytes.strip_prefix(b" ").unwrap_or(bytes);
            }
        }
        self.pending.extend_from_slice(bytes);
        self.take(false)
    }

    /// What is left at the end; broken letters are shown as such.
    pub(crate) fn finish(&mut self) -> String {
        self.take(true)
    }

    fn take(&mut self, is_last: bool) -> String {
        let mut text = String::new();
        let (mut seen, mut kept) = (0, 0);
        for chunk in self.pending.utf8_chunks() {
            text.push_str(chunk.valid());
            let broken = chunk.invalid();
            seen += chunk.valid().len() + broken.len();
            // What stands at the very end may still be completed.
            let is_open = !is_last && seen == self.pending.len() && is_beginning(broken);
            match (broken.is_empty(), is_open) {
                (true, _) => {}
                (false, true) => kept = broken.len(),
                (false, false) => text.push(char::REPLACEMENT_CHARACTER),
            }
        }
        let done = self.pending.len().saturating_sub(kept);
        self.pending.drain(..done);
        text
    }
}

/// Whether bytes can be the beginning of a letter.
fn is_beginning(bytes: &[u8]) -> bool {
    let needed = match bytes.first() {
        Some(0xC2..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF4) => 4,
        _ => return false,
    };
    bytes.len() < needed && bytes.iter().skip(1).all(|byte| (0x80..=0xBF).contains(byte))
}
