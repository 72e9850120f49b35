use super::*;

#[test]
fn a_text_is_cut_at_words_marks_and_blanks() {
    assert_eq!(
        pieces("read src/main.rs,  please"),
        ["read", " ", "src", "/", "main", ".", "rs", ",", "  ", "please"]
    );
    assert_eq!(pieces("task_3 isn't \"done\""), ["task_3", " ", "isn", "'", "t", " ", "\"", "done", "\""]);
    assert_eq!(pieces("naïve café über"), ["naïve", " ", "café", " ", "über"]);
    assert_eq!(pieces("読む file"), ["読", "む", " ", "file"]);
    assert_eq!(pieces("cafe\u{301}s"), ["cafe\u{301}s"], "an accent stays with its letter");
    assert!(pieces("").is_empty());
}

#[test]
fn a_long_text_is_cut_at_a_whole_character() {
    let text = "ä".repeat(SOURCE_BYTES_MAX);
    assert_eq!(pieces(&text).concat().len(), SOURCE_BYTES_MAX);
    let text = format!("a{text}");
    assert_eq!(pieces(&text).concat().len(), SOURCE_BYTES_MAX - 1);
}

#[test]
fn a_piece_is_escaped_as_a_whole() {
    assert_eq!(escaped("say \"hi\"\\\n\u{1}"), r#"say \"hi\"\\\n\u0001"#);
}
