//! What the words of a request allow the built-in model to do, whatever its weights prefer.
//!
//! Reading is free. What writes, runs, sends or makes something is in the grammar only where the request's own words
//! ask for it, in English; a question about such a thing, a quotation of it or a prohibition asks for nothing.
//! Knows words and names of tools; not the model, and no outcome.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::edit::EditWish;
use super::english::{
    ABOUT, ADDS, BEFORE_VERB, CHANGES, DENIES, ENGLISH, FILLERS, FORBIDS, FOREIGN, IMAGES, LOOKERS, NEEDS, NO_COMMANDS, OUTPUTS,
    QUESTIONS, RUNS, SCENES, SHELLS, STARTS, STATES, TASKS, WEB, WISHES, WONDERS, WRITES, WRITTEN,
};
use super::numbers::Numbers;
use super::words::{Word, WordKind, words};

/// Words that take up the request before this one.
const FOLLOW: &[&str] =
    &["and", "also", "now", "then", "too", "same", "again", "next", "another", "plus", "one", "once", "repeat", "redo", "retry", "what", "how", "refresh"];
/// Words that want the same once more.
const AGAIN: &[&str] = &["again", "repeat", "redo", "retry", "once", "rerun", "re-run", "refresh", "same"];
/// Verbs of a file that is not there yet.
const MAKES: &[&str] = &["create", "make", "new", "add", "generate", "produce", "build"];
/// Words between two things that are asked.
const JOINTS: &[&str] = &["then", "afterwards", "followed", "after", "next", "also", "finally", "plus", "additionally", "later", "secondly", "lastly", "before", "once", "first"];
/// Verbs of reading: with those of effects, what a second request begins with.
const READS: &[&str] = &[
    "read", "show", "open", "list", "print", "display", "view", "cat", "find", "search", "grep", "look", "check", "tell", "get", "fetch", "load", "see",
    "calculate", "compute", "google", "give", "what", "what's", "whats", "how", "where", "which", "who", "when", "is", "are", "does", "work", "bring", "locate", "scan", "pull",
];

/// What a request allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Asked {
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

impl Asked {
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
    fn lean_on(&mut self, before: &Self, present: &[Word]) {
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
            if asked.edit == EditWish::None && !asked.files.is_empty() && asks().any(|sentence| asks_to_write(sentence, wishes)) {
                asked.effects.push("write_file");
                asked.may_overwrite = !words.iter().any(|word| is_like(word, MAKES));
            }
            if asks().any(|sentence| asks_to_run(sentence, &words)) || clauses.iter().any(|words| asks_output(words)) {
                asked.effects.push("execute_command");
            }
        }
        asked.read_small(&clauses, &words);
        asked
    }

    /// Effects that change no file: tasks, pictures, the web.
    fn read_small(&mut self, sentences: &[&[Word]], words: &[Word]) {
        let plain = || sentences.iter().copied().filter(|words| !is_question(words));
        let has = |words: &[Word], list: &[&str]| words.iter().any(|word| is_like(word, list));
        let all: Vec<&Word> = plain().flatten().collect();
        let any = |list: &[&str]| all.iter().any(|word| is_like(word, list));
        let only_looks = plain().any(|words| from_lead(words).first().is_some_and(|word| is_like(word, READS)));
        if begins_as_task(words) || (any(TASKS) && (any(ADDS) || !only_looks)) {
            self.effects.push("add_task");
        }
        let names_task = words.iter().any(|word| word.text.to_lowercase().contains("task") || is_like(word, TASKS));
        let names_state = words.iter().any(|word| matches!(word.text.as_str(), "in_progress" | "in-progress"));
        if (names_task || self.has_numbers) && (any(STATES) || names_state) {
            self.effects.push("update_task");
        }
        if any(IMAGES) || makes_something(&all) {
            self.effects.push("generate_image");
        }
        if has(words, WEB) && !forbids_web(words) {
            self.effects.push("web_search");
        }
        if !self.urls.is_empty() && !forbids_web(words) {
            self.effects.push("fetch_url");
        }
    }

    /// Whether a tool is among what the words ask for; `called` says how often it was called for this request.
    pub(super) fn allows(&self, tool: &str, called: usize) -> bool {
        match tool {
            "get_current_time" | "get_file_tree" | "list_tasks" | "rag_search" | "read_file" | "request_code_context"
            | "search_text" | "system_stats" => true,
            "calculate" => self.has_numbers,
            other => self.effects.contains(&other) && called < self.things,
        }
    }
}

