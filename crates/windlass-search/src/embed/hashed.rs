//! The built-in embedder: no weights, no downloads, the same vectors on every machine.
//!
//! Each word is a sum of pseudo-random directions: one for the word itself, one for each run of letters in it; pairs of
//! neighbours have a direction too. A text is the sum of its words, those at its beginning (names, signatures, first
//! sentences) counted more. Queries weigh words by how rare they are in the index; passages do not, so that a passage's
//! vector depends on its text alone.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use async_trait::async_trait;

use super::{EmbedFailure, EmbedPort, Side, WordCounts};
use crate::tokens::{CodeWordKind, each_word};

/// Fewer numbers mix up too many words: half as many lost two points of nDCG on the collection of tools.
const DIMENSION: usize = 2_048;
/// Words of a text that are looked at; passages are shorter.
const WORDS_MAX: u16 = 1_024;
/// Numbers of a vector that each direction touches.
const TOUCHED: usize = 2;
/// What the parts of a word count, against the word itself.
const WHOLE: f32 = 0.5;
const LETTERS: f32 = 1.0;
const PAIR: f32 = 0.5;
/// The power of a word's rarity in queries.
const RARITY: f32 = 0.7;
/// Lengths of the runs of letters.
const LETTERS_MIN: usize = 3;
const LETTERS_MAX: usize = 4;
/// How much more the first word counts, and after how many words that has mostly worn off.
const HEAD: f32 = 2.0;
const HEAD_WORDS: f32 = 12.0;

/// The built-in embedder.
#[derive(Debug, Clone, Copy, Default)]
pub struct HashedEmbedder;

impl HashedEmbedder {
    /// Its name: a change of anything above is another name.
    pub const NAME: &'static str = "builtin-2";

    /// The vector of a passage; all zeros if there is no word in it.
    pub fn passage(&self, text: &str) -> Vec<f32> {
        WeightedTerms::of(text).vector(prior)
    }

    /// The vector of a query.
    pub fn query(&self, text: &str, counts: &dyn WordCounts) -> Vec<f32> {
        WeightedTerms::of(text).vector(|word| rarity(word, counts))
    }
}

#[async_trait]
impl EmbedPort for HashedEmbedder {
    fn name(&self) -> &str {
        Self::NAME
    }

    async fn embed(&self, texts: &[&str], side: Side<'_>) -> Result<Vec<Vec<f32>>, EmbedFailure> {
        let vectors = texts.iter().map(|text| match side {
            Side::Passage => self.passage(text),
            Side::Query(counts) => self.query(text, counts),
        });
        let vectors = vectors.collect();
        Ok(vectors)
    }
}

/// How rare a word is by its length alone: short words are the frequent ones in every language, people's and machines'.
fn prior(word: &str) -> f32 {
    (word.len().clamp(2, 10) as f32 / 5.0).sqrt()
}

/// Nearly as in BM25: a word that is everywhere counts almost nothing. The power takes back what `prior` has given.
fn rarity(word: &str, counts: &dyn WordCounts) -> f32 {
    let all = counts.passages() as f32;
    let holding = (counts.holding(word) as f32).min(all);
    (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln().powf(RARITY)
}

/// The words of a text with what they count by their number and place.
#[derive(Default)]
struct WeightedTerms {
    words: Vec<Term>,
    pairs: Vec<WordPair>,
    /// Places of words and of pairs by their keys.
    places: HashMap<u64, usize, BuildHasherDefault<AsItIs>>,
}

struct Term {
    text: String,
    key: u64,
    is_whole: bool,
    amount: f32,
}

struct WordPair {
    key: u64,
    first: usize,
    second: usize,
    amount: f32,
}

/// Keys are hashes already.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = mix(self.0, bytes);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

impl WeightedTerms {
    fn of(text: &str) -> Self {
        let mut terms = Self::default();
        let (mut seen, mut before) = (0_u16, None);
        each_word(text, |word, kind, _, _, _| {
            if seen >= WORDS_MAX {
                return;
            }
            let amount = 1.0 + HEAD * (-f32::from(seen) / HEAD_WORDS).exp();
            let is_whole = kind == CodeWordKind::Whole;
            let place = terms.add_word(word, is_whole, amount);
            if !is_whole {
                seen += 1;
                if let Some(first) = before.replace(place) {
                    terms.add_pair(first, place, amount);
                }
            }
        });
        terms
    }

    fn add_word(&mut self, word: &str, is_whole: bool, amount: f32) -> usize {
        let key = key_of(if is_whole { b'w' } else { b'p' }, word.as_bytes());
        let place = *self.places.entry(key).or_insert(self.words.len());
        match self.words.get_mut(place) {
            Some(term) => term.amount += amount,
            None => self.words.push(Term { text: word.to_owned(), key, is_whole, amount }),
        }
        place
    }

    fn add_pair(&mut self, first: usize, second: usize, amount: f32) {
        let key_at = |at: usize| self.words.get(at).map_or(0, |term| term.key);
        let key = mix(key_at(first), &key_at(second).to_le_bytes());
        let place = *self.places.entry(key).or_insert(self.pairs.len());
        match self.pairs.get_mut(place) {
            Some(pair) => pair.amount += amount,
            None => self.pairs.push(WordPair { key, first, second, amount }),
        }
    }

    /// The sum of all directions, of length 1.
    fn vector(&self, weigh: impl Fn(&str) -> f32) -> Vec<f32> {
        let mut vector = vec![0.0; DIMENSION];
        let weights: Vec<f32> = self.words.iter().map(|term| weigh(&term.text)).collect();
        for (term, weight) in self.words.iter().zip(&weights) {
            add_term(&mut vector, term, weight * term.amount.sqrt());
        }
        for pair in &self.pairs {
            let weight = |at: usize| weights.get(at).copied().unwrap_or_default();
            let amount = PAIR * pair.amount.sqrt() * (weight(pair.first) + weight(pair.second)) / 2.0;
            add(&mut vector, pair.key, amount);
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|x| *x /= length);
        }
        vector
    }
}

fn add_term(vector: &mut [f32], term: &Term, amount: f32) {
    let word = term.text.as_bytes();
    if term.is_whole {
        add(vector, term.key, WHOLE * amount);
        return;
    }
    add(vector, term.key, amount);
    let mut marked = Vec::with_capacity(word.len() + 2);
    marked.push(b'^');
    marked.extend_from_slice(word);
    marked.push(b'$');
    for length in LETTERS_MIN..=LETTERS_MAX {
        let runs = marked.len().saturating_sub(length) + 1;
        let amount = LETTERS * amount / (runs as f32).sqrt();
        marked.windows(length).for_each(|letters| add(vector, key_of(b'g', letters), amount));
    }
}

/// Adds a pseudo-random direction.
fn add(vector: &mut [f32], key: u64, amount: f32) {
    let mut state = key;
    for _ in 0..TOUCHED {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        let at = (bits >> 1) as usize % DIMENSION;
        if let Some(number) = vector.get_mut(at) {
            *number += if bits & 1 == 1 { amount } else { -amount };
        }
    }
}

/// What a piece of text is called by: its bytes and what it is.
fn key_of(kind: u8, bytes: &[u8]) -> u64 {
    mix(0xcbf2_9ce4_8422_2325, &[kind]).wrapping_add(mix(0x8422_2325_cbf2_9ce4, bytes))
}

fn mix(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
