use std::time::Duration;

use axum::body::to_bytes;
use futures::stream;
use tokio::time::Instant;

use super::*;

/// A body of one byte a second, so many.
fn drip(bytes: u32) -> Body {
    let drops = stream::unfold(0, move |sent| async move {
        sleep(Duration::from_secs(1)).await;
        (sent < bytes).then_some((Ok::<_, std::io::Error>(Bytes::from_static(b"x")), sent + 1))
    });
    Body::from_stream(drops)
}

#[tokio::test(start_paused = true)]
async fn a_body_that_drips_is_dropped_at_its_time_and_one_that_ends_before_is_whole() {
    let begun = Instant::now();
    let error = to_bytes(in_time(drip(1_000)), 10_000).await.unwrap_err();
    assert!(is_too_slow(&error), "{error:?}");
    assert_eq!(begun.elapsed(), BODY_TIMEOUT);
    assert_eq!(to_bytes(in_time(drip(20)), 10_000).await.unwrap().len(), 20);
    let other = to_bytes(in_time(drip(20)), 10).await.unwrap_err();
    assert!(!is_too_slow(&other), "{other:?}");
}
