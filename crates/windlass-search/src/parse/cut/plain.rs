//! Cutting what no grammar knows: at blank lines, and best where the next line is not indented.

use std::ops::Range;

use super::UncountedPassage;
use super::join::{Stretch, join};
use super::split::split;
use crate::limits::PASSAGE_BYTES_MAX;

/// The pieces of a text.
pub(super) fn cut(text: &str) -> Vec<UncountedPassage> {
    let mut stretches = Vec::new();
    // Blocks that are indented belong to the block above them.
    let mut whole = 0;
    for block in blocks(text) {
        let is_inner = text
            .get(block.clone())
            .and_then(|block| block.lines().find(|line| !line.trim().is_empty()))
            .is_some_and(|line| line.starts_with([' ', '\t', '}', ')', ']']));
        if !is_inner {
            whole += 1;
        }
        let parts = split(text, block, PASSAGE_BYTES_MAX);
        stretches.extend(parts.into_iter().map(|span| Stretch { span, whole, is_item: false }));
    }
    let inner = join(stretches);
    // What is left small is joined to its neighbours, whatever it belongs to.
    let outer = inner.into_iter().map(|stretch| Stretch { whole: 0, is_item: true, ..stretch }).collect();
    join(outer).into_iter().map(|stretch| UncountedPassage::plain(stretch.span)).collect()
}

/// Stretches between blank lines, each with the blank lines behind it.
pub(super) fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let (mut start, mut at, mut was_blank) = (0, 0, false);
    for line in text.split_inclusive('\n') {
        let is_blank = line.trim().is_empty();
        if was_blank && !is_blank && at > start {
            blocks.push(start..at);
            start = at;
        }
        was_blank = is_blank;
        at += line.len();
    }
    if start < text.len() {
        blocks.push(start..text.len());
    }
    blocks
}
