//! Questions that wait for the user: which one is looked at, and how far its answer is.

/// What the user does about questions.
#[derive(Debug, Clone, Default)]
pub struct Asking {
    /// Which of the questions that wait is shown.
    pub chosen: usize,
    /// Lines of it that are scrolled away.
    pub scrolled: usize,
}
