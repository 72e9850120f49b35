use super::*;

#[test]
fn a_line_is_cut_between_characters() {
    assert_eq!(short_line("  two\n lines ", 20), "two lines");
    assert_eq!(short_line("日本語日本語", 4), "日本語…");
    assert_eq!(short_line("abcd", 4), "abcd");
    assert_eq!(short_line("a\u{1b}[2Jb", 20), "a\\u{1b}[2Jb");
}
