//! The numbers of a text, in digits and in words.

use std::collections::BTreeSet;

/// Larger numbers are not counted as whole ones.
const WHOLE_MAX: u64 = 999_999;

const ONES: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const SCALES: [(&str, u64); 4] =
    [("dozen", 12), ("hundred", 100), ("thousand", 1_000), ("million", 1_000_000)];
const PLACES: [&str; 10] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

/// The numbers of some texts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// As a calculation writes them: without separators of thousands, words in digits.
    pub(crate) written: BTreeSet<String>,
    /// The whole ones among them, from 1.
    pub(crate) whole: BTreeSet<u64>,
    /// What `first`, `second` and so on stand for.
    pub(crate) places: BTreeSet<u64>,
}

impl Numbers {
    /// Those of these texts.
    pub(crate) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut numbers = Self::default();
        for text in texts {
            numbers.read_digits(text);
            numbers.read_words(&text.to_lowercase());
        }
        numbers
    }

    fn add(&mut self, written: &str) {
        self.written.insert(written.to_owned());
        if let Some(whole) = written.parse().ok().filter(|whole| (1..=WHOLE_MAX).contains(whole)) {
            self.whole.insert(whole);
        }
    }

    fn read_digits(&mut self, text: &str) {
        let mut rest = text;
        while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
            let from = rest.get(start..).unwrap_or_default();
            let (written, length) = leading_number(from);
            self.add(&written);
            rest = from.get(length..).unwrap_or_default();
        }
    }

    /// Runs such as `two hundred and fifty-three`, and each word of them alone.
    fn read_words(&mut self, text: &str) {
        let mut run: Option<(u64, u64)> = None;
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        for word in words {
            if let Some(place) = (1..).zip(PLACES).find(|(_, place)| *place == word).map(|(at, _)| at) {
                self.places.insert(place);
            }
            match (value_of(word), run) {
                (Some(value), _) => {
                    self.add(&value.to_string());
                    run = Some(joined(run, word, value));
                }
                // `and` stands between parts of a number and also between two.
                (None, Some(_)) if word == "and" => {}
                (None, _) => self.end_run(run.take()),
            }
        }
        self.end_run(run);
    }

    fn end_run(&mut self, run: Option<(u64, u64)>) {
        if let Some((thousands, rest)) = run {
            self.add(&thousands.saturating_add(rest).to_string());
        }
    }
}

/// A run with one word more: what is complete, and what a scale may still multiply.
fn joined(run: Option<(u64, u64)>, word: &str, value: u64) -> (u64, u64) {
    let (complete, open) = run.unwrap_or_default();
    let is_scale = SCALES.iter().any(|(scale, _)| *scale == word);
    match (is_scale, value) {
        (true, 12 | 100) => (complete, open.max(1).saturating_mul(value)),
        (true, _) => (complete.saturating_add(open.max(1).saturating_mul(value)), 0),
        (false, _) => (complete, open.saturating_add(value)),
    }
}

fn value_of(word: &str) -> Option<u64> {
    let scales = SCALES.iter().copied();
    (0..)
        .zip(ONES)
        .map(|(value, name)| (name, value))
        .chain((2..).zip(TENS).map(|(value, name)| (name, value * 10)))
        .chain(scales)
        .find(|(name, _)| *name == word)
        .map(|(_, value)| value)
}

/// A number at the beginning of a text, without separators of thousands, and how long it stands there.
fn leading_number(text: &str) -> (String, usize) {
    let bytes = text.as_bytes();
    let digits_from = |at: usize| bytes.iter().skip(at).take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits_from(0);
    let is_grouped = end <= 3;
    while is_grouped && bytes.get(end) == Some(&b',') && digits_from(end + 1) == 3 {
        end += 4;
    }
    if bytes.get(end) == Some(&b'.') && digits_from(end + 1) > 0 {
        end += 1 + digits_from(end + 1);
    }
    (text.get(..end).unwrap_or_default().replace(',', ""), end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        Numbers::of([text].into_iter()).written.into_iter().collect()
    }

    #[test]
    fn digits_are_read_with_their_separators() {
        assert_eq!(of("12*3.5, then 1,250,000.75 and 7,5"), ["12", "1250000.75", "3.5", "5", "7"]);
        assert_eq!(of("task_3 at 5pm, v2"), ["2", "3", "5"]);
        assert!(of("none at all").is_empty());
    }

    #[test]
    fn words_are_read_alone_and_together() {
        assert_eq!(of("Twenty-five"), ["20", "25", "5"]);
        assert!(of("two hundred and fifty-three").contains(&"253".to_owned()));
        assert!(of("three thousand five hundred").contains(&"3500".to_owned()));
        assert!(of("two dozen eggs").contains(&"24".to_owned()));
        assert!(of("seven and eight").contains(&"7".to_owned()));
    }

    #[test]
    fn places_and_whole_numbers_are_apart() {
        let numbers = Numbers::of(["the second of 4, 0 or 2.5"].into_iter());
        assert_eq!((numbers.places, numbers.whole), (BTreeSet::from([2]), BTreeSet::from([4])));
    }
}
