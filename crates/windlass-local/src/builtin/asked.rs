//! What the words of a request allow the built-in model to do, whatever its weights prefer.
//!
//! Reading is free. What writes, runs, sends or makes something is in the grammar only where the request's own words
//! ask for it, in English; a question about such a thing, a quotation of it or a prohibition asks for nothing.
//! Knows words and names of tools; not the model, and no outcome.

use std::sync::Arc;

use super::asked_commands::{asks_output, asks_to_run};
use super::asked_files::{asks_to_write, files_of, urls_of};
use super::edit::EditWish;
use super::english::{ADDS, AGAIN, FOLLOW, HERE, IMAGES, MAKES, READS, SEARCHES, STATES, TASKS, WEB};
use super::numbers::Numbers;
use super::sentence::{
    asks_at, clauses, forbids, forbids_web, from_lead, is_about, is_english, is_like, is_mark, is_question,
};
use super::things::count_things;
use super::words::{EnglishWord, WordKind, words};

/// What a request allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RequestScope {
    /// Tools with effects that its words ask for.
    effects: Vec<&'static str>,
    /// How many things it asks for, at least one.
    pub(super) things: usize,
    /// Files that it names, for what is written.
    pub(super) files: Vec<String>,
    /// Addresses that it names.
    pub(super) urls: Vec<String>,
    /// A change inside a file that it wants.
    pub(super) edit: EditWish,
    /// Whether it says to write a file, not only to make one: then one that exists may be replaced.
    pub(super) may_overwrite: bool,
    /// Whether it wants what the one before it wanted, once more.
    pub(super) is_again: bool,
    has_numbers: bool,
}

impl RequestScope {
    /// What the last of these messages of the user allows; the one before it counts where the last leans on it.
    pub(super) fn of(texts: &[Arc<str>]) -> Self {
        let Some((present, earlier)) = texts.split_last() else { return Self::default() };
        let mut asked = Self::of_text(present);
        let present_words = words(present);
        let leans = present_words.iter().any(|word| word.is_any(FOLLOW)) || present_words.len() <= 4;
        asked.is_again = present_words.iter().any(|word| word.is_any(AGAIN));
        if let Some(before) = earlier.last().filter(|_| leans && !forbids(&present_words)) {
            asked.lean_on(&Self::of_text(before), &present_words);
        }
        asked
    }

    /// Takes over what the request before this one asked: never a file that is written, which its own words must name.
    fn lean_on(&mut self, before: &Self, present: &[EnglishWord]) {
        let speaks_anew = present.iter().any(|word| word.is_any(READS) && !word.is_any(FOLLOW));
        if self.effects.is_empty() && !speaks_anew {
            let taken = before.effects.iter().filter(|tool| **tool != "write_file");
            self.effects.extend(taken);
        }
        self.has_numbers |= before.has_numbers;
        if self.urls.is_empty() {
            self.urls.clone_from(&before.urls);
        }
    }

    fn of_text(text: &str) -> Self {
        let words = words(text);
        let numbers = Numbers::of(std::iter::once(text));
        let mut asked = Self {
            things: count_things(&words),
            files: files_of(&words),
            urls: urls_of(&words),
            has_numbers: !numbers.written.is_empty() || !numbers.places.is_empty(),
            ..Self::default()
        };
        if !is_english(&words) {
            asked.urls.clear();
            return asked;
        }
        let is_free = !forbids(&words);
        let clauses = clauses(&words);
        let asks = || clauses.iter().copied().filter(|words| !is_about(words));
        let wishes = words.iter().all(|word| !is_mark(word, &["?"]));
        if is_free {
            asked.edit = edit_of(text, asked.things, asks());
            if asked.edit == EditWish::None
                && !asked.files.is_empty()
                && asks().any(|sentence| asks_to_write(sentence, wishes))
            {
                asked.effects.push("write_file");
                asked.may_overwrite = !words.iter().any(|word| is_like(word, MAKES));
            }
            let is_prompt = words.first().is_some_and(|word| is_mark(word, &["!"]));
            let runs = asks().any(|sentence| asks_to_run(sentence, &words));
            if is_prompt || runs || clauses.iter().any(|words| asks_output(words)) {
                asked.effects.push("execute_command");
            }
        }
        asked.read_small(&clauses, &words);
        asked
    }

