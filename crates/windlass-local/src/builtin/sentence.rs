//! Sentences of a request: where they end, whether they ask, speak about something or forbid.
//!
//! Knows English as far as `english` lists it; not what is asked for.

use std::collections::BTreeSet;

use super::english::{
    ABOUT, BEFORE_VERB, CHANGES, DENIES, ENGLISH, FILLERS, FORBIDS, FOREIGN, QUESTIONS, READS, SCENES,
    WISHES, WONDERS,
};
use super::words::{EnglishWord, WordKind};

/// The parts of a request that stand for themselves. What follows a part that only speaks about something is left out
/// with it, up to the end of the sentence.
pub(super) fn clauses(words: &[EnglishWord]) -> Vec<&[EnglishWord]> {
    let mut clauses = Vec::new();
    for sentence in words.split(is_end) {
        let is_joint = |at: usize, word: &EnglishWord| {
            let follows = |list: &[&str]| sentence.get(at + 1).is_some_and(|word| word.is_any(list));
            word.is_any(&["then", "afterwards", "next", "followed", "also", "well"])
                || (word.is("and") && follows(&["see", "tell", "let", "show", "report", "paste", "check"]))
                || (word.is("after") && follows(&["that", "this", "which"]))
                || (word.is_any(&["that", "this"])
                    && at > 0
                    && sentence.get(at - 1).is_some_and(|word| word.is("after")))
        };
        let mut rest = (0..)
            .zip(sentence)
            .filter(|(at, word)| is_joint(*at, word))
            .map(|(at, _)| at)
            .collect::<Vec<_>>();
        rest.push(sentence.len());
        let mut begin = 0;
        for end in rest {
            let clause = without_scene(sentence.get(begin..end).unwrap_or_default());
            begin = end + 1;
            clauses.push(clause);
            if wonders(clause) {
                break;
            }
        }
    }
    clauses.retain(|clause| !clause.is_empty());
    clauses
}

pub(super) fn is_end(word: &EnglishWord) -> bool {
    word.kind == WordKind::Mark && matches!(word.text.as_str(), "." | "!" | "?" | ";" | "\n" | "…")
}

pub(super) fn is_mark(word: &EnglishWord, marks: &[&str]) -> bool {
    word.kind == WordKind::Mark && marks.contains(&word.text.as_str())
}

/// The same word, or the same with two letters swapped or the last one missing: nobody types without mistakes.
pub(super) fn is_like(word: &EnglishWord, list: &[&str]) -> bool {
    let Some(speech) = word.speech() else { return false };
    list.contains(&speech)
        || (!READS.contains(&speech) && list.iter().any(|known| is_mistyped(speech, known)))
}

fn is_mistyped(speech: &str, known: &str) -> bool {
    if known.len() < 4 || speech.len() < 3 {
        return false;
    }
    let (said, meant) = (speech.as_bytes(), known.as_bytes());
    if said.len() + 1 == meant.len() {
        return known.len() > 4 && meant.starts_with(said) && !known.ends_with('s') && !known.ends_with('d');
    }
    if said.len() == meant.len() + 1 {
        return known.len() > 4 && said.starts_with(meant) && said.last() == meant.last();
    }
    let differ: Vec<usize> = (0..meant.len()).filter(|at| said.get(*at) != meant.get(*at)).collect();
    said.len() == meant.len()
        && matches!(differ.as_slice(), [a, b] if a + 1 == *b && said.get(*a) == meant.get(*b) && said.get(*b) == meant.get(*a))
}

/// Whether the words are English: more of its own than of its neighbours'.
pub(super) fn is_english(words: &[EnglishWord]) -> bool {
    let speech: BTreeSet<&str> = words.iter().filter_map(EnglishWord::speech).collect();
    let count = |list: &[&str]| speech.iter().filter(|word| list.contains(word)).count();
    let strange = speech.iter().filter(|word| !word.is_ascii()).count();
    let (foreign, english) = (count(FOREIGN) + strange, count(ENGLISH));
    english >= foreign
}

/// A sentence without the part that only sets its scene: `before lunch, run ls`.
fn without_scene(sentence: &[EnglishWord]) -> &[EnglishWord] {
    let begin =
        sentence.iter().position(|word| word.kind != WordKind::Mark || is_shell_mark(word)).unwrap_or(0);
    let sentence = sentence.get(begin..).unwrap_or_default();
    let is_scene = sentence.first().is_some_and(|word| word.is_any(SCENES));
    match sentence.iter().position(|word| is_mark(word, &[",", ":"])) {
        Some(comma) if is_scene => sentence.get(comma + 1..).unwrap_or_default(),
        Some(_) | None => sentence,
    }
}

/// A sentence from its first word that says something.
pub(super) fn from_lead(sentence: &[EnglishWord]) -> &[EnglishWord] {
    let lead = sentence.iter().position(|word| word.kind != WordKind::Mark && !word.is_any(FILLERS));
    lead.and_then(|lead| sentence.get(lead..)).unwrap_or_default()
}

/// Whether a sentence is a question, politeness aside.
pub(super) fn is_question(sentence: &[EnglishWord]) -> bool {
    let lead = from_lead(sentence);
    let word = |at: usize| lead.get(at);
    let is = |at: usize, list: &[&str]| word(at).is_some_and(|word| word.is_any(list));
    let pronoun = &["i", "you", "u", "we", "they", "he", "she", "it", "the", "there", "my", "any"][..];
    let proposes = is(0, &["how", "what"]) && is(1, &["about"]);
    let asks_back = is(0, &["do", "have"]) && is(1, pronoun);
    let by_place = is(0, &["in", "to", "from", "with", "on", "at", "by", "for"]) && is(1, QUESTIONS);
    (is(0, QUESTIONS) && !proposes) || asks_back || by_place || is(0, ABOUT)
}

