//! The message that is being written: its text, what was sent before, what was pasted, what can complete it.
//!
//! The widget's text area is the editing engine (text, cursor, undo, yank); how its text falls into rows is `rows`'
//! business, because keys need to know it before anything is drawn.

pub mod history;
pub mod pastes;
pub mod popup;
pub mod rows;

use ratatui_textarea::{CursorMove, DataCursor, TextArea};
use unicode_segmentation::UnicodeSegmentation as _;

use history::{HistoryLookup, HistoryWalk};
use pastes::Pastes;
use popup::{Popup, ProjectPaths, TypedToken};
use rows::ComposerRow;

/// Changes that can be undone, a letter each.
const UNDO_MAX: usize = 1_000;

/// Columns beside the text: the prompt before it, and one behind it in which a cursor stands after a full row.
pub const MARGIN_COLUMNS: u16 = 3;

/// Where messages are written.
#[derive(Debug)]
pub struct Composer {
    pub area: TextArea<'static>,
    /// What was sent before, oldest first.
    pub history: Vec<String>,
    /// Where in the history the text comes from.
    pub walk: HistoryWalk,
    /// What is looked for in the history.
    pub lookup: Option<HistoryLookup>,
    /// Long texts that stand in the message by name.
    pub pastes: Pastes,
    /// What the word at the cursor can become.
    pub popup: Option<Popup>,
    /// A word whose popup was closed stays alone.
    pub dismissed: Option<TypedToken>,
    /// Paths of the project, as far as they are known.
    pub paths: ProjectPaths,
    /// What was being written when a command was to be written first.
    aside: Option<String>,
    /// The column that moving up and down keeps to.
    pub goal_column: Option<usize>,
    /// Rows of the text that are scrolled away.
    pub scrolled: usize,
}

impl Composer {
    pub fn new(history: Vec<String>) -> Self {
        Self {
            area: empty_area(),
            history,
            walk: HistoryWalk::default(),
            lookup: None,
            pastes: Pastes::default(),
            popup: None,
            dismissed: None,
            paths: ProjectPaths::default(),
            aside: None,
            goal_column: None,
            scrolled: 0,
        }
    }

    /// What is written, with the names of what was pasted.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Whether nothing is written.
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Puts text back before what is written: it could not be sent.
    pub fn put_back(&mut self, text: &str) {
        let written = self.text();
        let mut folded = self.pastes.fold(text);
        if !written.is_empty() {
            folded.push_str("\n\n");
            folded.push_str(&written);
        }
        self.replace(&folded);
        self.walk = HistoryWalk::default();
    }

    /// Empties it; what was written, with what was pasted. What was set aside is in it then.
    pub fn take(&mut self) -> String {
        let text = self.pastes.unfold(&self.text());
        let yanked = self.area.yank_text();
        self.area = empty_area();
        self.area.set_yank_text(yanked);
        self.walk = HistoryWalk::default();
        self.lookup = None;
        self.popup = None;
        self.dismissed = None;
        self.goal_column = None;
        self.scrolled = 0;
        match self.aside.take() {
            Some(aside) => self.replace(&aside),
            None => self.pastes.forget_oldest(),
        }
        text
    }

    /// Writes something that goes first; what is written comes back when it is gone.
    pub fn set_aside_for(&mut self, text: &str) {
        let written = self.text();
        if !written.trim().is_empty() {
            self.aside = Some(written);
        }
        self.replace(text);
    }

    /// Whether keys choose something: from the list over the message, or from the history.
    pub fn is_choosing(&self) -> bool {
        self.popup.is_some() || self.lookup.is_some()
    }

    /// Writes another text in place of what is written, which can be undone. The cursor is behind it.
    pub fn replace(&mut self, text: &str) {
        self.area.select_all();
        self.area.insert_str(text);
        self.area.cancel_selection();
        self.popup = None;
        self.goal_column = None;
    }

    /// Writes at the cursor, under a name if it is long.
    pub fn insert(&mut self, text: &str) {
        if pastes::is_long(text) {
            let name = self.pastes.keep(text);
            self.area.insert_str(name);
        } else {
            self.area.insert_str(text);
        }
    }

    /// The line of the cursor, and how many characters of it are before the cursor.
    pub fn cursor(&self) -> (usize, usize) {
        let DataCursor(line, column) = self.area.cursor();
        (line, column)
    }

    /// A line of the text.
    pub fn line(&self, line: usize) -> &str {
        self.area.lines().get(line).map_or("", String::as_str)
    }

