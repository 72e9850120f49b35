use super::*;

#[test]
fn what_is_settled_stays_and_is_said_truly() {
    let first = limit_threads(2);
    assert_eq!(limit_threads(7), first, "the number is settled once");
    assert!((1..=THREADS_MAX).contains(&first.others) && first.kernels >= 1, "{first:?}");
    let seen = (0..64).map(|_| rayon::current_num_threads()).max();
    assert_eq!(seen, Some(first.others));
}
