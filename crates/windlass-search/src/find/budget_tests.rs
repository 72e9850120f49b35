use proptest::prelude::*;
use windlass_core::ports::search::ScoreParts;

use super::*;

fn passage(path: &str, start: u64, text: &str) -> Passage {
    let end = start + text.len() as u64;
    Passage {
        id: format!("{path}#{start}:{end}"),
        path: path.to_owned(),
        document_id: None,
        start,
        end,
        line: 1,
        language: "text".to_owned(),
        symbol: None,
        text: text.to_owned(),
        score: 1.0,
        parts: ScoreParts::default(),
    }
}

fn ids(passages: &[Passage]) -> Vec<&str> {
    passages.iter().map(|passage| passage.id.as_str()).collect()
}

#[test]
fn r_42_the_total_is_kept_and_a_smaller_passage_may_still_come() {
    let found = vec![
        passage("a", 0, &"x".repeat(400)),
        passage("b", 0, &"x".repeat(400)),
        passage("c", 0, &"x".repeat(80)),
    ];
    let budget = TokenBudget { total: 150, file: 150, passage: 150 };
    assert_eq!(ids(&fit(found, &budget)), ["a#0:400", "c#0:80"]);
}

#[test]
fn r_42_one_file_never_takes_more_than_its_share() {
    let found = vec![
        passage("a", 0, &"x".repeat(400)),
        passage("a", 400, &"x".repeat(400)),
        passage("b", 0, &"x".repeat(400)),
    ];
    let budget = TokenBudget { total: 1_000, file: 150, passage: 150 };
    assert_eq!(ids(&fit(found, &budget)), ["a#0:400", "b#0:400"]);
}

#[test]
fn r_42_a_passage_that_alone_is_too_long_is_cut_with_a_mark() {
    let found = vec![passage("a", 0, &"line of text\n".repeat(100))];
    let kept = fit(found, &TokenBudget { total: 1_000, file: 1_000, passage: 50 });
    let [one] = kept.as_slice() else { panic!("it was left out") };
    assert!(one.text.ends_with("line of text\n… (cut)"), "{:?}", one.text);
    assert!(estimate_tokens(&one.text) <= 50);
    assert_eq!(one.id, "a#0:1300", "the id still names all of it");
}

#[test]
fn r_42_a_budget_too_small_for_anything_gives_nothing() {
    for tokens in 0..6 {
        let budget = TokenBudget { total: tokens, file: 100, passage: 100 };
        assert!(fit(vec![passage("a", 0, &"x".repeat(100))], &budget).is_empty());
    }
}

#[test]
fn r_42_what_fits_is_never_touched() {
    let found = vec![passage("a", 0, "short"), passage("b", 0, "")];
    assert_eq!(fit(found.clone(), &TokenBudget::default()), found);
}

proptest! {
    #[test]
    fn r_42_no_budget_is_ever_exceeded_in_any_script(
        texts in prop::collection::vec(("[ab]", "[a-z\\näß字😀 ]{0,200}"), 0..12),
        total in 0_u32..120, file in 0_u32..120, passage_max in 0_u32..60,
    ) {
        let found: Vec<_> = texts.iter().map(|(path, text)| passage(path, 0, text)).collect();
        let budget = TokenBudget { total, file, passage: passage_max };
        let kept = fit(found.clone(), &budget);
        prop_assert_eq!(&fit(found, &budget), &kept);
        let tokens = |passages: &[&Passage]| passages.iter().map(|it| estimate_tokens(&it.text)).sum::<u32>();
        prop_assert!(tokens(&kept.iter().collect::<Vec<_>>()) <= total);
        for path in ["a", "b"] {
            prop_assert!(tokens(&kept.iter().filter(|it| it.path == path).collect::<Vec<_>>()) <= file);
        }
        for it in &kept {
            prop_assert!(estimate_tokens(&it.text) <= passage_max);
        }
    }
}