    /// Effects that change no file: tasks, pictures, the web.
    fn read_small(&mut self, sentences: &[&[EnglishWord]], words: &[EnglishWord]) {
        let plain = || sentences.iter().copied().filter(|words| !is_question(words));
        let has = |words: &[EnglishWord], list: &[&str]| words.iter().any(|word| is_like(word, list));
        let all: Vec<&EnglishWord> = plain().flatten().collect();
        let any = |list: &[&str]| all.iter().any(|word| is_like(word, list));
        let is_of_tasks =
            any(TASKS) && !all.windows(2).any(|pair| matches!(pair, [a, b] if a.is("list") && b.is("of")));
        let only_looks =
            plain().any(|words| from_lead(words).first().is_some_and(|word| is_like(word, READS)));
        // `I must call Ada, add it`: what else would be added.
        let is_sum = self.has_numbers || !self.files.is_empty();
        let adds = |clause: &[EnglishWord]| {
            (0..).zip(clause).any(|(at, word)| word.is_any(&["add", "note", "track"]) && asks_at(clause, at))
        };
        let adds_more = !is_sum && plain().any(adds);
        if adds_more || begins_as_task(words) || (is_of_tasks && (any(ADDS) || !only_looks)) {
            self.effects.push("add_task");
        }
        let names_task =
            words.iter().any(|word| word.text.to_lowercase().contains("task") || is_like(word, TASKS));
        let names_state =
            words.iter().any(|word| matches!(word.text.as_str(), "in_progress" | "in-progress"));
        if (names_task || self.has_numbers) && (any(STATES) || names_state) {
            self.effects.push("update_task");
        }
        if any(IMAGES) || plain().any(makes_something) {
            self.effects.push("generate_image");
        }
        let names_own = words
            .iter()
            .any(|word| word.is_any(HERE) || matches!(word.kind, WordKind::Name | WordKind::Quoted));
        if (has(words, WEB) || (has(words, SEARCHES) && !names_own)) && !forbids_web(words) {
            self.effects.push("web_search");
        }
        if !self.urls.is_empty() && !forbids_web(words) {
            self.effects.push("fetch_url");
        }
    }

    /// Whether a tool is among what the words ask for; `called` says how often it was called for this request.
    pub(super) fn allows(&self, tool: &str, called: usize) -> bool {
        match tool {
            "get_current_time"
            | "get_file_tree"
            | "list_tasks"
            | "rag_search"
            | "read_file"
            | "request_code_context"
            | "search_text"
            | "system_stats" => true,
            "calculate" => self.has_numbers,
            other => self.effects.contains(&other) && called < self.things,
        }
    }
}

/// The change inside a file that a request wants. One among several things is not made: in which order is not said.
fn edit_of<'a>(text: &str, things: usize, mut asks: impl Iterator<Item = &'a [EnglishWord]>) -> EditWish {
    let wish = |sentence: &'a [EnglishWord]| {
        let place =
            sentence.first().zip(sentence.last()).map(|(first, last)| first.place.start..last.place.end);
        EditWish::of(place.and_then(|place| text.get(place)).unwrap_or_default())
    };
    let whole = asks.find_map(|sentence| Some(wish(sentence)).filter(|wish| *wish != EditWish::None));
    match whole {
        Some(EditWish::Clear(_)) if things > 1 => EditWish::Unclear,
        Some(wish) => wish,
        None => EditWish::None,
    }
}

/// `todo: …`, `task …`.
fn begins_as_task(words: &[EnglishWord]) -> bool {
    from_lead(words)
        .first()
        .is_some_and(|word| word.is_any(&["task", "todo", "to-do", "reminder", "remember", "tasks"]))
        || from_lead(words).get(..2).is_some_and(|pair| matches!(pair, [a, b] if a.is("to") && b.is("do")))
}

/// `make a fox in the snow`: something is to be made, and nothing of this machine is named.
fn makes_something(clause: &[EnglishWord]) -> bool {
    let makes = |(at, word): (usize, &EnglishWord)| {
        word.is_any(&["make", "create", "generate", "produce", "design", "genrate"]) && asks_at(clause, at)
    };
    (0..).zip(clause).any(makes)
        && !clause.iter().any(|word| word.kind == WordKind::Name || word.is_any(HERE))
}

#[cfg(test)]
#[path = "asked_tests.rs"]
mod tests;
