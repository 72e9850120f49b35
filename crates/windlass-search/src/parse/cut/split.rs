//! Splitting a stretch of text that is too long, at the best place there is: a blank line, a line, a sentence, a
//! blank, and at last any character.

use std::ops::Range;

/// Splits a stretch into ones of at most `bytes_max`; every byte is in one of them.
pub(super) fn split(text: &str, span: Range<usize>, bytes_max: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = span.start;
    while span.end.saturating_sub(start) > bytes_max {
        let end = text.floor_char_boundary(start + bytes_max);
        let window = text.get(start..end).unwrap_or_default();
        let at = best(window).filter(|at| *at > 0).unwrap_or(window.len());
        if at == 0 {
            break;
        }
        parts.push(start..start + at);
        start += at;
    }
    if start < span.end {
        parts.push(start..span.end);
    }
    parts
}

/// The last good place in a window, not in its first half: short parts say little.
fn best(window: &str) -> Option<usize> {
    let half = window.floor_char_boundary(window.len() / 2);
    let later = window.get(half..)?;
    let blank_line = later.rfind("\n\n").map(|at| half + at + 2);
    let line = || later.rfind('\n').map(|at| half + at + 1);
    let sentence = || sentences(later).last().map(|at| half + at);
    let blank = || {
        later.char_indices().rev().find(|(_, c)| c.is_whitespace()).map(|(at, c)| half + at + c.len_utf8())
    };
    blank_line.or_else(line).or_else(sentence).or_else(blank)
}

/// Where sentences end: after a mark and the blank behind it.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = usize> {
    let next = text.char_indices().skip(1).map(Some).chain([None]);
    text.char_indices().zip(next).filter_map(|((at, mark), next)| match (mark, next) {
        ('。' | '！' | '？', _) => Some(at + mark.len_utf8()),
        ('.' | '!' | '?', Some((after, blank))) if blank.is_whitespace() => Some(after + blank.len_utf8()),
        _ => None,
    })
}
