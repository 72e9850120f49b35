use super::*;

#[test]
fn escape_sequences_and_turned_text_are_written_out() {
    assert_eq!(visible("\u{1b}[2Jgone"), "\\u{1b}[2Jgone");
    assert_eq!(visible("a\rb\u{8}c\u{9b}d"), "a\\u{d}b\\u{8}c\\u{9b}d");
    assert_eq!(visible("abc\u{202e}fdp.exe"), "abc\\u{202e}fdp.exe");
    assert_eq!(visible("pay\u{200b}pal\u{e0041}"), "pay\\u{200b}pal\\u{e0041}");
}

#[test]
fn ordinary_text_of_any_language_stays() {
    for text in ["line\n\ttab", "héllo — 日本語", "👩‍👩‍👧 ✓ ⚠️", "עברית"] {
        assert!(matches!(visible(text), Cow::Borrowed(same) if same == text), "{text}");
    }
}

#[test]
fn a_line_is_cut_between_characters() {
    assert_eq!(visible_line("  two\n lines ", 20), "two lines");
    assert_eq!(visible_line("日本語日本語", 4), "日本語…");
    assert_eq!(visible_line("abcd", 4), "abcd");
}
