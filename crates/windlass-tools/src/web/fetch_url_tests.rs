use proptest::prelude::*;

use super::*;

#[test]
fn a_text_is_cut_after_a_sentence_near_its_end() {
    let text = format!("{}. Then a long rest {}", "a".repeat(90), "b".repeat(50));
    assert_eq!(cut_at_sentence(&text, 100), format!("{}.", "a".repeat(90)));
    assert_eq!(cut_at_sentence(&"x".repeat(200), 100).len(), 100);
    assert_eq!(cut_at_sentence("One. Two.", 100), "One. Two.");
    assert_eq!(cut_at_sentence("日本語。日本語。日本語です", 10), "日本語。日本語。");
}

#[test]
fn a_host_is_named_with_its_port_where_it_is_not_the_usual_one() {
    for (url, host) in [
        ("https://Example.COM./x", "example.com"),
        ("https://example.com:443/", "example.com"),
        ("http://example.com:8080/", "example.com:8080"),
        ("http://[2606:4700::1111]:81/", "[2606:4700::1111]:81"),
    ] {
        assert_eq!(host_and_port(&Url::parse(url).unwrap()), host);
    }
}

proptest! {
    #[test]
    fn cutting_keeps_a_prefix(text in "[a-z.!? \n。é]{0,80}", chars_max in 1usize..60) {
        let kept = cut_at_sentence(&text, chars_max);
        prop_assert!(text.starts_with(kept));
        prop_assert!(kept.chars().count() <= chars_max);
    }
}
