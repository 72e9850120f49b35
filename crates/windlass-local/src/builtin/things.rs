//! How many things a request asks for.

use super::english::{ADDS, FILLERS, FORBIDS, IMAGES, JOINTS, READS, RUNS, TASKS, WRITES};
use super::sentence::{is_end, is_like, is_mark};
use super::words::{EnglishWord, WordKind};

/// How many things a request asks for, at least one.
pub(super) fn count_things(words: &[EnglishWord]) -> usize {
    let mut count = ThingCount {
        speaks_of_tasks: words.iter().any(|word| is_like(word, TASKS)),
        ..ThingCount::default()
    };
    let (mut part, mut is_strong) = (Vec::new(), false);
    for word in words {
        let joins = word.is_any(JOINTS) || word.is("well") || word.text.ends_with("->");
        if joins || is_end(word) || word.is_any(&["and", "or"]) || is_mark(word, &[",", "&", "+"]) {
            count.end(&part, is_strong);
            part.clear();
            is_strong = joins;
        } else {
            part.push(word);
        }
    }
    count.end(&part, is_strong);
    count.things.max(1)
}

/// The counting of things, part by part.
#[derive(Default)]
struct ThingCount {
    speaks_of_tasks: bool,
    things: usize,
    /// The part before named something and did not say what to do with it.
    is_open: bool,
    /// It said where: `in a.txt, …`.
    is_place: bool,
}

impl ThingCount {
    fn end(&mut self, part: &[&EnglishWord], is_strong: bool) {
        let is_verb = |word: &&&EnglishWord| {
            is_like(word, READS)
                || is_like(word, RUNS)
                || is_like(word, WRITES)
                || word.is_any(ADDS)
                || word.is_any(IMAGES)
                || word.is_any(&["mark", "close", "finish"])
        };
        let is_sum = |word: &EnglishWord| {
            word.kind == WordKind::Number
                && (self.speaks_of_tasks || word.text.contains(['*', '/', '+', '-']))
        };
        let is_thing = |word: &&&EnglishWord| {
            matches!(word.kind, WordKind::Name | WordKind::Url | WordKind::Quoted)
                || is_sum(word)
                || is_zone(word)
        };
        if part.iter().any(|word| word.is_any(FORBIDS)) {
            return;
        }
        let (has_verb, has_thing) =
            (part.iter().any(|word| is_verb(&word)), part.iter().any(|word| is_thing(&word)));
        let says = part.iter().any(|word| word.kind != WordKind::Mark && !word.is_any(FILLERS));
        let is_same = self.is_open && has_verb && (!has_thing || self.is_place) && !is_strong;
        if !is_same && (has_verb || has_thing || (is_strong && self.things > 0 && says)) {
            self.things += 1;
        }
        self.is_open = has_thing && !has_verb;
        self.is_place = part
            .first()
            .is_some_and(|word| word.is_any(&["in", "to", "into", "from", "inside", "under", "at", "for"]));
    }
}

/// Whether a word is a place whose time may be asked.
fn is_zone(word: &EnglishWord) -> bool {
    word.speech().is_some_and(|word| word.len() > 3 && super::grammar::is_city(word))
}
