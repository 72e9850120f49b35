//! Joining small neighbours, so that no passage says too little alone.

use std::ops::Range;

use crate::limits::{FILLED_BYTES_MAX, JOINED_BYTES_MAX, PASSAGE_BYTES_MAX, SMALL_BYTES, TINY_BYTES};

/// A stretch of text with what decides on joining it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) span: Range<usize>,
    /// Which whole it is part of: pieces of two wholes are never joined.
    pub(super) whole: usize,
    /// Whether it is a definition or a section of its own, rather than a statement or a paragraph.
    pub(super) is_item: bool,
}

impl Stretch {
    fn bytes(&self) -> usize {
        self.span.len()
    }
}

/// Joins neighbours from left to right.
pub(super) fn join(stretches: Vec<Stretch>) -> Vec<Stretch> {
    let mut joined: Vec<Stretch> = Vec::with_capacity(stretches.len());
    for next in stretches {
        match joined.last_mut() {
            Some(last) if belongs(last, &next) => {
                // What is joined is as much of an item as its larger half, and stays in the whole of the larger.
                if next.bytes() > last.bytes() {
                    last.whole = next.whole;
                    last.is_item = next.is_item;
                }
                last.span.end = next.span.end;
            }
            _ => joined.push(next),
        }
    }
    joined
}

fn belongs(last: &Stretch, next: &Stretch) -> bool {
    let total = next.span.end - last.span.start;
    if total > PASSAGE_BYTES_MAX || last.whole != next.whole {
        return false;
    }
    if last.bytes() <= TINY_BYTES || next.bytes() <= TINY_BYTES {
        return true;
    }
    if !last.is_item && !next.is_item {
        return total <= FILLED_BYTES_MAX;
    }
    total <= JOINED_BYTES_MAX && (last.bytes() < SMALL_BYTES || next.bytes() < SMALL_BYTES)
}