    /// What is on the line of the cursor before and behind it.
    pub fn around_cursor(&self) -> (&str, &str) {
        let (line, column) = self.cursor();
        let line = self.line(line);
        let at = line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
        line.split_at_checked(at).unwrap_or((line, ""))
    }

    /// Puts the cursor somewhere.
    pub fn go_to(&mut self, line: usize, column: usize) {
        let short = |place: usize| u16::try_from(place).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(short(line), short(column)));
    }

    /// Puts the cursor one sign on, whatever number of characters it is made of.
    pub fn go_right(&mut self) {
        let (line, column) = self.cursor();
        match self.around_cursor().1.graphemes(true).next().map(|sign| sign.chars().count()) {
            Some(signs) => self.go_to(line, column + signs),
            None => self.area.move_cursor(CursorMove::Forward),
        }
    }

    /// Puts the cursor one sign back.
    pub fn go_left(&mut self) {
        let (line, column) = self.cursor();
        match self.around_cursor().0.graphemes(true).next_back().map(|sign| sign.chars().count()) {
            Some(signs) => self.go_to(line, column - signs),
            None => self.area.move_cursor(CursorMove::Back),
        }
    }

    /// Takes away the sign before the cursor; the name of a paste is one.
    pub fn erase_left(&mut self) {
        let before = self.around_cursor().0;
        let name = self.pastes.name_at_end(before).map(|name| name.chars().count());
        let sign = before.graphemes(true).next_back().map(|sign| sign.chars().count());
        match name.or(sign) {
            Some(signs) => self.erase_before(signs),
            None => {
                self.area.delete_newline();
            }
        }
    }

    /// Takes away the sign behind the cursor.
    pub fn erase_right(&mut self) {
        match self.around_cursor().1.graphemes(true).next().map(|sign| sign.chars().count()) {
            Some(signs) => self.erase_behind(signs),
            None => {
                self.area.delete_next_char();
            }
        }
    }

    fn erase_before(&mut self, signs: usize) {
        let (line, column) = self.cursor();
        self.go_to(line, column.saturating_sub(signs));
        self.erase_behind(signs);
    }

    /// What is taken away sign by sign is no cut: it does not replace what was cut before.
    fn erase_behind(&mut self, signs: usize) {
        let yanked = self.area.yank_text();
        self.area.delete_str(signs);
        self.area.set_yank_text(yanked);
    }

    /// Writes something in place of a word.
    pub fn replace_token(&mut self, token: TypedToken, text: &str) {
        self.go_to(token.line, token.start);
        self.erase_behind(token.end.saturating_sub(token.start));
        self.area.insert_str(text);
    }

    /// How the text falls into rows.
    pub fn rows(&self, columns: usize) -> Vec<ComposerRow> {
        rows::lay_out(self.area.lines(), columns)
    }

    /// The row of the cursor among `rows`, and its column.
    pub fn cursor_cell(&self, rows: &[ComposerRow], columns: usize) -> (usize, usize) {
        let (line, column) = self.cursor();
        rows::cell_of(rows, self.area.lines(), line, column, columns)
    }

    /// Puts the cursor into the row above or below; whether there is one.
    pub fn go_to_row(&mut self, goes_down: bool, columns: usize) -> bool {
        let rows = self.rows(columns);
        let (at, column) = self.cursor_cell(&rows, columns);
        let goal = self.goal_column.unwrap_or(column);
        let next = if goes_down { at.checked_add(1) } else { at.checked_sub(1) };
        let Some(row) = next.and_then(|next| rows.get(next)) else { return false };
        let column = rows::column_at(row, self.line(row.line), goal);
        self.go_to(row.line, column);
        self.goal_column = Some(goal);
        true
    }
}

fn empty_area() -> TextArea<'static> {
    let mut area = TextArea::default();
    area.set_max_histories(UNDO_MAX);
    area
}

/// Columns for the text of a message on a screen that is so wide.
pub fn text_columns(screen_columns: u16) -> usize {
    usize::from(screen_columns.saturating_sub(MARGIN_COLUMNS)).max(1)
}

/// Rows for the text of a message at most on a screen that is so high: the rest belongs to the transcript.
pub fn text_rows_max(screen_rows: u16) -> usize {
    usize::from(screen_rows / 3).max(1)
}

/// Rows that are scrolled away so that a row is seen, as near to what it was as possible.
pub fn scrolled_to(scrolled: usize, row: usize, rows: usize, height: usize) -> usize {
    let most = rows.saturating_sub(height);
    scrolled.clamp(row.saturating_sub(height.saturating_sub(1)), row).min(most)
}