/// Whether a sentence only speaks about something: nothing in it asks for an effect.
pub(super) fn is_about(sentence: &[EnglishWord]) -> bool {
    let lead = from_lead(sentence);
    let is = |at: usize, list: &[&str]| lead.get(at).is_some_and(|word| word.is_any(list));
    let modal = &["can", "could", "would", "will", "may", "can't", "couldn't"][..];
    let polite = is(1, &["you", "u", "ya", "we", "please", "pls", "somebody", "someone"])
        || (is(1, &["i", "we"]) && is(2, &["get", "have", "see", "ask"]));
    is_question(sentence) || (is(0, modal) && !polite) || wonders(sentence)
}

/// Whether a sentence is about how something is, works or would be: what follows in it is part of that.
pub(super) fn wonders(sentence: &[EnglishWord]) -> bool {
    let lead = from_lead(sentence);
    let is = |at: usize, list: &[&str]| lead.get(at).is_some_and(|word| word.is_any(list));
    let told = is(0, &["tell", "show", "give", "let"])
        && lead.iter().skip(1).take(3).any(|word| {
            word.is_any(&["how", "why", "who", "where", "when", "whether", "if", "about", "which"])
        });
    let inside = lead.windows(2).any(|pair| {
        let [one, two] = pair else { return false };
        let how =
            one.is("how") && two.is_any(&["to", "do", "does", "can", "could", "would", "i", "we", "you"]);
        let what = one.is_any(&["what", "why", "who", "which"])
            && two.is_any(&["does", "do", "did", "happens", "would", "will", "if", "should", "can", "could"]);
        how || what
    });
    let begins = is(0, ABOUT)
        || is(0, SCENES)
        || is(0, &["why", "who", "should", "is", "does", "did", "has", "was", "were"]);
    begins || told || inside || lead.iter().any(|word| word.is_any(WONDERS))
}

/// Words behind `don't` that reach further than the next ones: `don't want you to write`.
const URGES: &[&str] = &["want", "need", "ever", "you", "try", "please", "even", "go", "do", "make", "start"];

/// Whether the request forbids changes: then none is asked for, whatever else it says.
pub(super) fn forbids(words: &[EnglishWord]) -> bool {
    let changes = |words: &[EnglishWord]| words.iter().any(|word| word.is_any(CHANGES));
    words.split(is_end).any(|sentence| {
        (0..).zip(sentence).any(|(at, word)| {
            let rest = sentence.get(at + 1..).unwrap_or_default();
            let close = rest.get(..3).unwrap_or(rest);
            let is_mere_no = rest.first().is_some_and(|word| is_mark(word, &[","]));
            // `don't let me forget` asks, and so does `I don't have a shell, run ls`.
            let is_mere_want = word.text.starts_with("don") && !rest.first().is_some_and(|word| word.is_any(URGES));
            let reach = if is_mere_want { close } else { rest };
            (word.is_any(FORBIDS) && changes(reach) && !close.iter().any(|word| word.is("let")))
                || (word.is_any(DENIES) && changes(close) && !is_mere_no)
                || (word.is_any(CHANGES) && rest.first().is_some_and(|word| word.is("nothing")))
        })
    }) || words.windows(2).any(|pair| {
        matches!(pair, [a, b] if a.is_any(&["read-only", "readonly"]) || (a.is("read") && b.is("only")))
    })
}

pub(super) fn forbids_web(words: &[EnglishWord]) -> bool {
    words.windows(2).any(|pair| {
        matches!(pair, [a, b] if (a.is_any(&["don't", "dont", "never", "not"]))
            && b.is_any(&["open", "fetch", "visit", "load", "search", "google", "download", "browse", "use", "go", "look"]))
    })
}

/// Whether a verb at a place of a sentence asks: nobody else does it, and nothing speaks of it.
pub(super) fn asks_at(sentence: &[EnglishWord], at: usize) -> bool {
    let quiet = |word: &&EnglishWord| word.is_any(FILLERS);
    let before: Vec<&EnglishWord> = sentence.iter().take(at).rev().collect();
    let Some(last) = before.iter().find(|word| !quiet(word)) else { return true };
    if before.first().is_some_and(|word| word.kind != WordKind::Speech || quiet(word)) {
        // Behind a mark, a name or `please` a verb begins anew.
        return !last.is_any(FORBIDS);
    }
    match last.speech() {
        Some("to") => {
            let wishes = before.iter().skip(1).take(6).any(|word| word.is_any(WISHES));
            wishes
                && !before.iter().skip(1).take(2).any(|word| {
                    word.is_any(&["how", "way", "able", "used", "supposed", "where", "what", "when", "which"])
                })
        }
        Some("we") => before.get(1).is_some_and(|word| word.is_any(&["can", "could", "shall", "should"])),
        Some("me" | "us" | "it" | "the") => {
            before.iter().skip(1).take(2).any(|word| word.is_any(&["help", "let", "have", "make"]))
        }
        Some(word) => BEFORE_VERB.contains(&word),
        None => true,
    }
}

pub(super) fn is_shell_mark(word: &EnglishWord) -> bool {
    word.kind == WordKind::Mark && matches!(word.text.as_str(), "$" | ">" | "#" | "%")
}
