use proptest::prelude::*;

use super::*;

fn find(text: &str, pattern: &str, offset: usize, limit: usize) -> ResultPage {
    grep(text, &compile(pattern).unwrap(), offset, limit)
}

#[test]
fn a_page_says_where_the_next_begins() {
    let first = page("äöü😀12345", 0, 4);
    assert_eq!((first.text.as_str(), first.total_chars, first.next_offset), ("äöü😀", 9, Some(4)));
    let last = page("äöü😀12345", 4, 100);
    assert_eq!((last.text.as_str(), last.next_offset), ("12345", None));
    let beyond = page("abc", 1_000, 10);
    assert_eq!((beyond.text.as_str(), beyond.total_chars, beyond.next_offset), ("", 3, None));
}

#[test]
fn grep_gives_matching_lines_with_their_numbers() {
    let text = "one error\nfine\r\ntwo ERROR\nlast error";
    let found = find(text, "error", 0, 1_000);
    assert_eq!(found.text, "1: one error\n4: last error\n");
    assert_eq!((found.matches, found.next_offset), (Some(2), None));
    assert_eq!(find(text, "(?i)error$", 0, 1_000).matches, Some(3));
    assert_eq!(find(text, "nothing", 0, 1_000).matches, Some(0));
}

#[test]
fn grep_goes_on_where_the_page_ended() {
    let text: String = (0..100).map(|n| format!("line {n} hit\n")).collect();
    let (mut offset, mut lines, mut pages) = (0, String::new(), 0);
    loop {
        let found = find(&text, "hit", offset, 200);
        assert!(found.text.chars().count() <= 200);
        lines.push_str(&found.text);
        pages += 1;
        match found.next_offset {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert_eq!(lines.lines().count(), 100);
    assert!(pages > 5 && lines.ends_with("100: line 99 hit\n"));
}

#[test]
fn a_long_line_is_shown_around_its_match() {
    let text = format!("{}needle{}", "ä".repeat(5_000), "ö".repeat(5_000));
    let found = find(&text, "needle", 0, 8_000);
    assert_eq!(found.text, format!("1: …{}needle{}…\n", "ä".repeat(150), "ö".repeat(150)));
    let all = find(&text, ".*", 0, 8_000);
    assert!(all.text.chars().count() < 400);
}

#[test]
fn a_bad_pattern_is_explained_and_a_huge_one_refused() {
    let failure = compile("(unclosed").unwrap_err();
    assert!(failure.message.starts_with("pattern is not a regular expression"), "{}", failure.message);
    assert!(compile("((a{1000}){1000}){1000}").is_err());
    assert!(compile(&"a".repeat(501)).is_err());
}

#[test]
fn a_match_of_single_bytes_does_not_cut_a_character() {
    let text = "😀".repeat(400);
    let found = find(&text, r"(?-u:\x98)", 0, 8_000);
    assert_eq!(found.matches, Some(1));
}

proptest! {
    #[test]
    fn pages_joined_are_the_whole_text(text in "\\PC{0,80}", limit in 1usize..20) {
        let (mut offset, mut joined) = (0, String::new());
        loop {
            let part = page(&text, offset, limit);
            joined.push_str(&part.text);
            match part.next_offset {
                Some(next) => offset = next,
                None => break,
            }
        }
        prop_assert_eq!(joined, text);
    }
}
