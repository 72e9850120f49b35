//! The message that is being written.

use ratatui_textarea::TextArea;

/// Where messages are written.
#[derive(Debug)]
pub struct Composer {
    /// The text.
    pub area: TextArea<'static>,
    /// What was sent before, oldest first.
    pub history: Vec<String>,
}

impl Composer {
    /// An empty one.
    pub fn new(history: Vec<String>) -> Self {
        Self { area: TextArea::default(), history }
    }

    /// What is written.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Whether nothing is written.
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Puts text back before what is written: it could not be sent.
    pub fn put_back(&mut self, text: &str) {
        let written = self.take();
        self.area.insert_str(text);
        if !written.is_empty() {
            self.area.insert_str(format!("\n\n{written}"));
        }
    }

    /// Empties it; what was written.
    pub fn take(&mut self) -> String {
        let text = self.text();
        self.area = TextArea::default();
        text
    }
}
