//! Colours and weights, by what they mean. No other file names a colour.
//!
//! Meaning is never carried by colour alone: the plain theme has none, and nothing is lost with it.

use ratatui::style::{Color, Modifier, Style};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThemeKind {
    /// For terminals with a dark background.
    #[default]
    Dark,
    /// For terminals with a light background.
    Light,
    /// Without colour (`NO_COLOR`).
    Plain,
}

impl ThemeKind {
    pub const ALL: [ThemeKind; 3] = [ThemeKind::Dark, ThemeKind::Light, ThemeKind::Plain];

    /// The word of commands and configuration.
    pub fn word(self) -> &'static str {
        match self {
            ThemeKind::Dark => "dark",
            ThemeKind::Light => "light",
            ThemeKind::Plain => "plain",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// The signs of something that goes on, one after the other.
const SPINNER: [&str; 4] = ["·", "•", "●", "•"];

/// How long each of them stands.
const SPINNER_MS: u64 = 200;

/// The sign of something that goes on, at a time.
pub fn spinner(now_ms: u64) -> &'static str {
    let at = usize::try_from(now_ms / SPINNER_MS).unwrap_or(0) % SPINNER.len();
    SPINNER.get(at).copied().unwrap_or("●")
}

/// What a piece of text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextRole {
    Text,
    /// Beside the point: times, hints, frames.
    Muted,
    /// The one colour of the house: marks, the cursor's place, links.
    Accent,
    Strong,
    Good,
    Warn,
    Bad,
    /// What the user said.
    User,
    /// The row that is chosen.
    Chosen,
    Heading,
    /// Code in a line of text.
    Code,
    /// A word of the language, in code.
    Keyword,
    /// A string, in code.
    Literal,
    /// A number or constant, in code.
    Number,
    /// A comment, in code.
    Comment,
    /// A name of a type or function, in code.
    Name,
    /// A line that is added.
    Added,
    /// A line that is removed.
    Removed,
    /// Where in a file a change is.
    Place,
}

impl TextRole {
    pub const ALL: [TextRole; 19] = [
        TextRole::Text,
        TextRole::Muted,
        TextRole::Accent,
        TextRole::Strong,
        TextRole::Good,
        TextRole::Warn,
        TextRole::Bad,
        TextRole::User,
        TextRole::Chosen,
        TextRole::Heading,
        TextRole::Code,
        TextRole::Keyword,
        TextRole::Literal,
        TextRole::Number,
        TextRole::Comment,
        TextRole::Name,
        TextRole::Added,
        TextRole::Removed,
        TextRole::Place,
    ];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Theme {
    kind: ThemeKind,
}

impl Theme {
    pub fn new(kind: ThemeKind) -> Self {
        Self { kind }
    }

    pub fn kind(self) -> ThemeKind {
        self.kind
    }

    /// How a role looks.
    pub fn style(self, role: TextRole) -> Style {
        let style = match role {
            TextRole::Strong | TextRole::Heading => Style::new().add_modifier(Modifier::BOLD),
            TextRole::Chosen => Style::new().add_modifier(Modifier::REVERSED),
            TextRole::Muted | TextRole::Comment if self.kind == ThemeKind::Plain => {
                Style::new().add_modifier(Modifier::DIM)
            }
            TextRole::Accent if self.kind == ThemeKind::Plain => Style::new().add_modifier(Modifier::BOLD),
            _ => Style::new(),
        };
        match self.colour(role) {
            Some(colour) => style.fg(colour),
            None => style,
        }
    }

    /// Of the 256 that every terminal of this century has: nobody's own palette makes them unreadable.
    fn colour(self, role: TextRole) -> Option<Color> {
        let (dark, light) = match role {
            TextRole::Text | TextRole::Strong | TextRole::Chosen => return None,
            TextRole::Muted | TextRole::Comment => (246, 242),
            TextRole::Accent | TextRole::Heading => (80, 23),
            TextRole::Good | TextRole::Added => (114, 22),
            TextRole::Warn | TextRole::Number => (221, 94),
            TextRole::Bad | TextRole::Removed => (210, 160),
            TextRole::User => (111, 25),
            TextRole::Code | TextRole::Literal => (180, 58),
            TextRole::Keyword => (176, 90),
            TextRole::Name => (117, 24),
            TextRole::Place => (147, 61),
        };
        match self.kind {
            ThemeKind::Dark => Some(Color::Indexed(dark)),
            ThemeKind::Light => Some(Color::Indexed(light)),
            ThemeKind::Plain => None,
        }
    }
}

#[cfg(test)]
#[path = "theme_tests.rs"]
mod tests;
