//! What was sent before: walking through it and looking for something in it. What was changed on the way stays until
//! the message is sent, the draft first of all.

use std::collections::BTreeMap;

use super::Composer;

/// Entries of history that are kept while the app runs.
const ENTRIES_MAX: usize = 2_000;

/// Where in the history the text comes from.
#[derive(Debug, Clone, Default)]
pub struct HistoryWalk {
    /// The entry that is shown; nothing while it is the draft.
    pub at: Option<usize>,
    /// What was written over entries and, behind the last of them, the draft.
    written: BTreeMap<usize, String>,
    /// Whether nothing was done since the entry came: then Up and Down walk on from any row.
    pub is_fresh: bool,
}

/// What is looked for in the history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryLookup {
    pub query: String,
    /// The entry that holds them.
    pub found: Option<usize>,
}

impl Composer {
    /// Adds an entry, unless it is the last one again; whether it did.
    pub fn keep_in_history(&mut self, text: &str) -> bool {
        if self.history.last().is_some_and(|last| last == text) {
            return false;
        }
        if self.history.len() >= ENTRIES_MAX {
            self.history.remove(0);
        }
        self.history.push(text.to_owned());
        true
    }

    /// Shows the entry before the one that is shown; whether there is one.
    pub fn walk_back(&mut self) -> bool {
        let at = self.walk.at.unwrap_or(self.history.len());
        match at.checked_sub(1) {
            Some(older) => {
                self.walk_to(at, older);
                true
            }
            None => false,
        }
    }

    /// Shows the entry behind the one that is shown, or the draft; whether there is one.
    pub fn walk_on(&mut self) -> bool {
        match self.walk.at {
            Some(at) => {
                self.walk_to(at, at + 1);
                true
            }
            None => false,
        }
    }

    fn walk_to(&mut self, from: usize, to: usize) {
        let text = self.text();
        let entry = self.history.get(from).cloned();
        if entry.map(|entry| self.pastes.fold(&entry)).is_none_or(|entry| entry != text) {
            self.walk.written.insert(from, text);
        }
        let shown = match self.walk.written.get(&to) {
            Some(written) => written.clone(),
            None => {
                let entry = self.history.get(to).cloned().unwrap_or_default();
                self.pastes.fold(&entry)
            }
        };
        self.replace(&shown);
        self.walk.at = (to < self.history.len()).then_some(to);
        self.walk.is_fresh = true;
    }

    /// Looks for the newest entry before `before` that holds what is looked for and is not what is shown already.
    pub fn look_back(&mut self, before: usize) {
        let Some(lookup) = self.lookup.as_ref() else { return };
        let shown = lookup.found.and_then(|found| self.history.get(found));
        let query = lookup.query.to_lowercase();
        let found = self.history.iter().enumerate().take(before).rfind(|(_, entry)| {
            entry.to_lowercase().contains(&query) && shown.is_none_or(|shown| shown != *entry)
        });
        let found = found.map(|(place, _)| place);
        if let Some(lookup) = self.lookup.as_mut() {
            // The last one that was found stays on the screen when there is none before it.
            lookup.found = found.or(lookup.found);
        }
    }

    /// Looks for the oldest entry behind the one that is shown.
    pub fn look_on(&mut self) {
        let Some(HistoryLookup { query, found: Some(at) }) = self.lookup.clone() else { return };
        let shown = self.history.get(at).cloned();
        let query = query.to_lowercase();
        let found = self.history.iter().enumerate().skip(at + 1).find(|(_, entry)| {
            entry.to_lowercase().contains(&query) && shown.as_ref().is_none_or(|shown| shown != *entry)
        });
        if let (Some((place, _)), Some(lookup)) = (found, self.lookup.as_mut()) {
            lookup.found = Some(place);
        }
    }

    /// Looks from the newest entry on, as what is looked for has changed.
    pub fn look_anew(&mut self) {
        if let Some(lookup) = self.lookup.as_mut() {
            lookup.found = None;
        }
        if self.lookup.as_ref().is_some_and(|lookup| !lookup.query.is_empty()) {
            self.look_back(self.history.len());
        }
    }

    /// The entry that was found.
    pub fn looked_up(&self) -> Option<&str> {
        let found = self.lookup.as_ref()?.found?;
        self.history.get(found).map(String::as_str)
    }
}
