//! Halves of characters: escapes such as `\ud83d` that stand alone, where a server cut an emoji between two pieces. They
//! are no characters; strict JSON readers refuse the whole text for them.

use windlass_core::calls::json::NOT_UTF8;

/// The text with every lone surrogate escape replaced; `None` if it has none.
pub(super) fn mend_surrogates(text: &str) -> Option<String> {
    let mut mended = String::new();
    let mut rest = text;
    let mut is_changed = false;
    while let Some(at) = rest.find('\\') {
        let (plain, escape) = rest.split_at_checked(at)?;
        mended.push_str(plain);
        let length = match unit_of(escape) {
            Some(0xD800..=0xDBFF) if matches!(unit_of(escape.get(6..)?), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => {
                mended.push(NOT_UTF8);
                is_changed = true;
                rest = escape.get(6..)?;
                continue;
            }
            Some(_) => 6,
            // The other escapes are two characters, and the second may be a backslash.
            None => escape.char_indices().nth(2).map_or(escape.len(), |(end, _)| end),
        };
        let (escape, behind) = escape.split_at_checked(length)?;
        mended.push_str(escape);
        rest = behind;
    }
    mended.push_str(rest);
    is_changed.then_some(mended)
}

/// The number of a `\uXXXX` escape at the beginning of a text.
fn unit_of(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}
