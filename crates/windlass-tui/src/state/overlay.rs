//! What lies over the screen: lists to choose from, texts to read.

use super::inspector::Inspector;

/// An overlay.
#[derive(Debug)]
pub enum Overlay {
    /// A text.
    Pager(Pager),
    /// A run with everything that is on record of it.
    Inspector(Inspector),
}

/// A text to read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pager {
    /// What it is.
    pub title: String,
    /// Its lines.
    pub lines: Vec<String>,
    /// Lines that are scrolled away.
    pub scrolled: usize,
}
