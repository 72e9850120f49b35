//! Light English stemming: forms of one word (`parse`, `parses`, `parsed`, `parsing`, `parser`) get one spelling.
//!
//! Owns the rules. They are few and cut late in the word, since names of code are English only by half; the result is
//! a key for comparing, not a word to show. Knows nothing of identifiers or languages: words that are not lower-case
//! ASCII letters stay as they are.

/// Cuts the endings of a lower-case word in place.
pub(crate) fn stem(word: &mut String) {
    if word.len() < LETTERS_MIN || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    cut_plural(word);
    cut_verb(word);
    cut_noun(word);
    if word.len() >= LETTERS_MIN && word.ends_with('e') {
        word.pop();
    }
    if word.len() >= 7 && word.ends_with("at") {
        cut(word, 2);
    }
}

/// Shorter words have no endings worth cutting.
const LETTERS_MIN: usize = 4;

fn cut(word: &mut String, letters: usize) {
    word.truncate(word.len().saturating_sub(letters));
}

fn cut_plural(word: &mut String) {
    if word.ends_with("ies") && word.len() > 4 {
        cut(word, 3);
        word.push('y');
    } else if ["sses", "xes", "ches", "shes", "zzes"].iter().any(|ending| word.ends_with(ending)) {
        cut(word, 2);
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) {
        cut(word, 1);
    }
}

/// `-ing`, `-ed`, and the consonant that was doubled before them.
fn cut_verb(word: &mut String) {
    if word.ends_with("ied") && word.len() > 4 {
        cut(word, 3);
        word.push('y');
        return;
    }
    let letters = if word.ends_with("ing") {
        3
    } else if word.ends_with("ed") {
        2
    } else {
        return;
    };
    let rest = word.get(..word.len().saturating_sub(letters)).unwrap_or_default();
    if rest.len() < 3 || !rest.bytes().any(is_vowel) {
        return;
    }
    cut(word, letters);
    cut_double(word);
}

/// `-er`, `-or`, `-ion`: who or what does the verb.
fn cut_noun(word: &mut String) {
    if word.len() >= 7 && (word.ends_with("tion") || word.ends_with("sion")) {
        cut(word, 3);
    } else if word.len() >= 6 && (word.ends_with("er") || word.ends_with("or")) {
        cut(word, 2);
        cut_double(word);
    } else if word.len() >= 7 && word.ends_with("ly") {
        cut(word, 2);
    }
}

fn cut_double(word: &mut String) {
    let mut last = word.bytes().rev();
    let (Some(a), Some(b)) = (last.next(), last.next()) else { return };
    if a == b && !is_vowel(a) && !matches!(a, b's' | b'z' | b'l' | b'f') {
        word.pop();
    }
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

#[cfg(test)]
#[path = "stem_tests.rs"]
mod tests;
