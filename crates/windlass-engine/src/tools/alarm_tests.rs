//! Alarms ring in time, whoever had them before.

use std::time::Duration;

use super::*;

fn idle() -> usize {
    IDLE.with_borrow(Vec::len)
}

async fn is_silent(alarm: &mut KeptAlarm, due: Instant) -> bool {
    futures::poll!(std::pin::pin!(alarm.wait_until(due))).is_pending()
}

#[tokio::test(start_paused = true)]
async fn an_alarm_that_has_not_rung_is_handed_on_and_rings_at_the_later_time() {
    let begun = Instant::now();
    let mut first = KeptAlarm::default();
    assert!(is_silent(&mut first, begun + Duration::from_secs(5)).await);
    drop(first);
    assert_eq!(idle(), 1);
    let mut second = KeptAlarm::default();
    let due = begun + Duration::from_secs(60);
    assert!(is_silent(&mut second, due).await);
    assert_eq!(idle(), 0, "no second alarm was made");
    second.wait_until(due).await;
    assert_eq!(Instant::now(), due);
    drop(second);
    assert_eq!(idle(), 0, "one that has rung is of no use to anybody");
}

#[tokio::test(start_paused = true)]
async fn an_alarm_that_would_ring_too_late_is_left_alone() {
    let begun = Instant::now();
    let mut late = KeptAlarm::default();
    assert!(is_silent(&mut late, begun + Duration::from_secs(60)).await);
    drop(late);
    let mut soon = KeptAlarm::default();
    soon.wait_until(begun + Duration::from_secs(1)).await;
    assert_eq!(Instant::now(), begun + Duration::from_secs(1));
    assert_eq!(idle(), 1);
}
