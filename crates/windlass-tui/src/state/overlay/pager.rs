//! A text to read: styled lines, wrapped to the screen, with a search.
//!
//! Lines carry roles, not colours: a text outlives a change of the theme.

use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation as _;

use super::{Overlay, OverlayBox};
use crate::effect::MessageBackground;
use crate::text::{clean, wrap_spans};
use crate::theme::{TextRole, Theme};

/// What a text is: decides which keys it has of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PagerKind {
    #[default]
    Plain,
    /// The files of the project, which can be added to the next message (Z-26).
    Context,
}

/// A text to read.
#[derive(Debug, Default)]
pub struct Pager {
    pub kind: PagerKind,
    /// What it is called.
    pub title: String,
    pub lines: Vec<StyledLine>,
    /// Rows that are scrolled away.
    pub scrolled: usize,
    /// Whether its lines are still to come.
    pub is_loading: bool,
    /// What is searched for; nothing while nothing is.
    pub search: Option<String>,
    /// Whether the search is being typed.
    pub is_searching: bool,
    /// What its own keys do.
    pub actions: &'static [super::Action],
    /// What can be added to the next message.
    pub background: Option<MessageBackground>,
    /// What it lies on.
    pub under: Option<Box<Overlay>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StyledLine(pub Vec<StyledPiece>);

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StyledPiece {
    pub role: TextRole,
    /// What it says: harmless.
    pub text: String,
}

/// A row of the screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PagerRow {
    /// What is on it.
    pub line: Line<'static>,
    /// Whether something of it was searched for.
    pub is_found: bool,
}

impl StyledPiece {
    /// A piece; a text from anywhere becomes harmless.
    pub fn new(role: TextRole, text: &str) -> Self {
        Self { role, text: clean(text).replace('\n', " ") }
    }
}

impl StyledLine {
    /// A line of one piece.
    pub fn new(role: TextRole, text: &str) -> Self {
        Self(vec![StyledPiece::new(role, text)])
    }

    /// With one more piece.
    #[must_use]
    pub fn and(mut self, role: TextRole, text: &str) -> Self {
        self.0.push(StyledPiece::new(role, text));
        self
    }

    /// The lines of a text.
    pub fn all(role: TextRole, text: &str) -> Vec<Self> {
        clean(text).lines().map(|line| Self::new(role, line)).collect()
    }

    /// Its rows, so many columns wide.
    pub fn rows(&self, columns: usize, theme: Theme) -> Vec<Line<'static>> {
        wrap(&self.0, columns, theme)
    }

    pub fn text(&self) -> String {
        self.0.iter().map(|piece| piece.text.as_str()).collect()
    }
}

impl Pager {
    pub fn new(title: impl Into<String>, lines: Vec<StyledLine>) -> Self {
        Self { title: title.into(), lines, ..Self::default() }
    }

    /// Its rows, so many columns wide.
    pub fn rows(&self, columns: usize, theme: Theme) -> Vec<PagerRow> {
        let wanted = self.search.as_deref().map(str::to_lowercase).filter(|search| !search.is_empty());
        let found = theme.style(TextRole::Chosen);
        let mut rows = Vec::new();
        for line in &self.lines {
            let lines = match &wanted {
                Some(wanted) => wrap(&mark(line, wanted), columns, theme),
                None => line.rows(columns, theme),
            };
            rows.extend(lines.into_iter().map(|line| {
                let is_found = wanted.is_some() && line.spans.iter().any(|span| span.style == found);
                PagerRow { line, is_found }
            }));
        }
        rows
    }

    /// Scrolls; both ends hold.
    pub fn scroll(&mut self, rows: isize, room: OverlayBox, theme: Theme) {
        let last = self.rows(room.text_columns(), theme).len().saturating_sub(room.text_rows());
        self.scrolled = self.scrolled.saturating_add_signed(rows).min(last);
    }

    /// Goes to the next place that was searched for, or to the one before; round the end. Whether there is one.
    pub fn seek(&mut self, is_back: bool, from: usize, room: OverlayBox, theme: Theme) -> bool {
        let rows = self.rows(room.text_columns(), theme);
        let places: Vec<usize> =
            rows.iter().enumerate().filter_map(|(at, row)| row.is_found.then_some(at)).collect();
        let place = if is_back {
            places.iter().rev().find(|at| **at < from).or(places.last())
        } else {
            places.iter().find(|at| **at >= from).or(places.first())
        };
        let Some(place) = place else { return false };
        self.scrolled = (*place).min(rows.len().saturating_sub(room.text_rows()));
        true
    }
}

/// A line in which every place that fits is a piece of its own. Only where case changes no length: elsewhere a
/// place would be marked that is none.
fn mark(line: &StyledLine, wanted: &str) -> Vec<StyledPiece> {
    let text = line.text();
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return line.0.clone();
    }
    let places: Vec<_> = lower.match_indices(wanted).map(|(at, found)| at..at + found.len()).collect();
    let (mut marked, mut at) = (vec![Vec::new()], 0);
    for piece in &line.0 {
        for sign in piece.text.graphemes(true) {
            let is_found = places.iter().any(|place| place.contains(&at));
            put(marked.last_mut(), if is_found { TextRole::Chosen } else { piece.role }, sign);
            at += sign.len();
        }
    }
    marked.concat()
}

/// A line on as many rows as it needs; what goes on begins under the first word of its line.
fn wrap(pieces: &[StyledPiece], columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
    let blanks = text.len() - text.trim_start_matches(' ').len();
    let indent = [Span::raw(" ".repeat(blanks.min(columns / 2)))];
    let mut spans: Vec<Span<'_>> =
        pieces.iter().map(|piece| Span::styled(piece.text.as_str(), theme.style(piece.role))).collect();
    for span in &mut spans {
        let is_blank = span.content.trim_start_matches(' ').is_empty();
        span.content = span.content.trim_start_matches(' ').to_owned().into();
        if !is_blank {
            break;
        }
    }
    wrap_spans(&spans, columns.max(1), &indent, &indent)
}

fn put(row: Option<&mut Vec<StyledPiece>>, role: TextRole, sign: &str) {
    let Some(row) = row else { return };
    match row.last_mut() {
        Some(last) if last.role == role => last.text.push_str(sign),
        Some(_) | None => row.push(StyledPiece { role, text: sign.to_owned() }),
    }
}

#[cfg(test)]
#[path = "pager_tests.rs"]
mod tests;
