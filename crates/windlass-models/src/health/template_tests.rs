use super::*;

#[test]
fn local_10_reserved_tokens_are_broken_up_and_other_text_is_borrowed() {
    for token in
        TOKENS.iter().copied().chain(["<|im_start|>", "<|tool_call_end|>", "<｜tool▁calls▁begin｜>", "<|x|>"])
    {
        let text = format!("a {token} b {token}");
        let escaped = escape(&text);
        assert!(!escaped.contains(token), "{escaped}");
        assert_eq!(escaped.replace(JOINER, ""), text);
    }
    for text in [
        "plain",
        "a < b",
        "list[0]",
        "<|not a token because it is far too long for one, really, it is much too long|>",
        "<||>",
        "Vec<String>",
        "<|a",
    ] {
        assert!(matches!(escape(text), Cow::Borrowed(same) if same == text), "{text}");
    }
}
