//! What lies over the screen: lists to choose from, texts to read.

/// An overlay.
#[derive(Debug)]
pub enum Overlay {
    /// A text.
    Pager(Pager),
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
