use super::*;

fn ids(ranked: &[(&'static str, f64)]) -> Vec<&'static str> {
    ranked.iter().map(|(id, _)| *id).collect()
}

#[test]
fn what_a_good_passage_calls_passes_what_nothing_calls() {
    let ranked = [("best", 0.9), ("alone", 0.5), ("called", 0.45)];
    assert_eq!(ids(&lift_neighbours(&ranked, &[("best", "called")], 0.2)), ["best", "called", "alone"]);
    assert_eq!(ids(&lift_neighbours(&ranked, &[("called", "best")], 0.2)), ["best", "called", "alone"]);
}

#[test]
fn without_edges_or_share_the_ranking_stays() {
    let ranked = [("a", 0.9), ("b", 0.5)];
    assert_eq!(lift_neighbours(&ranked, &[], 0.5), ranked);
    assert_eq!(lift_neighbours(&ranked, &[("a", "b")], 0.0), ranked);
}

#[test]
fn edges_to_itself_to_strangers_and_told_twice_count_nothing_more() {
    let ranked = [("a", 0.9), ("b", 0.5)];
    let edges = [("a", "a"), ("b", "c"), ("a", "b"), ("a", "b"), ("b", "a")];
    let lifted = lift_neighbours(&ranked, &edges, 0.5);
    assert_eq!(lifted, [("a", 0.9 + 0.25), ("b", 0.5 + 0.45)]);
}
