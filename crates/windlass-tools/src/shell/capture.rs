//! The output of a command, bounded: its beginning and its end are kept, the middle is counted.

use std::collections::VecDeque;

/// What is kept of one stream.
pub(crate) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    total: u64,
}

impl Capture {
    /// Keeps at most `bytes_max` bytes.
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), half: bytes_max / 2, total: 0 }
    }

    /// Takes in more output.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(self.half - self.head.len()));
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        let excess = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..excess);
    }

    /// How many bytes there were.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// How many bytes are not kept.
    pub(crate) fn left_out(&self) -> u64 {
        self.total - (self.head.len() + self.tail.len()) as u64
    }

    /// What is kept, as text; bytes that are not UTF-8 become `�`, and no character is cut in two.
    pub(crate) fn text(&self) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        if self.left_out() == 0 {
            return String::from_utf8_lossy(&[self.head.as_slice(), &tail].concat()).into_owned();
        }
        let (head, tail) = (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(&tail));
        let half = |text: &str| text.trim_matches('\u{fffd}').to_owned();
        format!("{}\n… ({} bytes left out) …\n{}", half(&head), self.left_out(), half(&tail))
    }
}

#[cfg(test)]
#[path = "capture_tests.rs"]
mod tests;
