use std::collections::BTreeMap;

use super::*;
use crate::grammar::Vocabulary;

fn tokens(words: &[&str]) -> GrammarTokens {
    let mut all: Vec<Vec<u8>> = (0..=255_u8).map(|byte| vec![byte]).collect();
    all.push(b"<end>".to_vec());
    all.push(b"<call>".to_vec());
    all.extend(words.iter().map(|word| word.as_bytes().to_vec()));
    let special = BTreeMap::from([(256, "<end>".to_owned()), (257, "<call>".to_owned())]);
    GrammarTokens::new(Vocabulary { tokens: all, special, ends: vec![256], tokenise: None }).unwrap()
}

#[test]
fn the_longest_beginning_of_the_trigger_counts() {
    let trigger = b"aabaaa";
    let after = |text: &[u8]| text.iter().fold(0, |point, byte| advance(trigger, point, *byte));
    assert_eq!(
        [after(b"aab"), after(b"aaab"), after(b"aabaab"), after(b"aabb"), after(b"xaa")],
        [3, 3, 3, 0, 2]
    );
    assert_eq!(after(b"aabaabaaa"), 6);
}

#[test]
fn a_special_token_begins_a_call_where_one_is_allowed() {
    let tokens = tokens(&[]);
    let free = Speech::new(Trigger::Token(257), true);
    assert_eq!(free.hear(0, 257, &tokens), HeardToken::Call);
    let mask = free.mask(0, &tokens).unwrap();
    assert!(mask.allows(257) && mask.allows(256) && mask.allows(b'<'.into()));
    let text_only = Speech::new(Trigger::Token(257), false);
    assert_eq!(text_only.hear(0, 257, &tokens), HeardToken::Wrong);
    assert!(!text_only.mask(0, &tokens).unwrap().allows(257));
}

#[test]
fn a_text_trigger_ends_with_a_token_and_never_in_the_middle_of_one() {
    let tokens = tokens(&["<tool", ">\n", ">", "a<to", "o<too"]);
    let [open, with_rest, exact, partly, again] = [258, 259, 260, 261, 262];
    let free = Speech::new(Trigger::Text(b"<tool>".to_vec()), true);
    assert_eq!(free.hear(0, open, &tokens), HeardToken::Text(5));
    assert!(free.mask(0, &tokens).unwrap().allows(with_rest), "text stays free");
    let mask = free.mask(5, &tokens).unwrap();
    assert!(!mask.allows(with_rest) && mask.allows(exact) && mask.allows(open));
    assert_eq!(free.hear(5, exact, &tokens), HeardToken::Call);
    assert_eq!(free.hear(0, partly, &tokens), HeardToken::Text(3));
    assert_eq!(free.hear(3, again, &tokens), HeardToken::Text(4));
    let text_only = Speech::new(Trigger::Text(b"<tool>".to_vec()), false);
    assert!(!text_only.mask(5, &tokens).unwrap().allows(exact), "a call cannot begin");
    assert!(text_only.mask(4, &tokens).unwrap().allows(exact));
}

#[test]
fn a_brace_begins_a_call_only_before_all_else() {
    let tokens = tokens(&["{\"", " {", "  ", "x{"]);
    let free = Speech::new(Trigger::Brace, true);
    let first = free.mask(0, &tokens).unwrap();
    assert!([258, 259, 260].iter().all(|&token| !first.allows(token)) && first.allows(261));
    assert_eq!(free.hear(0, 261, &tokens), HeardToken::Text(1));
    assert!(free.mask(1, &tokens).unwrap().allows(258));
}
