use proptest::prelude::*;

use super::*;

/// Splits a text that comes in the given pieces; (thinking, answer).
fn split<'a>(opens_thinking: bool, pieces: impl IntoIterator<Item = &'a str>) -> (String, String) {
    let mut splitter = ThinkSplitter::new(opens_thinking);
    let mut out = Vec::new();
    for piece in pieces {
        splitter.push(piece, &mut out);
    }
    splitter.flush(&mut out);
    let mut thinking = String::new();
    let mut answer = String::new();
    for piece in out {
        match piece {
            AnswerPiece::Reasoning(text) => thinking.push_str(&text),
            AnswerPiece::Text(text) => answer.push_str(&text),
        }
    }
    (thinking, answer)
}

fn both(thinking: &str, answer: &str) -> (String, String) {
    (thinking.to_owned(), answer.to_owned())
}

#[test]
fn what_is_between_the_tags_is_thinking_and_the_rest_the_answer() {
    assert_eq!(split(false, ["<think>a</think>b"]), both("a", "b"));
    assert_eq!(split(false, ["\n<think>\na\n</think>\n\nb\n"]), both("\n\na\n\n\n", "b\n"));
    assert_eq!(split(false, ["<think></think>b"]), both("", "b"));
    assert_eq!(split(false, ["<think>a</think> <think>b</think>c"]), both("a b", "c"));
}

#[test]
fn an_answer_without_tags_or_with_tags_inside_is_an_answer() {
    for text in
        ["", " ", "b", "\n b", "<", "<thin", "<thinking>", "write <think> first", "a</think>b", "<b>x"]
    {
        assert_eq!(split(false, [text]), both("", text), "{text:?}");
    }
}

#[test]
fn thinking_that_is_never_closed_is_thinking_to_its_last_byte() {
    assert_eq!(split(false, ["<think>a</thin"]), both("a</thin", ""));
    assert_eq!(split(false, ["<think>a < b"]), both("a < b", ""));
}

#[test]
fn openai_0_qwen_may_omit_the_opening_tag() {
    assert_eq!(split(true, ["a</think>\n\nb"]), both("a\n\n", "b"));
    assert_eq!(split(true, ["\na", "</thi", "nk>b</think>"]), both("\na", "b</think>"));
    // And may write it after all.
    assert_eq!(split(true, ["<think>a</think>b"]), both("a", "b"));
    assert_eq!(split(true, ["<thi"]), both("<thi", ""));
}

#[test]
fn text_flows_before_the_stream_ends() {
    let mut splitter = ThinkSplitter::new(false);
    let mut out = Vec::new();
    splitter.push("<think>a", &mut out);
    assert_eq!(out, [AnswerPiece::Reasoning("a".to_owned())]);
    splitter.push("b</think>c<", &mut out);
    assert_eq!(
        out.get(1..),
        Some(&[AnswerPiece::Reasoning("b".to_owned()), AnswerPiece::Text("c<".to_owned())][..])
    );
    assert!(splitter.is_passing());
}

#[test]
fn blanks_behind_the_closing_tag_are_counted() {
    let mut splitter = ThinkSplitter::new(false);
    let mut out = Vec::new();
    for piece in ["<think>a\n</think>\n", "\nb\n\n"] {
        splitter.push(piece, &mut out);
    }
    assert_eq!(splitter.tail_bytes(), 2);
}

#[test]
fn more_blanks_than_anybody_writes_are_an_answer() {
    let text = " ".repeat(BLANKS_MAX + 1) + "<think>a</think>";
    assert_eq!(split(false, [text.as_str()]), both("", &text));
    assert_eq!(split(false, text.split_inclusive(' ')), both("", &text));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_split_of_a_text_gives_the_same_and_loses_no_byte(
        words in prop::collection::vec(
            prop::sample::select(vec!["<think>", "</think>", "<", "</", "thi", "nk>", " ", "\n", "ä", "answer"]),
            0..10,
        ),
        opens_thinking in any::<bool>(),
    ) {
        let text = words.concat();
        let whole = split(opens_thinking, [text.as_str()]);
        for (at, _) in text.char_indices() {
            let (left, right) = text.split_at(at);
            prop_assert_eq!(&split(opens_thinking, [left, right]), &whole);
        }
        let letters: Vec<String> = text.chars().map(String::from).collect();
        prop_assert_eq!(&split(opens_thinking, letters.iter().map(String::as_str)), &whole);
        // Only whole tags may be missing.
        let lost = text.len() - whole.0.len() - whole.1.len();
        let opened = (0..=lost / OPEN.len()).any(|opens| (lost - opens * OPEN.len()).is_multiple_of(CLOSE.len()));
        prop_assert!(opened, "{} bytes lost", lost);
    }
}
