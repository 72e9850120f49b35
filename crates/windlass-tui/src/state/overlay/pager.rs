//! A text to read: styled lines, wrapped to the screen, with a search.
//!
//! Lines carry roles, not colours: a text outlives a change of the theme.

use unicode_segmentation::UnicodeSegmentation as _;

use super::Overlay;
use crate::text::{clean, width};
use crate::theme::Role;

/// What a text is: decides which keys it has of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PagerKind {
    /// Just a text.
    #[default]
    Plain,
    /// The files of the project, which can be added to the next message (Z-26).
    Context,
}

/// A text to read.
#[derive(Debug, Default)]
pub struct Pager {
    /// What kind.
    pub kind: PagerKind,
    /// What it is called.
    pub title: String,
    /// Its lines.
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
    /// What goes with the next message, if the user wants it: what it is called, and the text.
    pub matter: Option<(String, String)>,
    /// What it lies on.
    pub under: Option<Box<Overlay>>,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StyledLine(pub Vec<Piece>);

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it means.
    pub role: Role,
    /// What it says: harmless.
    pub text: String,
}

/// A row of the screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PagerRow {
    /// Its pieces.
    pub pieces: Vec<Piece>,
    /// Whether something of it was searched for.
    pub is_found: bool,
}

impl Piece {
    /// A piece; a text from anywhere becomes harmless.
    pub fn new(role: Role, text: &str) -> Self {
        Self { role, text: clean(text).replace('\n', " ") }
    }
}

impl StyledLine {
    /// A line of one piece.
    pub fn new(role: Role, text: &str) -> Self {
        Self(vec![Piece::new(role, text)])
    }

    /// With one more piece.
    #[must_use]
    pub fn and(mut self, role: Role, text: &str) -> Self {
        self.0.push(Piece::new(role, text));
        self
    }

    /// The lines of a text.
    pub fn all(role: Role, text: &str) -> Vec<Self> {
        clean(text).lines().map(|line| Self::new(role, line)).collect()
    }

    /// What it says.
    pub fn text(&self) -> String {
        self.0.iter().map(|piece| piece.text.as_str()).collect()
    }
}

impl Pager {
    /// A text.
    pub fn new(title: impl Into<String>, lines: Vec<StyledLine>) -> Self {
        Self { title: title.into(), lines, ..Self::default() }
    }

    /// Its rows, so many columns wide.
    pub fn rows(&self, columns: usize) -> Vec<PagerRow> {
        let wanted = self.search.as_deref().map(str::to_lowercase).filter(|search| !search.is_empty());
        let mut rows = Vec::new();
        for line in &self.lines {
            let pieces = match &wanted {
                Some(wanted) => mark(line, wanted),
                None => line.0.clone(),
            };
            rows.extend(wrap_pieces(&pieces, columns).into_iter().map(|pieces| {
                let is_found = wanted.is_some() && pieces.iter().any(|piece| piece.role == Role::Chosen);
                PagerRow { pieces, is_found }
            }));
        }
        rows
    }

    /// Scrolls; both ends hold.
    pub fn scroll(&mut self, rows: isize, columns: usize, height: usize) {
        let last = self.rows(columns).len().saturating_sub(height);
        self.scrolled = self.scrolled.saturating_add_signed(rows).min(last);
    }

    /// Goes to the next place that was searched for, or to the one before; round the end. Whether there is one.
    pub fn seek(&mut self, is_back: bool, from: usize, columns: usize, height: usize) -> bool {
        let rows = self.rows(columns);
        let places: Vec<usize> =
            rows.iter().enumerate().filter_map(|(at, row)| row.is_found.then_some(at)).collect();
        let place = if is_back {
            places.iter().rev().find(|at| **at < from).or(places.last())
        } else {
            places.iter().find(|at| **at >= from).or(places.first())
        };
        let Some(place) = place else { return false };
        self.scrolled = (*place).min(rows.len().saturating_sub(height));
        true
    }
}

/// A line in which every place that fits is a piece of its own. Only where case changes no length: elsewhere a
/// place would be marked that is none.
fn mark(line: &StyledLine, wanted: &str) -> Vec<Piece> {
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
            put(marked.last_mut(), if is_found { Role::Chosen } else { piece.role }, sign);
            at += sign.len();
        }
    }
    marked.concat()
}

/// A line on as many rows as it needs: broken after blanks where there are any, within words where not. What goes on
/// begins under the first word of its line.
pub fn wrap_pieces(pieces: &[Piece], columns: usize) -> Vec<Vec<Piece>> {
    let columns = columns.max(1);
    let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
    if width(&text) <= columns {
        return vec![pieces.to_vec()];
    }
    let indent = text.chars().take_while(|sign| *sign == ' ').count().min(columns / 2);
    let mut rows: Vec<Vec<Piece>> = vec![Vec::new()];
    let mut taken = 0;
    for piece in pieces {
        for word in piece.text.split_word_bounds() {
            let blank = word.trim().is_empty();
            if taken + width(word) > columns && taken > indent {
                rows.push(vec![Piece { role: Role::Text, text: " ".repeat(indent) }]);
                taken = indent;
                if blank {
                    continue;
                }
            }
            for sign in word.graphemes(true) {
                if taken + width(sign) > columns && taken > indent {
                    rows.push(vec![Piece { role: Role::Text, text: " ".repeat(indent) }]);
                    taken = indent;
                }
                taken += width(sign);
                put(rows.last_mut(), piece.role, sign);
            }
        }
    }
    rows
}

fn put(row: Option<&mut Vec<Piece>>, role: Role, sign: &str) {
    let Some(row) = row else { return };
    match row.last_mut() {
        Some(last) if last.role == role => last.text.push_str(sign),
        Some(_) | None => row.push(Piece { role, text: sign.to_owned() }),
    }
}

#[cfg(test)]
#[path = "pager_tests.rs"]
mod tests;
