use super::*;

#[test]
fn the_relevant_one_first_is_perfect_and_later_it_is_less() {
    assert_eq!(Measures::of(&[true], 1), Measures { ndcg: 1.0, recall: 1.0, mrr: 1.0 });
    let third = Measures::of(&[false, false, true], 1);
    assert_eq!((third.ndcg, third.recall), (0.5, 1.0));
    assert!((third.mrr - 1.0 / 3.0).abs() < 1e-12);
}

#[test]
fn only_ten_ranks_count() {
    let mut ranks = vec![false; 10];
    ranks.push(true);
    assert_eq!(Measures::of(&ranks, 1), Measures::default());
    assert_eq!(Measures::of(&[], 0), Measures::default());
}

#[test]
fn half_of_two_is_half_of_the_recall() {
    let found = Measures::of(&[true, false], 2);
    assert_eq!((found.recall, found.mrr), (0.5, 1.0));
    assert!((found.ndcg - 1.0 / (1.0 + 1.0 / 3.0_f64.log2())).abs() < 1e-12);
}

#[test]
fn a_mean_is_over_all_queries() {
    let mean = Measures::mean(&[Measures::of(&[true], 1), Measures::default()]);
    assert_eq!(mean, Measures { ndcg: 0.5, recall: 0.5, mrr: 0.5 });
}
