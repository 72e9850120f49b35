//! Finding things by a few of their letters: which candidates hold them in order, and which of those is meant.
//!
//! Letters in the name of a file count more than letters of its folders, letters at the beginning of a word more than
//! letters inside one, and letters that stand together more than letters that do not. Knows text alone.

/// For every letter that is found.
const LETTER: i32 = 16;

/// For a letter that follows the one before it.
const TOGETHER: i32 = 12;

/// For a letter at the beginning of a word.
const WORD: i32 = 16;

/// For the first letter of all.
const BEGINNING: i32 = 6;

/// When all letters are in the name of the file.
const IN_NAME: i32 = 20;

/// Letters between two that were found cost so much each, up to this.
const GAP_MAX: usize = 10;

/// Letters of a name that were not looked for cost one each, up to this.
const LEFT_OVER_MAX: usize = 20;

/// A folder more, when nothing else tells candidates apart.
const FOLDER: usize = 10;

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    letters: Vec<char>,
    /// The same as bytes, if there is nothing but ASCII: most candidates are compared without being decoded.
    ascii: Option<Vec<u8>>,
}

/// A candidate that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FuzzyMatch {
    /// Its place among the candidates.
    pub index: usize,
    /// The characters that were looked for: their places in the candidate.
    pub places: Vec<usize>,
}

impl Pattern {
    /// Looks for the letters of a text; case and spaces do not count.
    pub fn new(text: &str) -> Self {
        let letters: Vec<char> =
            text.chars().filter(|sign| !sign.is_whitespace()).flat_map(char::to_lowercase).collect();
        let ascii = letters.iter().map(|letter| u8::try_from(*letter).ok().filter(u8::is_ascii)).collect();
        Self { letters, ascii }
    }

    /// How well a candidate fits, if it does; more is better.
    pub fn score(&self, candidate: &str) -> Option<i32> {
        self.fit(candidate).map(|(score, _)| score)
    }

    /// The places of the letters in a candidate that fits.
    pub fn places(&self, candidate: &str) -> Option<Vec<usize>> {
        let (_, span) = self.fit(candidate)?;
        let signs: Vec<char> = candidate.chars().collect();
        let mut letters = self.letters.iter();
        let mut wanted = letters.next();
        let mut places = Vec::with_capacity(self.letters.len());
        for (place, sign) in signs.iter().enumerate().skip(span) {
            if wanted.is_some_and(|letter| sign.is(*letter)) {
                places.push(place);
                wanted = letters.next();
            }
        }
        Some(places)
    }

    /// At most `max` of the candidates, the best first; those that fit equally well in their own order.
    pub fn best<'a>(&self, candidates: impl IntoIterator<Item = &'a str>, max: usize) -> Vec<FuzzyMatch> {
        let mut fitting: Vec<(i32, usize, &str)> = candidates
            .into_iter()
            .enumerate()
            .filter_map(|(index, candidate)| Some((self.score(candidate)?, index, candidate)))
            .collect();
        let order = |a: &(i32, usize, &str), b: &(i32, usize, &str)| b.0.cmp(&a.0).then(a.1.cmp(&b.1));
        if max > 0 && fitting.len() > max {
            fitting.select_nth_unstable_by(max, order);
        }
        fitting.truncate(max);
        fitting.sort_unstable_by(order);
        fitting
            .into_iter()
            .map(|(_, index, candidate)| FuzzyMatch {
                index,
                places: self.places(candidate).unwrap_or_default(),
            })
            .collect()
    }

    /// The score, and the place of the first letter.
    fn fit(&self, candidate: &str) -> Option<(i32, usize)> {
        match &self.ascii {
            Some(letters) if candidate.is_ascii() => fit(letters, candidate.as_bytes()),
            Some(_) | None => fit(&self.letters, &candidate.chars().collect::<Vec<_>>()),
        }
    }
}

/// A sign of a candidate, decoded or not.
trait Sign: Copy {
    /// Whether it is a letter, which is lower case.
    fn is(self, letter: Self) -> bool;
    fn is_separator(self) -> bool;
    fn is_folder_end(self) -> bool;
    fn is_upper(self) -> bool;
}