/// The change inside a file that a request wants. One among several things is not made: in which order is not said.
fn edit_of<'a>(text: &str, things: usize, mut asks: impl Iterator<Item = &'a [Word]>) -> EditWish {
    let wish = |sentence: &'a [Word]| {
        let place = sentence.first().zip(sentence.last()).map(|(first, last)| first.place.start..last.place.end);
        EditWish::of(place.and_then(|place| text.get(place)).unwrap_or_default())
    };
    let whole = asks.find_map(|sentence| Some(wish(sentence)).filter(|wish| *wish != EditWish::None));
    match whole {
        Some(EditWish::Clear(_)) if things > 1 => EditWish::Unclear,
        Some(wish) => wish,
        None => EditWish::None,
    }
}

/// The parts of a request that stand for themselves. What follows a part that only speaks about something is left out
/// with it, up to the end of the sentence.
fn clauses(words: &[Word]) -> Vec<&[Word]> {
    let mut clauses = Vec::new();
    for sentence in words.split(is_end) {
        let is_joint = |at: usize, word: &Word| {
            let follows = |list: &[&str]| sentence.get(at + 1).is_some_and(|word| word.is_any(list));
            word.is_any(&["then", "afterwards", "next", "followed", "also", "well"])
                || (word.is("after") && follows(&["that", "this", "which"]))
                || (word.is_any(&["that", "this"]) && at > 0 && sentence.get(at - 1).is_some_and(|word| word.is("after")))
        };
        let mut rest = (0..).zip(sentence).filter(|(at, word)| is_joint(*at, word)).map(|(at, _)| at).collect::<Vec<_>>();
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

fn is_end(word: &Word) -> bool {
    word.kind == WordKind::Mark && matches!(word.text.as_str(), "." | "!" | "?" | ";" | "\n" | "…")
}

/// Whether a word can be the name of a file; folders end in a slash.
fn is_file(word: &Word) -> bool {
    word.kind == WordKind::Quoted
        || (word.kind == WordKind::Name
            && !word.text.to_lowercase().starts_with("task_")
            && !word.text.starts_with('-')
            && !word.text.ends_with('/')
            && (word.text.contains(['.', '/']) || !word.text.starts_with(|c: char| c.is_ascii_digit())))
}

fn is_mark(word: &Word, marks: &[&str]) -> bool {
    word.kind == WordKind::Mark && marks.contains(&word.text.as_str())
}

/// The same word, or the same with two letters swapped or the last one missing: nobody types without mistakes.
fn is_like(word: &Word, list: &[&str]) -> bool {
    let Some(speech) = word.speech() else { return false };
    list.iter().any(|known| speech == *known || is_mistyped(speech, known))
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
fn is_english(words: &[Word]) -> bool {
    let speech: BTreeSet<&str> = words.iter().filter_map(Word::speech).collect();
    let count = |list: &[&str]| speech.iter().filter(|word| list.contains(word)).count();
    let strange = speech.iter().filter(|word| !word.is_ascii()).count();
    let (foreign, english) = (count(FOREIGN) + strange, count(ENGLISH));
    english >= foreign
}

/// A sentence without the part that only sets its scene: `before lunch, run ls`.
fn without_scene(sentence: &[Word]) -> &[Word] {
    let begin = sentence.iter().position(|word| word.kind != WordKind::Mark || is_shell_mark(word)).unwrap_or(0);
    let sentence = sentence.get(begin..).unwrap_or_default();
    let is_scene = sentence.first().is_some_and(|word| word.is_any(SCENES));
    match sentence.iter().position(|word| is_mark(word, &[",", ":"])) {
        Some(comma) if is_scene => sentence.get(comma + 1..).unwrap_or_default(),
        Some(_) | None => sentence,
    }
}

/// A sentence from its first word that says something.
fn from_lead(sentence: &[Word]) -> &[Word] {
    let lead = sentence.iter().position(|word| word.kind != WordKind::Mark && !word.is_any(FILLERS));
    lead.and_then(|lead| sentence.get(lead..)).unwrap_or_default()
}

/// Whether a sentence is a question, politeness aside.
fn is_question(sentence: &[Word]) -> bool {
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
fn is_about(sentence: &[Word]) -> bool {
    let lead = from_lead(sentence);
    let is = |at: usize, list: &[&str]| lead.get(at).is_some_and(|word| word.is_any(list));
    let modal = &["can", "could", "would", "will", "may", "can't", "couldn't"][..];
    let polite = is(1, &["you", "u", "ya", "we", "please", "pls", "somebody", "someone"])
        || (is(1, &["i", "we"]) && is(2, &["get", "have", "see", "ask"]));
    is_question(sentence) || (is(0, modal) && !polite) || wonders(sentence)
}

/// Whether a sentence is about how something is, works or would be: what follows in it is part of that.
fn wonders(sentence: &[Word]) -> bool {
    let lead = from_lead(sentence);
    let is = |at: usize, list: &[&str]| lead.get(at).is_some_and(|word| word.is_any(list));
    let told = is(0, &["tell", "show", "give", "let"])
        && lead.iter().skip(1).take(3).any(|word| {
            word.is_any(&["how", "why", "who", "where", "when", "whether", "if", "about", "which"])
        });
    let inside = lead.windows(2).any(|pair| {
        let [one, two] = pair else { return false };
        let how = one.is("how") && two.is_any(&["to", "do", "does", "can", "could", "would", "i", "we", "you"]);
        let what = one.is_any(&["what", "why", "who", "which"])
            && two.is_any(&["does", "do", "did", "happens", "would", "will", "if", "should", "can", "could"]);
        how || what
    });
    let begins = is(0, ABOUT) || is(0, SCENES) || is(0, &["why", "who", "should", "is", "does", "did", "has", "was", "were"]);
    begins || told || inside || lead.iter().any(|word| word.is_any(WONDERS))
}

/// Whether the request forbids changes: then none is asked for, whatever else it says.
fn forbids(words: &[Word]) -> bool {
    let changes = |words: &[Word]| words.iter().any(|word| word.is_any(CHANGES));
    words.split(is_end).any(|sentence| {
        (0..).zip(sentence).any(|(at, word)| {
            let rest = sentence.get(at + 1..).unwrap_or_default();
            let close = rest.get(..3).unwrap_or(rest);
            let is_mere_no = rest.first().is_some_and(|word| is_mark(word, &[","]));
            // `don't let me forget` asks.
            (word.is_any(FORBIDS) && changes(rest) && !close.iter().any(|word| word.is("let")))
                || (word.is_any(DENIES) && changes(close) && !is_mere_no)
                || (word.is_any(CHANGES) && rest.first().is_some_and(|word| word.is("nothing")))
        })
    }) || words.windows(2).any(|pair| {
        matches!(pair, [a, b] if a.is_any(&["read-only", "readonly"]) || (a.is("read") && b.is("only")))
    })
}

fn forbids_web(words: &[Word]) -> bool {
    words.windows(2).any(|pair| {
        matches!(pair, [a, b] if (a.is_any(&["don't", "dont", "never", "not"]))
            && b.is_any(&["open", "fetch", "visit", "load", "search", "google", "download", "browse", "use", "go", "look"]))
    })
}

/// Whether a verb at a place of a sentence asks: nobody else does it, and nothing speaks of it.
fn asks_at(sentence: &[Word], at: usize) -> bool {
    let quiet = |word: &&Word| word.is_any(FILLERS);
    let before: Vec<&Word> = sentence.iter().take(at).rev().collect();
    let Some(last) = before.iter().find(|word| !quiet(word)) else { return true };
    if before.first().is_some_and(|word| word.kind != WordKind::Speech || quiet(word)) {
        // Behind a mark, a name or `please` a verb begins anew.
        return !last.is_any(FORBIDS);
    }
    match last.speech() {
        Some("to") => {
            let wishes = before.iter().skip(1).take(6).any(|word| word.is_any(WISHES));
            wishes && !before.iter().skip(1).take(2).any(|word| word.is_any(&["how", "way", "able", "used", "supposed", "where", "what", "when", "which"]))
        }
        Some("me" | "us" | "it" | "the") => before.iter().skip(1).take(2).any(|word| word.is_any(&["help", "let", "have", "make"])),
        Some(word) => BEFORE_VERB.contains(&word),
        None => true,
    }
}

fn asks_to_write(sentence: &[Word], wishes: bool) -> bool {
    let is_of_tasks = sentence.iter().any(|word| word.is_any(&["task", "tasks", "todo", "todos", "to-do", "reminder"]));
    if is_of_tasks && !sentence.iter().any(|word| word.is("file")) {
        return false;
    }
    let by_verb = (0..).zip(sentence).any(|(at, word)| {
        is_like(word, WRITES) && asks_at(sentence, at) && gives_content(sentence, at)
    });
    let looks = || sentence.iter().any(|word| word.is_any(READS));
    let by_wish = wishes && sentence.iter().any(|word| word.is_any(NEEDS)) && sentence.iter().any(|word| word.is_any(WRITTEN)) && !looks();
    let new = sentence.windows(2).any(|pair| matches!(pair, [a, b] if a.is("new") && (b.is("file") || b.kind == WordKind::Name)));
    by_verb || by_wish || new
}

/// Whether the verb at a place puts given words into a file: `X to FILE`, `FILE with X`. What would have to be made up
/// first is not given.
fn gives_content(sentence: &[Word], at: usize) -> bool {
    let after = sentence.get(at + 1..).unwrap_or_default();
    let verb_is = |verbs: &[&str]| sentence.get(at).is_some_and(|word| word.is_any(verbs));
    let mut files = (0..).zip(after).filter(|(_, word)| is_file(word)).map(|(file, _)| file).peekable();
    if files.peek().is_none() {
        // `in FILE put X`
        let is_place = |pair: &[Word]| matches!(pair, [a, b] if a.is_any(&["in", "into", "to", "at", "under", "file"]) && is_file(b));
        let says = after.iter().any(|word| word.kind != WordKind::Mark);
        return says && verb_is(&["put", "write", "save", "store", "insert", "enter", "record"]) && sentence.get(..at).is_some_and(|before| before.windows(2).any(is_place));
    }
    files.any(|file| {
        let (before, follows) = (after.get(..file).unwrap_or_default(), after.get(file + 1..).unwrap_or_default());
        let is_made_up = before.windows(2).any(|pair| matches!(pair, [a, b] if a.is_any(MADE_UP) && b.is_any(&["of", "about", "for", "on"])));
        let into = before.iter().rev().find(|word| word.kind == WordKind::Speech && !word.is_any(ABOUT_FILE));
        let into = into.is_some_and(|word| word.is_any(&["to", "into", "in", "as", "under", "inside", "onto", "too"]))
            && !verb_is(&["replace", "change", "set", "update", "add"]);
        let is_object = before.iter().all(|word| word.kind != WordKind::Speech || word.is_any(ABOUT_FILE) || word.is_any(&["up", "it", "me", "us", "for", "in"]))
            || before.last().is_some_and(|word| word.is_any(&["file", "called", "named"]));
        let whole = is_object && !before.first().is_some_and(|word| word.is("of")) && introduces(follows);
        !is_made_up && !before.iter().any(|word| word.is_any(QUESTIONS)) && (into || whole)
    })
}

/// Whether what follows a file's name gives its content.
fn introduces(follows: &[Word]) -> bool {
    follows.iter().take(4).any(|word| {
        word.kind == WordKind::Quoted
            || is_mark(word, &[":", "=", "\n"])
            || word.is_any(&["with", "containing", "contains", "contain", "that", "saying", "say", "says", "content", "text", "to", "so", "wiht", "wih", "as"])
    }) || follows.windows(2).any(|pair| matches!(pair, [a, b] if a.is("and") && b.is_any(&["put", "write", "fill", "have", "insert", "enter", "save"])))
}

/// Words between a verb and the file that it writes.
const ABOUT_FILE: &[&str] =
    &["the", "a", "an", "new", "file", "called", "named", "text", "content", "contents", "of", "my", "our", "this", "following", "please", "just", "only"];

/// What somebody would have to compose.
const MADE_UP: &[&str] = &[
    "summary", "overview", "list", "report", "explanation", "poem", "story", "analysis", "translation", "copy", "table", "description", "documentation",
    "function", "class", "program", "script", "test", "tests", "review", "outline", "index", "lot", "version", "essay", "letter", "article",
];

/// Whether a sentence asks for a command that it names.
fn asks_to_run(sentence: &[Word], request: &[Word]) -> bool {
    let speaks_of_shell = sentence.iter().any(|word| is_like(word, SHELLS));
    let begins_as_prompt = sentence.first().is_some_and(|word| is_shell_mark(word));
    let spoken: Vec<&Word> = sentence.iter().filter(|word| !word.is_any(FILLERS)).collect();
    let as_label = spoken.windows(2).any(|pair| {
        matches!(pair, [a, b] if (is_like(a, SHELLS) || is_like(a, RUNS)) && b.kind == WordKind::Mark && b.text.starts_with([':', '-', '>']))
    });
    let as_program = speaks_of_shell && spoken.first().is_some_and(|word| word.speech().is_some_and(|word| LOOKERS.contains(&word)));
    if begins_as_prompt || as_label || as_program {
        return true;
    }
    let runs = (0..).zip(sentence).filter(|(at, word)| {
        let is_run = is_like(word, RUNS) || word.is_any(&["running", "executing", "executed", "ran", "run"]);
        let is_start = is_like(word, STARTS);
        let after = sentence.get(at + 1..).unwrap_or_default();
        let speaks_for_it = speaks_of_shell || names_program(after);
        (is_run || (is_start && speaks_for_it)) && (asks_at(sentence, *at) || is_wished(sentence, *at))
    });
    runs.map(|(at, _)| at).any(|at| names_command(sentence, at, request))
        || (speaks_of_shell && sentence.iter().any(|word| word.kind == WordKind::Quoted))
        || (from_lead(sentence).first().is_some_and(|word| word.kind == WordKind::Quoted && is_program(&word.text)) && sentence.len() <= 3)
}

fn is_shell_mark(word: &Word) -> bool {
    word.kind == WordKind::Mark && matches!(word.text.as_str(), "$" | ">" | "#" | "%")
}

/// `I need ls executed`, `how about running ls`.
fn is_wished(sentence: &[Word], at: usize) -> bool {
    let before = sentence.get(..at).unwrap_or_default();
    let by_gerund = before.last().is_some_and(|word| word.is_any(&["try", "about", "by", "of", "start", "mind", "consider"]));
    by_gerund || (before.iter().any(|word| word.is_any(&["want", "need", "needs", "like", "has", "should", "must", "have"])) && sentence.get(at).is_some_and(|word| word.is_any(&["executed", "run", "ran"])))
}

/// Whether what follows a verb begins with a program: a path, a quotation, or one that is known.
fn names_program(after: &[Word]) -> bool {
    let object = after.iter().find(|word| !word.is_any(FILLERS) && !is_mark(word, &[":"]) && !word.is_any(&["off", "up", "the", "out"]));
    object.is_some_and(|word| match word.kind {
        WordKind::Quoted => is_program(&word.text),
        WordKind::Name => word.text.starts_with("./"),
        WordKind::Speech => LOOKERS.contains(&word.text.as_str()),
        WordKind::Number | WordKind::Url | WordKind::Mark => false,
    })
}

fn is_program(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    LOOKERS.contains(&first) || first.starts_with("./")
}

/// Whether the verb at a place has a command as its object.
fn names_command(sentence: &[Word], at: usize, request: &[Word]) -> bool {
    let after = sentence.get(at + 1..).unwrap_or_default();
    let has_label = after.iter().take(6).any(|word| word.is_any(SHELLS) || word.is_any(&["following"]) || is_mark(word, &[":", "-"]));
    let quoted = after.iter().any(|word| word.kind == WordKind::Quoted);
    let object = after.iter().take_while(|word| !is_mark(word, &[","])).find(|word| {
        word.kind != WordKind::Mark && !word.is_any(FILLERS) && !word.is_any(&["for", "me", "us", "off"])
    });
    let by_object = match object {
        Some(word) if word.kind == WordKind::Speech => !word.is_any(NO_COMMANDS) && !word.is_any(SHELLS),
        Some(word) => matches!(word.kind, WordKind::Name | WordKind::Quoted),
        None => false,
    };
    // What was named before the verb: `git diff, execute it please`.
    let said_before = request.iter().take_while(|word| word.place.start < sentence.get(at).map_or(0, |word| word.place.start));
    let named_before = said_before.clone().any(|word| word.kind == WordKind::Quoted)
        || from_lead(sentence.get(..at).unwrap_or_default()).first().is_some_and(|word| {
            (word.kind == WordKind::Name || word.speech().is_some_and(|word| LOOKERS.contains(&word)))
                && !word.is_any(QUESTIONS)
        })
        || said_before.clone().next().is_some_and(|word| word.speech().is_some_and(|word| LOOKERS.contains(&word)));
    let refers = object.is_none_or(|word| word.is_any(&["it", "this", "that"]));
    by_object || (has_label && (quoted || after.len() > 2)) || quoted || (refers && named_before)
}

/// A question for the output of a command that only looks.
fn asks_output(sentence: &[Word]) -> bool {
    let wants = sentence.iter().any(|word| word.is_any(OUTPUTS)) && !sentence.iter().any(|word| word.is_any(&["do", "mean", "happen", "happens"]));
    let looks = |text: &str| {
        let first = text.split_whitespace().next().unwrap_or_default();
        LOOKERS.contains(&first) && !text.contains(['>', '|', ';', '&', '$', '`', '<'])
    };
    wants && !is_question_why(sentence) && sentence.iter().any(|word| word.kind == WordKind::Quoted && looks(&word.text))
}

fn is_question_why(sentence: &[Word]) -> bool {
    from_lead(sentence).first().is_some_and(|word| word.is_any(&["why", "who", "where", "when", "explain", "describe", "how"]))
}

/// `todo: …`, `task …`.
fn begins_as_task(words: &[Word]) -> bool {
    from_lead(words).first().is_some_and(|word| word.is_any(&["task", "todo", "to-do", "reminder", "remember", "tasks"]))
        || from_lead(words).get(..2).is_some_and(|pair| matches!(pair, [a, b] if a.is("to") && b.is("do")))
}

/// `make a fox in the snow`: something is to be made, and no file is named.
fn makes_something(words: &[&Word]) -> bool {
    words.iter().any(|word| word.is_any(&["make", "create", "generate", "produce", "design", "genrate"]))
        && !words.iter().any(|word| word.kind == WordKind::Name || word.is("file"))
}

/// Names of files in a request.
fn files_of(words: &[Word]) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let is_called = before.is_some_and(|word| word.is_any(&["file", "called", "named", "as"]));
        let has_ending = word.text.rsplit_once('.').is_some_and(|(stem, ending)| {
            !stem.is_empty() && (1..=10).contains(&ending.len()) && ending.chars().all(char::is_alphanumeric)
        });
        let is_file = match word.kind {
            WordKind::Name => is_file(word),
            WordKind::Quoted => is_called || has_ending && word.text.len() < 200,
            WordKind::Speech => is_called && !word.is_any(FILLERS) && !word.is_any(&["with", "that", "called", "named", "containing", "in", "to", "saying", "which", "a", "the"]),
            WordKind::Number | WordKind::Url | WordKind::Mark => false,
        };
        if is_file && !files.contains(&word.text) {
            files.push(word.text.clone());
        }
    }
    files
}

/// Ends of addresses that are written without `https://`; most other ends are those of files.
const TOPS: &[&str] = &[
    "com", "org", "net", "io", "dev", "edu", "gov", "co", "uk", "de", "fr", "ch", "at", "eu", "info", "app", "ai", "us", "nl", "it", "es", "se", "no",
    "be", "tv", "ly", "biz", "example", "local", "cloud", "tech", "site", "online", "jp", "cn", "in", "au", "ca", "nz", "br", "xyz", "news", "gg", "int",
];

/// Addresses in a request; `example.org/a` is one too.
fn urls_of(words: &[Word]) -> Vec<String> {
    let is_domain = |text: &str| {
        let host = text.split(['/', '?', '#']).next().unwrap_or_default();
        host.rsplit_once('.').is_some_and(|(name, top)| {
            !name.is_empty() && TOPS.contains(&top)
        })
    };
    let urls = words.iter().filter(|word| match word.kind {
        WordKind::Url => true,
        WordKind::Name | WordKind::Quoted => is_domain(&word.text) || word.text.contains("://") || word.text.starts_with("localhost"),
        WordKind::Speech | WordKind::Number | WordKind::Mark => false,
    });
    urls.map(|word| word.text.clone()).collect()
}

/// How many things a request asks for, at least one.
fn count_things(words: &[Word]) -> usize {
    let mut count = Count { speaks_of_tasks: words.iter().any(|word| is_like(word, TASKS)), ..Count::default() };
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
struct Count {
    speaks_of_tasks: bool,
    things: usize,
    /// The part before named something and did not say what to do with it.
    is_open: bool,
    /// It said where: `in a.txt, …`.
    is_place: bool,
}

impl Count {
    fn end(&mut self, part: &[&Word], is_strong: bool) {
        let is_verb = |word: &&&Word| {
            is_like(word, READS) || is_like(word, RUNS) || is_like(word, WRITES) || word.is_any(ADDS) || word.is_any(IMAGES)
                || word.is_any(&["mark", "close", "finish"])
        };
        let is_sum = |word: &Word| word.kind == WordKind::Number && (self.speaks_of_tasks || word.text.contains(['*', '/', '+', '-']));
        let is_thing = |word: &&&Word| matches!(word.kind, WordKind::Name | WordKind::Url | WordKind::Quoted) || is_sum(word) || is_zone(word);
        if part.iter().any(|word| word.is_any(FORBIDS)) {
            return;
        }
        let (has_verb, has_thing) = (part.iter().any(|word| is_verb(&word)), part.iter().any(|word| is_thing(&word)));
        let says = part.iter().any(|word| word.kind != WordKind::Mark && !word.is_any(FILLERS));
        let is_same = self.is_open && has_verb && (!has_thing || self.is_place) && !is_strong;
        if !is_same && (has_verb || has_thing || (is_strong && self.things > 0 && says)) {
            self.things += 1;
        }
        self.is_open = has_thing && !has_verb;
        self.is_place = part.first().is_some_and(|word| word.is_any(&["in", "to", "into", "from", "inside", "under", "at", "for"]));
    }
}

/// Whether a word is a place whose time may be asked.
fn is_zone(word: &Word) -> bool {
    word.speech().is_some_and(|word| word.len() > 3 && super::grammar::is_city(word))
}

#[cfg(test)]
#[path = "asked_tests.rs"]
mod tests;
