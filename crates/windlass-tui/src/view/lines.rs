//! Lines that are made to fit: broken where the screen ends, or between words. Knows nothing of what they say.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::text::width;

/// The pieces of a line, each as wide as there are columns: every sign is kept, also blanks.
pub(super) fn chop(line: &str, columns: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let (mut piece, mut taken) = (String::new(), 0);
    for sign in line.graphemes(true) {
        let more = width(sign);
        if taken > 0 && taken + more > columns {
            pieces.push(std::mem::take(&mut piece));
            taken = 0;
        }
        piece.push_str(sign);
        taken += more;
    }
    pieces.push(piece);
    pieces
}

/// The same between words; a word that is too wide is chopped.
pub(super) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            let blank = usize::from(!line.is_empty());
            if width(&line) + blank + width(word) > columns && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            let mut pieces = chop(word, columns);
            line.push_str(&pieces.pop().unwrap_or_default());
            lines.extend(pieces);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
