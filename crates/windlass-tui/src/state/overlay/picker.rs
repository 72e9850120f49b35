//! A list to choose from, with a filter.

use super::Overlay;
use crate::fuzzy::Pattern;

/// What is chosen in a list: decides what choosing does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PickerKind {
    /// Commands of the app.
    #[default]
    Commands,
    /// Models for the next run.
    Models,
    /// Profiles for the next run.
    Profiles,
    /// What runs without asking.
    Modes,
    /// Looks of the app.
    Themes,
    /// Tools to read about.
    Tools,
    Rules,
    Sessions,
    /// Runs that have not ended.
    Unfinished,
    /// Steps of a run from which to fork.
    Steps,
    /// What a search found.
    Hits,
}

#[derive(Debug, Default)]
pub struct Picker {
    pub kind: PickerKind,
    /// What it is called.
    pub title: String,
    /// What was typed to narrow it.
    pub filter: String,
    /// Whether letters go into the filter although the list has keys of its own.
    pub is_filtering: bool,
    rows: Vec<PickerRow>,
    /// The rows that fit the filter, best first.
    fitting: Vec<usize>,
    /// Which of those is chosen.
    chosen: usize,
    /// Answers that have not come yet.
    pub pending: usize,
    /// What is said when there are no rows.
    pub empty: String,
    /// What went wrong when the rows were fetched.
    pub problem: Option<String>,
    /// What Enter does, in a word.
    pub verb: &'static str,
    /// What its own keys do.
    pub actions: &'static [Action],
    /// What the list is about: what was searched for, whose steps these are.
    pub about: String,
    /// What it lies on.
    pub under: Option<Box<Overlay>>,
}

/// A key of a list's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Action {
    /// The key; with Ctrl it is heard also while the filter is typed.
    pub key: char,
    /// The key, as it is shown.
    pub name: &'static str,
    /// What it does, in a word.
    pub verb: &'static str,
}

/// A row of a list. Its texts may come from anywhere: the view cleans them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PickerRow {
    /// What it stands for.
    pub id: String,
    /// What it is called.
    pub label: String,
    /// What there is to know.
    pub detail: String,
    /// A word or two at the right.
    pub badge: String,
    /// Whether it is the one that holds now.
    pub is_current: bool,
}

impl Picker {
    /// A list of which the rows are known.
    pub fn new(kind: PickerKind, title: impl Into<String>, rows: Vec<PickerRow>) -> Self {
        let mut picker = Self {
            kind,
            title: title.into(),
            verb: "choose",
            empty: "nothing here".into(),
            ..Self::default()
        };
        picker.set_rows(rows);
        picker
    }

    /// A list whose rows are still to come.
    pub fn loading(kind: PickerKind, title: impl Into<String>) -> Self {
        Self { pending: 1, ..Self::new(kind, title, Vec::new()) }
    }

    /// Says what Enter does, and what is said when there are no rows.
    #[must_use]
    pub fn with_words(mut self, verb: &'static str, empty: impl Into<String>) -> Self {
        (self.verb, self.empty) = (verb, empty.into());
        self
    }

    /// Gives it keys of its own: letters no longer go into the filter at once.
    #[must_use]
    pub fn with_actions(mut self, actions: &'static [Action]) -> Self {
        self.actions = actions;
        self
    }

    /// Whether a letter goes into the filter.
    pub fn takes_letters(&self) -> bool {
        self.actions.is_empty() || self.is_filtering
    }

    pub fn rows(&self) -> &[PickerRow] {
        &self.rows
    }

    /// The rows that fit, best first.
    pub fn fitting(&self) -> impl ExactSizeIterator<Item = &PickerRow> {
        // An index that is not there would be a row that is not shown: `refresh` makes them of the rows.
        self.fitting.iter().map(|at| self.rows.get(*at).unwrap_or(&NO_ROW))
    }

    /// The place of the chosen row among those that fit.
    pub fn chosen(&self) -> usize {
        self.chosen
    }

    pub fn chosen_row(&self) -> Option<&PickerRow> {
        self.fitting.get(self.chosen).and_then(|at| self.rows.get(*at))
    }

    /// Puts in all rows; the one that was chosen stays chosen, at first the one that holds now.
    pub fn set_rows(&mut self, rows: Vec<PickerRow>) {
        let kept = self.chosen_row().map(|row| row.id.clone());
        self.rows = rows;
        self.refresh();
        let is_kept = |row: &PickerRow| match &kept {
            Some(id) => row.id == *id,
            None => row.is_current,
        };
        let last = self.fitting.len().saturating_sub(1);
        let found = self.fitting().position(is_kept);
        self.chosen = found.unwrap_or_else(|| self.chosen.min(last));
    }

    /// Adds rows after those that are there.
    pub fn add_rows(&mut self, more: Vec<PickerRow>) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.extend(more);
        let kept = self.chosen;
        self.rows = rows;
        self.refresh();
        self.chosen = kept.min(self.fitting.len().saturating_sub(1));
    }

    pub fn set_filter(&mut self, filter: String) {
        self.filter = filter;
        self.refresh();
        self.chosen = 0;
    }

    /// Chooses another row, so many places away; the ends hold.
    pub fn step(&mut self, places: isize) {
        let last = self.fitting.len().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(places).min(last);
    }

    /// Chooses the first row, or the last.
    pub fn jump(&mut self, is_last: bool) {
        self.chosen = if is_last { self.fitting.len().saturating_sub(1) } else { 0 };
    }

    fn refresh(&mut self) {
        let filter = Filter::new(&self.filter);
        let mut fitting: Vec<(i32, usize)> =
            self.rows.iter().enumerate().filter_map(|(at, row)| Some((filter.fit(row)?, at))).collect();
        // The rows keep their order where they fit equally well.
        fitting.sort_by_key(|(points, _)| std::cmp::Reverse(*points));
        self.fitting = fitting.into_iter().map(|(_, at)| at).collect();
    }
}

/// What narrows a list.
struct Filter {
    pattern: Pattern,
    words: Vec<String>,
}

impl Filter {
    fn new(text: &str) -> Self {
        let words = text.split_whitespace().map(str::to_lowercase).collect();
        Self { pattern: Pattern::new(text), words }
    }

    /// What a row is called fits by its letters; what else is known of it only by whole words, since some letters are
    /// everywhere.
    fn fit(&self, row: &PickerRow) -> Option<i32> {
        if self.words.is_empty() {
            return Some(0);
        }
        let known = format!("{} {} {}", row.label, row.detail, row.badge).to_lowercase();
        let is_known = self.words.iter().all(|word| known.contains(word));
        self.pattern.score(&row.label).map(|points| points.max(1)).or(is_known.then_some(0))
    }
}

static NO_ROW: PickerRow = PickerRow {
    id: String::new(),
    label: String::new(),
    detail: String::new(),
    badge: String::new(),
    is_current: false,
};

impl PickerRow {
    pub fn new(id: impl Into<String>, label: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { id: id.into(), label: label.into(), detail: detail.into(), ..Self::default() }
    }

    /// With a word or two at the right.
    #[must_use]
    pub fn with_badge(mut self, badge: impl Into<String>) -> Self {
        self.badge = badge.into();
        self
    }

    /// Marked as the one that holds now.
    #[must_use]
    pub fn current(mut self, is_current: bool) -> Self {
        self.is_current = is_current;
        self
    }
}

#[cfg(test)]
#[path = "picker_tests.rs"]
mod tests;
