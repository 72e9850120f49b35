use proptest::prelude::*;

use super::super::samples::any_string;
use super::*;
use crate::text::cut_bytes;

#[test]
fn short_texts_are_not_touched() {
    assert!(matches!(clip_chars("größe", 5), Cow::Borrowed("größe")));
    assert_eq!(clip_head_tail("größe", 5), None);
    assert_eq!(cut_bytes("größe", 7), "größe");
}

#[test]
fn r_10_a_clipped_text_has_exactly_the_characters_allowed_and_says_so() {
    let long = "ä".repeat(2_000);
    let clipped = clip_chars(&long, 900);
    assert_eq!(clipped.chars().count(), 900);
    assert!(clipped.ends_with("ä…"));
    assert_eq!(clip_chars("abc", 1), "…");
    assert_eq!(clip_chars("abc", 0), "");
    assert_eq!(clip_chars("", 0), "");
}

#[test]
fn r_43_a_byte_limit_is_rounded_down_to_a_character() {
    assert_eq!(cut_bytes("a€b", 0), "");
    assert_eq!(cut_bytes("a€b", 2), "a");
    assert_eq!(cut_bytes("a€b", 3), "a");
    assert_eq!(cut_bytes("a€b", 4), "a€");
}

#[test]
fn head_and_tail_keep_both_ends_and_count_the_middle() {
    let clipped = clip_head_tail("abcdefghij", 5).unwrap();
    assert_eq!(clipped, Clipped { head: "abc", tail: "ij", omitted_chars: 5 });
    assert_eq!(clipped.to_string(), "abc\n[… 5 characters left out …]\nij");
    assert_eq!(clip_head_tail("ab", 1), Some(Clipped { head: "a", tail: "", omitted_chars: 1 }));
    assert_eq!(clip_head_tail("ab", 0), Some(Clipped { head: "", tail: "", omitted_chars: 2 }));
}

proptest! {
    #[test]
    fn r_10_r_43_no_cut_ever_exceeds_its_limit_or_splits_a_character(text in any_string(), limit in 0..40_usize) {
        let clipped = clip_chars(&text, limit);
        prop_assert!(clipped.chars().count() <= limit);
        prop_assert!(text.starts_with(clipped.trim_end_matches('…')) || text.starts_with(&*clipped));
        prop_assert_eq!(clipped == text, text.chars().count() <= limit);
        let floor = cut_bytes(&text, limit);
        prop_assert!(floor.len() <= limit && text.starts_with(floor));
        prop_assert!(floor.len() + 4 > limit || floor == text);
    }

    #[test]
    fn head_tail_and_middle_are_the_whole_text(text in any_string(), limit in 0..40_usize) {
        let chars = text.chars().count();
        match clip_head_tail(&text, limit) {
            None => prop_assert!(chars <= limit),
            Some(Clipped { head, tail, omitted_chars }) => {
                prop_assert!(text.starts_with(head) && text.ends_with(tail));
                prop_assert_eq!(head.chars().count() + tail.chars().count(), limit);
                prop_assert_eq!(limit + omitted_chars, chars);
            }
        }
    }
}
