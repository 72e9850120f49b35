use windlass_core::ports::search::ScoreParts;

use super::*;

fn passage(path: &str, start: u64, end: u64, text: &str) -> Passage {
    Passage {
        id: format!("{path}#{start}:{end}"),
        path: path.to_owned(),
        document_id: None,
        start,
        end,
        line: 1,
        language: "rust".to_owned(),
        symbol: None,
        text: text.to_owned(),
        score: 0.0,
        parts: ScoreParts::default(),
    }
}

#[test]
fn the_same_text_is_given_once_whatever_its_spaces() {
    let found = vec![
        passage("a", 0, 9, "fn a() {}"),
        passage("b", 5, 16, "fn a()\n  {}"),
        passage("c", 0, 9, "fn c() {}"),
    ];
    let kept = deduplicate(found);
    assert_eq!(kept.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), ["a", "c"]);
}

#[test]
fn passages_that_mostly_overlap_are_one_and_neighbours_are_two() {
    let found = vec![
        passage("a", 0, 100, "one"),
        passage("a", 20, 90, "inside"),
        passage("a", 90, 200, "next"),
        passage("b", 20, 90, "another file"),
    ];
    let kept = deduplicate(found);
    assert_eq!(kept.iter().map(|it| it.text.as_str()).collect::<Vec<_>>(), ["one", "next", "another file"]);
}

#[test]
fn a_near_copy_makes_room_for_something_else() {
    let texts =
        ["read a file into memory", "read a file into memory now", "write the journal to disk", "other"];
    let sets: Vec<_> = texts.iter().map(|text| WordSet::of(text)).collect();
    let likeness = |one: usize, two: usize| sets[one].likeness(&sets[two]);
    assert_eq!(pick_diverse(&[1.0, 0.95, 0.6, 0.0], likeness, 0.5, 2), [0, 2]);
    assert_eq!(
        pick_diverse(&[1.0, 0.95, 0.6, 0.0], likeness, 1.0, 2),
        [0, 1],
        "with all on relevance it is the ranking"
    );
}

#[test]
fn all_are_picked_once_when_there_are_fewer_than_wanted() {
    assert_eq!(pick_diverse(&[0.2, 0.9, 0.5], |_, _| 1.0, 0.7, 10), [1, 2, 0]);
    assert!(pick_diverse(&[], |_, _| 0.0, 0.7, 10).is_empty());
    assert_eq!(pick_diverse(&[0.5, 0.5, 0.5], |_, _| 0.0, 0.7, 3), [0, 1, 2], "ties keep their order");
}

#[test]
fn likeness_is_one_for_the_same_words_and_nothing_for_none() {
    let one = WordSet::of("parse the journal");
    assert!((one.likeness(&WordSet::of("parsing a journal")) - 1.0).abs() < 1e-9);
    assert!(one.likeness(&WordSet::of("unrelated text")).abs() < 1e-9);
    assert!(WordSet::default().likeness(&WordSet::default()).abs() < 1e-9);
}
