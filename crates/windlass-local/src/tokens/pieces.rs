//! Pieces with scores, as SentencePiece has them: of all neighbours that make a known piece, the best pair is joined
//! first, the leftmost of equals.
//!
//! Owns the joining; a letter that is no piece is written byte by byte. Knows no file, and no reserved token: those are
//! not among its pieces, so that no text can be read as one.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

/// What stands for a space.
const SPACE: &str = "\u{2581}";

/// The pieces of one model.
#[derive(Debug)]
pub(crate) struct TokenPieces {
    ids: HashMap<Box<str>, (u32, f32)>,
    bytes: HashMap<u8, u32>,
    unknown: Option<u32>,
    has_prefix: bool,
}

/// A stretch of the text that is joined already.
struct Symbol {
    begin: usize,
    /// Where it ends; where it begins, once it belongs to its left neighbour.
    end: usize,
    left: Option<usize>,
    right: Option<usize>,
}

/// Two neighbours that make a piece.
struct PiecePair {
    score: f32,
    left: usize,
    right: usize,
    begin: usize,
    end: usize,
}

impl Ord for PiecePair {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.left.cmp(&self.left))
    }
}

impl PartialOrd for PiecePair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PiecePair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for PiecePair {}

impl TokenPieces {
    /// Pieces with number and score; `has_prefix` puts a space before every text.
    pub(super) fn new<'a>(
        pieces: impl Iterator<Item = (&'a str, u32, f32)>,
        unknown: Option<u32>,
        has_prefix: bool,
    ) -> Self {
        let (mut ids, mut bytes) = (HashMap::new(), HashMap::new());
        for (text, id, score) in pieces {
            let byte = text.strip_prefix("<0x").and_then(|rest| rest.strip_suffix('>'));
            match byte.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                Some(byte) => drop(bytes.insert(byte, id)),
                None => drop(ids.insert(text.into(), (id, score))),
            }
        }
        Self { ids, bytes, unknown, has_prefix }
    }

    pub(super) fn has_prefix(&self) -> bool {
        self.has_prefix
    }

    /// Reads a text; a prefix comes only before the first one.
    pub(super) fn read(&self, text: &str, is_first: bool, tokens: &mut Vec<u32>) {
        let mut marked = text.replace(' ', SPACE);
        if is_first && self.has_prefix {
            marked.insert_str(0, SPACE);
        }
        let symbols = self.join(&marked);
        let mut next = symbols.first();
        while let Some(symbol) = next {
            let piece = marked.get(symbol.begin..symbol.end).unwrap_or_default();
            match self.ids.get(piece) {
                Some((id, _)) => tokens.push(*id),
                None => self.spell(piece, tokens),
            }
            next = symbol.right.and_then(|right| symbols.get(right));
        }
    }

    fn spell(&self, letter: &str, tokens: &mut Vec<u32>) {
        let bytes: Option<Vec<u32>> = letter.bytes().map(|byte| self.bytes.get(&byte).copied()).collect();
        match bytes {
            Some(bytes) => tokens.extend(bytes),
            None => tokens.extend(self.unknown),
        }
    }

    fn join(&self, text: &str) -> Vec<Symbol> {
        let mut symbols: Vec<Symbol> = Vec::new();
        for (at, (begin, letter)) in text.char_indices().enumerate() {
            let end = begin + letter.len_utf8();
            let right = (end < text.len()).then_some(at + 1);
            symbols.push(Symbol { begin, end, left: at.checked_sub(1), right });
        }
        let mut pairs = BinaryHeap::new();
        for at in 1..symbols.len() {
            pairs.extend(self.pair(text, &symbols, at.checked_sub(1), Some(at)));
        }
        while let Some(pair) = pairs.pop() {
            let Some([left, right]) = neighbours(&mut symbols, &pair) else { continue };
            left.end = right.end;
            right.end = right.begin;
            let (before, after) = (left.left, right.right);
            left.right = after;
            if let Some(after) = after.and_then(|after| symbols.get_mut(after)) {
                after.left = Some(pair.left);
            }
            pairs.extend(self.pair(text, &symbols, before, Some(pair.left)));
            pairs.extend(self.pair(text, &symbols, Some(pair.left), after));
        }
        symbols
    }

    fn pair(
        &self,
        text: &str,
        symbols: &[Symbol],
        left: Option<usize>,
        right: Option<usize>,
    ) -> Option<PiecePair> {
        let (left, right) = (left?, right?);
        let (begin, end) = (symbols.get(left)?.begin, symbols.get(right)?.end);
        let (_, score) = self.ids.get(text.get(begin..end)?)?;
        Some(PiecePair { score: *score, left, right, begin, end })
    }
}

/// Both sides of a pair, unless one of them was joined with another meanwhile.
fn neighbours<'a>(symbols: &'a mut [Symbol], pair: &PiecePair) -> Option<[&'a mut Symbol; 2]> {
    let [left, right] = symbols.get_disjoint_mut([pair.left, pair.right]).ok()?;
    let are_there = left.begin < left.end && right.begin < right.end;
    let are_same = left.begin == pair.begin && left.end == right.begin && right.end == pair.end;
    (are_there && are_same).then_some([left, right])
}