impl Sign for u8 {
    fn is(self, letter: Self) -> bool {
        self.to_ascii_lowercase() == letter
    }

    fn is_separator(self) -> bool {
        matches!(self, b'/' | b'_' | b'-' | b'.' | b' ' | b':')
    }

    fn is_folder_end(self) -> bool {
        self == b'/'
    }

    fn is_upper(self) -> bool {
        self.is_ascii_uppercase()
    }
}

impl Sign for char {
    fn is(self, letter: Self) -> bool {
        self == letter || self.to_lowercase().next() == Some(letter)
    }

    fn is_separator(self) -> bool {
        matches!(self, '/' | '_' | '-' | '.' | ' ' | ':')
    }

    fn is_folder_end(self) -> bool {
        self == '/'
    }

    fn is_upper(self) -> bool {
        self.is_uppercase()
    }
}

fn fit<S: Sign>(letters: &[S], signs: &[S]) -> Option<(i32, usize)> {
    let cost = |cost: usize| i32::try_from(cost).unwrap_or(i32::MAX);
    if letters.is_empty() {
        let folders = signs.iter().filter(|sign| sign.is_folder_end()).count();
        return Some((-cost(folders * FOLDER + signs.len() / 4), 0));
    }
    if !holds(letters, signs) {
        return None;
    }
    // The slash at the end of a folder is no name's beginning.
    let inside = signs.len().saturating_sub(1);
    let named = signs.iter().take(inside).rposition(|sign| sign.is_folder_end()).map_or(0, |slash| slash + 1);
    let name = signs.get(named..).unwrap_or_default();
    let length = cost(signs.len() / 4);
    if let Some((score, start)) = align(letters, name) {
        let left_over = cost(name.len().saturating_sub(letters.len()).min(LEFT_OVER_MAX));
        return Some((score + IN_NAME - left_over - length, named + start));
    }
    let (score, start) = align(letters, signs)?;
    Some((score - length, start))
}

/// Whether the letters are there in their order: most candidates need no closer look.
fn holds<S: Sign>(letters: &[S], signs: &[S]) -> bool {
    let mut signs = signs.iter();
    letters.iter().all(|letter| signs.any(|sign| sign.is(*letter)))
}

/// Where the letters are, as near to each other as the first place at which they end allows, and what that is worth.
fn align<S: Sign>(letters: &[S], signs: &[S]) -> Option<(i32, usize)> {
    let mut rest = signs;
    for letter in letters {
        let place = rest.iter().position(|sign| sign.is(*letter))?;
        rest = rest.get(place + 1..)?;
    }
    let reach = signs.get(..signs.len() - rest.len())?;
    let mut near = reach;
    for letter in letters.iter().rev() {
        let place = near.iter().rposition(|sign| sign.is(*letter))?;
        near = near.get(..place)?;
    }
    let start = near.len();
    let mut score = if start == 0 { BEGINNING } else { 0 };
    let mut wanted = letters.iter();
    let mut letter = wanted.next()?;
    let mut last: Option<usize> = None;
    let mut before = near.last().copied();
    for (place, sign) in reach.iter().enumerate().skip(start) {
        if sign.is(*letter) {
            score += worth(place, *sign, before, last);
            last = Some(place);
            match wanted.next() {
                Some(next) => letter = next,
                None => break,
            }
        }
        before = Some(*sign);
    }
    Some((score, start))
}

fn worth<S: Sign>(place: usize, sign: S, before: Option<S>, last: Option<usize>) -> i32 {
    let begins = match before {
        None => true,
        Some(before) => before.is_separator() || (sign.is_upper() && !before.is_upper()),
    };
    let gap = last.map_or(0, |last| place.saturating_sub(last + 1));
    let is_together = last.is_some() && gap == 0;
    LETTER + if begins { WORD } else { 0 } + if is_together { TOGETHER } else { 0 }
        - i32::try_from(gap.min(GAP_MAX)).unwrap_or_default()
}

#[cfg(test)]
#[path = "fuzzy_tests.rs"]
mod tests;
