//! A text that comes in pieces, parted anew so that every piece can be cleaned alone.
//!
//! The shortest end that may be the beginning of a secret waits for what follows; everything else goes on at
//! once. Order and characters stay as they are: nothing is taken out here.

use super::Redactor;
use super::scan::SecretScan;

/// Parts one growing text. Cleaned one by one, its pieces give what the whole text gives when it is cleaned.
#[derive(Debug, Clone, Default)]
pub struct Pieces {
    held: String,
    scan: SecretScan,
}

impl Pieces {
    /// Takes in a piece; gives those that may go on: mostly one, at most two.
    pub fn push(&mut self, redactor: &Redactor, piece: String) -> [Option<String>; 2] {
        if self.held.is_empty() {
            self.held = piece;
        } else {
            self.held.push_str(&piece);
        }
        self.part(redactor, false)
    }

    /// The text has ended: what was held back. The next piece begins a new text.
    pub fn finish(&mut self, redactor: &Redactor) -> [Option<String>; 2] {
        let rest = self.part(redactor, true);
        *self = Self::default();
        rest
    }

    fn part(&mut self, redactor: &Redactor, is_whole: bool) -> [Option<String>; 2] {
        // Kept, because `forget` moves it on before the end of a word is looked for.
        let before = self.scan.before;
        let known = redactor.registry.known(redactor.has_forms);
        self.scan.advance(&known, &self.held, is_whole);
        let cut = if is_whole { self.held.len() } else { self.scan.cut() };
        if cut == 0 {
            return [None, None];
        }
        self.scan.forget(&self.held, cut);
        let rest = self.held.split_off(cut);
        let mut going = std::mem::replace(&mut self.held, rest);
        if !SecretScan::is_end_of_word(&known, before, &going) {
            return [Some(going), None];
        }
        // Alone it would be read as a key: it is parted where it cannot be.
        let rest = going.split_off(going.chars().next().map_or(0, char::len_utf8));
        [Some(going), Some(rest)]
    }
}

#[cfg(test)]
#[path = "pieces_tests.rs"]
mod tests;
