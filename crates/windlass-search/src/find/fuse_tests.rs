use proptest::prelude::*;

use super::*;

fn ranking<I>(ids: Vec<I>) -> Ranking<I> {
    Ranking::weighted(ids, 1.0)
}

#[test]
fn a_4_two_rankings_give_b_then_a_then_c_with_exactly_these_numbers() {
    let fused = fuse(&[ranking(vec!["a", "b"]), ranking(vec!["b", "c"])]);
    assert_eq!(fused, vec![("b", 1.0 / 62.0 + 1.0 / 61.0), ("a", 1.0 / 61.0), ("c", 1.0 / 62.0)]);
}

#[test]
fn a_4_ties_are_broken_by_id_whichever_ranking_comes_first() {
    let one = ranking(vec!["z", "a", "m"]);
    let two = ranking(vec!["a", "z"]);
    let three = ranking(vec!["q", "m"]);
    let fused = fuse(&[one.clone(), two.clone(), three.clone()]);
    assert_eq!(fused.iter().map(|(id, _)| *id).collect::<Vec<_>>(), vec!["a", "z", "m", "q"]);
    assert_eq!(fuse(&[three, two, one]), fused);
}

#[test]
fn an_id_twice_in_a_ranking_counts_once() {
    assert_eq!(fuse(&[ranking(vec!["a", "b", "a"])]), vec![("a", 1.0 / 61.0), ("b", 1.0 / 62.0)]);
}

#[test]
fn a_ranking_may_count_less() {
    let fused = fuse(&[ranking(vec!["a"]), Ranking::weighted(vec!["b"], 0.5)]);
    assert_eq!(fused, vec![("a", 1.0 / 61.0), ("b", 0.5 / 61.0)]);
}

#[test]
fn words_far_behind_the_best_count_little_whatever_their_rank() {
    let fused = fuse(&[Ranking::stretched(vec![("a", 30.0), ("b", 12.0), ("c", 10.0)], 1.0)]);
    assert_eq!(fused, vec![("a", 1.0), ("b", 0.1), ("c", 0.0)]);
    assert_eq!(fuse(&[Ranking::stretched(vec![("a", 7.0)], 0.5)]), vec![("a", 0.5)]);
}

#[test]
fn a_vector_that_stands_out_beats_the_best_by_words_and_one_among_alike_does_not() {
    let words = || Ranking::stretched(vec![("word", 20.0), ("other", 10.0)], 1.0);
    let first = |cosines: [f64; 2]| {
        let meaning = ["meant", "other"].into_iter().zip(cosines).collect();
        fuse(&[words(), Ranking::leading(meaning, 2.0)]).first().map(|(id, _)| *id)
    };
    assert_eq!(first([0.8, 0.4]), Some("meant"));
    assert_eq!(first([0.5, 0.4]), Some("word"));
}

#[test]
fn cosines_that_are_all_the_same_are_worth_nothing() {
    let fused = fuse(&[Ranking::leading(vec![("a", 1.0), ("b", 1.0)], 2.0)]);
    assert_eq!(fused, vec![("a", 0.0), ("b", 0.0)]);
}

#[test]
fn nothing_ranked_is_nothing_fused() {
    assert!(fuse::<u32>(&[]).is_empty());
    assert!(fuse::<u32>(&[ranking(Vec::new())]).is_empty());
    assert!(
        fuse::<u32>(&[Ranking::stretched(Vec::new(), 1.0), Ranking::leading(Vec::new(), 1.0)]).is_empty()
    );
}

proptest! {
    #[test]
    fn the_order_of_the_rankings_never_matters(lists in prop::collection::vec(prop::collection::vec(0_u8..20, 0..12), 0..5)) {
        let mut rankings: Vec<_> = lists.into_iter().map(ranking).collect();
        let fused = fuse(&rankings);
        rankings.reverse();
        prop_assert_eq!(fuse(&rankings), fused);
    }
}
