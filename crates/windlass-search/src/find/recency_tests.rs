use super::*;

const DAY_MS: u64 = 24 * 3_600_000;

#[test]
fn edison_recency_falls_evenly_to_nothing_in_thirty_days() {
    let now_ms = 1_000 * DAY_MS;
    for (age_days, expected) in [(0, 1.0), (15, 0.5), (30, 0.0), (400, 0.0)] {
        let found = recency(now_ms - age_days * DAY_MS, now_ms);
        assert!((found - expected).abs() < 1e-9, "{age_days} days: {found}");
    }
    assert!((recency(now_ms + DAY_MS, now_ms) - 1.0).abs() < 1e-9, "a clock that runs ahead");
}

#[test]
fn edison_recency_decides_between_neighbours_and_not_over_far_ranks() {
    let score = |rank: usize, recency: f64| RELEVANCE * relevance(rank) + (1.0 - RELEVANCE) * recency;
    assert!(score(1, 1.0) > score(0, 0.0), "a new one passes an old one just before it");
    assert!(score(9, 1.0) < score(0, 0.0), "and none that is far better");
}

#[test]
fn only_documents_of_sessions_grow_old() {
    assert!(counts_at(&SearchScope::AllSessions).is_some());
    assert!(counts_at(&SearchScope::Project).is_none());
    assert!(counts_at(&SearchScope::Everything).is_none());
}
