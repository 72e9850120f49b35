use super::*;

#[test]
fn a_wait_is_moved_by_a_quarter_at_most() {
    assert_eq!((spread(0, 7), spread(1_000, 0), spread(1_000, 500)), (0, 750, 1_250));
    for dice in (0..100_000).step_by(7) {
        assert!((750..=1_250).contains(&spread(1_000, dice)));
    }
    assert_eq!(spread(u64::MAX, 500) / 1_000, u64::MAX / 1_000 / 1_000);
}

#[test]
fn waits_fall_on_all_of_the_range() {
    let waits: std::collections::BTreeSet<u64> = (0..2_000).map(|_| spread(1_000, new_dice())).collect();
    assert!(waits.len() > 300, "{}", waits.len());
    assert!(waits.iter().any(|wait| *wait < 850) && waits.iter().any(|wait| *wait > 1_150));
}
