use super::*;

fn source(step: Option<u32>) -> TaintSource {
    TaintSource { words: "example.com".to_owned(), step }
}

#[test]
fn the_sentence_names_source_and_step() {
    let finding = TaintFinding { source: Some(source(Some(3))), ..TaintFinding::default() };
    assert_eq!(finding.sentence().unwrap(), "Since step 3 this run has text from example.com.");
    let finding = TaintFinding { others: 2, ..finding };
    assert_eq!(
        finding.sentence().unwrap(),
        "Since step 3 this run has text from example.com and 2 other places."
    );
    let finding = TaintFinding { source: Some(source(None)), ..TaintFinding::default() };
    assert_eq!(
        finding.sentence().unwrap(),
        "Since an earlier message this session has text from example.com."
    );
    assert_eq!(TaintFinding::default().sentence(), None);
}

#[test]
fn a_leak_shows_both_places() {
    let leak = LeakFinding { argument: "body".to_owned(), source: source(Some(1)) };
    let finding = TaintFinding { leak: Some(leak), ..TaintFinding::default() };
    assert_eq!(
        finding.sentence().unwrap(),
        "The argument 'body' holds text of example.com, which came in step 1."
    );
}

#[test]
fn the_modes_are_read_from_their_words_and_grow_tighter() {
    for mode in TaintMode::ALL {
        assert_eq!(TaintMode::from_word(mode.word()), Some(mode));
    }
    assert!(TaintMode::Off < TaintMode::Ask && TaintMode::Ask < TaintMode::Strict);
    assert_eq!(TaintMode::default(), TaintMode::Ask);
}
