use super::*;

#[test]
fn p_14_a_token_budget_becomes_a_number_of_results() {
    for (budget, top_k) in [
        (0, 5),
        (999, 5),
        (1_000, 5),
        (1_199, 5),
        (1_200, 6),
        (3_999, 19),
        (4_000, 20),
        (10_000, 20),
        (u32::MAX, 20),
    ] {
        assert_eq!(top_k_for_budget(budget), top_k, "{budget}");
    }
}
