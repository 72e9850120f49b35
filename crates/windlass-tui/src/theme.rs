//! Colours and weights, by what they mean. No other file names a colour.
//!
//! Meaning is never carried by colour alone: the plain theme has none, and nothing is lost with it.

use ratatui::style::{Color, Modifier, Style};

/// Which theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThemeKind {
    /// For terminals with a dark ground.
    #[default]
    Dark,
    /// For terminals with a light ground.
    Light,
    /// Without colour (`NO_COLOR`).
    Plain,
}

impl ThemeKind {
    /// All of them.
    pub const ALL: [ThemeKind; 3] = [ThemeKind::Dark, ThemeKind::Light, ThemeKind::Plain];

    /// The word of commands and configuration.
    pub fn word(self) -> &'static str {
        match self {
            ThemeKind::Dark => "dark",
            ThemeKind::Light => "light",
            ThemeKind::Plain => "plain",
        }
    }

    /// Reads the word.
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
pub enum Role {
    /// Ordinary text.
    Text,
    /// Beside the point: times, hints, frames.
    Muted,
    /// The one colour of the house: marks, the cursor's place, links.
    Accent,
    /// Worth reading first.
    Strong,
    /// Went well.
    Good,
    /// Needs a look.
    Warn,
    /// Went wrong.
    Bad,
    /// What the user said.
    User,
    /// The row that is chosen.
    Chosen,
    /// A heading.
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

impl Role {
    /// All of them.
    pub const ALL: [Role; 19] = [
        Role::Text,
        Role::Muted,
        Role::Accent,
        Role::Strong,
        Role::Good,
        Role::Warn,
        Role::Bad,
        Role::User,
        Role::Chosen,
        Role::Heading,
        Role::Code,
        Role::Keyword,
        Role::Literal,
        Role::Number,
        Role::Comment,
        Role::Name,
        Role::Added,
        Role::Removed,
        Role::Place,
    ];
}

/// A theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Theme {
    kind: ThemeKind,
}

impl Theme {
    /// The theme of a kind.
    pub fn new(kind: ThemeKind) -> Self {
        Self { kind }
    }

    /// Its kind.
    pub fn kind(self) -> ThemeKind {
        self.kind
    }

    /// How a role looks.
    pub fn style(self, role: Role) -> Style {
        let style = match role {
            Role::Strong | Role::Heading => Style::new().add_modifier(Modifier::BOLD),
            Role::Chosen => Style::new().add_modifier(Modifier::REVERSED),
            Role::Muted | Role::Comment if self.kind == ThemeKind::Plain => {
                Style::new().add_modifier(Modifier::DIM)
            }
            Role::Accent if self.kind == ThemeKind::Plain => Style::new().add_modifier(Modifier::BOLD),
            _ => Style::new(),
        };
        match self.colour(role) {
            Some(colour) => style.fg(colour),
            None => style,
        }
    }

    /// Of the 256 that every terminal of this century has: nobody's own palette makes them unreadable.
    fn colour(self, role: Role) -> Option<Color> {
        let (dark, light) = match role {
            Role::Text | Role::Strong | Role::Chosen => return None,
            Role::Muted | Role::Comment => (246, 242),
            Role::Accent | Role::Heading => (80, 23),
            Role::Good | Role::Added => (114, 22),
            Role::Warn | Role::Number => (221, 94),
            Role::Bad | Role::Removed => (210, 160),
            Role::User => (111, 25),
            Role::Code | Role::Literal => (180, 58),
            Role::Keyword => (176, 90),
            Role::Name => (117, 24),
            Role::Place => (147, 61),
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
