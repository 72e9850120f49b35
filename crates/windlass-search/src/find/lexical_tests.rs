//! Queries are words, whatever is typed.

use super::QueryWords;

#[test]
fn names_are_seen_in_a_question_and_a_single_word_is_one() {
    let words = QueryWords::of("how does `Windlass::haul()` call read_file?");
    assert_eq!(words.names, ["Windlass::haul", "read_file"]);
    assert!(!words.is_name);
    assert!(QueryWords::of("Windlass").is_name);
    assert!(QueryWords::of(" haul() ").is_name);
    assert!(QueryWords::of("the load and the pawl").names.is_empty());
}

#[test]
fn marks_alone_are_no_words() {
    for query in ["", "   ", "+++", "((", "\"", "field:", "*", "a AND", "[1 TO", "~^\\"] {
        let words = QueryWords::of(query);
        assert!(words.names.len() <= 1, "{query}: {words:?}");
    }
}

#[test]
fn a_query_without_end_is_cut_short() {
    let words = QueryWords::of(&"word_of_query é ".repeat(10_000));
    assert!(words.terms.len() <= 32 && words.names.len() <= 32);
}
