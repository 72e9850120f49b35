//! Colours of code, line by line.

use crate::theme::Role;

/// Colours the lines of a piece of code, in order.
#[derive(Debug, Clone)]
pub struct Highlighter {}

impl Highlighter {
    /// For a language by any of its names.
    pub fn new(_language: &str) -> Self {
        Self {}
    }

    /// Colours the next line.
    pub fn line<'t>(&mut self, line: &'t str) -> Vec<(&'t str, Role)> {
        vec![(line, Role::Text)]
    }
}
