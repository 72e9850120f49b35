//! Texts by name: what gets one, what it stands for, and what is left of what a terminal was told.

use super::{Pastes, harmless, is_long};

fn lines(count: usize) -> String {
    (0..count).map(|line| format!("line {line}\n")).collect()
}

#[test]
fn more_than_2000_characters_or_20_lines_are_long() {
    assert!(!is_long(&"x".repeat(2_000)));
    assert!(is_long(&"x".repeat(2_001)));
    assert!(!is_long(&lines(20)));
    assert!(is_long(&lines(21)));
    assert!(!is_long(&"日".repeat(2_000)));
}

#[test]
fn names_say_how_much_they_stand_for() {
    let mut pastes = Pastes::default();
    assert_eq!(pastes.keep(&lines(120)), "[pasted text 1: 120 lines]");
    assert_eq!(pastes.keep(&"x".repeat(3_000)), "[pasted text 2: 3000 characters]");
    assert_eq!(pastes.keep(&lines(120)), "[pasted text 1: 120 lines]", "the same text has the same name");
}

#[test]
fn a_message_is_sent_with_what_its_names_stand_for() {
    let mut pastes = Pastes::default();
    let (first, second) = (lines(30), "y".repeat(2_500));
    let (one, two) = (pastes.keep(&first), pastes.keep(&second));
    let sent = pastes.unfold(&format!("see {two} and {one}, {two}."));
    assert_eq!(sent, format!("see {second} and {first}, {second}."));
    assert_eq!(pastes.unfold("see [pasted text 1: 31 lines]"), "see [pasted text 1: 31 lines]");
}

#[test]
fn a_name_inside_a_pasted_text_is_a_part_of_it() {
    let mut pastes = Pastes::default();
    let first = pastes.keep(&lines(30));
    let second = format!("{first}\n{}", lines(40));
    let name = pastes.keep(&second);
    assert_eq!(pastes.unfold(&name), second);
}

#[test]
fn a_message_that_comes_back_has_its_names_again() {
    let mut pastes = Pastes::default();
    let text = lines(30);
    let name = pastes.keep(&text);
    let written = format!("what is this?\n{name}");
    let sent = pastes.unfold(&written);
    assert_eq!(pastes.fold(&sent), written);
    assert_eq!(pastes.fold("short"), "short");
    let unknown = "z".repeat(5_000);
    let folded = pastes.fold(&unknown);
    assert_eq!(folded, "[pasted text 2: 5000 characters]");
    assert_eq!(pastes.unfold(&folded), unknown);
}

#[test]
fn what_is_kept_has_a_limit() {
    let mut pastes = Pastes::default();
    for number in 0..5 {
        pastes.keep(&number.to_string().repeat(5 << 20));
    }
    pastes.forget_oldest();
    assert_eq!(pastes.kept.len(), 3);
}

#[test]
fn a_paste_is_text_and_nothing_else() {
    assert_eq!(harmless("a\r\nb\rc"), "a\nb\nc");
    assert_eq!(harmless("\u{1b}[1;31mred\u{1b}[0m\tend"), "red\tend");
    assert_eq!(harmless("\u{1b}]0;title\u{7}x\u{1b}]8;;http://a\u{1b}\\link"), "xlink");
    assert_eq!(harmless("a\u{0}b\u{8}c\u{7f}d\u{9b}e"), "abcde");
    assert_eq!(harmless("\u{1b}"), "");
}
